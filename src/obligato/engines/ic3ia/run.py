"""Entry point: the solver for the system's theory, the first predicates, then the skeleton."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.hooks import PredicateAbstraction
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import IC3
from obligato.models.transition_system import TransitionSystem
from obligato.results.outcome import SystemResult
from obligato.smt.factory import solver_factory, sorts_in
from obligato.terms import BOOL


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run IC3IA on a system of a simplifying store."""
    formulas = [system.init, system.trans, *system.constraints, *(p.formula for p in system.properties)]
    prefer = None if options.backend == "auto" else options.backend
    make = solver_factory(sorts_in(*system.state, *system.inputs, *formulas), prefer=prefer, stats=env.stats, seed=env.seed)
    hooks = PredicateAbstraction(first_predicates(system, options), options, env, make)
    result = IC3(system, hooks, options, env).prove()
    env.counters["predicates"] = len(hooks.predicates)
    return result


def first_predicates(system: TransitionSystem, options: Options) -> Predicates:
    """Atoms of initial states and properties [CGMT16, Fig. 3, line 1], Boolean variables, what the input suggests."""
    predicates = Predicates(system, options.split_equalities)
    if options.initial_predicates != "none":
        predicates.add([*(p.formula for p in system.properties), system.init])
    if options.initial_predicates == "all":
        predicates.add(x for x in system.state if x.sort is BOOL)
    if options.annotated_predicates:
        predicates.add(system.predicates)
    return predicates
