"""The contracts of engines that unwind programs, executed.
Switched on in tests (`Environment.debug`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.engines.kernel.block_edge import BlockEdge, Reached
from obligato.engines.kernel.cube import Literals
from obligato.engines.kernel.debug import ContractChecker
from obligato.engines.kernel.program_path import Chain, ProgramPath
from obligato.engines.kernel.steps import Steps, Unreached
from obligato.errors import InternalError
from obligato.terms import Term, free_vars

Region = tuple[BlockEdge, Literals]  # the step that leads into it, and what holds in it


class StepChecker(ContractChecker):
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps.store)
        self.steps = steps
        steps.inspect = self.answer

    def leads_to(
        self, what: str, edge: BlockEdge, before: Sequence[Term], after: Sequence[Term]
    ) -> None:
        """Every step along the edge from `before` ends in states of `after`: regions, lemmas."""
        pulled = self.store.not_(self.store.and_(*(edge.pull(f) for f in after)))
        self.never(
            f"{what} fails along an edge to {edge.target}",
            *self._known(edge),
            *before,
            *edge.guard,
            pulled,
        )

    def answer(
        self,
        edge: BlockEdge,
        before: Sequence[Term],
        after: Sequence[Term],
        relative: Sequence[Term],
        answer: Reached | Unreached,
    ) -> None:
        """`Steps.ask`: the model is a step from `before` to `after`; or the parts that are named,
        which are parts of the two, exclude each other."""
        if isinstance(answer, Reached):
            formulas = [*before, *relative, *edge.guard, *(edge.pull(f) for f in after)]
            self.possible(
                f"a model is no step along an edge to {edge.target}",
                *self._known(edge),
                *formulas,
                *self._values(answer, formulas),
            )
            return
        if not (set(answer.before) <= set(before) and set(answer.after) <= set(after)):
            raise InternalError("a core has a formula that was not asked about")
        self.never(
            f"what is called unreachable is reached along an edge to {edge.target}",
            *self._known(edge),
            *answer.before,
            *relative,
            *edge.guard,
            *(edge.pull(f) for f in answer.after),
        )

    def _known(self, edge: BlockEdge) -> Sequence[Term]:
        return self.steps.known.get(edge.source, ())

    def _values(self, reached: Reached, formulas: Sequence[Term]) -> list[Term]:
        """The model as equations about the variables of the formulas."""
        values = {v: reached.model.get(v) for v in free_vars(*formulas)}
        return self.equations({v: x for v, x in values.items() if x is not None})

    def region(self, reached: Reached, region: Callable[[], Region]) -> Region:
        """`cegar.abstraction`: the end of the model's step is in the region, which is made here:
        the model is there before."""
        edge = reached.edge
        start = self._values(reached, [*edge.guard, *map(edge.pull, self.steps.cfa.variables)])
        step, literals = region()
        self.possible(
            f"a region at {edge.target} does not have the state that it was made of",
            *start,
            *step.guard,
            *map(step.pull, literals),
        )
        return step, literals

    def covered(self, frame: Sequence[Term], older: Sequence[Term]) -> None:
        """`treeic3.tree`: the frame of a covered node implies that of the node that covers it."""
        self.implies("a covered node has a state that the older one has not", frame, older)

    def expanded(self, location: int, frame: Sequence[Term], taken: Sequence[BlockEdge]) -> None:
        """`treeic3.tree`: an edge that has not been taken has no step from the frame."""
        for edge in self.steps.out[location]:
            if edge not in taken:
                self.leads_to("a missing child", edge, frame, [self.store.false])

    def inductive(self, invariant: Callable[[int], Term]) -> None:
        """`cegar.graph`, `treeic3.tree`, when nothing is open: what is said of each location is an
        inductive invariant, and excludes the error location."""
        for edge in self.steps.edges:
            error = edge.target == self.steps.cfa.error
            after = self.store.false if error else invariant(edge.target)
            self.leads_to("the invariant", edge, [invariant(edge.source)], [after])

    def refutation(self, path: ProgramPath, chain: Chain) -> None:
        """`ProgramPath.interpolants`, `backward`:
        each formula follows from the one before and its step; last is false."""
        for position, edge in enumerate(path.edges[: path.needed]):
            last = position + 1 == path.needed
            after = [self.store.false] if last else chain.get(position + 1, [])
            self.leads_to("a refutation of a path", edge, chain.get(position, []), after)
