"""Questions about a CFA for engines without frames of their own (bounded search, CEGAR, Tree-IC3,
summaries).

One step: `reach`, edge-relative as in IC3CFA [LNNK19, Def. 13] but about any formulas and without
its options. A whole path: `follow`, with the steps that refute it. An answer that a solver cannot
give raises `ResourceOut`: nobody decides for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA, Edge
from obligato.models.path_formula import PathFormula, PathRun
from obligato.smt import SAT, UNKNOWN
from obligato.smt.activation import FrameSolver
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No run: the conditions before (`start`) and after (`end`) and the steps named here exclude
    each other.
    """

    steps: tuple[int, ...]
    start: bool
    end: bool


class CFAQueries:
    """Questions about one CFA; `make` gives solvers for its theory."""

    def __init__(self, cfa: CFA, env: Environment, make: Make) -> None:
        self.cfa, self.store, self.env, self.make = cfa, cfa.store, env, make

    def reach(self, edge: Edge, before: Term, after: Term) -> PathRun | Infeasible:
        """Does a state of `before` step into `after` along the edge? Ensures: a run of one step, or
        none exists.
        """
        return self.follow([edge], before, after)

    def follow(self, edges: Sequence[Edge], before: Term, after: Term) -> PathRun | Infeasible:
        """A run along the edges (at least one) from `before` to `after`, or what excludes it.

        Ensures: PathRun: its states satisfy `before` at the start, `after` at the end, and each
        step the edge's command. Infeasible: the named parts are unsatisfiable together.
        """
        path = PathFormula(self.cfa, edges[0].source)
        formulas = [path.extend(e) for e in edges]
        parts = [path.at(before, 0), *formulas, path.at(after, len(edges))]
        solver = FrameSolver(self.store, self.make, rebuild_every=0)
        switches = [self.store.fresh(f"part!{n}", BOOL) for n in range(len(parts))]
        try:
            for part, switch in zip(parts, switches, strict=True):
                solver.add(part, under=switch)
            self.env.tick()
            # before and T_0 ... T_n and after: sat - a run; unsat - the core says which parts
            # exclude it   (required)
            result = solver.check(switches, kind="path")
            if result is UNKNOWN:
                raise ResourceOut(
                    "incomplete: a solver could not decide whether a path is feasible"
                )
            if result is SAT:
                return path.run(solver.model_of)
            used = set(solver.core())
            needed = [n for n, switch in enumerate(switches) if switch in used]
            return Infeasible(
                tuple(n - 1 for n in needed if 0 < n <= len(edges)),
                0 in needed,
                len(edges) + 1 in needed,
            )
        finally:
            solver.close()
