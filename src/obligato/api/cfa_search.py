"""Is the error location of a control-flow automaton reachable? The search for programs and for Horn
clauses.

Three things can send it round again (`CfaSearch._decide`): a trace that a reduction lost is sought
on a less reduced program; a trace that ends in a limit or uses an over-approximation is sought
without these, to refute only; and a trace that depends on where objects lie in memory. What differs
between programs and Horn clauses is how they are read, replayed and shown (`Loaded`). For Horn
clauses a certificate is stated as a model of the relations, over their arguments only, before it is
checked; where large blocks left relations out, these are determined by their clauses and have no
formula of their own. One that is k-inductive, quantified or an unwinding is checked as it is, and
no model is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from obligato.api.describe import describe_certificate, describe_trace
from obligato.api.displayed import agree
from obligato.api.exchanges import about_cfa
from obligato.api.features import of_cfa
from obligato.api.pipeline import Rejected, Run
from obligato.api.reading import original_cfa, reduced
from obligato.api.remarks import vacuous
from obligato.api.undefined import marked
from obligato.engines.again import first_again
from obligato.engines.ic3cfa.short_runs import follow
from obligato.errors import Unsupported
from obligato.frontends.registry import ASSERTIONS, UNREACH_CALL, InputKind
from obligato.models.checks import Key, only
from obligato.program.syntax import LAYOUT, TYPED, Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.path import complete
from obligato.results.checking.trace import TraceCheck, TraceStatus, check_trace
from obligato.results.outcome import (
    Certificate,
    CheckReport,
    EngineResult,
    PropertyVerdict,
    Trace,
    TraceReport,
    Verdict,
)
from obligato.results.replay import replay
from obligato.results.replay_cfa import replay_cfa
from obligato.results.replay_script import replay_script, script_of

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.claims import Lift
    from obligato.models.horn import HornSystem
    from obligato.results.checking.solving import Link

ASSERTED = (ASSERTIONS, UNREACH_CALL)  # the properties that are about the assertions of the user
WRITTEN = 200_000  # steps of a trace that is replayed round by round
ONE_LAYOUT = "with addresses=apart nothing is proved: only errors are looked for"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What claims are checked on: the CFA, and how a trace is replayed on the input (None: it is a
    violation there).

    `marked` adds to the report of a trace what its run did that is undefined.
    `follow` replays the beginning of a run (None: the input has it).

    `stated` is a certificate as it is checked and shown, with remarks about it. `program` is what
    the CFA was made of, if claims may be about its runs as they are.
    """

    cfa: CFA
    replay: Callable[[Trace], str | None]
    notes: tuple[str, ...] = ()
    follow: Callable[[Trace], str | None] = field(
        default=lambda trace: "a part of a run cannot be replayed"
    )
    marked: Callable[[TraceReport, Trace], TraceReport] = field(
        default=lambda report, trace: report
    )
    stated: Callable[[Certificate], tuple[Certificate, tuple[str, ...]]] = field(
        default=lambda certificate: (certificate, ())
    )
    program: Program | None = None


def load_program(
    run: Run, program: Program, read: Callable[[str], Program | None] | None = None
) -> Loaded:
    """A program that was read for one property and one choice of addresses of its objects; `read`
    reads it for another one.
    """
    run.stage("inline")
    cfa = original_cfa(program, run.pipeline.unfold)
    return Loaded(
        cfa,
        lambda trace: replay(program, cfa, trace).problem,
        program.notes,
        lambda trace: replay(program, cfa, trace, whole=False).problem,
        lambda report, trace: report if read is None else marked(report, cfa, trace, read),
        program=program,
    )


def load_loops(run: Run, program: Program) -> Loaded:
    """A program whose recursive calls are all tail calls, and so loops; a trace is replayed on the
    program with its calls.
    """
    run.stage("inline")
    cfa = original_cfa(without_tail_calls(program))
    return Loaded(
        cfa, lambda trace: replay_script(program, script_of(cfa, trace)).problem, program.notes
    )


def horn_search(system: HornSystem, run: Run, property: str) -> CfaSearch:
    """The search for linear Horn clauses; they have one property, and no objects in memory. A model
    is asked for, which an executed run does not give.
    """
    if getattr(run.options, "only_run", False):
        run.options = replace(run.options, only_run=False)
    return CfaSearch(run, property, lambda addresses: load_horn(system))


