"""Cubes, lemmas and proof obligations of IC3CFA.

A cube is a set of literals, read as their conjunction; the lemma that blocks it is the clause of its negation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from obligato.models.effect import PathEffect
from obligato.terms import Term, TermStore

Literals = tuple[Term, ...]


def cube_of(literals: Iterable[Term]) -> Literals:
    """A cube in canonical order (by term id), without repetition."""
    return tuple(sorted(dict.fromkeys(literals), key=lambda t: t.id))


def clause_of(store: TermStore, cube: Literals) -> Term:
    """The clause that blocks a cube; the empty cube is blocked by false."""
    return store.or_(*[store.not_(lit) for lit in cube])


@dataclass(slots=True, eq=False)
class Lemma:
    """A blocked cube at a location; it holds at every level up to `level`. `witness` says why it could not be pushed."""

    location: int
    cube: Literals
    level: int
    literals: frozenset[Term] = field(init=False)
    clause: Term = field(init=False)
    active: Term | None = None  # its own activation literal, where cores must name lemmas
    witness: Witness | None = None

    def __post_init__(self) -> None:
        self.literals = frozenset(self.cube)

    @classmethod
    def make(cls, store: TermStore, location: int, cube: Literals, level: int) -> Lemma:
        """A lemma with its clause."""
        lemma = cls(location, cube, level)
        lemma.clause = clause_of(store, cube)
        return lemma


@dataclass(slots=True, eq=False)
class Witness:
    """A state at `source` (in its frame when seen) that violates a lemma in one step; `seen` counts the source's changes."""

    source: int
    state: dict[Term, object]
    seen: int


@dataclass(slots=True, eq=False)
class Obligation:
    """Block `cube` at `location` up to `level`. `step` leads to the parent's cube; no parent: to the error location.

    `exact` means that the cube is the whole pre-image along its path (no input was fixed, no disjunct chosen).
    """

    level: int
    location: int
    cube: Literals
    parent: Obligation | None
    step: PathEffect
    exact: bool
    depth: int = 0
    abstracted: bool = False  # its last lemma is no part of its cube, so only a query can tell that it is blocked
    complete_at: int | None = None  # the level at which all its predecessors were queued, all of them exact

    def edges(self) -> list[int]:
        """The original edges from here to the error location."""
        out: list[int] = []
        node: Obligation | None = self
        while node is not None:
            out.extend(node.step.edges)
            node = node.parent
        return out
