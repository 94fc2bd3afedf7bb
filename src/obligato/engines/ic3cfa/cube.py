"""Lemmas and proof obligations of IC3CFA.

Cubes themselves are in `engines.kernel.cube`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from obligato.engines.kernel.cube import Literals, clause_of
from obligato.engines.kernel.frames import CTP
from obligato.engines.kernel.obligation import Obligation as KernelObligation
from obligato.models.effect import PathEffect
from obligato.terms import Term, TermStore, Value, evaluate


@dataclass(slots=True, eq=False)
class Lemma:
    """A blocked cube at a location; it holds at every level up to `level`."""

    location: int
    cube: Literals
    level: int
    clause: Term
    literals: frozenset[Term]
    active: Term | None = None  # its own activation literal, where cores must name lemmas
    ctp: CTP | None = None
    dropped: bool = False

    @classmethod
    def make(cls, store: TermStore, location: int, cube: Literals, level: int) -> Lemma:
        """A lemma with its clause."""
        return cls(location, cube, level, clause_of(store, cube), frozenset(cube))

    def subsumed(self, lemmas: Sequence[Lemma]) -> list[Lemma]:
        """See `kernel.frames.Lemma`: by inclusion of literals."""
        return [x for x in lemmas if self.literals <= x.literals and x is not self]

    @staticmethod
    def may_exclude(lemmas: Iterable[Lemma], state: dict[Term, Value]) -> bool:
        """See `kernel.frames.Lemma`; a state has a value of each variable of the program."""
        memo: dict[Term, Value] = {}
        return any(all(evaluate(lit, state, memo) for lit in x.cube) for x in lemmas)


@dataclass(slots=True, eq=False)
class Obligation(KernelObligation[Literals]):
    """Block `cube` at `location` up to `level`.
    `step` leads to the parent's cube; no parent: to the error location.

    `exact` means that the cube is the whole pre-image along its path (no input was fixed, no
    disjunct chosen).
    """

    location: int
    step: PathEffect
    exact: bool
    # its last lemma is no part of its cube, so only a query can tell that it is blocked
    abstracted: bool = False
    # the level at which all its predecessors were queued, all of them exact
    complete_at: int | None = None

    def edges(self) -> list[int]:
        """The original edges from here to the error location."""
        return [edge for o in self.chain() for edge in o.step.edges]
