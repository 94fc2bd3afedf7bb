"""Tree-IC3 [CG12]: the program is unwound into a tree, and IC3 runs along its paths.

Idea: `expand` a leaf; if its frame steps into the error location, the path to it is refuted: by IC3
along the path (`blocking`), or by sequence interpolants, as the options say; both strengthen the
frames of the path's nodes. A node whose frame implies that of an older node at its location is
covered (`tree`) and need not be expanded. When no leaf is open, the frames of the nodes that are
not covered are an invariant.

With implicit abstraction [CGMT16, 5.1] obligations and lemmas are cubes over the predicates of
their location. An obligation that arrives at the root is then an abstract counterexample: if no run
follows the path, the atoms of a chain of formulas that refutes it (`kernel.program_path`) become
predicates.

Limitations: each path has its own frames; what holds at all of them is found again until covering
ends it, and only self-loops have relative induction (see `blocking`). Without abstraction a loop
may be unwound for each of its rounds.
"""

from __future__ import annotations

from contextlib import closing

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import atoms
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.engines.kernel.predecessor import predecessor
from obligato.engines.kernel.program_path import Chain, ProgramPath
from obligato.engines.kernel.steps import Steps
from obligato.engines.kernel.unwinding import certificate_of
from obligato.engines.preparation import Prepared
from obligato.engines.treeic3.blocking import Blocking, Obligation
from obligato.engines.treeic3.options import Options
from obligato.engines.treeic3.tree import Node, Tree
from obligato.errors import ResourceOut
from obligato.models.effect import PathEffect
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict
from obligato.terms import Term, Value, evaluate


