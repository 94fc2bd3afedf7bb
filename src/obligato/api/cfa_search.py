"""Is the error location of a control-flow automaton reachable? The search for programs and for Horn clauses.

Three things can send it round again (`CfaSearch._decide`): a trace that a reduction lost is sought on a less reduced program;
a trace that ends in a limit or uses an over-approximation is sought without these, to refute only; and a trace that depends
on where objects lie in memory. What differs between programs and Horn clauses is how they are read, replayed and shown
(`Loaded`). For Horn clauses a certificate is stated as a model of the relations, over their arguments only, before it is
checked; where large blocks left relations out, these are determined by their clauses and have no formula of their own. One
that is k-inductive, quantified or an unwinding is checked as it is, and no model is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from obligato.api.describe import describe_certificate, describe_trace
from obligato.api.displayed import agree
from obligato.api.features import of_cfa
from obligato.api.pipeline import Rejected, Run
from obligato.api.reading import original_cfa, reduced
from obligato.api.recheck import claims_in, read_certificate, read_trace
from obligato.frontends.chc.to_cfa import to_cfa
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Lift
from obligato.models.horn import HornSystem
from obligato.program.syntax import LAYOUT, LIMIT, Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.path import complete
from obligato.results.checking.solving import Link
from obligato.results.checking.trace import TraceCheck, TraceStatus, check_trace
from obligato.results.outcome import Certificate, EngineResult, PropertyVerdict, Trace, Verdict
from obligato.results.replay import replay
from obligato.results.replay_cfa import replay_cfa
from obligato.results.replay_script import replay_script, script_of
from obligato.terms.semantics import shown

ONE_LAYOUT = "with addresses=apart only errors are looked for"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What claims are checked on: the CFA, and how a trace is replayed on the input (None: it is a violation there).

    `stated` is a certificate as it is checked and shown, with remarks about it.
    """

    cfa: CFA
    replay: Callable[[Trace], str | None]
    notes: tuple[str, ...] = ()
    stated: Callable[[Certificate], tuple[Certificate, tuple[str, ...]]] = field(default=lambda certificate: (certificate, ()))


def load_program(run: Run, program: Program) -> Loaded:
    """A program that was read for one property and one choice of addresses of its objects."""
    run.stage("inline")
    cfa = original_cfa(program)
    return Loaded(cfa, lambda trace: replay(program, cfa, trace).problem, program.notes)


def load_loops(run: Run, program: Program) -> Loaded:
    """A program whose recursive calls are all tail calls, and so loops; a trace is replayed on the program with its calls."""
    run.stage("inline")
    cfa = original_cfa(without_tail_calls(program))
    return Loaded(cfa, lambda trace: replay_script(program, script_of(cfa, trace)).problem, program.notes)


def horn_search(system: HornSystem, run: Run, property: str) -> CfaSearch:
    """The search for linear Horn clauses; they have one property, and no objects in memory."""
    return CfaSearch(run, property, lambda addresses: load_horn(system))


def load_horn(system: HornSystem) -> Loaded:
    """Linear Horn clauses as a CFA."""
    horn = to_cfa(system)

    def stated(certificate: Certificate) -> tuple[Certificate, tuple[str, ...]]:
        if certificate.k > 1 or certificate.index is not None or certificate.unwinding is not None:
            return certificate, ()
        model = horn.model(certificate.invariants)
        return Certificate({horn.location[name]: f for name, f in model.items()}), tuple(horn.definitions(model))

    return Loaded(horn.cfa, lambda trace: replay_cfa(horn.cfa, trace), stated=stated)


