"""Bounded model checking on extreme inputs: errors behind as many rounds as an input says."""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.results.outcome import Verdict

UP = """extern int __VERIFIER_nondet_int(void);
int main(void) { int x = 12, y = 0, z = __VERIFIER_nondet_int();
  while (z > 0) { x = x + 1; y = y - 1; z = z - 1; }
  return 0; }
"""
DOWN = """extern short __VERIFIER_nondet_short(void); extern long long __VERIFIER_nondet_longlong(void);
int main(void) { int x = -40; short s = __VERIFIER_nondet_short(); long long n = __VERIFIER_nondet_longlong();
  if (s > -32768) return 0;
  while (n < 0) { n++; x -= 2; }
  return 0; }
"""


@pytest.mark.parametrize("text", [UP, DOWN])
def test_an_overflow_behind_very_many_rounds(tmp_path: Path, text: str) -> None:
    program = tmp_path / "program.c"
    program.write_text(text)
    outcome = obligato.verify(program, "bmc", property="no-overflow", timeout=120)
    assert outcome.verdict is Verdict.FALSE
    assert outcome.trace is not None and outcome.trace.repeats


def test_a_guess_refutes_only_what_is_wrong(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        UP.replace("x = x + 1; y", "x = x < 2000000000 ? x + 1 : x; y").replace(
            "y = y - 1;", "y = -z;"
        )
    )
    outcome = obligato.verify(program, "bmc", property="no-overflow", bound=100)
    assert outcome.verdict is Verdict.UNKNOWN and outcome.stats["calls"]["accelerate"] == 1
