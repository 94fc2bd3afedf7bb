"""Entry point: the solver for the system's theory, the first predicates, then the skeleton."""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.abstract import AbstractFrames
from obligato.engines.ic3ia.domain import first_predicates
from obligato.engines.ic3ia.hooks import PredicateAbstraction
from obligato.engines.ic3ia.options import AbstractionOptions, Options
from obligato.engines.ic3ts import IC3
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import sorts_of
from obligato.results.outcome import SystemResult, Verdict


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run IC3IA on a system of a simplifying store."""
    return prove_abstracted(system, PredicateAbstraction, options, env)


def prove_abstracted(
    system: TransitionSystem,
    hooks_of: Callable[..., AbstractFrames],
    options: AbstractionOptions,
    env: Environment,
) -> SystemResult:
    """Run the skeleton with hooks over predicates."""
    make = env.solvers(sorts_of(system), options.backend)
    try:
        predicates, known = first_predicates(system, options, env, make)
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)
    result = IC3(system, hooks_of(predicates, options, env, make, known), options, env).prove()
    env.counters["predicates"] = len(predicates)
    return result
