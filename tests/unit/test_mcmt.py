"""MCMT: Sally's transition systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato import verify
from obligato.errors import InputError, Unsupported
from obligato.frontends.mcmt import parse
from obligato.results.outcome import Verdict
from obligato.terms import BOOL, REAL

COUNTER = """
(define-state-type S ((x Real) (up Bool)) ((amount Real)))
(define-constant limit 3)
(define-states start S (and (= x 0) up))
(define-states low S (< state.x limit))
(define-transition grow S (and (> input.amount 0) (<= amount 1) (= next.x (ite state.up (+ state.x amount) 0)) (= up' low)))
(define-transition-system M S start (or grow (and (= x' x) (= up' up))))
(query M (< x (+ limit 2)))
(query M low)
"""


def test_a_system_with_inputs_and_names() -> None:
    system = parse(COUNTER)
    assert [(x.name, x.sort) for x in system.state] == [("x", REAL), ("up", BOOL)]
    assert [i.name for i in system.inputs] == ["amount"]
    assert [p.name for p in system.assertions] == ["query0", "query1"]


def test_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "counter.mcmt"
    file.write_text(COUNTER)
    found = {v.property: v.verdict for v in verify(str(file), timeout=60, isolated=False).verdicts}
    assert found == {"query0": Verdict.TRUE, "query1": Verdict.FALSE}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("(define-state-type S ((x Real) (x Bool)))", "1:32", "x is declared twice"),
        ("(define-states I S true)", "1:18", "there is no state type S"),
        ("(define-state-type S ((x Real))) (define-states I S next.x)", "1:53", "next.x"),
        (
            "(define-state-type S ((x Real))) (define-states I S x)",
            "1:53",
            "a formula is needed, not a term of sort Real",
        ),
        (
            "(define-state-type S ((x Real))) (define-states I S true) (define-states I S true)",
            "1:74",
            "I is defined twice",
        ),
        ("(define-state-type S ((x Bool))) (query T x)", "1:34", "there is no system T"),
        ("(define-state-type S ((x Bool)))", "1:1", "there is no transition system"),
        ("(define-state-type S ((x Real) (|x'| Real)))", "1:1", "the name x' is needed"),
        ("(query T)", "1:1", "query has too many or too few parts"),
    ],
)
def test_refused(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as problem:
        parse(text, "m.mcmt")
    assert (
        f"{problem.value.span.line}:{problem.value.span.column}" == place
        and message in problem.value.message
    )


def test_other_commands_are_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="assume is not supported"):
        parse("(assume T true)")
