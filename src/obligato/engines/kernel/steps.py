"""Questions about single steps of a program, for engines that unwind it (CEGAR, Tree-IC3).

One solver per source location holds what is known there and the guards of its outgoing edges, under
one literal per edge. The question is edge-relative [LNNK19, Def. 13, 15],
with any formulas instead of a frame:

    before  and  [relative]  and  wep(edge, after)        satisfiable?

All of them are assumptions, so that an unsat answer names the formulas that it needs. Formulas that
come back again and again (`switch`) are asserted under a literal of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.kernel.block_edge import BlockEdge, LazyModel, Reached
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import PathEffect
from obligato.models.gcl import Assign, Assume, Seq
from obligato.smt import SAT, UNKNOWN, Solver
from obligato.smt.activation import ActivationSolver
from obligato.terms import Term

REBUILD_EVERY = 250


@dataclass(frozen=True, slots=True)
class Unreached:
    """unsat: no step leads from `before` to `after`; these parts of the two suffice for that."""

    before: tuple[Term, ...]
    after: tuple[Term, ...]


Formulas = Sequence[Term]
Inspect = Callable[[BlockEdge, Formulas, Formulas, Formulas, Reached | Unreached], None]


class Steps:
    """The steps of one CFA. `known` holds at its location in every state that a run reaches,
    and is assumed before each step.

    `budget` is counted and holds for each query that is not required.
    """

    def __init__(
        self,
        cfa: CFA,
        env: Environment,
        make: Callable[[], Solver],
        known: Mapping[int, Sequence[Term]],
        budget: int,
    ) -> None:
        self.cfa, self.store, self.env = cfa, cfa.store, env
        self.make, self.known, self.budget = make, known, budget
        self.edges = [BlockEdge(self.store, e, n) for n, e in enumerate(cfa.edges)]
        self.out: dict[int, list[BlockEdge]] = {loc: [] for loc in cfa.locations}
        for e in self.edges:
            self.out[e.source].append(e)
        for edges in self.out.values():
            edges.sort(key=lambda e: e.target != cfa.error)  # errors first
        # a debug checker: called with each answer and what it was asked about
        self.inspect: Inspect | None = None
        self._solvers: dict[int, ActivationSolver] = {}
        self._guarded: dict[BlockEdge, None] = {}
        self._switches: dict[tuple[int, Term], Term] = {}
        self._straight: dict[PathEffect, BlockEdge] = {}
        self._origin: dict[BlockEdge, Edge] = dict(zip(self.edges, cfa.edges, strict=True))

    def straight(self, edge: BlockEdge, path: PathEffect) -> BlockEdge:
        """One path of an edge as an edge of its own, memoised."""
        if edge.choice_free:
            return edge
        found = self._straight.get(path)
        if found is None:
            found = BlockEdge(self.store, self._origin[edge], len(self._origin), path.path)
            command = Seq(
                (Assume(self.store.and_(*path.guard)), Assign(tuple(path.pull.mapping.items())))
            )
            self._origin[found] = Edge(found.number, edge.source, edge.target, command)
            self._straight[path] = found
        return found

    def origin(self, edge: BlockEdge) -> Edge:
        """The edge of the CFA; for a path of it, an edge with the effect of that path."""
        return self._origin[edge]

    # -- solvers -----------------------------------------------------------------------------------

    def _solver(self, location: int) -> ActivationSolver:
        solver = self._solvers.get(location)
        if solver is None:
            solver = self._solvers[location] = ActivationSolver(
                self.store, self.make, rebuild_every=REBUILD_EVERY
            )
            for f in self.known.get(location, ()):
                solver.add(f)
        return solver

    def _ready(self, edge: BlockEdge) -> ActivationSolver:
        solver = self._solver(edge.source)
        if edge not in self._guarded:
            self._guarded[edge] = None
            for g in edge.guard:
                solver.add(g, under=edge.active)
        return solver

    def switch(self, location: int, formula: Term) -> Term:
        """A literal that stands for the formula before a step from `location`."""
        if formula.is_literal:
            return formula
        found = self._switches.get((location, formula))
        if found is None:
            found = self._switches[location, formula] = self._solver(location).activate(formula)
        return found

    def close(self) -> None:
        """Free all solvers."""
        for solver in self._solvers.values():
            solver.close()

    # -- questions ---------------------------------------------------------------------------------

    def reach(
        self, edge: BlockEdge, before: Sequence[Term], after: Sequence[Term] = (), *, kind: str
    ) -> Reached | Unreached:
        """before and wep(edge, after): satisfiable?

        Ensures: Reached: its model is such a step.
        Unreached: the parts it names exclude each other, with what is known.
        """
        answer = self.ask(edge, before, after, kind=kind, budget=None)
        if answer is None:
            raise self.env.undecided("a step")
        return answer

    def ask(
        self,
        edge: BlockEdge,
        before: Sequence[Term],
        after: Sequence[Term] = (),
        *,
        relative: Sequence[Term] = (),
        kind: str,
        budget: int | None,
    ) -> Reached | Unreached | None:
        """The same with formulas that hold in this question only (`relative`) and a budget;
        None: not known."""
        answer = self._ask(edge, before, after, relative, kind, budget)
        if self.inspect is not None and answer is not None:
            self.inspect(edge, before, after, relative, answer)
        return answer

    def _ask(
        self,
        edge: BlockEdge,
        before: Sequence[Term],
        after: Sequence[Term],
        relative: Sequence[Term],
        kind: str,
        budget: int | None,
    ) -> Reached | Unreached | None:
        origin: dict[Term, Term] = {}
        for lit in after:
            pulled = edge.pull(lit)
            if pulled is self.store.false:
                return Unreached((), (lit,))
            if pulled is not self.store.true:
                origin.setdefault(pulled, lit)
        solver, own = self._ready(edge), {self.switch(edge.source, f): f for f in before}
        self.env.tick()
        # before and relative and wep(edge, after): sat - a step; unsat - a core of before and
        # after, given relative (the caller says what is required)
        result = solver.check(
            [edge.active, *own, *origin], temporary=relative, budget=budget, kind=kind
        )
        if result is SAT:
            return Reached(edge, LazyModel(solver))
        if result is UNKNOWN:
            self.env.count("gave_up")
            return None
        core = solver.core()
        return Unreached(
            tuple([own[t] for t in core if t in own]),
            tuple([origin[t] for t in core if t in origin]),
        )

    def leads_to(
        self, edge: BlockEdge, before: Sequence[Term], formula: Term, *, kind: str
    ) -> bool:
        """Do all steps along the edge from `before` end in states of the formula?
        False also where that is not known."""
        # before and wep(edge, not formula): unsat - all do; sat, unknown - not known   (heuristic)
        return isinstance(
            self.ask(edge, before, (self.store.not_(formula),), kind=kind, budget=self.budget),
            Unreached,
        )
