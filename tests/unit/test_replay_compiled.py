"""`obligato replay`: a counterexample, compiled and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import obligato
from obligato.bench.replayed import replay
from obligato.errors import InputError
from obligato.reports.json_report import to_dict
from obligato.results.outcome import Verdict

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("objcopy") is None, reason="needs gcc and objcopy"
)

PROGRAMS = {
    ("unreach-call", "own error function without effect"): (
        """
extern int __VERIFIER_nondet_int(void); void reach_error(void) { }
int main(void) { int x = __VERIFIER_nondet_int(); if (x == 4711) reach_error(); return 0; }
"""
    ),
    ("unreach-call", "functions of other files"): (
        """
extern void reach_error(void); extern unsigned char other(int); extern void unused(void); long more();
int main(void) { if (other(3) == 200 && more() == -5) reach_error(); else unused(); return 0; }
"""
    ),
    ("no-overflow", "an overflow"): (
        """
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x > 2147483600) x = x + 100; return 0; }
"""
    ),
    ("no-overflow", "an overflow that the compiler computes"): (
        """
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int();
  if (x == 12) { long y = 2147483647 + 1; return (int)y; }
  return 0; }
"""
    ),
    ("unreach-call", "recursion"): (
        """
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 9 && sum(n) == 15) reach_error(); return 0; }
"""
    ),
    ("unreach-call", "pointers in memory that nobody has written"): (
        """
#include <stdlib.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void) { struct node *n = malloc(sizeof *n);
  if (n->next != 0 && n->next->value != 77 && __VERIFIER_nondet_int() == 5) reach_error();
  return 0; }
"""
    ),
    ("assertions", "an assertion"): (
        """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 3); return 0; }
"""
    ),
}


@pytest.mark.parametrize(("property", "name"), PROGRAMS)
def test_the_error_is_reached(property: str, name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(PROGRAMS[property, name])
    engine = "summaries" if name == "recursion" else "bmc"
    outcome = obligato.verify(program, engine, property=property, timeout=60, externals="pure")
    assert outcome.verdict is Verdict.FALSE
    said = to_dict(outcome)
    assert replay(program, said, "trace.json").reached
    for step in said["trace"]["steps"]:
        step["inputs"] = dict.fromkeys(step["inputs"], 1)
    wrong = replay(program, said, "trace.json")
    if "the compiler computes" in name:
        return  # it says so whatever the inputs are
    assert not wrong.reached and "without the error" in wrong.reason


def test_bench_counts_compiled_counterexamples(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAMS["unreach-call", "own error function without effect"])
    (tmp_path / "b.c").write_text("int main(void) { return 0; }\n")
    command = [
        str(Path(sys.executable).with_name("obligato")),
        "bench",
        str(tmp_path / "a.c"),
        str(tmp_path / "b.c"),
        "--replay",
        "--timeout",
        "60",
        "--isolation",
        "rlimits",
        "--out",
        str(tmp_path / "out"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    assert (
        "compiled counterexamples: `1 of 1 reach the error`"
        in (tmp_path / "out" / "report.md").read_text()
    )


def test_a_run_has_limits_and_a_proof_no_trace(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(
        "extern void reach_error(void); int main(void) { reach_error(); return 0; }\n"
    )
    said = to_dict(obligato.verify(program, "bmc", property="unreach-call"))
    program.write_text("int main(void) { for (;;) ; return 0; }\n")
    assert "its limit of" in replay(program, said, "trace.json", seconds=0.2).reason
    program.write_text("int main(void) { return 0 }\n")
    assert "cannot be compiled" in replay(program, said, "trace.json").reason
    with pytest.raises(InputError, match="no trace"):
        replay(program, {**said, "trace": None}, "trace.json")


def test_a_run_that_is_told_in_part_is_replayed_by_its_script(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text("""
extern void reach_error(void); extern char __VERIFIER_nondet_char(void);
char array[2000];
int main(void) { char wanted = __VERIFIER_nondet_char();
  for (int i = 0; i < 2000; i++) array[i] = __VERIFIER_nondet_char();
  for (int i = 0; i < 2000; i++) if (array[i] == wanted) return i;
  reach_error(); return 0; }
""")
    outcome = obligato.verify(
        program, "trials", property="unreach-call", timeout=60, externals="pure"
    )
    assert outcome.trace is not None and outcome.trace.cut
    assert replay(program, to_dict(outcome), "trace.json").reached
