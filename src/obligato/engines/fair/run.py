"""Entry point of FAIR: blast the system with its fairness sets to bits, merge equal ones,
run FAIR.
"""

from __future__ import annotations

from contextlib import closing

from obligato.engines.environment import Environment
from obligato.engines.fair.engine import Fair, Run
from obligato.engines.fair.options import Options
from obligato.engines.fair.orbit import find_orbit
from obligato.engines.ic3.equal_bits import merge_equal_bits
from obligato.errors import ResourceOut
from obligato.models.live_claims import Lasso
from obligato.models.properties import fairness_sets
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemStep
from obligato.results.outcome import LiveResult, Verdict

__all__ = ["Options", "prove"]


def prove(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """Run FAIR on a system with one justice property."""
    try:
        bits = BitSystem(system, fairness_sets(system))
        orbit = find_orbit(bits, env, options.orbit)
        if orbit is not None:
            env.count("orbits")
            return LiveResult(Verdict.FALSE, trace=orbit)
        merge_equal_bits(bits, env, options.merge)
        env.counters |= {"state_bits": len(bits.bit) - 1, "gates": len(bits.context.gates)}
        return _search(bits, options, env)
    except ResourceOut as out:
        return LiveResult(Verdict.UNKNOWN, reason=out.resource)


def _search(bits: BitSystem, options: Options, env: Environment) -> LiveResult:
    with closing(Fair(bits, options, env)) as fair:
        found = fair.prove()
        if found is None:
            return LiveResult(Verdict.TRUE, certificate=fair.certificate())
        return LiveResult(Verdict.FALSE, trace=lasso(bits, found))


def lasso(bits: BitSystem, run: Run) -> Lasso:
    """The run with the names of the system; bits that do not matter are not known."""
    steps, loop = run
    out: list[SystemStep] = []
    for state, move in steps:
        now = {g for n, g in enumerate(bits.bit) if n and state >> n & 1}
        free = {bits.source[n] for n in move if n > 0}
        out.append(bits.step_of(now, free, not out))
    return Lasso(tuple(out), loop)
