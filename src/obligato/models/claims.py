"""What is claimed about a CFA, and how a claim about a reduced CFA becomes one about the CFA before
the reduction.

A *certificate* gives a formula per cut point, a *trace* a path of edges with the values of their
inputs.  Each pass returns the new CFA and a `Lift`.  Both are only claims: `results.checking`
decides on the CFA of the untouched program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.terms import Term, Value


@dataclass(frozen=True, slots=True)
class Unwinding:
    """No run passes from one location of the cut set to the next more than `depth` times.

    `dead`: pairs of a number of such passages and a location where no run is after so many of them.
    `jumps`: pairs of a number of passages and how often the way of the last one of them is then
    taken again, by all runs.
    """

    depth: int
    dead: tuple[tuple[int, int], ...] = ()
    jumps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """Invariants by location number; `k` > 1 makes it k-inductive over the cut set `invariants`.

    With `unwinding` they need not be inductive:
    all runs are followed to their end, and then `k` is 1.

    Formulas hold for every value of `index`, if there is one: a variable that the program does not
    have.  `instances` are, by location, terms over the program's variables that it should be
    replaced by where the formula there is assumed.

    `ghosts` are, by location, variables that the program does not have and the values that they get
    whenever a run arrives there, all at once: terms over the program's variables and ghosts.
    Before that they have any value.
    """

    invariants: dict[int, Term]
    k: int = 1
    index: Term | None = None
    instances: dict[int, tuple[Term, ...]] = field(default_factory=dict)
    unwinding: Unwinding | None = None
    ghosts: dict[int, tuple[tuple[Term, Term], ...]] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Are the invariants the whole proof: inductive, and about the program's variables only?"""
        return self.k == 1 and self.index is None and self.unwinding is None and not self.ghosts


def conjoined(cfa: CFA, formulas: Mapping[int, Iterable[Term]]) -> dict[int, Term]:
    """The invariants of a certificate: at each inner location the conjunction of its formulas."""
    return {loc: cfa.store.and_(*formulas.get(loc, ())) for loc in cfa.inner}


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One original edge taken, with the values of its inputs (by input name) and the state after
    it, where known."""

    edge: int
    inputs: dict[str, Value]
    state: dict[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """The steps of a trace from number `start` (counted from 0) up to but not including `end` are
    taken `times` times.

    They lead from a location back to it; their inputs are the same each time.
    """

    start: int
    end: int
    times: int


@dataclass(frozen=True, slots=True)
class Trace:
    """A path from the initial to the error location; `initial` gives start values by variable name.

    `repeats`, in their order and apart from each other, are rounds of loops that are written once.
    """

    initial: dict[str, Value]
    steps: tuple[TraceStep, ...]
    repeats: tuple[Repeat, ...] = ()

    @property
    def length(self) -> int:
        """The number of its steps, repeated ones as often as they are taken."""
        more = sum((r.times - 1) * (r.end - r.start) for r in self.repeats)
        return len(self.steps) + more

    def written_out(self) -> Trace:
        """The same path without repeats. Values after the steps are left out: rounds differ."""
        steps, end = list[TraceStep](), 0
        for r in self.repeats:
            steps += [*self.steps[end : r.start], *self.steps[r.start : r.end] * r.times]
            end = r.end
        steps += self.steps[end:]
        return Trace(self.initial, tuple(TraceStep(s.edge, s.inputs) for s in steps))


class Lift(Protocol):
    """Maps claims about a reduced CFA to the CFA before the reduction."""

    def certificate(self, certificate: Certificate) -> Certificate:
        """Ensures: if `certificate` proves the reduced CFA, the result proves the one before."""

    def trace(self, trace: Trace) -> Trace:
        """The run of the CFA before that `trace` stands for;
        as it is where there is none, and then replay will say so."""


class Identity:
    """The lift of a pass that changes nothing a claim speaks about."""

    def certificate(self, certificate: Certificate) -> Certificate:
        """The certificate holds for the CFA before the pass as it is."""
        return certificate

    def trace(self, trace: Trace) -> Trace:
        """The trace is one of the CFA before the pass as it is."""
        return trace


class Composed:
    """The lift of several passes, given in the order in which they ran."""

    def __init__(self, lifts: Sequence[Lift]) -> None:
        self.lifts = tuple(lifts)

    def certificate(self, certificate: Certificate) -> Certificate:
        """Through the passes, last first."""
        for lift in reversed(self.lifts):
            certificate = lift.certificate(certificate)
        return certificate

    def trace(self, trace: Trace) -> Trace:
        """Through the passes, last first."""
        for lift in reversed(self.lifts):
            trace = lift.trace(trace)
        return trace
