"""Programs by what they are and by the engine: with recursive procedures, or proved by one for transition systems, which means
CFA to system (`models.cfa_to_ts`), and claims back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from obligato.api.cfa_search import CfaSearch, Search, load_loops, load_program
from obligato.api.pipeline import Run
from obligato.api.procedure_search import ProcedureSearch
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks
from obligato.models.cfa import CFA
from obligato.models.cfa_to_ts import Step, TSLift, to_transition_system
from obligato.models.procedures import is_recursive
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.program.syntax import Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.outcome import Certificate, EngineResult, SystemResult, Trace, Verdict

SUMMARIES = "summaries"  # the engine for recursive programs, if none is named
ProveSystem = Callable[[TransitionSystem, Any, Environment], SystemResult]


def program_search(run: Run, property: str) -> Search:
    """The search for one property of the program of a request."""
    asked = run.pipeline.addresses
    first: list[Program] = []

    def read(addresses: str) -> Program:
        if first and addresses == asked:
            return first[0]
        run.stage("read")
        program: Program = run.language.load(
            run.request.file, data_model=run.request.data_model, entry=run.request.entry, property=property,
            externals=run.pipeline.externals, memory=run.pipeline.memory, addresses=addresses,
            preprocessing=replace(run.request.preprocessing, headers=run.pipeline.headers))
        return program

    first.append(read(asked))
    if not is_recursive(first[0]) and not run.engine.on_horn:
        return CfaSearch(run, property, lambda addresses: load_program(run, read(addresses)))
    if is_recursive(without_tail_calls(first[0])):
        run.prefer(SUMMARIES)
    loops = None if run.engine.on_horn else CfaSearch(run, property, lambda addresses: load_loops(run, read(addresses)))
    return ProcedureSearch(run, property, read, loops)


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
