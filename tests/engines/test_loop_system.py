"""An automaton with one location as a transition system, and Horn clauses proved by the control
flow that their step codes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.api import control
from obligato.api.library import Verdict, verify
from obligato.api.reading import reduced
from obligato.frontends.chc import load_system
from obligato.frontends.chc.to_cfa import to_cfa
from obligato.models.counters import counters
from obligato.models.loop_system import LoopSystem, loop_system
from obligato.results.outcome import SystemResult

ROUNDS = """(set-logic HORN)
(declare-fun inv (Real Real Real Bool) Bool)
(assert (forall ((r Real) (a Real) (b Real) (f Bool)) (=> (and (= r 0.0) (not (= a 0.0)) (= b 0.0)) (inv r a b f))))
(assert (forall ((r Real) (a Real) (b Real) (f Bool) (r2 Real) (a2 Real) (b2 Real) (f2 Bool)) (=> (and (inv r a b f) (= f2 f)
  (or (and (= r 0.0) (= r2 1.0) (= a2 a) (or f (= b2 a)))
      (and (= r 1.0) (= r2 2.0) (= a2 a) (= b2 b))
      (and (= r 2.0) (= r2 r) (= a2 a) (= b2 b)))) (inv r2 a2 b2 f2))))
(assert (forall ((r Real) (a Real) (b Real) (f Bool)) (=> (and (inv r a b f) (>= r {round}) (not f) (not (= a b))) false)))
(check-sat)
"""


def written(tmp_path: Path, round_: str) -> str:
    file = tmp_path / "rounds.smt2"
    file.write_text(ROUNDS.format(round=round_))
    return str(file)


def loop_of(file: str) -> LoopSystem:
    found = loop_system(reduced(to_cfa(load_system(file)).cfa, 1)[0])
    assert found is not None
    return found


def test_next_values_that_a_clause_chooses_are_the_next_state(tmp_path: Path) -> None:
    loop = loop_of(written(tmp_path, "2.0"))
    assert loop.system.inputs == ()
    assert [x.name for x in counters(loop.system)] == ["r0"]
    assert [s.edge for s in loop.trace(3).steps] == [0, 1, 1, 2]


@pytest.mark.parametrize("engine", ["ic3cfa", "ic3ia"])
@pytest.mark.parametrize("how", ["auto", "recovered", "none"])
@pytest.mark.parametrize(
    ("round_", "verdict"), [("1.0", Verdict.TRUE), ("2.0", Verdict.TRUE), ("0.0", Verdict.FALSE)]
)
def test_rounds_of_a_protocol_are_proved_and_refuted(
    tmp_path: Path, engine: str, how: str, round_: str, verdict: Verdict
) -> None:
    outcome = verify(written(tmp_path, round_), engine=engine, control=how)
    assert outcome.verdict is verdict
    assert ("counters" in outcome.stats) is (how != "none")


def test_clauses_are_taken_as_they_are_where_control_flow_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        control, "_by_flow", lambda *given: SystemResult(Verdict.UNKNOWN, reason="incomplete")
    )
    assert verify(written(tmp_path, "2.0"), engine="ic3cfa").verdict is Verdict.TRUE


def test_a_run_through_the_rounds_is_replayed(tmp_path: Path) -> None:
    file = tmp_path / "rounds.smt2"
    file.write_text(
        ROUNDS.format(round="2.0").replace("(not f) (not (= a b))", "f (= b (+ a 1.0))")
    )
    outcome = verify(str(file), engine="ic3cfa")
    assert outcome.verdict is Verdict.FALSE and outcome.stats["counters"] == 1


FIRST = """(declare-fun x () Int)\n(declare-fun xn () Int)\n(declare-fun b () Bool)\n(declare-fun bn () Bool)
(define-fun .sx () Int (! x :next xn))\n(define-fun .sb () Bool (! b :next bn))
(define-fun .i () Bool (! (and b (= x 0)) :init true))
(define-fun .t () Bool (! (and (not bn) (= xn (ite b 5 (+ x 1)))) :trans true))
(define-fun .p () Bool (! (>= x 0) :invar-property 0))
"""


@pytest.mark.parametrize("how", ["auto", "recovered"])
def test_a_bit_that_says_whether_it_is_the_first_step_is_no_control_flow(
    tmp_path: Path, how: str
) -> None:
    file = tmp_path / "first.vmt"
    file.write_text(FIRST)
    outcome = verify(str(file), engine="ic3ia", control=how)
    assert outcome.verdict is Verdict.TRUE
    assert ("counters" in outcome.stats) is (how == "recovered")


def test_other_automata_are_no_loop_systems(tmp_path: Path) -> None:
    file = tmp_path / "two.smt2"
    more = (
        "(assert (forall ((r Real) (a Real) (b Real) (f Bool)) (=> (inv r a b f) (inv r a b (not"
        " f)))))\n(check-sat)"
    )
    file.write_text(ROUNDS.format(round="2.0").replace("(check-sat)", more))
    assert loop_system(to_cfa(load_system(str(file))).cfa) is None
    file.write_text(
        ROUNDS.format(round="2.0").replace(
            "(= r 0.0) (not", "(exists ((c Real)) (and (< r c) (< c a))) (not", 1
        )
    )
    assert verify(str(file), engine="ic3cfa").verdict is not Verdict.TRUE
