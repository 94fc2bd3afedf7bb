"""Do the properties of a transition system hold? A verdict about each, as far as possible from one
engine run.

All properties that are asked for are proved together first: one invariant, found once, proves them
all. A run that violates some of them refutes those; the others are proved together again, without
them (`SystemInput.decide`). Properties that are left when the engine gives up on all of them
together are tried one by one.

What is done with a claim depends on its type, by the table `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from obligato.api.describe_system import describe_system_certificate, describe_system_trace
from obligato.api.displayed import agree
from obligato.api.exchanges import about_system
from obligato.api.features import of_system
from obligato.api.pipeline import Rejected, Run
from obligato.api.reading import select_properties
from obligato.api.system_witness import read_witness, with_witness
from obligato.engines.parts import part_by_part
from obligato.errors import ConfigError, InputError, InternalError, ResourceOut, Span, Unsupported
from obligato.frontends.reading import read_text
from obligato.frontends.registry import ALL, UNREACH_CALL
from obligato.models.ctl_claims import Bounds
from obligato.models.live_claims import Counted, Lasso, Ranked, Saved, Walls
from obligato.models.properties import CtlProperty, LtlProperty
from obligato.models.ts_arrays import expandable
from obligato.models.ts_cells import watchable
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.status import TraceStatus
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.vacuity import vacuous
from obligato.results.outcome import PropertyVerdict, StreamReport, SystemResult, Verdict
from obligato.terms import Kind

if TYPE_CHECKING:
    from obligato.api.system_recheck import SystemClaim
    from obligato.models.transition_system import TransitionSystem

INFINITE_ENGINE = "ic3ia"  # where the engine of the language knows finite systems only
ARRAY_ENGINE, ARRAY_BITS = "ic3bmc", 4096  # for arrays of words, one of them of more bits
LIVE_ENGINE, INFINITE_LIVE_ENGINE = "fair", "rank"
CTL_ENGINE = "iictl"
STOPPED = "the engine finds bugs only, and has found one of another property"
# of the time for all properties together, the rest for those that this leaves open
TOGETHER = 2 / 3


class SystemInput:
    """A transition system, and the properties that are asked for."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.notes: tuple[str, ...] = ()
        self.system: TransitionSystem

    def read(self) -> None:
        """Read the system and select its properties."""
        self.run.stage("read")
        system = self.run.language.load(
            self.run.request.file, contracts=self.run.pipeline.contracts
        )
        if not system.properties and self.run.property in (ALL, UNREACH_CALL):
            raise Unsupported(
                "the file has no property", Span(self.run.request.file, 1, 1), "no property"
            )
        self.system = select_properties(
            system, self.run.property, Path(self.run.request.file).parent
        )
        self.notes, self.run.rests = self.system.notes, self.system.rests
        self.run.ask([p.name for p in self.system.properties])
        if self.run.language.engine == "ic3bmc" and any(
            s.kind in (Kind.INT, Kind.REAL) for s in sorts_of(self.system)
        ):
            self.run.prefer(INFINITE_ENGINE)
        if self.run.language.words and words_only(self.system):
            self.run.prefer(self.run.language.words)
        if large_arrays(self.system):
            self.run.prefer(ARRAY_ENGINE)
        if self.system.temporal or self.system.branching:
            self._prepare_infinite()
        if self.run.request.pictures:
            from obligato.api.drawing import signals

            self.run.report("picture", {"": signals(self.system)})
        self.run.report_features(of_system(self.system))

    @property
    def _live_engine(self) -> str:
        """The engine for properties of infinite runs, unless one is named."""
        finite = all(s.kind in (Kind.BOOL, Kind.BITVEC) for s in sorts_of(self.system))
        return LIVE_ENGINE if finite else INFINITE_LIVE_ENGINE

    def _prepare_infinite(self) -> None:
        """Properties of infinite runs have engines of their own, and only those of the input have a
        witness format.
        """
        if not self.system.assertions:
            self.run.prefer(self._live_engine if self.system.temporal else CTL_ENGINE)
        if self.run.request.witness and any(
            isinstance(p, (LtlProperty, CtlProperty)) for p in self.system.properties
        ):
            raise ConfigError(
                "there is no witness format for temporal formulas; --json has everything"
            )

    # -- verdicts by an engine ---------------------------------------------------------------------

    def decide(self) -> None:
        """All properties of states together while this decides some of them, then those that are
        left one by one, and then the properties of infinite runs and of branching time.
        """
        states = [p.name for p in self.system.assertions]
        with (
            self.run.clock.within(TOGETHER * len(states) / max(1, len(self.run.open))),
            suppress(ResourceOut),
        ):
            while len(
                open_ := [name for name in states if name in self.run.open]
            ) > 1 and self._together(open_):
                pass
        for name in [name for name in states if name in self.run.open]:
            self.run.decide(name, partial(self._alone, name))
        for engine, properties in (
            (self._live_engine, self.system.temporal),
            (CTL_ENGINE, self.system.branching),
        ):
            names = [p.name for p in properties if p.name in self.run.open]
            if names:
                self.run.prefer(engine)
            for name in names:
                self.run.decide(name, partial(self._alone, name))

    def _together(self, names: Sequence[str]) -> bool:
        """One engine run about the conjunction of some properties: does it decide any of them?

        An engine that only refutes may search for ever where a property holds; it is not asked
        again about the others.
        """
        found = self._judged(self._only(names))
        decided = [v for v in found if v.verdict is not Verdict.UNKNOWN]
        for verdict in decided:
            self.run.found(verdict)
        if self.run.engine.refutes_only:
            self.run.give_up(STOPPED if decided else found[0].reason or "", names)
        return bool(decided)

    def _alone(self, name: str) -> PropertyVerdict:
        return self._judged(self._only([name]))[0]

    def _only(self, names: Sequence[str]) -> TransitionSystem:
        return self.system.about(tuple(p for p in self.system.properties if p.name in names))

    def _judged(self, system: TransitionSystem) -> list[PropertyVerdict]:
        """The verdicts that one engine run justifies, at least one. Unknown: about none of the
        properties is anything known.
        """
        names = [p.name for p in system.properties]
        return self.run.within_limits(names, lambda: self._proved(system))

    def _proved(self, system: TransitionSystem) -> list[PropertyVerdict]:
        if system.branching:
            from obligato.api import ctl_search

            return ctl_search.proved(self.run, system)
        if system.temporal:
            from obligato.api import live_search

            return live_search.proved(self.run, system)
        self.run.stage("reduce")
        small, lift = reduce_system(system, self.run.pipeline.reduction)
        self.run.figures |= {"state_variables": len(small.state), "inputs": len(small.inputs)}
        with self.run.exchanging(about_system(self.run.mail, system, small, lift)):
            result = self._claimed(small)
        if result.verdict is Verdict.TRUE and result.certificate is not None:
            self.run.stage("lift")
            return self._checked(system, lift.certificate(result.certificate))
        if result.verdict is Verdict.FALSE and result.trace is not None:
            self.run.stage("lift")
            return self._checked(system, lift.trace(result.trace))
        return [self.run.unknown(p.name, self.run.why(result)) for p in system.properties]

    def _claimed(self, system: TransitionSystem) -> SystemResult:
        """What the engine claims: along the control flow, or about the system as it is."""
        if self.run.offers:
            from obligato.api.control import by_offers

            found = by_offers(self.run, system)
            if found is not None:
                return found
        asked, engine = self.run.pipeline.control, self.run.engine
        if engine.on_systems and (asked == "none" or (asked == "auto" and not engine.control)):
            return self.run.prove(part_by_part(engine.prove_system), system)
        from obligato.api.control import along_control

        return along_control(self.run, system) or self.run.prove(
            part_by_part(engine.prove_system), system
        )

    def _checked(self, system: TransitionSystem, claim: SystemClaim) -> list[PropertyVerdict]:
        """The verdicts that a claim about the system as it was read justifies."""
        self.run.stage("check")
        found = CHECKS[type(claim)](self.run, system, claim)
        if isinstance(claim, SystemCertificate) and found[0].verdict is Verdict.TRUE:
            remarks = vacuous(system, claim, self.run.links(sorts_of(system)), self.run.tick)
            self.notes = tuple(dict.fromkeys((*self.notes, *remarks)))
        return found

    # -- verdicts from a file ----------------------------------------------------------------------

    def recheck(self, claim: str) -> None:
        """Judge a JSON outcome, or a witness in the format that goes with the input."""
        from obligato.api import live_search
        from obligato.api.recheck import claims_in, is_outcome
        from obligato.api.system_recheck import read_claim, violated, witnessed

        if is_outcome(claim):
            for names, data in claims_in(claim):
                told = violated(self.system, data, claim)
                if names and told and told[0] not in names:
                    raise InputError(
                        f"the trace of {names[0]} says that it violates {told[0]}", Span(claim)
                    )
                chosen = self._only(names or told or self.run.open)
                self._settle(names or told, read_claim(chosen, data, claim), claim, data)
        elif self.system.temporal:
            text = read_text(claim)
            lasso = live_search.read_lasso_witness(self.run, self.system, text, claim)
            self._settle(witnessed(text), lasso, claim)
        else:
            text = read_text(claim)
            self._settle(
                witnessed(text), read_witness(self.run.language, self.system, text, claim), claim
            )
        self.run.give_up(f"{claim} claims nothing about it")

    def _settle(
        self,
        names: Sequence[str],
        claim: SystemClaim,
        file: str,
        told: Mapping[str, Any] | None = None,
    ) -> None:
        """Judge a claim by the properties only that it is about; none: by all that are asked for.
        `told` is its JSON.
        """
        chosen = [name for name in names if name in self.run.open]
        if names and not chosen:
            raise InputError(
                f"the claim is about {names[0]}, and no such property is asked for", Span(file)
            )
        names = chosen or tuple(self.run.open)
        for verdict in self.run.within_limits(
            names, lambda: self._checked(self._only(names), claim)
        ):
            agree(told, verdict, programs=False)
            self.run.found(verdict)


