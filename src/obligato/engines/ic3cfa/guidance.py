"""Global guidance of IC3CFA (`kernel.guidance`): a suggestion is asked along all incoming edges."""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.generalize import Generalizer
from obligato.engines.ic3cfa.queries import Queries, Unreached
from obligato.engines.kernel import guidance
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals
from obligato.engines.kernel.predecessor import predecessor


class Guidance(guidance.Guidance):
    """See `kernel.guidance.Guidance`; `learn` blocks a cube that is known to be unreachable."""

    def __init__(
        self,
        queries: Queries,
        generalizer: Generalizer,
        learn: Callable[[int, Literals, int], int],
        env: Environment,
        limit: int,
    ) -> None:
        super().__init__(queries.store, env, limit)
        self.queries, self.generalizer, self.learn = queries, generalizer, learn

    def _blocked(self, location: int, cube: Literals, level: int) -> Literals | None:
        """See `kernel.guidance.Guidance`."""
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