class CfaSearch:
    """The search for one property. `load` reads the input for a choice of addresses."""

    def __init__(self, run: Run, property: str, load: Callable[[str], Loaded]) -> None:
        self.run, self.property, self.load = run, property, load
        self.model = load(self.addresses)
        run.report("features", of_cfa(self.model.cfa))
        self.remarks: tuple[str, ...] = ()  # about the certificate

    @property
    def addresses(self) -> str:
        """Where objects lie in memory; the options of the outcome say it, so that a trace is re-checked there."""
        return self.run.pipeline.addresses

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read, and about the certificate."""
        return (*self.model.notes, *self.remarks)

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""
        return self._decide("" if self.addresses == "any" else ONE_LAYOUT) or self._unknown(ONE_LAYOUT)

    def _decide(self, refute_only: str) -> PropertyVerdict | None:
        """Prove or refute; `refute_only` is the reason why a proof would not count.  None: the trace that was found exists in
        one layout of memory only."""
        level = self.run.pipeline.reduction
        while True:
            result, small, lift = self._attempt(level, bool(refute_only))
            if result.verdict is Verdict.TRUE and result.certificate is not None:
                if refute_only:
                    return self._unknown(refute_only)
                verdict = self._proof(lift, result.certificate, level)
                if verdict is not None:
                    return verdict
                level -= 1
                continue
            if result.verdict is not Verdict.FALSE or result.trace is None:
                return self._unknown(self.run.why(result))
            trace = self._lifted(small, lift, result.trace)
            check = self._check_trace(self.model, trace, exact=level == 0)
            if check.status is TraceStatus.CONFIRMED and check.trace is not None:
                return self._violated(check.trace) if self._counts(check.trace) else None
            if check.status is TraceStatus.LOST:
                level -= 1
            elif check.status is TraceStatus.LIMITED and not refute_only:
                return self._refute(check.reason)
            elif check.status is TraceStatus.UNKNOWN:
                return self._unknown(check.reason)
            else:
                raise Rejected(f"the trace was rejected: {check.reason}", trace)

    def _attempt(self, level: int, refute_only: bool) -> tuple[EngineResult, CFA, Lift]:
        """One engine run on the program, reduced as far as `level` says; `refute_only` leaves out what refutes nothing."""
        self.run.stage("reduce")
        cfa = without_limits(self.model.cfa) if refute_only else self.model.cfa
        small, lift = reduced(cfa, level)
        self.run.figures |= {"locations": len(small.locations), "edges": len(small.edges), "level": level}
        return self.run.prove(self.run.engine.prove_cfa, small), small, lift

    def _refute(self, reason: str) -> PropertyVerdict | None:
        """A limit was reached: search for what counts nevertheless.  Where it is a limit that the layout of memory matters, a
        run that exists in two different layouts counts; they are runs of the program."""
        if any(e.violation is not None and e.violation.label == LAYOUT for e in self.model.cfa.edges):
            self._reload("apart")
            verdict = self._decide(reason)
            if verdict is not None:
                return verdict
            self._reload("any")
        return self._decide(reason)

    def _reload(self, addresses: str) -> None:
        self.run.pipeline = replace(self.run.pipeline, addresses=addresses)
        self.model = self.load(addresses)

    def _lifted(self, small: CFA, lift: Lift, trace: Trace) -> Trace:
        """The trace on the original program; values on the reduced one let a lift execute what was sliced away."""
        self.run.stage("lift")
        valued = complete(small, trace, self._links(), keep_values=False, tick=self.run.tick).trace
        return lift.trace(valued or trace)

    def _counts(self, trace: Trace) -> bool:
        """Does the path of a confirmed trace exist wherever objects lie in memory?"""
        if self.addresses == "any":
            return True
        other = self.load("reversed")
        return self._check_trace(other, trace, exact=False).status is TraceStatus.CONFIRMED

    def _check_trace(self, model: Loaded, trace: Trace, exact: bool) -> TraceCheck:
        self.run.stage("check")
        return check_trace(model.cfa, trace, model.replay, self._links(), exact=exact, tick=self.run.tick)

    def _proof(self, lift: Lift, found: Certificate, level: int) -> PropertyVerdict | None:
        """What a certificate of the program as it was reduced is worth; None if what was reduced hides where runs end."""
        self.run.stage("lift")
        certificate = lift.certificate(found)
        if certificate.unwinding is None or level == 0:
            return self.certified(certificate)
        check = self._check_certificate(certificate)
        return self._proved(certificate, check) if check.status is Status.ACCEPTED else None

    def _check_certificate(self, certificate: Certificate) -> CertificateCheck:
        self.run.stage("check")
        return check_certificate(self.model.cfa, certificate, self._links(), self.run.tick)

    def _proved(self, certificate: Certificate, check: CertificateCheck) -> PropertyVerdict:
        report = describe_certificate(self.model.cfa, certificate, check)
        return PropertyVerdict(self.property, Verdict.TRUE, certificate=report)

    def certified(self, certificate: Certificate) -> PropertyVerdict:
        """What a certificate of the original program is worth."""
        if self.addresses != "any":
            return self._unknown(ONE_LAYOUT)
        certificate, remarks = self.model.stated(certificate)
        check = self._check_certificate(certificate)
        if check.status is Status.ACCEPTED:
            self.remarks = remarks
            return self._proved(certificate, check)
        if check.status is Status.UNKNOWN:
            return self._unknown(f"the certificate could not be checked ({check.obligation}: {check.reason})")
        state = ", ".join(f"{name} = {shown(value)}" for name, value in check.model.items())
        raise Rejected(f"the certificate was rejected: {check.obligation}: {check.reason} {state}", certificate)

    def confirmed(self, trace: Trace) -> PropertyVerdict:
        """What a trace of the original program is worth that says all its values."""
        check = self._check_trace(self.model, trace, exact=True)
        if check.status is TraceStatus.CONFIRMED and check.trace is not None:
            if self._counts(check.trace):
                return self._violated(check.trace)
            raise Rejected("the trace rests on where objects lie in memory", trace)
        if check.status is TraceStatus.REJECTED:
            raise Rejected(f"the trace was rejected: {check.reason}", trace)
        return self._unknown(check.reason)

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the certificate or trace in the JSON object `data` is worth."""
        if data.get("certificate"):
            verdict = self.certified(read_certificate(self.model.cfa, data["certificate"], file))
        else:
            verdict = self.confirmed(read_trace(self.model.cfa, data["trace"], file))
        agree(data, verdict, programs=True)
        return verdict

    def _violated(self, trace: Trace) -> PropertyVerdict:
        return PropertyVerdict(self.property, Verdict.FALSE, trace=describe_trace(self.model.cfa, trace))

    def _unknown(self, reason: str) -> PropertyVerdict:
        return self.run.unknown(self.property, reason)

    def _links(self) -> list[Link]:
        return self.run.links([v.sort for v in (*self.model.cfa.variables, *self.model.cfa.inputs)])


