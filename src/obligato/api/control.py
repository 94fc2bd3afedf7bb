"""A transition system proved along its control flow: recovered, given to an engine on CFAs, and its
claims back.

`control=auto` does so for engines that gain by it, where large blocks leave at most a quarter of
the locations: a file with one statement a step, at more than two locations. `recovered` does so
wherever control flow is found; an engine that knows CFAs only takes a system without any as one
location. Where the lift would need a quantifier at a location between two cut points, that location
becomes one, and the engine runs again. Counted rounds are told apart where that leaves fewer loops
(`analysis.counted`). Horn clauses of one relation are a system, too (`along_clauses`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from obligato.analysis.counted import split
from obligato.analysis.pipeline import reduce_relations
from obligato.api.exchanges import along_flow
from obligato.api.members import BLOCK
from obligato.api.programs import through_system
from obligato.engines.again import only_again
from obligato.models.blocks import cut_points
from obligato.models.control_flow import ControlFlow, recover, single_location
from obligato.models.control_lift import ControlLift, Uneliminated
from obligato.models.counters import counters
from obligato.models.loop_system import loop_system
from obligato.models.ts_reduce import sorts_of
from obligato.results.checking.path import complete
from obligato.results.outcome import EngineResult, SystemResult, Verdict
from obligato.smt.factory import Make, solver_factory
from obligato.terms import BOOL, free_vars

if TYPE_CHECKING:
    from obligato.api.pipeline import Run
    from obligato.models.cfa import CFA
    from obligato.models.claims import Lift, Trace
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_claims import SystemTrace
    from obligato.results.checking.solving import Link

WRITTEN = 20_000  # steps of a run of a system at most, where rounds were taken at once
CHOSEN = 2  # values that a step may choose at a location that is inside a block


def along_control(run: Run, system: TransitionSystem) -> SystemResult | None:
    """What the engine of the run claims about a system by its control flow; None: there is none, or
    it is not worth it.
    """
    asked, on_systems = run.pipeline.control, run.engine.on_systems
    run.stage("control")
    if on_systems and asked == "auto" and [x.sort for x in counters(system)] == [BOOL]:
        # which is no control flow for `_several`; to find its two values may cost a second
        return None
    make = solver_factory(sorts_of(system), stats=run.stats, seed=run.request.seed)
    flow = recover(system, make, tick=run.tick)
    flow = flow and (split(flow, run.tick) or flow)
    if flow is not None and run.features is not None and _several(flow):
        run.report_features(replace(run.features, steps=_steps(flow.cfa)))
    if not on_systems:
        flow = flow or single_location(system)
    elif flow is not None and asked == "auto" and not (_several(flow) and _shrinks(flow.cfa)):
        flow = None
    if flow is None:
        return None
    run.figures |= {
        "locations": len(flow.cfa.locations),
        "edges": len(flow.cfa.edges),
        "counters": len(flow.counters),
    }
    search = ControlSearch(flow, make, lambda: run.links(sorts_of(system)), run.tick, run.stage)
    return search.decide(lambda cfa: _engine(run, flow, cfa), run.pipeline.reduction)


def along_clauses(run: Run, cfa: CFA) -> EngineResult | None:
    """What the engine of the run claims about Horn clauses of one relation by the control flow that
    their step codes; None: there is none, the engine would not gain by it, or claims nothing.
    """
    loop = (
        None
        if run.pipeline.control == "none" or run.offers or run.engine.on_programs
        else loop_system(cfa)
    )
    if loop is None or (run.engine.on_systems and not run.engine.control):
        return None
    run.stage("control")
    make = solver_factory(sorts_of(loop.system), stats=run.stats, seed=run.request.seed)
    flow = recover(loop.system, make, tick=run.tick)
    if flow is None or (
        run.pipeline.control == "auto" and not (_several(flow) and _sparse(flow.cfa))
    ):
        return None
    found = _by_flow(run, flow, make)
    if found.verdict is Verdict.UNKNOWN:
        return None
    certificate = (
        None if found.certificate is None else loop.certificate(found.certificate.invariant)
    )
    trace = None if found.trace is None else loop.trace(len(found.trace.steps))
    return EngineResult(found.verdict, certificate, trace, reason=found.reason, stats=found.stats)


def _by_flow(run: Run, flow: ControlFlow, make: Make) -> SystemResult:
    """The claim by control flow, where locations at which a step chooses several values are cut
    points: a lift would have to eliminate these.
    """
    wide = tuple(
        n
        for n in flow.values
        if any(len(flow.cfa.edge_inputs(e)) > CHOSEN for e in flow.cfa.out(n))
    )
    flow = replace(flow, cfa=replace(flow.cfa, keep=wide))
    run.figures |= {
        "locations": len(flow.cfa.locations),
        "edges": len(flow.cfa.edges),
        "counters": len(flow.counters),
    }
    search = ControlSearch(
        flow, make, lambda: run.links(sorts_of(flow.system)), run.tick, run.stage
    )
    return search.decide(lambda small: _engine(run, flow, small), run.pipeline.reduction)


def by_offers(run: Run, system: TransitionSystem) -> SystemResult | None:
    """A proof by nothing but what an earlier run offers, taking the system as one location; None
    where that is not enough.
    """
    run.stage("control")
    make = solver_factory(sorts_of(system), stats=run.stats, seed=run.request.seed)
    search = ControlSearch(
        single_location(system), make, lambda: run.links(sorts_of(system)), run.tick, run.stage
    )
    found = search.decide(lambda cfa: run.prove(only_again, cfa), 0)
    return found if found.verdict is Verdict.TRUE else None


def _several(flow: ControlFlow) -> bool:
    """Are there more than two places to be at? A bit that says whether the first step is over is no
    control flow.
    """
    return len(flow.values) > 2


def _sparse(cfa: CFA) -> bool:
    """Has a location few successors, as in a program? Otherwise the control flow is not worth it."""
    return len(cfa.edges) <= 3 * len(cfa.locations)


def _steps(cfa: CFA) -> float:
    """How many steps a large block joins on average."""
    return len(cfa.locations) / max(1, len(cut_points(cfa)))


def _shrinks(cfa: CFA) -> bool:
    """Do large blocks join so many steps that they save more than they cost?"""
    return _steps(cfa) >= BLOCK


def _engine(run: Run, flow: ControlFlow, cfa: CFA) -> EngineResult:
    """The engine on the CFA; one for systems gets the predicates about data that the input
    suggests.
    """
    with run.exchanging(run.exchange and along_flow(run.exchange, flow, cfa)):
        return _asked(run, flow, cfa)


def _asked(run: Run, flow: ControlFlow, cfa: CFA) -> EngineResult:
    if not run.engine.on_systems or run.engine.on_programs:
        return _sayable(run, cfa)
    kept = frozenset(cfa.variables)
    data = tuple(p for p in flow.system.predicates if all(x in kept for x in free_vars(p)))
    prove = run.engine.prove_system
    return run.prove(through_system(lambda s, o, e: prove(replace(s, predicates=data), o, e)), cfa)


def _sayable(run: Run, cfa: CFA) -> EngineResult:
    """The part of an engine's claim about the automaton that can be translated to a claim about the
    system. A bound on the length of all runs, formulas about all cells of an array and runs with
    too many rounds cannot; if the claim is one of these, the search continues without it.
    """
    asked = run.options
    try:
        while True:
            found = run.prove(run.engine.prove_cfa, cfa)
            changed = _without(found)
            if not any(
                getattr(run.options, name, value) != value for name, value in changed.items()
            ):
                return found
            run.options = replace(run.options, **changed)
    finally:
        run.options = asked


def _unsaid(found: EngineResult) -> str:
    """Why the claim about the control flow cannot be stated about the system; empty if it can."""
    if found.certificate is not None and not found.certificate.plain:
        return "what proves the control flow is no inductive invariant of the system"
    return "a run of the system would have too many steps" if _without(found) else ""


def _without(found: EngineResult) -> dict[str, Any]:
    """The options of an engine that keep it from a claim that cannot be said about a system."""
    claim, trace = found.certificate, found.trace
    if claim is not None and claim.unwinding is not None:
        return {"short_runs": 0}
    if claim is not None and (claim.index is not None or claim.ghosts):
        return {"quantified": False}
    if trace is not None and trace.repeats and trace.length > WRITTEN:
        return {"acceleration": False}
    return {}


class ControlSearch:
    """An engine on recovered control flow, and what its claims say about the system."""

    def __init__(
        self,
        flow: ControlFlow,
        make: Make,
        links: Callable[[], Sequence[Link]],
        tick: Callable[[], None] = lambda: None,
        stage: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.flow, self.lift = flow, ControlLift(flow, make)
        self.links, self.tick, self.stage = links, tick, stage

    def decide(self, prove: Callable[[CFA], EngineResult], level: int) -> SystemResult:
        """What `prove` claims about the control flow, reduced as far as `level` says, as a claim
        about the system.
        """
        self.stage("reduce")
        cfa, reduction = reduce_relations(self.flow.cfa, level)
        while True:
            result = prove(cfa)
            self.stage("lift")
            try:
                return self._lifted(reduction, result)
            except Uneliminated as left:
                cfa = replace(cfa, keep=(*cfa.keep, left.location))

    def _lifted(self, reduction: Lift, result: EngineResult) -> SystemResult:
        found = SystemResult(result.verdict, reason=result.reason, stats=result.stats)
        reason = _unsaid(result)
        if reason:
            return replace(found, verdict=Verdict.UNKNOWN, reason=reason)
        if result.certificate is not None:
            return replace(
                found, certificate=self.lift.certificate(reduction.certificate(result.certificate))
            )
        if result.trace is None:
            return found
        return replace(found, trace=self._run(reduction, result.trace))

    def _run(self, reduction: Lift, found: Trace) -> SystemTrace:
        """The run that a path is; with its values as they are where a solver does not say others:
        replay will tell. Rounds that were taken at once depend on the values of the trace.
        """
        trace = reduction.trace(found.written_out() if found.repeats else found)
        valued = self._completed(trace, keep=True) if found.repeats else None
        return self.lift.trace(valued or self._completed(trace, keep=False) or trace)

    def _completed(self, trace: Trace, keep: bool) -> Trace | None:
        return complete(self.flow.cfa, trace, self.links(), keep_values=keep, tick=self.tick).trace
