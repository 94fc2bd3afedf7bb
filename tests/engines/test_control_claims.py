"""Claims along the control flow of a system that no system understands: rounds taken at once, and
that all runs end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

import obligato
from obligato.api import control
from obligato.engines import ic3cfa
from obligato.engines.bmc import shortcuts
from obligato.models.cfa import CFA, Location
from obligato.models.claims import Certificate, Repeat, Trace, TraceStep, Unwinding
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import TermStore
from tests.support.systems import random_system

COUNTS = """(declare-fun i () (_ BitVec 32)) (declare-fun i.n () (_ BitVec 32))
(declare-fun n () (_ BitVec 32)) (declare-fun n.n () (_ BitVec 32))
(define-fun v0 () (_ BitVec 32) (! i :next i.n))
(define-fun v1 () (_ BitVec 32) (! n :next n.n))
(define-fun init () Bool (! (= i #x00000000) :init true))
(define-fun step () Bool
  (! (and (bvult i n) (= i.n (bvadd i #x00000001)) (= n.n n)) :trans true))
(define-fun p () Bool (! (not (and (= i n) (= i #x00000400))) :invar-property 0))"""


def test_rounds_at_once_are_steps_of_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace of control flow has them once, a run of the system one by one."""
    monkeypatch.setattr(shortcuts, "WRITTEN", 0)
    outcome = obligato.verify(COUNTS, "ic3cfa", language="vmt", isolated=False)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert len(outcome.trace.steps) > 1024


@dataclass
class _Run:
    """A run whose engine makes claims that no system understands, as long as it may."""

    claim: EngineResult
    option: str
    options: ic3cfa.Options = field(default_factory=ic3cfa.Options)
    engine: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(prove_cfa=None))

    def prove(self, prove: object, cfa: CFA) -> EngineResult:
        """The claim, if the option is on."""
        asked = getattr(self.options, self.option)
        return self.claim if asked else EngineResult(Verdict.UNKNOWN, reason="no more claims")


def test_what_no_system_understands_is_not_claimed() -> None:
    """That all runs end is no invariant, and billions of steps are no run: the engine goes on
    without such claims, for this system only.
    """
    ends = Certificate({1: TermStore().true}, unwinding=Unwinding(3))
    far = Trace({}, (TraceStep(0, {}), TraceStep(1, {})), (Repeat(0, 1, 1 << 40),))
    places = {n: Location(n, str(n)) for n in range(2)}
    for claim, option in (
        (EngineResult(Verdict.TRUE, certificate=ends), "short_runs"),
        (EngineResult(Verdict.FALSE, trace=far), "acceleration"),
    ):
        run = _Run(claim, option)
        asked, cfa = run.options, CFA(TermStore(), (), (), places, (), 0, 1)
        assert control._sayable(run, cfa).reason == "no more claims"  # type: ignore[arg-type]
        assert run.options is asked and control._unsaid(claim)


def test_loops_that_lead_to_no_error_need_no_formula() -> None:
    """The edge to the error of a property has the guard false, as constraints show. A loop
    without a formula was taken for one that no run reaches.
    """
    system = random_system(212, max_bits=7)
    outcome = obligato.verify(system, "ic3cfa", isolated=False)
    assert {v.property: v.verdict for v in outcome.verdicts} == {
        "bad0": Verdict.TRUE,
        "bad1": Verdict.FALSE,
    }
