"""Global guidance [KGSC20]: lemmas that one pattern unrolls are replaced by one that ends it.

After each lemma the cubes that its cluster suggests (`clusters`: conjecture, subsume) are tried: like
an obligation, but one that may turn out to be reached. What stands in the way is blocked first if
that takes few questions. So a lemma that comes of it holds for the same reason as all others, and an
attempt that fails costs its questions only. Which questions these are is known to the engines.

The paper's third rule, *concretise*, is about obligations, not lemmas (`concretise`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from obligato.engines.kernel.clusters import Clusters

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.kernel.cube import Literals
    from obligato.terms import Term, TermStore

SHARE = 3  # at most one in so many solver calls may serve guidance
CHAIN = 4  # lemmas that come of each other
FREE = 50  # calls that are no part of the share


class Guidance(ABC):
    """The clusters of all locations. `limit` is how many cubes one attempt may try to block; what
    literals say about the variables `apart` is no number of a pattern."""

    def __init__(
        self, store: TermStore, env: Environment, limit: int, apart: Iterable[Term] = ()
    ) -> None:
        self.store, self.env, self.limit = store, env, limit
        self.apart = frozenset(apart)
        self.gas = self.spent = 0
        self.clusters: dict[int, Clusters] = {}
        self.failed: dict[tuple[int, Literals], int] = {}  # the levels at which cubes failed
        self.guided: set[int] = set()  # locations with a lemma that comes from here
        # a debug checker: the cube of a lemma, and what it suggests
        self.inspect: Callable[[Literals, Literals], None] | None = None

    @abstractmethod
    def _blocked(self, location: int, cube: Literals, level: int) -> Literals | None:
        """Block a cube and its predecessors, with as many obligations as the budget (`gas`) allows.
        Returns the cube of a lemma at `level` that excludes the cube, or None.
        """

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
        clusters = self.clusters.setdefault(location, Clusters(self.store, self.apart))
        for candidate in clusters.suggested(cube):
            if self.inspect is not None:
                self.inspect(cube, candidate)
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
