"""`l2s`: liveness to safety [BAS02]. A state is saved, and Boolean IC3 and BMC ask whether it comes back on a fair loop.

Limitation: finite systems only; there are twice as many state bits as in the system.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines import ic3bmc
from obligato.engines.environment import Environment
from obligato.errors import Unsupported
from obligato.models.live_claims import Lasso, Saved
from obligato.models.monitors import SAVE, with_saved_state
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.results.outcome import LiveResult
from obligato.terms import Kind

__all__ = ["Options", "prove"]


@dataclass(frozen=True, slots=True)
class Options(ic3bmc.Options):
    """The options of IC3 with BMC."""


def prove(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """Look for a fair loop of a system with one justice property."""
    strange = [x.name for x in system.state if x.sort.kind not in (Kind.BOOL, Kind.BITVEC)]
    if strange:
        raise Unsupported(f"l2s needs finite state; {strange[0]} is neither Boolean nor a bit-vector", construct="l2s")
    result = ic3bmc.prove(with_saved_state(system), options, env)
    certificate = None if result.certificate is None else Saved(result.certificate.invariant)
    trace = None if result.trace is None else lasso(result.trace)
    return LiveResult(result.verdict, certificate, trace, result.reason, result.stats)


def lasso(trace: SystemTrace) -> Lasso:
    """The last state of the trace is the one that was saved, so its steps before that are a lasso."""
    saved = next(n for n, step in enumerate(trace.steps) if step.inputs[SAVE])
    return Lasso(trace.steps[:-1], saved)
