"""A path of an unwinding and the question whether some run follows it; what its prefixes exclude.

`run`: the original edges of a run along all steps, or None. `excluded`: which of some literals
about position k no run of the first k steps satisfies together. `backward` makes a chain of cubes
from the end of the path to its start [LNNK19, Lemma 1]:

    cubes_m = {true}
    cubes_k covers every state that steps into cubes_(k+1)
    no run of k steps reaches cubes_k

so that the negations of cubes_1, cubes_2, ... are sequence interpolants, made of weakest
preconditions. A cube loses the literals that the prefix does not need to exclude it.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.kernel.block_edge import BlockEdge, Reached
from obligato.engines.kernel.cube import Literals, clause_of, cube_of
from obligato.engines.kernel.predecessor import predecessor
from obligato.engines.kernel.steps import Steps
from obligato.errors import InternalError
from obligato.models.path_formula import PathFormula
from obligato.smt import SAT, UNKNOWN, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import solver_factory, sorts_in
from obligato.smt.interpolation import sequence_interpolants
from obligato.terms import BOOL, Kind, Op, Term, conjuncts, postorder, size

ROUNDS = 30  # cubes of predecessors of one cube
MINIMISED = 40  # literals of a core that are tried to be dropped

Chain = dict[int, list[Term]]  # position -> formulas about the program's variables


class ProgramPath:
    """A path of steps from the initial location."""

    def __init__(self, steps: Steps, edges: Sequence[BlockEdge]) -> None:
        self.steps, self.edges, self.store = steps, list(edges), steps.store
        self.path = PathFormula(steps.cfa)
        self.solver = ActivationSolver(self.store, steps.make, rebuild_every=0)
        # literal -> the formula of a step, with what is known before it
        self.switches: dict[Term, Term] = {}
        # after an infeasible `run`: no run follows the first so many steps
        self.needed = len(self.edges)
        for position, edge in enumerate(self.edges):
            self._add(position, edge)

    def _add(self, position: int, edge: BlockEdge) -> None:
        formula = self.path.extend(self.steps.origin(edge))
        known = self.steps.known.get(edge.source, ())
        switch = self.store.fresh(f"step!{position}", BOOL)
        self.switches[switch] = self.store.and_(
            *(self.path.at(f, position) for f in known), formula
        )
        self.solver.add(self.switches[switch], under=switch)

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()

    def run(self) -> list[int] | None:
        """The original edges of a run along the path;
        None if there is none, and `needed` is set then."""
        self.steps.env.tick()
        # T_0 and ... and T_(n-1): sat - a run;
        # unsat - there is none, and the core says how long a prefix has none (required)
        result = self.solver.check(list(self.switches), kind="path")
        if result is UNKNOWN:
            self._change_solver()
            result = self.solver.check(list(self.switches), kind="path")
        if result is UNKNOWN:
            raise self.steps.env.undecided("whether a path is feasible")
        if result is UNSAT:
            used = set(self.solver.core())
            self.needed = max((n + 1 for n, s in enumerate(self.switches) if s in used), default=0)
            return None
        ways = self.path.run(self.solver.model_of).edges
        return [
            e
            for edge, way in zip(self.edges, ways, strict=True)
            for e in (way if edge.only_path is None else edge.only_path.edges)
        ]

    def _change_solver(self) -> None:
        """Go on with z3: bitwuzla does not compare all arrays, as the formulas of paths do."""
        formulas = list(self.switches.values())
        self.solver.close()
        make = solver_factory(sorts_in(*formulas), prefer="z3", stats=self.steps.env.stats)
        self.solver = ActivationSolver(self.store, make, rebuild_every=0)
        for switch, formula in self.switches.items():
            self.solver.add(formula, under=switch)

    def _first(self, position: int) -> list[Term]:
        return list(self.switches)[:position]

    def excluded(
        self, position: int, literals: Sequence[Term], budget: int | None
    ) -> list[Term] | None:
        """A part of the literals that no run of the first steps satisfies at their end;
        None if that is not known."""
        origin = {self.path.at(lit, position): lit for lit in literals}
        if self.store.false in origin:
            return [origin[self.store.false]]
        self.steps.env.tick()
        # T_0 and ... and T_(k-1) and literals: unsat - excluded;
        # sat, unknown - not known to be   (heuristic)
        result = self.solver.check([*self._first(position), *origin], budget=budget, kind="refine")
        if result is not UNSAT:
            return None
        return [origin[t] for t in self.solver.core() if t in origin]

    # -- chains of formulas that refute the path ---------------------------------------------------

    def interpolants(self) -> Chain | None:
        """Sequence interpolants by position, as conjunctions; None if none were found.
        Requires: `run` was None.

        What no run reaches has false.
        Formulas that compare whole arrays count as none: bitwuzla gives up on steps with them.
        """
        formulas = list(self.switches.values())[: self.needed]
        found = (
            sequence_interpolants(formulas, make=self.steps.make, budget=self.steps.budget)
            if formulas
            else None
        )
        if found is None or any(_compares_arrays(f) for f in found):
            return None
        found += [self.store.false] * (len(self.edges) - self.needed)
        return {
            k: list(conjuncts(self.path.unversioned(f, k)))
            for k, f in enumerate(found, 1)
            if f is not self.store.true
        }

    def backward(self) -> Chain | None:
        """Weakest preconditions by position, as clauses; None if there are too many.
        Requires: `run` was None."""
        cubes: dict[Literals, None] = {(): None}
        out: Chain = {}
        for position in range(self.needed - 1, 0, -1):
            before = self._before(position, cubes)
            if not before:
                return None if before is None else out
            cubes = before
            out[position] = [clause_of(self.store, c) for c in cubes]
        return out

    def _before(self, position: int, targets: dict[Literals, None]) -> dict[Literals, None] | None:
        """Cubes that cover all predecessors of `targets` along the step at `position`,
        each excluded by the prefix."""
        found: dict[Literals, None] = {}
        edge = self.edges[position]
        for target in targets:
            for _ in range(ROUNDS):
                others = [clause_of(self.store, c) for c in found]
                # not found and wep(edge, target): sat - a predecessor to cover;
                # unsat - all are covered   (required)
                answer = self.steps.reach(edge, others, target, kind="precondition")
                if not isinstance(answer, Reached):
                    break
                found[
                    self._smallest(
                        position, predecessor(answer, target, self.steps.cfa.input_set)[0]
                    )
                ] = None
            else:
                return None
        return found

    def _smallest(self, position: int, cube: Literals) -> Literals:
        """A part of the cube that the prefix excludes, as small as a few questions make it."""
        core = self.excluded(position, cube, None)
        if core is None:
            here = [self.path.at(c, position) for c in cube]
            # T_0 and ... and T_(k-1) and cube at k: sat - a broken contract; else not known
            if self.solver.check([*self._first(position), *here]) is SAT:
                raise InternalError("a path that no run follows has a run")
            raise self.steps.env.undecided("whether a path is feasible")
        for lit in sorted(core, key=lambda t: (-size(t), t.id))[:MINIMISED]:
            if lit in core and len(core) > 1:
                smaller = self.excluded(
                    position, [x for x in core if x is not lit], self.steps.budget
                )
                core = core if smaller is None else smaller
        return cube_of(core)


def _compares_arrays(formula: Term) -> bool:
    return any(
        t.op in (Op.EQ, Op.DISTINCT) and t.args[0].sort.kind is Kind.ARRAY
        for t in postorder((formula,))
    )
