"""One run on Horn clauses: they are a CFA (`frontends.chc`), so everything but reading and replay is as for programs.

A certificate is stated as a model of the relations, over their arguments only, before it is checked; where large blocks left
relations out, these are determined by their clauses and have no formula of their own. A certificate that is k-inductive or
quantified is checked as it is, and no model is shown.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.api.pipeline import Run
from obligato.frontends.chc import HornCFA
from obligato.results.checking.trace import TraceCheck, check_trace
from obligato.results.outcome import Certificate, Outcome, Trace, Verdict
from obligato.results.replay_cfa import replay_cfa


class HornRun(Run):
    """One request about Horn clauses on its way through the pipeline."""

    horn: HornCFA

    def _load(self) -> None:
        self.horn = self.language.load(self.request.file)
        self.original = self.horn.cfa

    def _certified(self, certificate: Certificate) -> Outcome:
        if certificate.k > 1 or certificate.index is not None:
            return super()._certified(certificate)
        model = self.horn.model(certificate.invariants)
        stated = {self.horn.location[name]: formula for name, formula in model.items()}
        outcome = super()._certified(Certificate(stated))
        if outcome.verdict is not Verdict.TRUE:
            return outcome
        return replace(outcome, notes=(*outcome.notes, *self.horn.definitions(model)))

    def _check_trace(self, trace: Trace, exact: bool) -> TraceCheck:
        self._stage("check")
        return check_trace(
            self.original, trace, lambda t: replay_cfa(self.original, t), self._links(), exact=exact, tick=self._tick)

    def _notes(self) -> tuple[str, ...]:
        return ()
