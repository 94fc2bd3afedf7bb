"""The contract of FAIR's walls, executed (`Environment.debug`)."""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.kernel.debug import ContractChecker
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term


class WallChecker(ContractChecker):
    """Checks the walls of one system, as formulas."""

    def __init__(self, system: TransitionSystem) -> None:
        super().__init__(system.store)
        self.system = system

    def wall(
        self, wall: Term, relative: Sequence[Term], invariant: Sequence[Term], target: Term
    ) -> None:
        """`Builder.wall`: W excludes the target, and
        W and R and C and T and (W_j iff W_j' for the relative W_j) implies W'."""
        system, store = self.system, self.store
        self.never("a wall does not exclude its target", wall, target)
        uncrossed = [store.eq(w, system.prime(w)) for w in relative]
        self.never(
            "a step leaves a wall",
            wall,
            *invariant,
            *system.constraints,
            system.trans,
            *uncrossed,
            store.not_(system.prime(wall)),
        )
