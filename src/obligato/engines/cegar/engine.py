"""CEGAR by lazy predicate abstraction [HJMS02; BCGKS09].

Idea: `explore` unwinds the program into an abstract reachability graph, whose nodes are regions
over predicates (`graph`, `abstraction`). A question leaves out what the graph contains already, so
that covering is part of it. If the error location is met, `refine` asks whether a run follows the
path: it is a counterexample, or a chain of formulas refutes it (`kernel.program_path`: sequence
interpolants [HJMM04] or weakest preconditions [HJMS02]), whose parts become predicates of the
path's locations; the graph is cut at the first node that they concern, the rest stays. When nothing
is open, the regions of each location are the invariant.

Progress: the chain holds along the path step by step, and each of its formulas is a predicate (or a
combination of some, if the abstraction is Boolean), so the same path is never met twice.
Limitations: the chain of formulas speaks about one path; for loops it may go on value by value.
Predicates that differ in constants only are counted for that,
and with too many of them the answer is UNKNOWN.
"""

from __future__ import annotations

from contextlib import closing

from obligato.engines.cegar.abstraction import Predicates
from obligato.engines.cegar.graph import Graph, Node
from obligato.engines.cegar.options import Options
from obligato.engines.environment import Environment
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.program_path import Chain, ProgramPath
from obligato.engines.kernel.step_debug import Region, StepChecker
from obligato.engines.kernel.steps import Steps
from obligato.engines.kernel.unwinding import certificate_of
from obligato.engines.preparation import Prepared
from obligato.errors import ResourceOut
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict


class Cegar:
    """One run on one program."""

    def __init__(self, start: Prepared, options: Options, env: Environment) -> None:
        self.start, self.cfa, self.options, self.env = start, start.blocks, options, env
        self.steps = Steps(self.cfa, env, start.make, start.known, options.budget)
        self.predicates = Predicates(self.steps, options, start.predicates)
        self.graph = Graph(self.steps, env)
        self.debug = StepChecker(self.steps) if env.debug else None

    def prove(self) -> EngineResult:
        """Explore and refine until an error is real or nothing is open."""
        try:
            while (error := self.explore()) is not None:
                trace = self.refine(error)
                if trace is not None:
                    return EngineResult(Verdict.FALSE, trace=trace, stats=self.statistics())
            return EngineResult(
                Verdict.TRUE, certificate=self._certificate(), stats=self.statistics()
            )
        except ResourceOut as out:
            return EngineResult(Verdict.UNKNOWN, reason=out.resource, stats=self.statistics())
        finally:
            self.steps.close()

    def explore(self) -> Node | None:
        """Unwind until a node at the error location is found, or nothing is open (None)."""
        while (pair := self.graph.next_open()) is not None:
            node, edge = pair
            outside = self.graph.outside(edge)
            # region and T_e and outside all regions at its target: sat - a successor that no node
            # contains; unsat - covered, by the nodes in the core   (required)
            answer = self.steps.reach(edge, [*node.region, *outside], kind="successor")
            if not isinstance(answer, Reached):
                self.graph.cover(pair, [outside[f] for f in answer.before if f in outside])
                continue
            self.graph.open(pair)
            step, region = self._region(answer, node)
            child = self.graph.add(
                node, step, edge.target, region, len(self.predicates.at[edge.target])
            )
            if edge.target == self.cfa.error:
                return child
        return None

    def _region(self, reached: Reached, node: Node) -> Region:
        """The region of a new child, and the step that leads into it."""
        if self.debug is None:
            return self.predicates.region(reached, node.region)
        step, region = self.debug.region(
            reached, lambda: self.predicates.region(reached, node.region)
        )
        if self.options.abstraction == "cartesian":
            self.debug.leads_to("a region", step, node.region, region)
        return step, region

    def refine(self, error: Node) -> Trace | None:
        """The run along the path to `error`; None if there is none:
        then it is refuted, and the graph is cut."""
        nodes = error.chain()
        with closing(
            ProgramPath(self.steps, [n.step for n in nodes if n.step is not None])
        ) as path:
            run = path.run()
            if run is not None:
                return Trace({}, tuple(TraceStep(edge, {}) for edge in run))
            chain = self._refutation(path)
            if self.debug is not None:
                self.debug.refutation(path, chain)
            self._cut(nodes, chain)
        return None

    def _refutation(self, path: ProgramPath) -> Chain:
        """Formulas that refute the path step by step, by position."""
        if self.options.refinement == "interpolants":
            found = path.interpolants()
            if found is not None:
                return found
            self.env.count("no_interpolants")
        found = path.backward()
        if found is None:
            raise ResourceOut("incomplete: weakest preconditions along a path have too many cubes")
        return found

    def _cut(self, nodes: list[Node], chain: Chain) -> None:
        """Add the chain's predicates and cut the graph at the first node that has not looked at all
        of its own."""
        self.env.count("refinements")
        concerned: list[Node] = []
        for position in sorted(chain):
            node = nodes[position]
            numbers = self.predicates.add(node.location, chain[position])
            if any(n >= node.known for n in numbers):
                concerned.append(node)
            self.env.event(
                "refine", location=node.location, position=position, predicates=chain[position]
            )
        if not concerned:
            raise ResourceOut("incomplete: a refinement did not rule out its path")
        self.graph.cut(concerned[0])

    def _certificate(self) -> Certificate:
        """The regions of each location, with what was known there from the start."""
        if self.debug is not None:
            self.debug.inductive(self.graph.invariant)
        return certificate_of(self.cfa, self.start.seeds, self.graph.invariant)

    def statistics(self) -> dict[str, object]:
        """Figures for the report."""
        return {**self.env.counters, "predicates": sum(map(len, self.predicates.at.values()))}