def large_arrays(system: TransitionSystem) -> bool:
    """Are there arrays of words that are too large to be expanded, beside words and Booleans
    only?
    """
    there = any(x.sort.kind is Kind.ARRAY for x in (*system.state, *system.inputs))
    return there and watchable(system) and not expandable(system, ARRAY_BITS)


def words_only(system: TransitionSystem) -> bool:
    """Is a system made of bits and words, with words among them?"""
    kinds = {s.kind for s in sorts_of(system)}
    return Kind.BITVEC in kinds and kinds <= {Kind.BOOL, Kind.BITVEC}


def _emit_circuit(run: Run, system: TransitionSystem, certificate: SystemCertificate) -> None:
    """Of an inductive invariant over bits, the circuit that checks it is written beside the
    questions to solvers.
    """
    from obligato.frontends.aiger.certificate import certificate_bytes, has_circuit

    if (
        run.questions is not None
        and certificate.k == 1
        and not certificate.distinct
        and has_circuit(system)
    ):
        count = sum(1 for _ in run.questions.folder.glob("certificate*.aig"))
        name = f"certificate{count + 1 if count else ''}.aig"
        (run.questions.folder / name).write_bytes(certificate_bytes(system, certificate.invariant))


def certified(
    run: Run, system: TransitionSystem, certificate: SystemCertificate
) -> list[PropertyVerdict]:
    """All properties hold if the certificate is accepted."""
    _emit_circuit(run, system, certificate)
    check = check_system_certificate(system, certificate, run.links(sorts_of(system)), run.tick)
    names = [p.name for p in system.assertions]
    doubt = run.doubted("", check, certificate)
    if doubt is not None:
        return [replace(doubt, property=name) for name in names]
    _sampled(run, system)
    report = describe_system_certificate(system, run.request.file, run.language, certificate, check)
    if run.request.core:
        from obligato.results.core import system_core

        with run.clock.within(0.5):
            report = replace(
                report,
                core=system_core(
                    system, certificate, lambda: run.links(sorts_of(system)), run.tick
                ),
            )
    return [PropertyVerdict(name, Verdict.TRUE, certificate=report) for name in names]