def load_horn(system: HornSystem) -> Loaded:
    """Linear Horn clauses as a CFA."""
    from obligato.frontends.chc.to_cfa import to_cfa

    horn = to_cfa(system)

    def stated(certificate: Certificate) -> tuple[Certificate, tuple[str, ...]]:
        if certificate.k > 1 or certificate.index is not None or certificate.unwinding is not None:
            return certificate, ()
        model = horn.model(certificate.invariants)
        return Certificate({horn.location[name]: f for name, f in model.items()}), tuple(
            horn.definitions(model)
        )

    return Loaded(horn.cfa, lambda trace: replay_cfa(horn.cfa, trace), stated=stated)


class CfaSearch:
    """The search for one property. `load` reads the input for a choice of addresses; `rereads`: it
    may be read with another model of memory, in which checks may have other texts.
    """

    def __init__(
        self, run: Run, property: str, load: Callable[[str], Loaded], rereads: bool = False
    ) -> None:
        self.run, self.property, self._load = run, property, load
        self._checks: Container[Key] | None = None
        self._rereads = rereads
        # the only one that is searched for, if the property names it
        self.check: CheckReport | None = None
        self.asked = run.pipeline
        self.model = self.load(self.addresses)
        self._picture()
        run.report(
            "features",
            of_cfa(self.model.cfa, "clauses" if run.language.kind is InputKind.HORN else "program"),
        )
        self.remarks: tuple[str, ...] = ()  # about the certificate

    def load(self, addresses: str) -> Loaded:
        """The input for a choice of addresses; of its checks those that are searched for."""
        loaded = self.load_whole(addresses)
        return (
            loaded if self._checks is None else replace(loaded, cfa=only(loaded.cfa, self._checks))
        )

    def load_whole(self, addresses: str) -> Loaded:
        """The input for a choice of addresses, with all its checks."""
        return self._load(addresses)

    def narrow(self, checks: Container[Key]) -> None:
        """From now on only these checks are searched for."""
        self._checks, self.run.pipeline = checks, self.asked
        self.model = self.load(self.addresses)

    @property
    def addresses(self) -> str:
        """Where objects lie in memory; the options of the outcome say it, so that a trace is
        re-checked there.
        """
        return self.run.pipeline.addresses

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read, and about the certificate."""
        return (*self.model.notes, *self.remarks)

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""
        asked = self.run.options
        try:
            verdict = self._decide("" if self.addresses == "any" else ONE_LAYOUT)
        finally:
            self.run.options = asked
        return self._unknown(ONE_LAYOUT) if verdict is None else verdict

    def _decide(self, refute_only: str) -> PropertyVerdict | None:
        """Prove or refute; `refute_only` is the reason why a proof would not count.  None: the
        trace that was found exists in one layout of memory only.
        """
        level = self.run.pipeline.reduction
        while True:
            result, small, lift = self._attempt(level, bool(refute_only))
            if result.verdict is Verdict.TRUE and result.certificate is not None:
                if refute_only:
                    return self._unknown(refute_only)
                verdict = self._proof(lift, result.certificate, level)
                if verdict is None:
                    verdict, level = self._short_runs(level)
                if verdict is not None:
                    return verdict
                continue
            if result.verdict is not Verdict.FALSE or result.trace is None:
                return self._unknown(self.run.why(result))
            trace, check = self._traced(small, lift, result.trace, level)
            if check.status is TraceStatus.CONFIRMED and check.trace is not None:
                return self._violated(check.trace) if self._counts(check.trace) else None
            if check.status is TraceStatus.LOST:
                level -= 1
            elif check.status is TraceStatus.LIMITED and not refute_only:
                return self._refute(check.reason)
            elif check.status is not TraceStatus.UNKNOWN:
                raise Rejected(f"the trace was rejected: {check.reason}", trace)
            elif not self._round_by_round(trace):
                return self._unknown(check.reason)

    def _attempt(self, level: int, refute_only: bool) -> tuple[EngineResult, CFA, Lift]:
        """One engine run on the program, reduced as far as `level` says; `refute_only` leaves out
        what refutes nothing.
        """
        self.run.stage("reduce")
        cfa = without_limits(self.model.cfa) if refute_only else self.model.cfa
        small, lift = reduced(cfa, level)
        self.run.measured(small, level)
        found = self._along_control(small)
        if found is None:
            with self.run.exchanging(about_cfa(self.run.mail, small, lift)):
                found = self.run.prove(first_again(self.run.engine.prove_cfa), small)
        return found, small, lift

    def _along_control(self, small: CFA) -> EngineResult | None:
        """What the engine claims by the control flow that Horn clauses code, if they code any."""
        if self.run.language.kind is not InputKind.HORN:
            return None
        from obligato.api.control import along_clauses

        return along_clauses(self.run, small)

    def _refute(self, reason: str) -> PropertyVerdict | None:
        """A limit was reached: search for what counts nevertheless.  Where it is a limit that the
        layout of memory matters, a run that exists in two different layouts counts; they are runs
        of the program.
        """
        if self._may_reread():
            verdict = self._by_bytes()
            if verdict is not None and verdict.verdict is not Verdict.UNKNOWN:
                return verdict
            self._reload("any", "auto")
        if self._has_limit(LAYOUT):
            self._reload("apart")
            verdict = self._decide(reason)
            if verdict is not None:
                return verdict
            self._reload("any")
        return self._decide(reason)

    def _by_bytes(self) -> PropertyVerdict | None:
        """Casts were trusted that show memory as what it is not: there it is bytes, and all is
        searched once more.
        """
        try:
            self._reload("any", "plain")
        except Unsupported:
            return None
        return self._decide("")

    def _may_reread(self) -> bool:
        """Is memory accessed by another type, and are all checks searched for?"""
        whole = self._rereads and self._checks is None
        return whole and self.run.pipeline.memory == "auto" and self._has_limit(TYPED)

    def _has_limit(self, label: str) -> bool:
        return any(
            e.approximates == label or (e.violation is not None and e.violation.label == label)
            for e in self.model.cfa.edges
        )

    def _reload(self, addresses: str, memory: str = "") -> None:
        memory = memory or self.run.pipeline.memory
        self.run.pipeline = replace(self.run.pipeline, addresses=addresses, memory=memory)
        self.model = self.load(addresses)
        self._picture()

    def _picture(self) -> None:
        if self.run.request.pictures:
            from obligato.api.drawing import automaton

            self.run.report("picture", {self.property: automaton(self.model.cfa)})

    def _traced(self, small: CFA, lift: Lift, found: Trace, level: int) -> tuple[Trace, TraceCheck]:
        """The trace on the original program, and its check. Rounds that cannot be shown, since what
        was reduced has no closed form, are replayed one by one if there are not too many.
        """
        trace = self._lifted(small, lift, found)
        check = self._check_trace(self.model, trace, exact=level == 0)
        doubtful = check.status in (TraceStatus.UNKNOWN, TraceStatus.LOST)
        if doubtful and found.repeats and found.length <= WRITTEN:
            return self._traced(small, lift, found.written_out(), level)
        return trace, check

    def _lifted(self, small: CFA, lift: Lift, trace: Trace) -> Trace:
        """The trace on the original program; values on the reduced one let a lift execute what was
        sliced away. Rounds that are written once depend on the values of the trace, which are kept.
        """
        self.run.stage("lift")
        valued = complete(
            small, trace, self._links(), keep_values=bool(trace.repeats), tick=self.run.tick
        ).trace
        return lift.trace(valued or trace)

    def _counts(self, trace: Trace) -> bool:
        """Does the path of a confirmed trace exist wherever objects lie in memory?"""
        if self.addresses == "any":
            return True
        other = self.load("reversed")
        return self._check_trace(other, trace, exact=False).status is TraceStatus.CONFIRMED

    def _check_trace(self, model: Loaded, trace: Trace, exact: bool) -> TraceCheck:
        self.run.stage("check")
        return check_trace(
            model.cfa, trace, model.replay, self._links(), exact=exact, tick=self.run.tick
        )

    def _proof(self, lift: Lift, found: Certificate, level: int) -> PropertyVerdict | None:
        """What a certificate of the program as it was reduced is worth; None if what was reduced
        hides where runs end.
        """
        self.run.stage("lift")
        certificate = lift.certificate(found)
        if certificate.unwinding is None or level == 0:
            return self.certified(certificate)
        check = self._check_certificate(certificate)
        return self._proved(certificate, check) if check.status is Status.ACCEPTED else None

    def _short_runs(self, level: int) -> tuple[PropertyVerdict | None, int]:
        """All runs of the reduced program end soon; so may those of the program as it was read.
        Else where to go on: with an engine that can do without this at the same level, with bounded
        model checking one level lower.
        """
        if not getattr(self.run.options, "short_runs", 0):
            return None, level - 1
        self.run.stage("reduce")
        whole, lift = reduced(self.model.cfa, 0)
        found = self.run.prove(follow, whole)
        if found.certificate is not None:
            return self._proof(lift, found.certificate, 0), 0
        self.run.options = replace(self.run.options, short_runs=0)
        return None, level

    def _round_by_round(self, trace: Trace) -> bool:
        """Rounds of a trace could not be shown, since what was reduced has no closed form: from now
        on none are taken at once. False: there were none.
        """
        if not trace.repeats or not getattr(self.run.options, "acceleration", False):
            return False
        self.run.options = replace(self.run.options, acceleration=False)
        return True

    def _check_certificate(self, certificate: Certificate) -> CertificateCheck:
        self.run.stage("check")
        return check_certificate(self.model.cfa, certificate, self._links(), self.run.tick)

    def _proved(self, certificate: Certificate, check: CertificateCheck) -> PropertyVerdict:
        report = describe_certificate(self.model.cfa, certificate, check)
        if self.property in ASSERTED and not self.run.request.cover:
            self.remarks = (
                *self.remarks,
                *vacuous(self.run, self.model.cfa, certificate, self._links()),
            )
        verdict = PropertyVerdict(self.property, Verdict.TRUE, certificate=report)
        if not self.run.request.core:
            return verdict
        from obligato.results.core import program_core

        with self.run.clock.within(0.5):
            core = program_core(self.model.cfa, certificate, self._links, self.run.tick)
        if core is None:
            self.remarks = (*self.remarks, "a proof that follows all runs to their end has no core")
        return replace(verdict, certificate=replace(report, core=core))

    def certified(self, certificate: Certificate) -> PropertyVerdict:
        """Check a certificate of the original program; the verdict that it proves."""
        if self.addresses != "any":
            return self._unknown(ONE_LAYOUT)
        certificate, remarks = self.model.stated(certificate)
        check = self._check_certificate(certificate)
        doubt = self.run.doubted(self.property, check, certificate)
        if doubt is not None:
            return doubt
        self.remarks = remarks
        return self._proved(certificate, check)

    def confirmed(self, trace: Trace) -> PropertyVerdict:
        """What a trace of the original program is worth that says all its values."""
        check = self._check_trace(self.model, trace, exact=True)
        if check.status is TraceStatus.CONFIRMED and check.trace is not None:
            if self._counts(check.trace):
                return self._violated(check.trace)
            raise Rejected("the trace depends on where objects lie in memory", trace)
        if check.status is TraceStatus.REJECTED:
            raise Rejected(f"the trace was rejected: {check.reason}", trace)
        return self._unknown(check.reason)

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the certificate or trace in the JSON object `data` is worth."""
        from obligato.api.recheck import read_certificate, read_trace
        from obligato.api.scripts import judge_script

        if (
            (data.get("trace") or {}).get("script")
            and self.model.program is not None
            and self.check is None
        ):
            return judge_script(self.run, self.property, self.model.program, data, file)
        if data.get("certificate"):
            verdict = self.certified(read_certificate(self.model.cfa, data["certificate"], file))
        else:
            verdict = self.confirmed(read_trace(self.model.cfa, data["trace"], file))
        agree(data, verdict, programs=True)
        return verdict

    def _violated(self, trace: Trace) -> PropertyVerdict:
        report = self.model.marked(describe_trace(self.model.cfa, trace), trace)
        return PropertyVerdict(self.property, Verdict.FALSE, trace=report)

    def _unknown(self, reason: str) -> PropertyVerdict:
        return self.run.unknown(self.property, reason)

    def _links(self) -> list[Link]:
        return self.run.links_about(self.model.cfa)


class Search(Protocol):
    """The search for one property of a program or of Horn clauses."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read, and about the certificate."""

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the certificate or trace in the JSON object `data` is worth."""


def without_limits(cfa: CFA) -> CFA:
    """The CFA in which limits are assumed and over-approximations not used: every trace of it
    counts.
    """
    return replace(cfa, edges=tuple(e for e in cfa.edges if not e.refutes_nothing))
