"""A program proved by an engine for transition systems: CFA to system (`models.cfa_to_ts`), and its claims back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks
from obligato.models.cfa import CFA
from obligato.models.cfa_to_ts import Step, TSLift, to_transition_system
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.results.outcome import Certificate, EngineResult, SystemResult, Trace, Verdict

ProveSystem = Callable[[TransitionSystem, Any, Environment], SystemResult]


def through_system(prove: ProveSystem) -> Callable[[CFA, Any, Environment], EngineResult]:
    """The engine `prove` as one for CFAs."""

    def prove_cfa(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        system, lift = to_transition_system(in_blocks(cfa, env))
        env.stage("prove")
        result = prove(system, options, env)
        trace = None if result.trace is None else _trace(system, lift, result.trace)
        certificate = _certificate(lift, result)
        if result.verdict is Verdict.TRUE and certificate is None:
            reason = "a proof by runs without repetition is none for programs"
            return EngineResult(Verdict.UNKNOWN, reason=reason, stats=result.stats)
        return EngineResult(result.verdict, certificate, trace, result.reason, result.stats)

    return prove_cfa


def _certificate(lift: TSLift, result: SystemResult) -> Certificate | None:
    claim = result.certificate
    return None if claim is None or claim.distinct else lift.certificate(claim.invariant, claim.k)


def _trace(system: TransitionSystem, lift: TSLift, trace: SystemTrace) -> Trace:
    def step(state: Any, inputs: Any) -> Step:
        return Step({x: state[x.name] for x in system.state if x.name in state},
                    {i: inputs[i.name] for i in system.inputs if i.name in inputs})

    return lift.trace([step(s.state, s.inputs) for s in trace.steps])
