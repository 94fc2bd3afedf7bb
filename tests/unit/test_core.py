"""What proofs need of their input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.again_pairs import PAIRS
from obligato.api.reading import original_cfa
from obligato.api.registry import engine
from obligato.api.request import Request
from obligato.api.settings import make_options
from obligato.api.worker import verify_work
from obligato.engines.environment import Environment
from obligato.errors import ResourceOut
from obligato.frontends.registry import language_of
from obligato.models.importing import import_cfa
from obligato.reports.json_report import to_dict
from obligato.reports.text import report
from obligato.results.core import Shrinking, weakened
from obligato.results.outcome import CoreReport, Outcome, Verdict
from obligato.terms import BOOL, TermStore, conjuncts

COUNT = """proc main() {
  var x: int;
  var junk: int;
  var n: int;
  x := 0;
  junk := 7;
  assume n >= 0;
  while (x < n) {
    x := x + 1;
    junk := junk * 2;
  }
  assert x == n;
}
"""


def proved(file: Path, engine_name: str = "ic3cfa") -> tuple[Outcome, CoreReport]:
    outcome = verify_work(Request(str(file), engine_name, core=True), lambda kind, data: None)
    assert (
        outcome.verdict is Verdict.TRUE
        and outcome.certificate is not None
        and outcome.certificate.core is not None
    )
    return outcome, outcome.certificate.core


def test_lines_of_a_program(tmp_path: Path) -> None:
    file = tmp_path / "count.ivl"
    file.write_text(COUNT)
    outcome, core = proved(file)
    assert core.minimal and [p.line for p in core.parts if p.needed] == [5, 7, 8, 9, 12]
    assert [p.line for p in core.parts if not p.needed] == [6, 10]
    text = report(outcome)
    assert (
        "the proof needs 5 of 7 lines:" in text
        and f"{file}:9: x := x + 1;" in text
        and "junk := 7" not in text
    )
    assert json.loads(json.dumps(to_dict(outcome)))["certificate"]["core"]["minimal"] is True


@pytest.mark.parametrize(
    "pair",
    [*PAIRS[::6], *(pytest.param(p, marks=pytest.mark.slow) for p in PAIRS[3::6])],
    ids=lambda pair: pair.name,
)
def test_an_engine_finds_a_proof_where_other_lines_say_nothing_and_none_where_all_do(
    pair: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "p.c"
    file.write_text(pair[1])
    _, core = proved(file)
    assert core.minimal
    cfa = original_cfa(
        language_of(file).load(file, data_model="LP64", entry="main", property="assertions")
    )
    other = frozenset((p.file, p.line) for p in core.parts if not p.needed)
    ic3cfa = engine("ic3cfa")
    options, _ = make_options(ic3cfa, None, {})
    found = ic3cfa.prove_cfa(import_cfa(weakened(cfa, other), TermStore()), options, Environment())
    assert found.verdict is Verdict.TRUE
    everything = frozenset((p.file, p.line) for p in core.parts)
    assert (
        ic3cfa.prove_cfa(
            import_cfa(weakened(cfa, everything), TermStore()), options, Environment()
        ).verdict
        is Verdict.FALSE
    )


SYSTEM = """(declare-fun x () Int)(declare-fun x1 () Int)(declare-fun y () Int)(declare-fun y1 () Int)(declare-fun i () Int)
(define-fun nx () Int (! x :next x1))(define-fun ny () Int (! y :next y1))
(define-fun a () Bool (! (and (= x 0) (= y 0)) :init true))
(define-fun t () Bool (! (and (= x1 (+ x 1)) (= y1 (+ y x))) :trans true))
(define-fun p () Bool (! (>= x 0) :invar-property 0))
"""


def test_equations_of_a_system(tmp_path: Path) -> None:
    file = tmp_path / "s.vmt"
    file.write_text(SYSTEM)
    outcome, core = proved(file, "ic3ia")
    assert [(p.kind, p.text) for p in core.parts if p.needed] == [
        ("init", "(= x 0)"),
        ("next", "(= |x'| (+ x 1))"),
    ]
    assert len(core.parts) == 4 and "the proof needs 2 of 4 equations and constraints:" in report(
        outcome
    )


def test_shrinking_is_minimal_and_stops_when_the_checks_are_used_up() -> None:
    wanted = {3, 11, 12}
    assert Shrinking().least(range(20), lambda some: wanted <= set(some)) == sorted(wanted)
    short = Shrinking()
    short.left = 2
    assert (
        wanted <= set(short.least(range(20), lambda some: wanted <= set(some)))
        and not short.complete
    )

    def out_of_time(some: list[int]) -> bool:
        raise ResourceOut("timeout")

    late = Shrinking()
    assert late.least([1, 2], out_of_time) == [1, 2] and not late.complete


def test_conjuncts_are_flat_and_in_order() -> None:
    s = TermStore.raw()
    a, b, c = (s.var(name, BOOL) for name in "abc")
    assert conjuncts(s.and_(s.and_(a, b), s.true, s.and_(c, a))) == [a, b, c]
