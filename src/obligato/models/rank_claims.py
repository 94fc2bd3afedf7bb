"""What is claimed about the infinite runs of a program:
ranks that prove that there are none, or one that is shown.

The question is about a `BuchiCFA`: is there an infinite run that is at accepting locations again
and again? Where every location is accepting (`accepting` is None) it is whether some run does not
end. A run that blocks at an assumption is finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from obligato.models.cfa import CFA
from obligato.models.claims import Certificate, Trace
from obligato.terms import Term, Value


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """The program that a CFA is a product of: each location of the product stands for a `place` of
    it, and each run of the product is one of the program, in the same variables."""

    cfa: CFA
    place: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class BuchiCFA:
    """A CFA and its accepting locations; None: all of them.
    Its error location stands for limits of the model only. A lasso must bring back the variables
    with the `observed` names, too. What holds in a `base` holds in the CFA."""

    cfa: CFA
    accepting: frozenset[int] | None = None
    observed: tuple[str, ...] = ()
    base: Base | None = None

    def accepts(self, location: int) -> bool:
        """Is the location accepting?"""
        return self.accepting is None or location in self.accepting


@dataclass(frozen=True, slots=True)
class Counter:
    """A word beside the program: zero at the start,
    one more whenever a run leaves one of the locations, until it is full."""

    name: str
    width: int
    locations: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """There is no such run. `certificate` proves that no limit is reached and gives invariants at
    the cut points; `ranks` gives each cut point on a cycle a tuple, which is compared
    lexicographically: words as unsigned numbers, integers must not be negative before they
    decrease. From a cut point to the next one of the same component the tuple never increases, and
    it decreases where the first one is accepting; so no run is there again and again, because the
    order is well-founded. Invariants and ranks may speak about `counters`: a run with them is a run
    of the program, and each run has one (k-liveness).
    """

    certificate: Certificate
    ranks: dict[int, tuple[Term, ...]]
    counters: tuple[Counter, ...] = ()


@dataclass(frozen=True, slots=True)
class Endless:
    """There is one. Without `sets` it is a lasso:
    the steps of `trace`, then again and again those from number `loop` on.

    With `sets` (formulas by location) it is the run of `trace` into a recurrence set: the state
    after the last step is in the set of its location, and every state in a set has a way into a set
    by at least one edge, on which inputs have `values`.
    """

    trace: Trace
    loop: int
    sets: dict[int, Term] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


RunClaim = Ranking | Endless
