"""One run on a transition system: read, select properties, simplify, reduce, prove, lift, check (DESIGN 1, 4).

Like `pipeline.Run`, with another kind of model: nothing leaves here as TRUE or FALSE that `results.checking` has not accepted
on the system as it was read.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.api.describe_system import describe_system_certificate, describe_system_trace
from obligato.api.event_log import event_log
from obligato.api.pipeline import Rejected, Run
from obligato.api.reading import select_property
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.models.ts_reduce import SystemLift, reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import Link, chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Outcome, StreamReport, SystemResult, Verdict


class SystemRun(Run):
    """One request about a transition system on its way through the pipeline."""

    system: TransitionSystem

    def _load(self) -> None:
        self.system = select_property(self.language.load(self.request.file), self.property)

    def _search(self) -> Outcome:
        result, lift = self._prove()
        if result.verdict is Verdict.TRUE and result.certificate is not None:
            return self._certified_system(lift.certificate(result.certificate))
        if result.verdict is Verdict.FALSE and result.trace is not None:
            return self._confirmed(lift.trace(result.trace))
        return self._unknown("timeout" if self.clock.over() else result.reason or "the engine gave up")

    def _prove(self) -> tuple[SystemResult, SystemLift]:
        self._stage("reduction")
        small, lift = reduce_system(self.system, self.pipeline.reduction)
        self.figures |= {"state_variables": len(small.state), "inputs": len(small.inputs)}
        self._stage(self.request.engine)
        with event_log(self.request.log, self.report) as log:
            environment = self._environment(log)
            try:
                result = self.engine.prove_system(small, self.options, environment)
            finally:
                self.figures |= environment.counters
        self.figures |= result.stats
        return result, lift

    def _certified_system(self, certificate: SystemCertificate) -> Outcome:
        self._stage("check")
        check = check_system_certificate(self.system, certificate, self._links(), self._tick)
        if check.status is Status.ACCEPTED:
            report = describe_system_certificate(self.system, self.request.file, certificate, check)
            return replace(self._outcome(Verdict.TRUE), certificate=report)
        if check.status is Status.UNKNOWN:
            return self._unknown(f"the certificate could not be checked ({check.obligation}: {check.reason})")
        raise Rejected(f"the certificate was rejected: {check.obligation}: {check.reason}", certificate)

    def _confirmed(self, trace: SystemTrace) -> Outcome:
        self._stage("check")
        check = check_system_trace(self.system, trace, self._links(), self._tick)
        if check.status is TraceStatus.CONFIRMED and check.trace is not None:
            report = describe_system_trace(self.system, self.request.file, check.trace, check.violated)
            again = self.language.hook("replay")
            if again is not None:
                streams, doubt = again(self.request.file, check.trace, check.violated)
                if doubt:
                    return self._unknown(doubt)
                report = replace(report, streams=tuple(StreamReport(*stream) for stream in streams))
            return replace(self._outcome(Verdict.FALSE), trace=report)
        raise Rejected(f"the trace was rejected: {check.reason}", trace)

    def _links(self) -> list[Link]:
        return chain(sorts_of(self.system), self.stats.solvers, self.check_stats)

    def _notes(self) -> tuple[str, ...]:
        return self.system.notes if hasattr(self, "system") else ()
