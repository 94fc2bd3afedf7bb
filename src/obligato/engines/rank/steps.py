"""Solvers that are asked about steps, one for each location where hops begin; the order of tuples.

A solver is told the invariants there once, and keeps what it has made of the hops' guards, which are only
assumed: the same hops are asked about for each tuple that is tried. After many questions it is made
anew, because what was asked before stays in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from obligato.smt import Solver
from obligato.terms import Kind, Op, Term, TermStore

LIFETIME = 300  # questions to one solver


class Steps:
    """The solvers of one problem; `invariants` may grow."""

    def __init__(
        self, make: Callable[[], Solver], invariants: Mapping[int, Mapping[Term, None]]
    ) -> None:
        self.make, self.invariants = make, invariants
        self._solvers: dict[int, Solver] = {}
        self._told: dict[int, set[Term]] = {}
        self._asked: dict[int, int] = {}

    def at(self, loc: int) -> Solver:
        """The solver that knows the invariants of a location, for one more question."""
        if self._asked.get(loc, LIFETIME) >= LIFETIME:
            self._renew(loc)
        self._asked[loc] += 1
        told = self._told[loc]
        for f in self.invariants[loc]:
            if f not in told:
                told.add(f)
                self._solvers[loc].add(f)
        return self._solvers[loc]

    def _renew(self, loc: int) -> None:
        if loc in self._solvers:
            self._solvers[loc].close()
        self._solvers[loc], self._told[loc], self._asked[loc] = self.make(), set(), 0

    def close(self) -> None:
        """Free all solvers."""
        for solver in self._solvers.values():
            solver.close()
        self._solvers.clear()
        self._asked.clear()


def lower(store: TermStore, new: Sequence[Term], old: Sequence[Term], strictly: bool) -> Term:
    """`new` is below `old` in the lexicographic order of unsigned words and integers that are not
    negative, or equal.
    """
    if not new:
        return store.bool_(not strictly)
    a, b = new[0], old[0]
    less = (
        store.mk(Op.BVULT, (a, b))
        if a.sort.kind is Kind.BITVEC
        else store.and_(store.lt(a, b), store.ge(b, store.int_(0)))
    )
    return store.or_(less, store.and_(store.eq(a, b), lower(store, new[1:], old[1:], strictly)))
