"""One run from file to outcome (DESIGN 1, 4): `STAGES` says what happens, in this order, to every
kind of input.

`Run` holds what the stages share: the request, the options, the clock, the statistics and the
verdicts so far. What is done with an input depends on its kind (`Input`): `cfa_input` reads
programs and `horn_search` Horn clauses, both search by `cfa_search`; `system_search` does all of it
for transition systems. Nothing leaves here as TRUE or FALSE that `results.checking` has not
accepted on the input as it was read. A rejected certificate or trace is our own defect:
`InternalError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from obligato.api.earlier import facts_in
from obligato.api.event_log import event_log
from obligato.api.given import language_for
from obligato.api.registry import Engine, engine
from obligato.api.request import Request, read_property
from obligato.api.settings import find_preset, make_options
from obligato.engines.environment import Environment, Log
from obligato.engines.exchange import Exchange, Mail
from obligato.errors import InputError, InternalError, ResourceOut, SolverFailure, Span, Unsupported
from obligato.frontends.preprocessing import DEFAULT
from obligato.frontends.registry import ALL, InputKind
from obligato.results.checking.solving import Link, chain, logged
from obligato.results.checking.status import CertificateCheck, Status
from obligato.results.outcome import (
    CtlResult,
    EngineResult,
    HornResult,
    LiveResult,
    Outcome,
    PropertyVerdict,
    ReachReport,
    RunResult,
    SystemResult,
    Verdict,
    summary,
)
from obligato.smt import SolverStats
from obligato.smt.querylog import QueryLog
from obligato.terms.semantics import shown

if TYPE_CHECKING:
    from obligato.api.members import Features
    from obligato.frontends.c.witness import Witness
    from obligato.models.cfa import CFA
    from obligato.models.claims import Certificate, Trace
    from obligato.models.ctl_claims import Bounds
    from obligato.models.horn import Derivation, HornModel
    from obligato.models.live_claims import Lasso, LiveCertificate
    from obligato.models.procedures import Contracts, Script
    from obligato.models.rank_claims import RunClaim
    from obligato.models.ts_claims import SystemCertificate, SystemTrace
    from obligato.terms import Sort

    Claim = (
        Certificate
        | Trace
        | SystemCertificate
        | SystemTrace
        | LiveCertificate
        | Lasso
        | HornModel
        | Derivation
        | Contracts
        | Script
        | Bounds
        | RunClaim
    )

STAGES = {
    "read": "the front end reads the file: a program, a transition system or Horn clauses",
    "inline": (
        "a program becomes one control-flow automaton; every claim is checked on what is there now"
    ),
    "reduce": "what the properties do not depend on is left out; terms are simplified",
    "control": "the control flow that a transition system codes in its variables is recovered",
    "blocks": "edges of an automaton are joined to large blocks",
    "seeds": "static analyses propose invariants, of which those that are inductive are kept",
    "prove": "the engine finds a certificate or a trace, or says why it gave up",
    "lift": "the claim is stated about the input as it was read",
    "check": "the claim is checked there, by solvers or by replay",
    "report": "verdicts become plain data",
}
Report = Callable[[str, Any], None]
Model = TypeVar("Model")
Result = TypeVar("Result", EngineResult, SystemResult, LiveResult, HornResult, CtlResult, RunResult)


class Rejected(InternalError):
    """The checker refused a claim; `claim` is what it refused, for the bundle."""

    def __init__(self, message: str, claim: Claim) -> None:
        super().__init__(message)
        self.claim = claim


@dataclass(slots=True)
class Clock:
    """Wall and processor time of a run, and of its stages by name."""

    deadline: float | None
    started: float = field(default_factory=monotonic)
    cpu: float = field(default_factory=process_time)
    stages: dict[str, float] = field(default_factory=dict)
    stages_cpu: dict[str, float] = field(default_factory=dict)
    _running: tuple[str, float, float] | None = None

    def enter(self, stage: str) -> None:
        """A stage begins; the one before ends."""
        now, cpu = monotonic(), process_time()
        if self._running is not None:
            name, since, cpu_since = self._running
            self.stages[name] = round(self.stages.get(name, 0.0) + now - since, 3)
            self.stages_cpu[name] = round(self.stages_cpu.get(name, 0.0) + cpu - cpu_since, 3)
        self._running = (stage, now, cpu)

    def over(self) -> bool:
        """Is the time limit reached?"""
        return self.deadline is not None and monotonic() >= self.deadline

    def leaves(self, seconds: float) -> bool:
        """Is there so much time left, at least?"""
        return self.deadline is None or monotonic() + seconds < self.deadline

    @contextmanager
    def within(self, share: float) -> Iterator[None]:
        """Inside, the time limit is `share` (at most 1) of what is left."""
        whole = self.deadline
        if whole is not None:
            self.deadline = monotonic() + share * (whole - monotonic())
        try:
            yield
        finally:
            self.deadline = whole


class Input(Protocol):
    """The stages for one kind of input."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""

    def read(self) -> None:
        """Read the input, and tell the run which properties there are (`Run.ask`)."""

    def decide(self) -> None:
        """Give the run a verdict about each property, by an engine."""

    def recheck(self, claim: str) -> None:
        """Give the run a verdict about each property that the claim in the file `claim` is about,
        without an engine.
        """


