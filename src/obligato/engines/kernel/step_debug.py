"""The contracts of engines that unwind programs, executed.
Switched on in tests (`Environment.debug`)."""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.kernel.block_edge import BlockEdge
from obligato.engines.kernel.debug import ContractChecker
from obligato.engines.kernel.program_path import Chain, ProgramPath
from obligato.engines.kernel.steps import Steps
from obligato.terms import Term


class StepChecker(ContractChecker):
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps.store)
        self.steps = steps

    def leads_to(
        self, what: str, edge: BlockEdge, before: Sequence[Term], after: Sequence[Term]
    ) -> None:
        """Every step along the edge from `before` ends in states of `after`: regions, lemmas."""
        known = self.steps.known.get(edge.source, ())
        pulled = self.store.not_(self.store.and_(*(edge.pull(f) for f in after)))
        self.never(
            f"{what} fails along an edge to {edge.target}", *known, *before, *edge.guard, pulled
        )

    def refutation(self, path: ProgramPath, chain: Chain) -> None:
        """`ProgramPath.interpolants`, `backward`:
        each formula follows from the one before and its step; last is false."""
        for position, edge in enumerate(path.edges[: path.needed]):
            last = position + 1 == path.needed
            after = [self.store.false] if last else chain.get(position + 1, [])
            self.leads_to("a refutation of a path", edge, chain.get(position, []), after)