def _sampled(run: Run, system: TransitionSystem) -> None:
    """Where the language has a second reader, it must agree with the first on a few random runs
    before a proof counts.
    """
    sample = run.language.hook("sample")
    if sample is not None and system.assertions:
        problem = sample(
            run.request.file,
            system,
            run.request.seed,
            **run.language.reads(contracts=run.pipeline.contracts),
        )
        if problem:
            raise InternalError(f"the readers of the program disagree: {problem}")


def confirmed(run: Run, system: TransitionSystem, trace: SystemTrace) -> list[PropertyVerdict]:
    """The properties that fail at the end of the trace do not hold."""
    check = check_system_trace(system, trace, run.links(sorts_of(system)), run.tick)
    if check.status is not TraceStatus.CONFIRMED or check.trace is None:
        raise Rejected(f"the trace was rejected: {check.reason}", trace)
    report = describe_system_trace(system, run.request.file, check.trace, check.failed)
    report = with_witness(run, system, check.trace, check.failed[0], report)
    again = run.language.hook("replay")
    if again is None:
        return [PropertyVerdict(name, Verdict.FALSE, trace=report) for name in check.failed]
    reading = run.language.reads(contracts=run.pipeline.contracts)
    seen = {name: again(run.request.file, check.trace, name, **reading) for name in check.failed}
    streams, _ = seen[check.failed[0]]
    report = replace(report, streams=tuple(StreamReport(*stream) for stream in streams))
    return [
        run.unknown(name, doubt) if doubt else PropertyVerdict(name, Verdict.FALSE, trace=report)
        for name, (_, doubt) in seen.items()
    ]


def live_certified(run: Run, system: TransitionSystem, claim: Any) -> list[PropertyVerdict]:
    """See `live_search.certified`."""
    from obligato.api import live_search

    return live_search.certified(run, system, claim)


def live_confirmed(run: Run, system: TransitionSystem, claim: Any) -> list[PropertyVerdict]:
    """See `live_search.confirmed`."""
    from obligato.api import live_search

    return live_search.confirmed(run, system, claim)


def bounds_checked(run: Run, system: TransitionSystem, claim: Any) -> list[PropertyVerdict]:
    """See `ctl_search.checked`."""
    from obligato.api import ctl_search

    return ctl_search.checked(run, system, claim)


CHECKS: dict[type, Callable[[Run, TransitionSystem, Any], list[PropertyVerdict]]] = {
    SystemCertificate: certified,
    SystemTrace: confirmed,
    Walls: live_certified,
    Saved: live_certified,
    Counted: live_certified,
    Ranked: live_certified,
    Lasso: live_confirmed,
    Bounds: bounds_checked,
}
