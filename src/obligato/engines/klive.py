"""`klive`: k-liveness [CS12]. For k = 0, 1, 2, ... IC3 is asked whether there are never more than k
rounds of fair steps.

If there are not, there is no fair run; a run with more rounds says nothing, and k grows. Finite
systems are given to Boolean IC3, others to IC3 with predicate abstraction. Limitation: it proves
only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from obligato.engines import ic3, ic3ia
from obligato.engines.environment import Environment
from obligato.engines.options import option
from obligato.models.live_claims import Counted
from obligato.models.monitors import with_counter
from obligato.models.transition_system import TransitionSystem
from obligato.results.outcome import LiveResult, SystemResult, Verdict
from obligato.terms import Kind

__all__ = ["Options", "prove"]


@dataclass(frozen=True, slots=True)
class Options(ic3.Options):
    """The options of Boolean IC3, and the largest k."""

    max_k: int = option(60, "the largest number of rounds that is tried", "[CS12]", low=0)


def prove(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """Count the rounds of a system with one justice property."""
    for k in range(options.max_k + 1):
        env.counters["k"] = k
        result = _ask(with_counter(system, k), options, env)
        if result.verdict is Verdict.UNKNOWN:
            return LiveResult(Verdict.UNKNOWN, reason=result.reason, stats=result.stats)
        if result.certificate is not None:
            return LiveResult(
                Verdict.TRUE, Counted(k, result.certificate.invariant), stats=result.stats
            )
    reason = f"it was not proved that runs have at most {options.max_k} rounds of all fairness sets"
    return LiveResult(Verdict.UNKNOWN, reason=reason)


def _ask(monitored: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    finite = all(
        x.sort.kind in (Kind.BOOL, Kind.BITVEC) for x in (*monitored.state, *monitored.inputs)
    )
    if not finite:
        return ic3ia.prove(monitored, ic3ia.Options(), env)
    return ic3.prove(monitored, replace(options, bounded=0), env)