class TreeIC3:
    """One run on one program."""

    def __init__(self, start: Prepared, options: Options, env: Environment) -> None:
        self.start, self.cfa, self.options, self.env = start, start.blocks, options, env
        self.steps = Steps(self.cfa, env, start.make, start.known, options.budget)
        self.tree = Tree(self.steps, env)
        self.predicates: dict[int, dict[Term, None]] = {
            loc: dict.fromkeys(a for f in start.predicates.get(loc, ()) for a in atoms(f))
            for loc in self.cfa.locations
        }
        self.blocking = Blocking(
            self.tree, options, env, self._abstract if options.abstraction else self._exact
        )

    def prove(self) -> EngineResult:
        """Expand or cover leaves until an error is reached or none is open."""
        try:
            while (leaf := self.tree.next_leaf()) is not None:
                trace = None if self.tree.cover(leaf) else self.expand(leaf)
                if trace is not None:
                    return EngineResult(Verdict.FALSE, trace=trace, stats=self.statistics())
            return EngineResult(
                Verdict.TRUE, certificate=self._certificate(), stats=self.statistics()
            )
        except ResourceOut as out:
            return EngineResult(Verdict.UNKNOWN, reason=out.resource, stats=self.statistics())
        finally:
            self.steps.close()

    def expand(self, leaf: Node) -> Trace | None:
        """Give a leaf its children, or a trace;
        nothing if a node on the way to it is covered on the occasion."""
        for edge in self.steps.out[leaf.location]:  # errors first
            # frame and T_e: sat - a step to the target;
            # unsat - there is none, and the edge needs no child   (required)
            answer = self.steps.reach(edge, list(leaf.frame), kind="expand")
            while isinstance(answer, Reached) and edge.target == self.cfa.error:
                trace = self.refute(leaf, answer)
                if trace is not None:
                    return trace
                if self._close(leaf):
                    return None
                answer = self.steps.reach(edge, list(leaf.frame), kind="expand")
            if isinstance(answer, Reached):
                self.tree.add(leaf, edge, edge.target)
        leaf.expanded = True
        if self.tree.debug is not None:
            taken = [n.step for n in leaf.children if n.step is not None]
            self.tree.debug.expanded(leaf.location, list(leaf.frame), taken)
        return None

    def _close(self, leaf: Node) -> bool:
        """Cover a node on the way to the leaf, if possible, the first one there is;
        then the leaf is gone."""
        return any(self.tree.cover(node) for node in leaf.chain())

    # -- refutation of a path ----------------------------------------------------------------------

    def refute(self, leaf: Node, reached: Reached) -> Trace | None:
        """Strengthen the frames along the path so that the step into the error location is gone;
        or a trace.

        Requires: `reached` is a step from the leaf's frame to the error location.
        """
        nodes = leaf.chain()
        if self.options.interpolants == "first":
            done, trace = self._interpolate(nodes, reached)
            if done:
                return trace
        limit = self.options.patience if self.options.interpolants == "fallback" else None
        answer = self.blocking.block(nodes, reached, limit)
        if answer is True:
            return None
        if answer is False:
            done, trace = self._interpolate(nodes, reached)
            if done:
                return trace
            answer = self.blocking.block(nodes, reached, None)
        return self._arrived(nodes, reached, answer) if isinstance(answer, Obligation) else None

    def _interpolate(self, nodes: list[Node], reached: Reached) -> tuple[bool, Trace | None]:
        """Is the path decided: by a run, or by sequence interpolants as lemmas [McM06]?"""
        with closing(self._path(nodes, reached)) as path:
            run = path.run()
            if run is not None:
                return True, _trace(run)
            chain = path.interpolants()
        if chain is None:
            self.env.count("no_interpolants")
            return False, None
        if self.tree.debug is not None:
            self.tree.debug.refutation(path, chain)
        self.env.count("interpolated")
        self._add_predicates(nodes, chain)
        for position in sorted(chain):
            for lemma in chain[position]:
                self.tree.learn(nodes[position], lemma)
        return True, None

    def _path(self, nodes: list[Node], reached: Reached) -> ProgramPath:
        """The path to the error location, blocks as a whole."""
        return ProgramPath(
            self.steps, [*(n.step for n in nodes if n.step is not None), reached.edge]
        )

    def _arrived(self, nodes: list[Node], reached: Reached, o: Obligation) -> Trace | None:
        """The trace of an obligation at the root; None if it is an abstract one only:
        then there are new predicates."""
        if not self.options.abstraction:
            return _trace(o.edges())
        with closing(self._path(nodes, reached)) as path:
            run = path.run()
            if run is not None:
                return _trace(run)
            chain = path.interpolants() if self.options.interpolants != "never" else None
            chain = path.backward() if chain is None else chain
        if chain is None:
            chain = self._one_way(path, o)
        if chain is None or not self._add_predicates(nodes, chain):
            raise ResourceOut(
                "incomplete: no predicates were found that refute an abstract counterexample"
            )
        return None

    def _one_way(self, path: ProgramPath, o: Obligation) -> Chain | None:
        """Formulas that refute the abstract counterexample along the one way through each block
        that it took; for paths of which there are too many ways to look at all.
        """
        ways = [x.step for x in o.chain()]
        with closing(
            ProgramPath(
                self.steps,
                [self.steps.straight(e, way) for e, way in zip(path.edges, ways, strict=True)],
            )
        ) as straight:
            return straight.backward() if straight.run() is None else None

    # -- obligations -------------------------------------------------------------------------------

    def _exact(self, reached: Reached, cube: Literals) -> tuple[Literals, PathEffect]:
        """States that step into the cube as the model does [LNNK19, Lemma 1]."""
        found, path, _ = predecessor(reached, cube, self.cfa.input_set)
        return found, path

    def _abstract(self, reached: Reached, cube: Literals) -> tuple[Literals, PathEffect]:
        """The abstract state of the model's first state:
        all predicates of its location, or their negations."""
        memo: dict[Term, Value] = {}
        not_ = self.cfa.store.not_
        literals = [
            p if evaluate(p, reached.model, memo) else not_(p)
            for p in self.predicates[reached.edge.source]
        ]
        return cube_of(literals), reached.edge.path_of(reached.model)

    def _add_predicates(self, nodes: list[Node], chain: Chain) -> bool:
        """The atoms of a chain become predicates of their locations; is one of them new?"""
        self.env.count("refinements")
        new = False
        for position, formulas in chain.items():
            here = self.predicates[nodes[position].location]
            found = [a for f in formulas for a in atoms(f) if a not in here]
            here.update(dict.fromkeys(found))
            new = new or bool(found)
            self.env.event(
                "refine", position=position, location=nodes[position].location, predicates=found
            )
        return new

    # -- results -----------------------------------------------------------------------------------

    def _certificate(self) -> Certificate:
        """The frames of each location, with what was known there from the start."""
        if self.tree.debug is not None:
            self.tree.debug.inductive(self.tree.invariant)
        return certificate_of(self.cfa, self.start.seeds, self.tree.invariant)

    def statistics(self) -> dict[str, object]:
        """Figures for the report."""
        depth = max((n.depth for here in self.tree.at.values() for n in here), default=0)
        return {
            **self.env.counters,
            "frames": depth,
            "predicates": sum(map(len, self.predicates.values())),
        }


def _trace(edges: list[int]) -> Trace:
    return Trace({}, tuple(TraceStep(edge, {}) for edge in edges))