class Search(Protocol):
    """The search for one property of a program or of Horn clauses."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read, and about the certificate."""

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the certificate or trace in the JSON object `data` is worth."""


class CfaInput:
    """A program or Horn clauses: the properties that are asked for, one after the other, each with a `search` of its own."""

    def __init__(self, run: Run, search: Callable[[Run, str], Search]) -> None:
        self.run, self.search, self.asked = run, search, run.pipeline
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return tuple(self._notes)

    def read(self) -> None:
        """Only the names of properties: a program is read anew for each of them, when its turn comes."""
        self.run.ask(self.run.language.names(self.run.property))

    def decide(self) -> None:
        """Each property gets its share of the time that is left."""
        for name in tuple(self.run.open):
            self.run.decide(name, partial(self._verdict, name, lambda search: search.decide()))

    def recheck(self, claim: str) -> None:
        """Judge each claim in the file that is about a property asked for; without --property all in the file are."""
        claims = claims_in(claim)
        listed = [name for names, _ in claims for name in names]
        if listed and not self.run.request.property:
            self.run.ask(self.run.language.names(self.run.language.property(",".join(listed))))
        for names, data in claims:
            for name in [n for n in names or tuple(self.run.open) if n in self.run.open]:
                self.run.found(self._verdict(name, partial(_judge, data, claim)))
        self.run.give_up(f"{claim} claims nothing about it")

    def _verdict(self, name: str, judge: Callable[[Search], PropertyVerdict]) -> PropertyVerdict:
        self.run.pipeline = self.asked  # another property may have been refuted with other addresses
        search = self.search(self.run, name)
        self._notes |= dict.fromkeys(search.notes)
        (verdict,) = self.run.within_limits([name], lambda: [judge(search)])
        self._notes |= dict.fromkeys(search.notes)
        return verdict


def _judge(data: Mapping[str, Any], file: str, search: Search) -> PropertyVerdict:
    return search.judge(data, file)


def without_limits(cfa: CFA) -> CFA:
    """The CFA in which limits are assumed and over-approximations not used: every trace of it counts."""
    return replace(cfa, edges=tuple(e for e in cfa.edges if not _refutes_nothing(e)))


def _refutes_nothing(e: Edge) -> bool:
    return e.approximates is not None or (e.violation is not None and e.violation.kind == LIMIT)
