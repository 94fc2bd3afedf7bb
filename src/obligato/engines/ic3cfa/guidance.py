"""Global guidance [KGSC20]: lemmas that one pattern unrolls are replaced by one that ends it.

After each lemma the cubes that its cluster suggests (`clusters`: conjecture, subsume) are tried: like
an obligation, but one that may turn out to be reached. It is asked along all incoming edges; what
stands in the way is blocked first if that takes few questions. So a lemma that comes of it holds for
the same reason as all others, and an attempt that fails costs its questions only.

Not done is *concretise*: obligations are pre-images along one path here, not sums that hide their
literals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.clusters import Clusters
from obligato.engines.ic3cfa.generalize import Generalizer
from obligato.engines.ic3cfa.queries import Queries, Unreached
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals
from obligato.engines.kernel.predecessor import predecessor

if TYPE_CHECKING:
    from obligato.engines.ic3cfa.debug import DebugChecker

SHARE = 3  # at most one in so many solver calls may serve guidance
CHAIN = 4  # lemmas that come of each other
FREE = 50  # calls that are no part of the share


class Guidance:
    """The clusters of all locations. `gas` is how many cubes one attempt may try to block; `learn`
    blocks a cube that is known to be unreachable."""

    def __init__(
        self,
        queries: Queries,
        generalizer: Generalizer,
        learn: Callable[[int, Literals, int], int],
        env: Environment,
        gas: int,
    ) -> None:
        self.queries, self.generalizer, self.learn, self.env = queries, generalizer, learn, env
        self.limit, self.gas, self.spent = gas, 0, 0
        self.clusters: dict[int, Clusters] = {}
        self.failed: dict[tuple[int, Literals], int] = {}  # the levels at which cubes failed
        self.debug: DebugChecker | None = None
        self.guided: set[int] = set()  # locations with a lemma that comes from here

    def after(self, location: int, cube: Literals, level: int) -> bool:
        """Try what a new lemma's cluster suggests, and what is suggested by the lemmas that come of
        it; is there one?

        Requires: the cube is blocked at `level` >= 1. Ensures: if so, a lemma at `level` includes
        the cube.
        """
        found = None
        for _ in range(CHAIN):
            larger = self._larger(location, found or cube, level)
            if larger is None:
                break
            found = larger
        return found is not None

    def _larger(self, location: int, cube: Literals, level: int) -> Literals | None:
        """The lemma that comes of what one lemma's cluster suggests, if one does."""
        clusters = self.clusters.setdefault(location, Clusters(self.queries.store))
        for candidate in clusters.suggested(cube):
            if self.debug is not None:
                self.debug.suggested(cube, candidate)
            if self._worthwhile(location, candidate, level):
                before, self.gas = self.env.questions, self.limit
                found = self._blocked(location, candidate, level)
                self.spent += self.env.questions - before
                self.env.count("guided" if found is not None else "not_guided")
                if found is not None:
                    self.guided.add(location)
                    clusters.end(cube)
                    return found
                self.failed[location, candidate] = level
        return None

    def _worthwhile(self, location: int, candidate: Literals, level: int) -> bool:
        """Is the candidate new at this level or below, and are there questions left for it?"""
        if SHARE * self.spent > FREE + self.env.questions:
            return False
        return level < self.failed.get((location, candidate), level + 1)

    def _blocked(self, location: int, cube: Literals, level: int) -> Literals | None:
        """Block a cube and its predecessors, with as many obligations as the budget (`gas`) allows.
        Returns a lemma at `level` that excludes the cube, or None.
        """
        while self.gas > 0:
            self.gas -= 1
            cores = {}
            for edge in self.queries.into[location]:
                # F_(level-1) [and not c] and T and c': sat - a predecessor to block first; unsat on
                # all edges - a lemma; unknown - no lemma   (heuristic)
                answer = self.generalizer.ask(edge, cube, level, "guide")
                if not isinstance(answer, Unreached):
                    break
                cores[edge] = frozenset(answer.core)
            else:
                lemma = self.generalizer.generalize(location, cube, level, cores)
                self.learn(location, lemma, level)
                return lemma
            if not isinstance(answer, Reached) or not self._before(answer, cube, level):
                return None
        return None

    def _before(self, reached: Reached, cube: Literals, level: int) -> bool:
        """Block the predecessor that a model names, if it is not reachable."""
        source = reached.edge.source
        if source == self.queries.initial or level <= 1:
            return False
        state, _, _ = predecessor(reached, cube, self.queries.cfa.input_set)
        return self._blocked(source, state, level - 1) is not None
