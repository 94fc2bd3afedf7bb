"""Entry point: the solver for the system's theory, the first predicates, then the skeleton."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.domain import first_predicates
from obligato.engines.ic3ia.hooks import PredicateAbstraction
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ts import IC3
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt.factory import solver_factory, sorts_in


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run IC3IA on a system of a simplifying store."""
    formulas = [
        system.init,
        system.trans,
        *system.constraints,
        *(p.formula for p in system.assertions),
    ]
    prefer = None if options.backend == "auto" else options.backend
    make = solver_factory(
        sorts_in(*system.state, *system.inputs, *formulas),
        prefer=prefer,
        stats=env.stats,
        seed=env.seed,
    )
    try:
        predicates, known = first_predicates(system, options, env, make)
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)
    hooks = PredicateAbstraction(predicates, options, env, make, known)
    result = IC3(system, hooks, options, env).prove()
    env.counters["predicates"] = len(hooks.predicates)
    return result
