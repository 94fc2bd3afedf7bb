"""What an earlier outcome offers: tried first, never believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.again_pairs import HEAD, PAIRS, Pair
from benchmarks.bench_again import measured, proved
from obligato.api.earlier import facts_in
from obligato.api.request import Request
from obligato.api.worker import verify_work
from obligato.errors import ConfigError
from obligato.models.facts import Fact, parts
from obligato.reports.json_report import to_dict
from obligato.results.outcome import Outcome, Verdict
from obligato.terms import BOOL, INT, TermStore
from obligato.terms.printer import to_smtlib

ALONE = {"houdini", "again"}  # the questions of a run in which no engine asks any


def told(path: Path, *formulas: str) -> Path:
    invariants = [{"location": 1, "formula": f} for f in formulas]
    path.write_text(json.dumps({"schema": 1, "certificate": {"invariants": invariants}}))
    return path


@pytest.mark.parametrize(
    "pair",
    [*PAIRS[::2], *(pytest.param(p, marks=pytest.mark.slow) for p in PAIRS[1::2])],
    ids=lambda pair: pair.name,
)
def test_an_edit_that_keeps_the_proof_needs_no_engine(pair: Pair, tmp_path: Path) -> None:
    anew, again = measured(pair, "ic3cfa", tmp_path)
    assert anew.verdict is again.verdict is Verdict.TRUE
    assert set(again.stats["calls"]) <= ALONE and not set(anew.stats["calls"]) <= ALONE
    assert again.stats["solver_calls"] < anew.stats["solver_calls"]


COUNT = (
    HEAD
    + """int main(void) {
  int x = 0, n = __VERIFIER_nondet_int();
  while (x < n) x++;
  if (n > 0 && x != n) reach_error();
  return 0;
}
"""
)


@pytest.mark.parametrize("engine", ["ic3cfa", "bmc", "kinduction", "ic3ia"])
def test_what_is_offered_wrongly_is_not_believed(engine: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.c"
    file.write_text(COUNT.replace("x != n", "x == 3"))
    earlier = told(
        tmp_path / "old.json",
        "false",
        "(= |main::x| #x00000000)",
        "(not (= |main::x| #x00000003))",
        "(frob",
        "",
    )
    assert proved(file, engine, earlier).verdict is Verdict.FALSE


def test_what_is_not_enough_helps_the_engine(tmp_path: Path) -> None:
    file = tmp_path / "count.c"
    file.write_text(COUNT)
    outcome = proved(file, "ic3cfa", told(tmp_path / "old.json", "(bvsge |main::x| #x00000000)"))
    assert (
        outcome.verdict is Verdict.TRUE
        and outcome.stats["offered"] == 1
        and not set(outcome.stats["calls"]) <= ALONE
    )


SYSTEM = """(declare-fun x () Int)(declare-fun x1 () Int)(declare-fun y () Int)(declare-fun y1 () Int)
(define-fun nx () Int (! x :next x1))(define-fun ny () Int (! y :next y1))
(define-fun i () Bool (! (and (= x 0) (= y 0)) :init true))
(define-fun t () Bool (! (and (= x1 (+ x 1)) (= y1 (+ y STEP))) :trans true))
(define-fun p () Bool (! (>= (+ x y) 0) :invar-property 0))
"""


def system(step: str, folder: Path, earlier: Path | None = None) -> Outcome:
    file = folder / "s.vmt"
    file.write_text(SYSTEM.replace("STEP", step))
    given = None if earlier is None else str(earlier)
    return verify_work(Request(str(file), "ic3ia", earlier=given), lambda kind, data: None)


def test_transition_systems(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text(json.dumps(to_dict(system("1", tmp_path))))
    again = system("2", tmp_path, told(tmp_path / "own.json", "(and (>= x 0) (>= y 0))"))
    assert again.verdict is Verdict.TRUE and set(again.stats["calls"]) <= ALONE
    assert system("2", tmp_path, old).verdict is Verdict.TRUE
    assert (
        system("(- 2)", tmp_path, told(tmp_path / "own.json", "(>= (+ x y) 0)")).verdict
        is Verdict.FALSE
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"certificate": 3}',
        '{"certificate": {"invariants": [{}]}}',
        '{"properties": [3]}',
        '{"certificate": {"invariants": [{"formula": "true", "location": 1e999}]}}',
    ],
)
def test_what_is_no_outcome_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="no outcome of an earlier run"):
        facts_in(str(file))
    with pytest.raises(ConfigError, match="No such file"):
        facts_in(str(tmp_path / "none"))


def test_outcomes_without_a_certificate_offer_nothing(tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    data: dict[str, Any] = to_dict(Outcome("p", Verdict.UNKNOWN, "timeout", file="x.c"))
    file.write_text(json.dumps(data))
    assert facts_in(str(file)) == ()


def test_parts_about_what_is_gone_are_left_out() -> None:
    store = TermStore()
    x, b = store.var("x", INT), store.var("b", BOOL)
    fact = Fact(
        "(let ((?0 (< x 3)) (?1 (< gone 3))) (let ((?2 (or ?0 b))) (and ?2 ?1 (or b ?1) (not ?0)"
        " true)))"
    )
    assert [to_smtlib(p) for p in parts(fact, [x, b], store)] == [
        "(or b (<= x 2))",
        "(not (<= x 2))",
    ]
    assert (
        parts(Fact("x"), [x, b], store) == []
        and parts(replace(fact, formula=")"), [x, b], store) == []
    )
