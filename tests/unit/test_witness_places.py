"""What a witness says at a place holds whenever a run comes there, not only where the certificate
has a formula for it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import obligato
from obligato.reports.svcomp import witness_text
from obligato.results.outcome import Verdict
from tests.unit.test_witness import check, write

HEAD = """#include <string.h>
extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void); extern void reach_error(void);
char s[100];
"""
PROGRAMS = {
    "rounds that are written out before the loop": (
        """
int main(void) { int n = __VERIFIER_nondet_int(), i, j;
  for (i = 0; i < n; i++) { for (j = 0; j < 8; j++) { if (i >= n) reach_error(); } }
  return 0; }"""
    ),
    "a jump to the first statement of a do": (
        """
int main(void) { int x = 0, y = 0, k = 0, n = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0;
  do { L: x++; y++; } while (x < n);
  if (k < n && __VERIFIER_nondet_int()) { k++; x = 100; y = 100; goto L; }
  if (x != y) reach_error(); return 0; }"""
    ),
    "a case label inside of a do": (
        """
int main(void) { int x = 0, y = 0, r = 0, n = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0;
again: switch (n & 1) { case 5: do { case 0: x++; y++; } while (x < n); break; case 1: x = 1; y = 1; break; }
  if (x != y) reach_error(); if (r++ < n) { x = y = 200; n++; goto again; } return 0; }"""
    ),
    "the loop of a library function in a condition": (
        """
int main(void) { int i = 0, n = __VERIFIER_nondet_int(), k; if (n < 0 || n > 99) return 0;
  for (k = 0; k < n; k++) s[k] = __VERIFIER_nondet_char();
  s[99] = 0;
  while ((i = 9, strlen(s) > 50)) { if (i != 9) reach_error(); break; }
  if (i != 9) reach_error(); return 0; }"""
    ),
    "a call that the property does not depend on": (
        """
int f(int a) { int r = 0; while (r < a) r++; return r; }
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0; int m = f(n); f(1000);
  if (m != n) reach_error(); return 0; }"""
    ),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_our_own_witness_is_confirmed(tmp_path: Path, what: str) -> None:
    program, data, outcome = write(tmp_path, HEAD + PROGRAMS[what])
    assert outcome.verdict is Verdict.TRUE
    assert check(program, data).verdict is Verdict.TRUE


def test_rounds_that_are_written_out_are_no_loop_of_the_user(tmp_path: Path) -> None:
    text = HEAD + PROGRAMS["rounds that are written out before the loop"]
    _, _, outcome = write(tmp_path, text)
    assert outcome.certificate is not None
    heads = [i for i in outcome.certificate.invariants if i.loop_head]
    assert heads and not any("j == 8" in (i.c or "") for i in heads)


def test_a_target_in_a_loop_may_be_violated_in_a_later_round(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        HEAD
        + """int main(void) { int n = __VERIFIER_nondet_int(), x = 2147483600;
  while (n > 0) { x = x + 20; n--; }
  return 0; }"""
    )
    outcome = obligato.verify(program, property="no-overflow", timeout=60)
    assert outcome.verdict is Verdict.FALSE
    assert check(program, yaml.safe_load(witness_text(outcome))).verdict is Verdict.FALSE
