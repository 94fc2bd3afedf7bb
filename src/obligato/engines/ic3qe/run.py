"""Entry point: the solver for the system's theory, then the skeleton."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3qe.hooks import PreImages
from obligato.engines.ic3qe.options import PRECISE, Options
from obligato.engines.ic3ts import IC3
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import sorts_of
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt.factory import kinds_of
from obligato.terms import Kind

_LINEAR = {Kind.BOOL, Kind.INT, Kind.REAL}


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run IC3QE on a system of a simplifying store."""
    sorts = sorts_of(system)
    kinds = kinds_of(sorts)
    if Kind.ARRAY in kinds:
        return SystemResult(
            Verdict.UNKNOWN, reason="incomplete: IC3QE has no concrete states of arrays"
        )
    if options.elimination in PRECISE and not kinds <= _LINEAR:
        return SystemResult(
            Verdict.UNKNOWN,
            reason="incomplete: precise quantifier elimination is for integers and reals only",
        )
    make = env.solvers(sorts, options.backend)
    hooks = PreImages(system, options, env, make)
    result = IC3(system, hooks, options, env).prove()
    env.counters["predicates"] = len(hooks.predicates)
    return result
