"""Questions to IC3CFA: can a run come to a location in a state that satisfies a condition?

The program gets edges to the error location that assume the conditions; what they leave open
(inputs of blocks, intermediate states) are inputs of such an edge. Each question is reduced on its
own, so that what it does not depend on is left out, and has a counted budget. "No" comes with
invariants of the whole program, "yes" with a path, for which values are solved for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from obligato.analysis.pipeline import reduce
from obligato.engines import ic3cfa
from obligato.engines.environment import Environment
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.claims import Trace, TraceStep
from obligato.models.gcl import Assume, Seq
from obligato.models.path_formula import PathFormula, PathRun
from obligato.results.outcome import Verdict
from obligato.smt import SAT, Solver
from obligato.terms import Term, free_vars

OPTIONS = ic3cfa.Options(quantified=False, short_runs=0)  # "no" must come with invariants
LEVEL = 2  # of reduction: loops stay


@dataclass(frozen=True, slots=True)
class Reached:
    """A path of original edges from the start to the location of the condition that holds there (by
    its number).
    """

    edges: tuple[int, ...]
    condition: int


Invariants = dict[int, Term]
Condition = tuple[int, Term]  # location and formula


class Questions:
    """The questions about one CFA."""

    def __init__(
        self, cfa: CFA, env: Environment, make: Callable[[], Solver], keep: Sequence[int]
    ) -> None:
        self.cfa, self.env, self.make = cfa, env, make
        self.plain = replace(
            cfa, edges=tuple(e for e in cfa.edges if e.target != cfa.error), keep=tuple(keep)
        )
        self.first = max((e.id for e in cfa.edges), default=-1) + 1

    def limits(self, budget: int) -> Invariants | Reached | None:
        """Is a limit of the model reached?"""
        edges = tuple(e for e in self.cfa.edges if e.target == self.cfa.error)
        return self._ask(edges, (), budget) if edges else {}

    def limit(self, answer: Reached) -> str:
        """The limit that the answer reaches, as text for a reason."""
        edge = self.cfa.by_id[self.first + answer.condition]
        return f": {edge.violation.label} ({edge.span})" if edge.violation is not None else ""

    def reach(self, conditions: Sequence[Condition], budget: int) -> Invariants | Reached | None:
        """Invariants by which no run satisfies a condition, or a path to one; None: the budget is
        used up.
        """
        edges, inputs = [], dict.fromkeys(self.cfa.inputs)
        for n, (location, formula) in enumerate(conditions):
            edges.append(Edge(self.first + n, location, self.cfa.error, Assume(formula)))
            inputs |= {v: None for v in free_vars(formula) if v not in self._variables}
        return self._ask(tuple(edges), tuple(inputs), budget)

    @property
    def _variables(self) -> frozenset[Term]:
        return frozenset(self.cfa.variables)

    def wall(
        self, inside: Sequence[int], start: Condition, end: Condition, budget: int
    ) -> Invariants | None:
        """A set that holds at the `start`, that no step between the locations `inside` leaves, and
        that excludes the `end`: a wall [BSHZ11]. The start binds variables to values, all others
        may have any; None: none was found.
        """
        return self._between(inside, start, [end], {}, budget)

    def trap(
        self,
        inside: Sequence[int],
        start: Condition,
        stuck: Sequence[Condition],
        given: Mapping[Term, Term],
        budget: int,
    ) -> Invariants | None:
        """Sets with the `start` that no step between the locations `inside` with the `given` inputs
        leaves, and that exclude `stuck` states; None: none were found.
        """
        return self._between(inside, start, stuck, given, budget)

    def _between(
        self,
        inside: Sequence[int],
        start: Condition,
        ends: Sequence[Condition],
        given: Mapping[Term, Term],
        budget: int,
    ) -> Invariants | None:
        new, kept = max(self.cfa.locations) + 1, frozenset(inside)
        edges = [Edge(self.first, new, start[0], Assume(start[1]))]
        edges += [
            Edge(self.first + n, loc, self.cfa.error, Assume(f))
            for n, (loc, f) in enumerate(ends, 1)
        ]
        between = [
            self._under(e, given) for e in self.plain.edges if e.source in kept and e.target in kept
        ]
        asked = replace(
            self.plain,
            locations={**self.cfa.locations, new: Location(new, "start")},
            initial=new,
            edges=(*between, *edges),
        )
        answer = self._answer(asked, budget)
        return None if isinstance(answer, Reached) else answer

    def _under(self, edge: Edge, given: Mapping[Term, Term]) -> Edge:
        """The edge with the given inputs."""
        told = [self.cfa.store.eq(i, given[i]) for i in self.cfa.edge_inputs(edge) if i in given]
        return (
            replace(edge, command=Seq((Assume(self.cfa.store.and_(*told)), edge.command)))
            if told
            else edge
        )

    def _ask(
        self, edges: tuple[Edge, ...], inputs: tuple[Term, ...], budget: int
    ) -> Invariants | Reached | None:
        return self._answer(
            replace(
                self.plain, edges=(*self.plain.edges, *edges), inputs=inputs or self.plain.inputs
            ),
            budget,
        )

    def _answer(self, asked: CFA, budget: int) -> Invariants | Reached | None:
        small, lift = reduce(asked, LEVEL)
        self.env.count("ic3_questions")
        result = ic3cfa.prove(small, OPTIONS, self._within(budget))
        self.env.tick()
        if result.verdict is Verdict.TRUE and result.certificate is not None:
            return lift.certificate(result.certificate).invariants
        if result.verdict is Verdict.FALSE and result.trace is not None:
            path = [s.edge for s in lift.trace(self._valued(small, result.trace.steps)).steps]
            return Reached(tuple(path[:-1]), path[-1] - self.first)
        return None

    def _within(self, budget: int) -> Environment:
        """An environment that is cancelled when `budget` questions have been asked."""
        inner = Environment(seed=self.env.seed, stats=self.env.stats, debug=self.env.debug)
        inner.cancelled = lambda: inner.questions > budget or self.env.cancelled()
        return inner

    def _valued(self, small: CFA, steps: Sequence[TraceStep]) -> Trace:
        """The path with values, by which a lift executes what a slice has left out."""
        path = PathFormula(small)
        for step in steps:
            path.extend(small.by_id[step.edge])
        run = self.solve(path, [])
        if run is None:
            return Trace({}, tuple(steps))
        initial = {x.name: value for x, value in run.states[0].items()}
        return Trace(
            initial,
            tuple(
                TraceStep(s.edge, {i.name: v for i, v in given.items()})
                for s, given in zip(steps, run.inputs, strict=True)
            ),
        )

    def solve(self, path: PathFormula, more: Sequence[Term]) -> PathRun | None:
        """A run along the path that satisfies `more`; None if there is none, or it is not found."""
        with closing(self.make()) as solver:
            for f in (*path.formulas(), *more):
                solver.add(f)
            self.env.tick()
            # the formulas of the path and `more`: sat - a run; else it is not used   (heuristic)
            return path.run(solver.model_of) if solver.check([], kind="path") is SAT else None

    def along(self, edges: Sequence[int]) -> PathFormula:
        """The path of these original edges."""
        path = PathFormula(self.cfa)
        for number in edges:
            path.extend(self.cfa.by_id[number])
        return path
