"""IC3 on watched cells: the skeleton with counterexamples that are decided on the arrays
themselves.

A chain of obligations that meets the initial states is a run of the abstraction. If the system has
a violation of that length (`concrete`), that one is the answer. If not, what the run reads
somewhere is wrong: one of the cells that it reads must be excluded at that level
(`CellHooks.suspects`), which is an obligation like any other, and may have a chain of its own. If
none can be excluded, cells that are watched one at a time do not tell enough: `MoreIndices`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.engines.ic3arrays.concrete import GLANCE
from obligato.engines.ic3ts import IC3, Cube, Lifted, Obligation
from obligato.engines.kernel.queue import ObligationQueue
from obligato.models.ts_claims import SystemTrace

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3arrays.concrete import ConcreteRuns
    from obligato.engines.ic3arrays.hooks import CellHooks
    from obligato.engines.ic3arrays.options import Options
    from obligato.models.ts_cells import CellSystem

DEPTH = 3  # of suspects that are excluded because of suspects
SUSPECTS = 12  # of one run


class MoreIndices(Exception):
    """The abstraction is too coarse."""


class CellIC3(IC3):
    """One run on one abstraction."""

    checks_contracts = False

    def __init__(
        self,
        cells: CellSystem,
        hooks: CellHooks,
        options: Options,
        env: Environment,
        concrete: ConcreteRuns,
        patience: float,
    ) -> None:
        super().__init__(cells.system, hooks, options, env)
        self.cells, self.concrete = cells, concrete
        # how often the frames may be refined before there must be more indices
        self.patience, self.refinements = (patience, 0)
        self.cell_hooks = hooks
        hooks.generalize = self.generalizer.generalize
        self._born: dict[int, int] = {}  # the level at which an obligation was found, by its number

    def strengthen(self) -> SystemTrace | None:
        """See `IC3`; where the frontier is safe, longer runs of the system itself are glanced at."""
        trace = super().strengthen()
        if trace is None:
            self.concrete.none_up_to(self.frames.top)
            trace = self.concrete.violation(self.concrete.safe + 1, GLANCE)
        return trace

    def _push(self, level: int, found: Lifted, parent: Obligation | None, spurious: int) -> None:
        """See `IC3`."""
        super()._push(level, found, parent, spurious)
        self._born[self.env.counters["obligations"]] = level

    def _examined(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `IC3`."""
        self.env.count("refinements")
        self.refinements += 1
        if self.refinements > self.patience:
            raise MoreIndices
        trace = self.concrete.violation(len(chain) - 1)
        if trace is None and not self._excluded(chain, 0):
            raise MoreIndices
        return trace

    def _excluded(self, chain: list[Obligation], depth: int) -> bool:
        """Exclude what the run along a chain reads somewhere, or find that it is excluded already;
        False if neither is.
        """
        if depth > DEPTH:
            return False
        steps = self.cell_hooks.run_of(chain).steps
        suspects: list[tuple[Cube, int]] = []
        for o, step in reversed(list(zip(chain, steps, strict=True))):
            if depth and o.parent is None:
                continue
            level = min(self._born[o.number], self.frames.top)
            for k, state, needed in self.cell_hooks.looked_at(o, step):
                if self._known(o, level, k, state):
                    return True
                suspects.append((self.cell_hooks.suspect(o, state, needed), level))
        return any(
            cube
            and level
            and not self.hooks.meets_initial(cube)
            and self._exclude(cube, level, depth)
            for cube, level in list(dict.fromkeys(suspects))[:SUSPECTS]
        )

    def _known(self, o: Obligation, level: int, instance: int, state: int) -> bool:
        """Is the state at an instance excluded already? Then some states of the obligation have no
        step to its parent, and a smaller obligation is queued instead.
        """
        whole = self.cell_hooks.whole(state)
        known = self.frames.subsumer(whole, max(level, 1))
        if known is None and (level or self.hooks.meets_initial(whole)):
            return False
        sharper = self.cell_hooks.sharper(o, instance, None if known is None else known.cube)
        self.env.count("sharpened")
        if sharper is not None:
            self._push(level, sharper, o.parent, o.spurious)
        return True

    def _exclude(self, cube: Cube, level: int, depth: int) -> bool:
        """Block a cube at a level; False if it is reached, as far as can be told."""
        queue, self.queue = self.queue, ObligationQueue(self.options.cube_order, self.env.random)
        try:
            while True:
                self._push(level, Lifted(cube, ()), None, 0)
                found = self.block(level)
                if found is None:
                    return True
                assert not isinstance(found, SystemTrace)
                chain = found.chain()
                if self.concrete.reaches(
                    self.cells.lifted(self.hooks.formula(cube)), len(chain) - 1
                ):
                    return False
                self.queue.clear()
                if not self._excluded(chain, depth + 1):
                    return False
        finally:
            self.queue = queue
