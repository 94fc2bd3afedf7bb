"""Global guidance of IC3 on systems whose cubes are about numbers (`kernel.guidance`).

A lemma's cube as terms is what the clusters know; a cube that they suggest is entered as literals,
new ones where the hooks have none for it yet, and blocked like an obligation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from obligato.engines.ic3ts.cube import Cube
from obligato.engines.ic3ts.hooks import Hooks, Query, Reached, Unreached
from obligato.engines.kernel import guidance
from obligato.engines.kernel.cube import Literals, cube_of

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3ts.generalize import Generalizer
    from obligato.terms import TermStore

HERE = 0  # a system has one location


def terms_of(hooks: Hooks, cube: Cube) -> Literals:
    """What the numbered literals of a cube say."""
    return cube_of(hooks.formula((n,)) for n in cube)


class Guidance(guidance.Guidance):
    """See `kernel.guidance.Guidance`; `learn` adds the lemma of a blocked cube."""

    def __init__(
        self,
        store: TermStore,
        hooks: Hooks,
        generalizer: Generalizer,
        learn: Callable[[Cube, int], int],
        env: Environment,
    ) -> None:
        super().__init__(store, env, hooks.guidance, hooks.control)
        self.hooks, self.generalizer, self.learn = hooks, generalizer, learn

    def guide(self, cube: Cube, level: int) -> bool:
        """As `after`, for a lemma's cube of numbered literals."""
        return self.after(HERE, terms_of(self.hooks, cube), level)

    def excludes(self, cube: Cube, level: int) -> bool:
        """Is the cube blocked at the level by lemmas over other literals than its own?"""
        return bool(self.guided) and self.hooks.excludes(cube, level)

    def _blocked(self, location: int, cube: Literals, level: int) -> Literals | None:
        """See `kernel.guidance.Guidance`."""
        found = self._block(self.hooks.entered(cube), level)
        return None if found is None else terms_of(self.hooks, found)

    def _block(self, cube: Cube, level: int) -> Cube | None:
        while self.gas > 0 and not self.hooks.meets_initial(cube):
            self.gas -= 1
            query = Query(cube, level - 1, "guide")
            # F_(level-1) and not c and C and T and c': sat - a predecessor to block first;
            # unsat - a lemma; unknown - no lemma   (heuristic)
            answer = self.hooks.predecessor(query)
            if isinstance(answer, Unreached):
                lemma = self.generalizer.generalize(answer.core, level)
                self.learn(lemma, level)
                return lemma
            if not isinstance(answer, Reached) or level <= 1:
                return None
            if self._block(self.hooks.before(answer, query), level - 1) is None:
                return None
        return None
