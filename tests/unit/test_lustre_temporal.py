"""Temporal formulas about Lustre programs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import obligato
from obligato.errors import InputError
from obligato.results.outcome import Verdict

verify = partial(obligato.verify, timeout=60, isolated=False)

BODY = """node sub (x: bool) returns (y: bool); (*@contract guarantee true; *) let y = x; tel
node top (a: bool) returns (o: bool); let o = sub (true); check "p" o; tel"""
FAR = """function imported sub (x: bool) returns (y: bool);
node top (a: bool) returns (o: bool);
var c, d, seen, kept: bool;
let
  c = false -> not pre c;
  d = false -> if pre c then not pre d else pre d;
  o = sub (c and d);
  seen = (c and d) -> pre seen or (c and d);
  kept = o -> if pre seen then pre kept else o;
  check "p" (c and d) => o = kept;
tel"""


@pytest.mark.parametrize(
    ("text", "contracts", "name"), [(BODY, "modular", "top.p"), (FAR, "inline", "p")]
)
def test_a_lasso_that_is_no_run_refutes_nothing(
    tmp_path: Path, text: str, contracts: str, name: str
) -> None:
    file = tmp_path / "program.lus"
    file.write_text(text)
    assert (
        verify(str(file), contracts=contracts, property=f'ltl: G "{name}"').verdict
        is Verdict.UNKNOWN
    )


def test_temporal_formulas(tmp_path: Path) -> None:
    file = tmp_path / "program.lus"
    file.write_text(
        'node top (a: bool) returns (o: bool); let o = false -> pre o or a; check "p" o; tel'
    )
    # a at the first step only
    assert verify(str(file), property="ltl: F a -> F p").verdict is Verdict.FALSE
    assert verify(str(file), property="ltl: G F a -> F G p").verdict is Verdict.TRUE
    outcome = verify(str(file), property="ltl: G (a -> o)")
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert [x.name for x in outcome.trace.streams] == ["a", "o"] and outcome.trace.loop is not None


@pytest.mark.parametrize("name", ["first", "second", "assumed", "possible", "ticks"])
def test_streams_are_not_mistaken_for_variables_of_the_translation(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "program.lus"
    contract = "(*@contract assume a or not a; *)"
    file.write_text(
        f"node top (a: bool) returns ({name}: bool); {contract}\n"
        f"let {name} = false -> pre (a -> true); check true; tel"
    )
    # false at the first step, and from the third one on true
    assert verify(str(file), property=f"ltl: {name}").verdict is Verdict.FALSE
    assert verify(str(file), property=f"ltl: X X G {name}").verdict is Verdict.TRUE


def test_temporal_formulas_do_not_order_signed_words(tmp_path: Path) -> None:
    file = tmp_path / "program.lus"
    file.write_text("node top (a: int8; b: uint8) returns (o: int8); let o = -a; check true; tel")
    assert verify(str(file), property="ltl: G (b >= 0 & (a = 0 -> o = 0))").verdict is Verdict.TRUE
    for name in "ao":
        with pytest.raises(InputError, match="signed words"):
            verify(str(file), property=f"ltl: G {name} >= 0")
