"""The contracts of CTIGAR's refinement, executed (`Environment.debug`). The skeleton's are in
`ic3ts.debug`.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube
from obligato.engines.kernel.debug import ContractChecker
from obligato.terms import Term


class RefinementChecker(ContractChecker):
    """What the abstraction of a state does after a refinement; `cube` is the new abstraction."""

    def __init__(self, predicates: Predicates) -> None:
        super().__init__(predicates.store)
        self.predicates, self.system = predicates, predicates.system

    def lifting(self, cube: Cube, pre: Sequence[Term]) -> None:
        """Lifting succeeds: the abstraction implies `pre`."""
        here = self.predicates.formula(cube)
        self.implies("lifting fails after it was refined", [here], pre)

    def consecution(self, cube: Cube, frame: Sequence[Term]) -> None:
        """Consecution succeeds: F and not t and C and T implies not t'."""
        here = self.predicates.formula(cube)
        self.never(
            "consecution fails after it was refined",
            *frame,
            self.store.not_(here),
            *self.system.constraints,
            self.system.trans,
            self.system.prime(here),
        )
