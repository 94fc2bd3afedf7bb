"""One run from file to outcome: read, inline, build, reduce, prove, lift, check (DESIGN 1, 4).

Nothing leaves here as TRUE or FALSE that `results.checking` has not accepted on the CFA of the inlined, otherwise untouched
program. Three things can send a run round again (`Run._attempt`): a trace that a reduction lost is sought on a less
reduced program; a trace that ends in a limit or uses an over-approximation is sought without these, to refute only; and
nothing else. A rejected certificate or trace is our own defect: `InternalError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from time import monotonic, process_time
from typing import Any

from obligato.api.describe import describe_certificate, describe_trace
from obligato.api.event_log import EventLog, event_log
from obligato.api.reading import original_cfa, reduced
from obligato.api.registry import Engine, engine, find_preset, make_options
from obligato.api.request import Request, read_property
from obligato.engines.environment import Environment
from obligato.errors import InternalError, ResourceOut, SolverFailure, Unsupported
from obligato.frontends.registry import language_of
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.program.syntax import LAYOUT, LIMIT, Program
from obligato.results.checking.certificate import Status, check_certificate
from obligato.results.checking.path import complete
from obligato.results.checking.solving import Link, chain
from obligato.results.checking.trace import TraceCheck, TraceStatus, check_trace
from obligato.results.outcome import Certificate, EngineResult, Outcome, Trace, Verdict
from obligato.smt import SolverStats
from obligato.terms import Sort, Value
from obligato.terms.semantics import shown

Report = Callable[[str, Any], None]
ONE_LAYOUT = "with addresses=apart only errors are looked for"


class Rejected(InternalError):
    """The checker refused a claim; `claim` is what it refused, for the bundle."""

    def __init__(self, message: str, claim: Certificate | Trace | SystemCertificate | SystemTrace) -> None:
        super().__init__(message)
        self.claim = claim


@dataclass(slots=True)
class Clock:
    """Wall and processor time of a run, and of its stages by name."""

    deadline: float | None
    started: float = field(default_factory=monotonic)
    cpu: float = field(default_factory=process_time)
    stages: dict[str, float] = field(default_factory=dict)
    _running: tuple[str, float] | None = None

    def enter(self, stage: str) -> None:
        """A stage begins; the one before ends."""
        now = monotonic()
        if self._running is not None:
            name, since = self._running
            self.stages[name] = round(self.stages.get(name, 0.0) + now - since, 3)
        self._running = (stage, now)

    def over(self) -> bool:
        """Is the time limit reached?"""
        return self.deadline is not None and monotonic() >= self.deadline


class Run:
    """One request on its way through the pipeline."""

    def __init__(self, request: Request, report: Report) -> None:
        request.validate()
        self.language = language_of(request.file)
        request = replace(request, engine=request.engine or self.language.engine)
        self.request, self.report = request, report
        self.engine: Engine = engine(request.engine)
        preset = None if request.preset is None else find_preset(request.preset, request.engine)
        self.options, self.pipeline = make_options(self.engine, preset, request.settings)
        self.property = self.language.property(read_property(request.property))
        report("request", {"engine": request.engine, "options": self._options(), "property": self.property})
        self.clock = Clock(None if request.timeout is None else monotonic() + request.timeout)
        self.stats, self.check_stats = SolverStats(), SolverStats()
        self.figures: dict[str, Any] = {}
        self.program: Program
        self.original: CFA

    def outcome(self) -> Outcome:
        """Run to the end; limits that are noticed inside end as unknown."""
        try:
            self._stage("frontend")
            self._load()
            return self._within_limits()
        except ResourceOut as out:
            return self._unknown("timeout" if self.clock.over() else out.resource)
        except MemoryError:
            return self._unknown("memory")

    def _within_limits(self) -> Outcome:
        """Search; what an engine or a solver cannot do is no fault of the input, which has been read."""
        try:
            return self._search()
        except Unsupported as limit:
            return self._unknown(limit.message)
        except SolverFailure as failure:
            return self._unknown(f"a solver failed: {failure}")

    def _load(self) -> None:
        self.program = self._read(self.pipeline.addresses)
        self.original = original_cfa(self.program)

    def _read(self, addresses: str) -> Program:
        program: Program = self.language.load(
            self.request.file, data_model=self.request.data_model, entry=self.request.entry, property=self.property,
            externals=self.pipeline.externals, memory=self.pipeline.memory, addresses=addresses)
        return program

    def _search(self) -> Outcome:
        return self._decide("" if self.pipeline.addresses == "any" else ONE_LAYOUT) or self._unknown(ONE_LAYOUT)

    def _decide(self, refute_only: str) -> Outcome | None:
        """Prove or refute; `refute_only` is the reason why a proof would not count.  None: the trace that was found exists in
        one layout of memory only."""
        level = self.pipeline.reduction
        while True:
            result, small, lift = self._attempt(level, bool(refute_only))
            if result.verdict is Verdict.TRUE and result.certificate is not None:
                if refute_only:
                    return self._unknown(refute_only)
                return self._certified(lift.certificate(result.certificate))
            if result.verdict is not Verdict.FALSE or result.trace is None:
                return self._unknown("timeout" if self.clock.over() else result.reason or "the engine gave up")
            trace = lift.trace(self._with_values(small, result.trace))
            check = self._check_trace(trace, exact=level == 0)
            if check.status is TraceStatus.CONFIRMED and check.trace is not None:
                if self.pipeline.addresses != "any" and not self._runs_elsewhere(check.trace):
                    return None
                return self._outcome(Verdict.FALSE, trace=check.trace)
            if check.status is TraceStatus.LOST:
                level -= 1
            elif check.status is TraceStatus.LIMITED and not refute_only:
                return self._refute(check.reason)
            elif check.status is TraceStatus.UNKNOWN:
                return self._unknown(check.reason)
            else:
                raise Rejected(f"the trace was rejected: {check.reason}", trace)

    def _refute(self, reason: str) -> Outcome | None:
        """A limit was reached: search for what counts nevertheless.  Where it is a limit that the layout of memory matters, a
        run that exists in two different layouts counts; they are runs of the program."""
        if any(e.violation is not None and e.violation.label == LAYOUT for e in self.original.edges):
            self.pipeline = replace(self.pipeline, addresses="apart")
            self._stage("frontend")
            self._load()
            outcome = self._decide(reason)
            if outcome is not None:
                return outcome
            self.pipeline = replace(self.pipeline, addresses="any")
            self._load()
        return self._decide(reason)

    def _runs_elsewhere(self, trace: Trace) -> bool:
        """Is the path of a trace one of the program with objects at other addresses, too?"""
        program = self._read("reversed")
        cfa = original_cfa(program)
        return self._judge(program, cfa, trace, exact=False).status is TraceStatus.CONFIRMED

    def _with_values(self, cfa: CFA, trace: Trace) -> Trace:
        """The trace with values on the reduced program, from which a lift can execute what was sliced away."""
        self._stage("check")
        return complete(cfa, trace, self._links(), keep_values=False, tick=self._tick).trace or trace

    def _attempt(self, level: int, refute_only: bool) -> tuple[EngineResult, CFA, Lift]:
        """One engine run on the program, reduced as far as `level` says; `refute_only` leaves out what refutes nothing."""
        self._stage("reduction")
        cfa = without_limits(self.original) if refute_only else self.original
        small, lift = reduced(cfa, level)
        self.figures |= {"locations": len(small.locations), "edges": len(small.edges), "level": level}
        self._stage(self.request.engine)
        with event_log(self.request.log, self.report) as log:
            environment = self._environment(log)
            try:
                result = self.engine.prove_cfa(small, self.options, environment)
            finally:
                self.figures |= environment.counters
        self.figures |= result.stats
        return result, small, lift

    def _environment(self, log: EventLog | None) -> Environment:
        return Environment(
            seed=self.request.seed, stats=self.stats, cancelled=self.clock.over,
            progress=lambda data: self.report("progress", data), log=log, debug=self.request.debug,
        )

    def _certified(self, certificate: Certificate) -> Outcome:
        if self.pipeline.addresses != "any":
            return self._unknown(ONE_LAYOUT)
        self._stage("check")
        check = check_certificate(self.original, certificate, self._links(), self._tick)
        if check.status is Status.ACCEPTED:
            report = describe_certificate(self.original, certificate, check)
            return replace(self._outcome(Verdict.TRUE), certificate=report)
        if check.status is Status.UNKNOWN:
            return self._unknown(f"the certificate could not be checked ({check.obligation}: {check.reason})")
        raise Rejected(
            f"the certificate was rejected: {check.obligation}: {check.reason} {_state(check.model)}", certificate
        )

    def _check_trace(self, trace: Trace, exact: bool) -> TraceCheck:
        self._stage("check")
        return self._judge(self.program, self.original, trace, exact)

    def _judge(self, program: Program, cfa: CFA, trace: Trace, exact: bool) -> TraceCheck:
        from obligato.results.replay import replay

        return check_trace(
            cfa, trace, lambda t: replay(program, cfa, t).problem, self._links(), exact=exact, tick=self._tick)

    def _links(self) -> list[Link]:
        sorts: list[Sort] = [v.sort for v in (*self.original.variables, *self.original.inputs)]
        return chain(sorts, self.stats.solvers, self.check_stats)

    def _tick(self) -> None:
        if self.clock.over():
            raise ResourceOut("timeout")

    def _stage(self, name: str) -> None:
        self.clock.enter(name)
        self._tick()
        self.report("stage", name)

    def _options(self) -> dict[str, Any]:
        return asdict(self.options) | asdict(self.pipeline)

    def _unknown(self, reason: str) -> Outcome:
        plain = reason in ("timeout", "memory") or reason.startswith("incomplete: ")
        return replace(self._outcome(Verdict.UNKNOWN), reason=reason if plain else f"incomplete: {reason}")

    def _outcome(self, verdict: Verdict, trace: Trace | None = None) -> Outcome:
        return Outcome(
            file=self.request.file, property=self.property, verdict=verdict, reason=None, engine=self.request.engine,
            preset=self.request.preset, options=self._options(), seed=self.request.seed,
            trace=None if trace is None else describe_trace(self.original, trace), notes=self._notes(),
            stats=self.statistics(),
        )

    def _notes(self) -> tuple[str, ...]:
        return self.program.notes if hasattr(self, "program") else ()

    def statistics(self) -> dict[str, Any]:
        """The figures of the run so far."""
        self.clock.enter("report")
        stages = self.clock.stages
        return {
            "wall_s": round(monotonic() - self.clock.started, 3),
            "cpu_s": round(process_time() - self.clock.cpu, 3),
            "peak_mb": peak_mb(),
            "frontend_s": stages.get("frontend", 0.0),
            "solver_calls": self.stats.total_calls,
            "solver_s": round(self.stats.total_seconds, 3),
            "frames": 0, "lemmas": 0, "obligations": 0,
            **self.figures,
            "calls": dict(self.stats.calls),
            "solvers": list(self.stats.solvers),
            "check_calls": self.check_stats.total_calls,
            "check_solver_s": round(self.check_stats.total_seconds, 3),
            "stages_s": stages,
        }


def _state(model: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {shown(value)}" for name, value in model.items())


def without_limits(cfa: CFA) -> CFA:
    """The CFA in which limits are assumed and over-approximations not used: every trace of it counts."""
    return replace(cfa, edges=tuple(e for e in cfa.edges if not _refutes_nothing(e)))


def _refutes_nothing(e: Any) -> bool:
    return e.approximates is not None or (e.violation is not None and e.violation.kind == LIMIT)


def peak_mb() -> float:
    """The peak resident memory of this process."""
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)
