"""Entry point: choose the solver for the CFA's theory, seed the frames, run the engine."""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.options import Options
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.results.outcome import EngineResult
from obligato.smt import Solver
from obligato.smt.blast import BlastContext
from obligato.smt.sat_backend import SatSolver
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import Kind, Term, postorder


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run IC3CFA on a CFA (large blocks already applied if wanted)."""
    return IC3CFA(cfa, options, env, solver_factory(cfa, options, env)).prove()


def kinds_of(cfa: CFA) -> frozenset[Kind]:
    """The sorts that occur in a CFA's commands."""
    terms: list[Term] = []
    for edge in cfa.edges:
        for c in walk(edge.command):
            if isinstance(c, Assume):
                terms.append(c.condition)
            elif isinstance(c, Assign):
                terms.extend(e for _, e in c.pairs)
    return frozenset(t.sort.kind for t in postorder([*cfa.variables, *terms]))


def solver_factory(cfa: CFA, options: Options, env: Environment) -> Callable[[], Solver]:
    """All solvers of a run share one translation context."""
    sat = options.backend == "sat" or (options.backend == "auto" and kinds_of(cfa) <= {Kind.BOOL, Kind.BITVEC})
    if sat:
        blast = BlastContext()
        return lambda: SatSolver(env.stats, context=blast)
    context = Z3Context()
    return lambda: Z3Solver(context, env.stats, seed=env.seed)
