"""A counterexample as C: compiled beside the program it reaches the error."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import obligato
from obligato.reports.harness import harness_text
from obligato.results.outcome import Verdict

PROGRAMS = {
    "numbers": (
        """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar(); int y = __VERIFIER_nondet_int();
    if (x == -77 && c == 200 && y == 123456) reach_error(); return 0; }
"""
    ),
    "own error function": (
        """#include <assert.h>
extern long long __VERIFIER_nondet_longlong(void); extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { assert(0); }
int main(void) { long long x = __VERIFIER_nondet_longlong();
    if (__VERIFIER_nondet_bool() && x < -5000000000) reach_error(); return 0; }
"""
    ),
    "floats": (
        """extern void reach_error(void);
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void);
int main(void) { float f = __VERIFIER_nondet_float(); double d = __VERIFIER_nondet_double();
    if (f == 1.5f && d == -0.25) reach_error(); return 0; }
"""
    ),
    "a loop": (
        """extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned sum = 0;
    for (int i = 0; i < 3; i++) { unsigned x = __VERIFIER_nondet_uint(); if (x > 9) return 0; sum += x; }
    if (sum == 27) reach_error(); return 0; }
"""
    ),
}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_error_is_reached(name: str, tmp_path: Path) -> None:
    program, harness, binary = tmp_path / "program.c", tmp_path / "harness.c", tmp_path / "binary"
    program.write_text(PROGRAMS[name])
    outcome = obligato.verify(program, "bmc", timeout=60, isolated=False)
    assert outcome.verdict is Verdict.FALSE
    harness.write_text(harness_text(outcome))
    subprocess.run(["gcc", "-w", str(program), str(harness), "-o", str(binary)], check=True)
    assert subprocess.run([str(binary)], capture_output=True, check=False).returncode == -6


def test_a_proof_has_no_harness(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text("int main(void) { return 0; }\n")
    assert "no counterexample: true" in harness_text(obligato.verify(program))
