"""Programs by what they are and by the engine: with recursive procedures, or proved by one for
transition systems, which means CFA to system (`models.cfa_to_ts`), and claims back. What only some
programs need is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from obligato.api.cfa_search import CfaSearch, Search, load_loops, load_program
from obligato.api.each_check import report_of
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks
from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends.registry import LTL, MEMSAFETY, TERMINATION
from obligato.models.cfa_to_ts import PartialStep, TSLift, to_transition_system
from obligato.models.checks import AT, checks
from obligato.models.procedures import is_recursive
from obligato.models.transition_system import TransitionSystem
from obligato.program.tail_calls import without_tail_calls
from obligato.results.outcome import Certificate, EngineResult, SystemResult, Trace, Verdict

if TYPE_CHECKING:
    from obligato.api.pipeline import Run
    from obligato.models.cfa import CFA
    from obligato.models.ts_claims import SystemTrace
    from obligato.program.syntax import Program

MARGIN = 10  # a reading that only adds to what is shown may take this part of the time left
SUMMARIES = "summaries"  # the engine for recursive programs, if none is named
ProveSystem = Callable[[TransitionSystem, Any, Environment], SystemResult]


def program_search(run: Run, property: str) -> Search:
    """The search for one property of the program of a request, or of one that says what a witness
    says.
    """
    asked, memory = run.pipeline.addresses, run.pipeline.memory
    first: list[Program] = []

    def read(addresses: str, how: str = property) -> Program:
        same = addresses == asked and run.pipeline.memory == memory and how == property
        if first and same:
            return first[0]
        run.stage("read")
        return _loaded(run, addresses, how.partition(AT)[0])

    def inlined() -> CfaSearch:
        marked = MEMSAFETY in run.language.properties and run.witness is None
        other = partial(_for_marks, run) if marked else None
        load = lambda addresses: load_program(run, read(addresses), other)  # noqa: E731
        return _single(CfaSearch(run, property, load, True))

    if property.startswith(LTL):
        from obligato.api.ltl_search import ltl_search

        return ltl_search(run, property)
    first.append(read(asked))
    if property == TERMINATION:
        exact = (lambda: read(asked, "ltl")) if "observed" in run.language.reading else None
        from obligato.api.run_search import termination_search

        return termination_search(run, first[0], exact)
    search = _by_engine(run, property, first[0], read, inlined)
    if run.witness is None or run.witness.correct or AT in property:
        return search
    from obligato.api.guided_search import GuidedSearch

    return GuidedSearch(run, property, first[0], run.witness, search)


def _by_engine(
    run: Run,
    property: str,
    program: Program,
    read: Callable[[str], Program],
    inlined: Callable[[], CfaSearch],
) -> Search:
    """The search as the engine and the program need it."""
    if run.engine.trying:
        if AT in property:
            raise Unsupported(
                "the engine trials has one verdict for a whole property, none for each single check",
                construct="check in trials",
            )
        from obligato.api.scripts import TrialSearch

        return TrialSearch(run, property, program, None if is_recursive(program) else inlined)
    if not run.engine.on_horn and (run.pipeline.unfold or not is_recursive(program)):
        return inlined()
    if is_recursive(without_tail_calls(program)):
        run.prefer(SUMMARIES)
    if AT in property:
        raise Unsupported(
            "a recursive program has one verdict for a whole property, none for each single check",
            construct="check in recursion",
        )
    loops = (
        None
        if run.engine.on_horn
        else CfaSearch(run, property, lambda addresses: load_loops(run, read(addresses)))
    )
    from obligato.api.procedure_search import ProcedureSearch
    from obligato.api.unfolding import Unfolding

    return ProcedureSearch(run, property, read, loops, Unfolding(run, property, inlined))


def _loaded(run: Run, addresses: str, property: str) -> Program:
    program: Program = run.language.load(
        run.request.file,
        data_model=run.request.data_model,
        entry=run.request.entry,
        property=property,
        externals=run.pipeline.externals,
        memory=run.pipeline.memory,
        addresses=addresses,
        preprocessing=replace(run.request.preprocessing, headers=run.pipeline.headers),
        markers=() if run.witness is None else run.witness.markers,
    )
    return program


def _for_marks(run: Run, property: str) -> Program | None:
    """The program read for other checks, which only add to what is shown; None if there is no time
    left for that, or if programs like it are refused then.
    """
    if not run.clock.leaves(MARGIN * run.clock.stages.get("read", 0.0)):
        return None
    try:
        return _loaded(run, run.pipeline.addresses, property)
    except InputError:
        return None


def _single(search: CfaSearch) -> CfaSearch:
    """The search; for one check only if the property names one."""
    base, at, _ = search.property.partition(AT)
    if at:
        found = checks(search.model.cfa, base)
        check = next((c for c in found if c.name == search.property), None)
        if check is None:
            names = ", ".join(c.name for c in found[:20]) or "none"
            raise ConfigError(f"there is no check {search.property!r}; there are: {names}")
        search.check = report_of(base, check)
        search.narrow(frozenset((check.key,)))
    return search


def through_system(prove: ProveSystem) -> Callable[[CFA, Any, Environment], EngineResult]:
    """The engine `prove` as one for CFAs."""

    def prove_cfa(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        system, lift = to_transition_system(in_blocks(cfa, env))
        env.stage("prove")
        outer = env.exchange
        env.exchange = outer and outer.within(lift.of_system, lift.of_locations)
        try:
            result = prove(system, options, env)
        finally:
            env.exchange = outer
        trace = None if result.trace is None else _trace(system, lift, result.trace)
        certificate = _certificate(lift, result)
        if result.verdict is Verdict.TRUE and certificate is None:
            reason = (
                "a proof by simple paths, by a relation of successive states, or for all indices"
                " cannot be stated about a program"
            )
            return EngineResult(Verdict.UNKNOWN, reason=reason, stats=result.stats)
        return EngineResult(
            result.verdict, certificate, trace, reason=result.reason, stats=result.stats
        )

    return prove_cfa


def _certificate(lift: TSLift, result: SystemResult) -> Certificate | None:
    claim = result.certificate
    if claim is None or claim.distinct or claim.relation is not None or claim.indices:
        return None
    return lift.certificate(claim.invariant, claim.k)


def _trace(system: TransitionSystem, lift: TSLift, trace: SystemTrace) -> Trace:
    def step(state: Any, inputs: Any) -> PartialStep:
        return PartialStep(
            {x: state[x.name] for x in system.state if x.name in state},
            {i: inputs[i.name] for i in system.inputs if i.name in inputs},
        )

    if not all(s.state for s in trace.steps):  # Boolean IC3 tells only where a run starts
        from obligato.engines.ic3.run import completed

        trace = completed(system, trace)
    return lift.trace([step(s.state, s.inputs) for s in trace.steps])