class Run:
    """One request and what the stages of the pipeline share."""

    def __init__(self, request: Request, report: Report) -> None:
        request.validate()
        self.language = language_for(request.file, request.model)
        if self.language.rereads and not Path(request.file).is_file():
            there = Path(request.file).exists()
            told = "a regular file is needed: the input is read more than once"
            raise InputError(told if there else "there is no such file", Span(request.file))
        self.report = report
        self._default_engine = not request.engine
        self._use(replace(request, engine=request.engine or self.language.engine))
        self.property = self.language.property(read_property(request.property))
        report(
            "request",
            {"engine": self.request.engine, "options": self._options(), "property": self.property},
        )
        self.clock = Clock(None if request.timeout is None else monotonic() + request.timeout)
        self.stats, self.check_stats = SolverStats(), SolverStats()
        self.figures: dict[str, Any] = {}
        self.open: list[str] = [self.property]
        # checks get a verdict each
        self.each = request.each or (self.property == ALL and bool(self.language.whole))
        self.names = [self.property]  # of all properties that get a verdict, in their order
        self.verdicts: dict[str, PropertyVerdict] = {}
        self.coverage: tuple[ReachReport, ...] = ()
        self.questions = (
            None if request.emit is None else QueryLog(Path(request.emit), decided=True)
        )
        self.witness: Witness | None = None  # of a C program, that is checked
        self.offers = () if request.earlier is None else facts_in(request.earlier)
        # properties that are proved only if these others are
        self.rests: Mapping[str, Sequence[str]] = {}
        self.features: Features | None = None
        self.mail = (
            Mail(getattr(report, "inbox", tuple), lambda news: report("news", news))
            if request.exchange
            else None
        )
        self.exchange: Exchange | None = None  # of the engine that runs

    def _use(self, request: Request) -> None:
        self.request = request
        self.engine: Engine = engine(request.engine)
        preset = None if request.preset is None else find_preset(request.preset, request.engine)
        self.options, self.pipeline = make_options(self.engine, preset, request.settings)

    @property
    def chooses_engine(self) -> bool:
        """Has the user named no engine?"""
        return self._default_engine

    def prefer(self, name: str) -> None:
        """Use this engine if the user has named none."""
        if self._default_engine and name != self.request.engine:
            self._use(replace(self.request, engine=name))
            self.report("request", {"engine": name, "options": self._options()})

    def remark(self, notes: tuple[str, ...]) -> None:
        """Report remarks about how the input was read, for the case that a limit ends the run."""
        if notes:
            self.report("request", {"notes": (*self.request.notes, *notes)})

    def report_features(self, features: Features) -> None:
        """Report the features of the input, by which others may be chosen to help."""
        self.features = features
        self.report("features", features)

    def outcome(self, claim: str | None = None) -> Outcome:
        """Run to the end, or with `claim` judge the claims in that file. Limits that are noticed
        inside end as unknown.
        """
        given = self._input()
        try:
            given.read()
            self.remark(given.notes)
            if claim is None:
                given.decide()
            else:
                given.recheck(claim)
        except ResourceOut as out:
            self.give_up("timeout" if self.clock.over() else out.resource)
        except MemoryError:
            self.give_up("memory")
        return self._outcome(given.notes)

    def _input(self) -> Input:
        if self.language.kind is InputKind.SYSTEM:
            from obligato.api.system_search import SystemInput

            return SystemInput(self)
        if self.language.kind is InputKind.HORN:
            from obligato.api.horn_search import HornInput

            return HornInput(self)
        from obligato.api.cfa_input import CfaInput
        from obligato.api.programs import program_search

        return CfaInput(self, program_search)

    # -- verdicts ----------------------------------------------------------------------------------

    def ask(self, properties: Sequence[str]) -> None:
        """These are the properties that need a verdict each."""
        self.open, self.names = list(properties), list(properties)
        self.report("request", {"properties": self.names})

    def also(self, property: str, checks: Sequence[str]) -> None:
        """These checks of a property need a verdict each, too."""
        for names in (self.open, self.names):
            place = names.index(property) + 1
            names[place:place] = checks
        self.report("request", {"properties": list(self.names)})

    def found(self, verdict: PropertyVerdict) -> None:
        """There is a verdict about a property; it outlives this process if that must be stopped
        later on.
        """
        self.verdicts[verdict.property] = verdict
        self.open.remove(verdict.property)
        if self.open and not (verdict.verdict is Verdict.TRUE and self.rests.get(verdict.property)):
            self.report("verdict", verdict)

    def decide(self, property: str, decide: Callable[[], PropertyVerdict]) -> None:
        """Note the verdict of `decide`, which has an equal share of the time left for the
        properties without one.
        """
        with self.clock.within(1 / (len(self.open) + self.request.cover)):
            try:
                verdict = decide()
            except ResourceOut as out:
                verdict = self.unknown(property, "timeout" if self.clock.over() else out.resource)
        self.found(verdict)

    def within_limits(
        self, properties: Sequence[str], judge: Callable[[], list[PropertyVerdict]]
    ) -> list[PropertyVerdict]:
        """What `judge` says. What an engine or a solver cannot do is no fault of the input, which
        has been read: unknown.
        """
        try:
            return judge()
        except Unsupported as limit:
            reason = limit.message
        except SolverFailure as failure:
            reason = f"a solver failed: {failure}"
        return [self.unknown(name, reason) for name in properties]

    def give_up(self, reason: str, properties: Sequence[str] | None = None) -> None:
        """All properties (of these) without a verdict are unknown."""
        for name in [name for name in self.open if properties is None or name in properties]:
            self.found(self.unknown(name, reason))

    def unknown(self, property: str, reason: str) -> PropertyVerdict:
        """The verdict about a property that is neither proved nor refuted."""
        plain = reason in ("timeout", "memory") or reason.startswith("incomplete: ")
        return PropertyVerdict(
            property, Verdict.UNKNOWN, reason if plain else f"incomplete: {reason}"
        )

    def _settled(self) -> tuple[PropertyVerdict, ...]:
        """The verdicts; a proof that rests on properties which are not all proved in this run
        proves nothing.
        """
        found, changed = dict(self.verdicts), True
        while changed:
            proved = {name for name, v in found.items() if v.verdict is Verdict.TRUE}
            lacking = {
                name: [q for q in self.rests.get(name, ()) if q not in proved]
                for name in found
                if name in proved
            }
            changed = any(lacking.values())
            found |= {
                name: self.unknown(name, f"it rests on {others[0]}, which is not proved")
                for name, others in lacking.items()
                if others
            }
        order = (
            {name: n for n, name in enumerate(self.names)}
            if any(v.check is not None for v in found.values())
            else {}
        )
        return tuple(sorted(found.values(), key=lambda v: order.get(v.property, len(order))))

    # -- stages ------------------------------------------------------------------------------------

    def measured(self, cfa: CFA, level: int) -> None:
        """Note the size of an automaton that was reduced as far as `level` says."""
        self.figures |= {"locations": len(cfa.locations), "edges": len(cfa.edges), "level": level}

    def stage(self, name: str) -> None:
        """A stage begins."""
        assert name in STAGES
        self.clock.enter(name)
        self.tick()
        self.report("stage", self.request.engine if name == "prove" else name)

    def prove(self, prove: Callable[[Model, Any, Environment], Result], model: Model) -> Result:
        """What the engine's entry point `prove` claims about a model."""
        self.stage("prove")
        with event_log(
            self.request.log, self.report, self.request.events, self.request.log_limit
        ) as log:
            environment = self._environment(log)
            environment.event("search", engine=self.request.engine)
            try:
                result = prove(model, self.options, environment)
            finally:
                self.figures |= environment.counters
        self.figures |= result.stats
        return result

    @contextmanager
    def exchanging(self, exchange: Exchange | None) -> Iterator[None]:
        """Inside, engines have this exchange with those in other workers."""
        before, self.exchange = self.exchange, exchange
        try:
            yield
        finally:
            self.exchange = before

    def why(
        self, result: EngineResult | SystemResult | LiveResult | HornResult | CtlResult | RunResult
    ) -> str:
        """The reason why an engine has neither proved nor refuted."""
        return "timeout" if self.clock.over() else result.reason or "the engine gave up"

    def _environment(self, log: Log | None) -> Environment:
        return Environment(
            seed=self.request.seed,
            stats=self.stats,
            cancelled=self.clock.over,
            progress=lambda data: self.report("progress", data),
            log=log,
            debug=self.request.debug,
            stage=self.stage,
            exchange=self.exchange,
            offers=self.offers,
            turn=self.request.turn,
            pause=getattr(self.report, "turn", lambda: None),
        )

    def links(self, sorts: Sequence[Sort]) -> list[Link]:
        """The solvers that check a claim whose formulas have these sorts; those that the engine
        asked come last.
        """
        found = chain(sorts, self.stats.solvers, self.check_stats)
        return found if self.questions is None else [logged(link, self.questions) for link in found]

    def links_about(self, cfa: CFA) -> list[Link]:
        """The solvers that check a claim about a control-flow automaton."""
        return self.links([v.sort for v in (*cfa.variables, *cfa.inputs)])

    def doubted(
        self, property: str, check: CertificateCheck, claim: Claim, what: str = "certificate"
    ) -> PropertyVerdict | None:
        """None if the check has accepted the claim, unknown if it could not decide. What it refutes
        is `Rejected`.
        """
        if check.status is Status.ACCEPTED:
            return None
        why = f"{check.obligation}: {check.reason}"
        if check.status is Status.UNKNOWN:
            return self.unknown(property, f"the {what} could not be checked ({why})")
        state = ", ".join(f"{name} = {shown(value)}" for name, value in check.model.items())
        verb = "were" if what.endswith("s") else "was"
        raise Rejected(f"the {what} {verb} rejected: {why} {state}".rstrip(), claim)

    def tick(self) -> None:
        """Called often: ends the run when its time is over."""
        if self.clock.over():
            raise ResourceOut("timeout")

    # -- report ------------------------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        return asdict(self.options) | asdict(self.pipeline) | self._reading()

    def _reading(self) -> dict[str, Any]:
        """How a C program is read, besides the options of the pipeline."""
        if "data_model" not in self.language.reading:
            return {}
        how = self.request.preprocessing
        told = {} if how == DEFAULT else {"preprocessing": asdict(how)}
        return {"data_model": self.request.data_model, "entry": self.request.entry, **told}

    def _outcome(self, notes: tuple[str, ...]) -> Outcome:
        return summary(
            self.request.file,
            self.property,
            self._settled(),
            engine=self.request.engine,
            preset=self.request.preset,
            options=self._options(),
            seed=self.request.seed,
            notes=(*self.request.notes, *notes),
            stats=self.statistics(),
            coverage=self.coverage,
        )

    def statistics(self) -> dict[str, Any]:
        """The figures of the run so far."""
        self.clock.enter("report")
        stages = self.clock.stages
        return {
            "wall_s": round(monotonic() - self.clock.started, 3),
            "cpu_s": round(process_time() - self.clock.cpu, 3),
            "peak_mb": peak_mb(),
            "frontend_s": round(stages.get("read", 0.0) + stages.get("inline", 0.0), 3),
            "solver_calls": self.stats.total_calls,
            "solver_s": round(self.stats.total_seconds, 3),
            "frames": 0,
            "lemmas": 0,
            "obligations": 0,
            **self.figures,
            "calls": dict(self.stats.calls),
            "solvers": list(self.stats.solvers),
            "check_calls": self.check_stats.total_calls,
            "check_solver_s": round(self.check_stats.total_seconds, 3),
            "stages_s": stages,
            "stages_cpu_s": self.clock.stages_cpu,
        }


def peak_mb() -> float:
    """The peak resident memory of this process."""
    import resource

    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)
