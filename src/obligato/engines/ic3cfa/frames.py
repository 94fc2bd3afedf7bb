"""Frames per location [LNNK19, 4.1]: F_(i, l), each location's delta-encoded (`kernel.frames`).

Requires and ensures, for all locations l but the error location and all levels i < k:
    (10) F_(i, l) implies F_(i+1, l)                      -- by construction: F_i is the lemmas of
         level i and above
    (12) F_(i, l) and T_e implies F'_(i+1, l')  for each edge e from l to l'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Lemma
from obligato.engines.ic3cfa.queries import Queries, Unreached
from obligato.engines.kernel import frames as kernel
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals
from obligato.terms import Term


class Frames:
    """The frames of all locations, and what else is known at each of them."""

    def __init__(self, locations: Iterable[int], queries: Queries, env: Environment) -> None:
        self.queries = queries
        self.of: dict[int, kernel.Frames[Lemma]] = {
            loc: kernel.Frames(1, env, queries.add_lemma, queries.forget_lemma, location=loc)
            for loc in locations
        }
        self.invariants: dict[int, list[Term]] = {loc: [] for loc in self.of}
        # instances of quantified invariants
        self.consequences: dict[int, list[Term]] = {loc: [] for loc in self.of}
        self.top = 1

    def extend(self) -> None:
        """Open the next level."""
        self.top += 1
        for frames in self.of.values():
            frames.open_level()

    def at(self, location: int, level: int) -> Iterator[Lemma]:
        """The lemmas of F_(level, location)."""
        return self.of[location].at(level)

    def subsumer(self, location: int, literals: frozenset[Term], level: int) -> Lemma | None:
        """A lemma of the frame whose cube includes all states of this one,
        by literal-set inclusion."""
        return next((x for x in self.at(location, level) if x.literals <= literals), None)

    def add(self, location: int, cube: Literals, level: int) -> None:
        """Block `cube` at all levels up to `level`; lemmas that it subsumes go."""
        self.of[location].add(Lemma.make(self.queries.store, location, cube, level))

    def propagate(self) -> int | None:
        """Push lemmas along all edges; a level i with F_(i, l) = F_(i+1, l) everywhere
        [LNNK19, Lemma 2], if there is one."""
        return kernel.propagate(list(self.of.values()), self._refuted)

    def _refuted(self, lemma: Lemma) -> kernel.CTP | bool:
        for edge in self.queries.into[lemma.location]:
            relative = lemma.cube if edge.is_loop else None
            # F_(i, l) and T_e and [not g, on a self-loop] and g': unsat on all edges - push; sat -
            # remember why not; unknown - it stays   (heuristic)
            answer = self.queries.reach(
                edge, lemma.cube, lemma.level, relative_to=relative, kind="push"
            )
            if isinstance(answer, Reached):
                return self.of[edge.source].ctp(self.queries.state(answer))
            if not isinstance(answer, Unreached):
                return True
        return False

    def formula(self, location: int, level: int) -> Term:
        """F_(level, location) as one formula."""
        clauses = [lemma.clause for lemma in self.at(location, level)]
        return self.queries.store.and_(*self.invariants[location], *clauses)
