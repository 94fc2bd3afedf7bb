"""Cubes of terms: sets of literals, read as their conjunction;
the clause of its negation blocks a cube."""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Term, TermStore

Literals = tuple[Term, ...]


def cube_of(literals: Iterable[Term]) -> Literals:
    """A cube in canonical order (by term id), without repetition."""
    return tuple(sorted(dict.fromkeys(literals), key=lambda t: t.id))


def clause_of(store: TermStore, cube: Literals) -> Term:
    """The clause that blocks a cube; the empty cube is blocked by false."""
    return store.or_(*[store.not_(lit) for lit in cube])
