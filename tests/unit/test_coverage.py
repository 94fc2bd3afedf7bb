"""What runs reach: assertions, assumptions and branches, by replayed runs and accepted
certificates; never guessed.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from obligato.api.pipeline import Run
from obligato.api.request import Request
from obligato.reports.json_report import to_dict
from obligato.reports.text import report
from obligato.results.outcome import Outcome

HEAD = """#include <assert.h>
extern int __VERIFIER_nondet_int(void), other(void); extern void __VERIFIER_assume(int), reach_error(void);
#define ANY __VERIFIER_nondet_int()
#define SUPPOSE __VERIFIER_assume
"""
CASES = {  # program (from line 5 on), and what is not reached: kind and line; others are
    "contradiction": (
        (
            "int main(void) { int n = ANY;\nSUPPOSE(n > 3);\nSUPPOSE(n < 2);\n"
            "assert(n == 9); return 0; }\n"
        ),
        {("assumption", 7), ("assertion", 8)},
    ),
    "dead branch": (
        (
            "int main(void) { unsigned n = ANY;\nif (n % 4 == 7)\nassert(0);\nassert(n <="
            " 4294967295u);\nreturn 0; }\n"
        ),
        {("branch", 6), ("assertion", 7)},
    ),
    "two calls of which one asserts": (
        (
            "static void f(int x) {\nif (x > 5)\nassert(x > 6); }\n"
            "int main(void) { f(1);\nf(ANY & 7); return 0; }\n"
        ),
        set(),
    ),
    "calls that never assert": (
        (
            "static void f(int x) {\nif (x > 5)\nassert(x > 6); }\n"
            "int main(void) { f(1);\nf(ANY & 3); return 0; }\n"
        ),
        {("branch", 6), ("assertion", 7)},
    ),
    "behind a failed assertion": (
        (
            "int main(void) { int n = ANY;\nassert(n == 1);\n"
            "if (n == 2)\nassert(n == 3); return 0; }\n"
        ),
        {("branch", 7), ("assertion", 8)},
    ),
    "after a loop": (
        (
            "int main(void) { int i = 0; while (i < 5) i++;\nassert(i == 5);\n"
            "if (i > 5)\nassert(i == 6); return 0; }\n"
        ),
        {("branch", 7), ("assertion", 8)},
    ),
    "an endless loop": (
        "int main(void) { int i = 0; while (1) i++;\nassert(i == 5); return 0; }\n",
        {("assertion", 6)},
    ),
    "error function": (
        "int main(void) { int n = ANY;\nif (n * n == 3)\nreach_error(); return 0; }\n",
        set(),
    ),
    "switch": (
        (
            "int main(void) { switch (ANY & 3) {\ncase 0: assert(1 < ANY); break;\n"
            "case 4: assert(2 < ANY); }\nreturn 0; }\n"
        ),
        {("branch", 5), ("assertion", 7)},
    ),
    "a loop of few rounds": (
        (
            "static int f(int x) { return x; }\nint main(void) { int s = 0;\nfor (int i = 0; i < 3;"
            " i++)\nif (f(i > 1) && ANY) s++;\nassert(s < 2); return 0; }\n"
        ),
        set(),
    ),
    "operands and the whole": (
        (
            "static int none(int x) { return 0; }\nint main(void) { int s = 0;\n"
            "if (ANY && none(s)) s++;\nassert(!s); return 0; }\n"
        ),
        {("branch", 7)},
    ),
}


def _covered(tmp_path: Path, text: str, **more: object) -> Outcome:
    path = tmp_path / "program.c"
    path.write_text(HEAD + text, encoding="utf-8")
    request = replace(Request(str(path), property="assertions", cover=True), **more)  # type: ignore[arg-type]
    return Run(request, lambda kind, data: None).outcome()


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_reached(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    found = _covered(tmp_path, text).coverage
    assert {(r.kind, r.line) for r in found if r.reached == "no"} == expected
    assert all(r.reached in ("yes", "no") for r in found)
    assert all(("replayed" if r.reached == "yes" else "certificate") in r.evidence for r in found)


def test_single_checks_do_not_change_what_is_observed(tmp_path: Path) -> None:
    text = (
        "static void f(int x) { assert(x > 0); }\nint main(void) { int n = ANY;\nif (n > 0)"
        " f(n);\nassert(n != 2);\nassert(n != 3); return 0; }\n"
    )
    each = _covered(tmp_path, text, each=True)
    assert len(each.verdicts) > 3
    assert each.coverage and each.coverage == _covered(tmp_path, text).coverage


def test_a_proof_that_says_nothing_is_remarked(tmp_path: Path) -> None:
    outcome = _covered(tmp_path, CASES["contradiction"][0])
    text = report(outcome)
    assert outcome.proved
    assert "no run reaches an assertion: that none fails says nothing" in text
    assert "program.c:7: the assumption ends every run that comes to it" in text
    assert to_dict(outcome)["coverage"][0]["reached"] == "yes"


def test_over_approximation_never_shows_that_something_is_reached(tmp_path: Path) -> None:
    found = _covered(
        tmp_path, "int main(void) { if (other() == 3)\nassert(0); return 0; }\n"
    ).coverage
    assert [r.reached for r in found if r.kind == "assertion"] == ["unknown"]


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + CASES["dead branch"][0], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "obligato", "verify", str(path), "--cover"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    assert f"not reached  assertion   {path}:7: assert(0);" in done.stdout, done.stdout
    assert done.stdout.splitlines()[-1] == "true"


# program (from line 5 on), and the lines of which a proof says, without --cover, that no run gets
# to or past them
UNASKED = {
    "contradiction": (
        (
            "int main(void) { int n = ANY, i = 0;\nSUPPOSE(n > 3);\nSUPPOSE(n < 2);\n"
            "while (i < n) i++;\nassert(i == 9); return 0; }\n"
        ),
        {7, 9},
    ),
    "in a loop": (
        (
            "int main(void) { int n = 0; while (ANY) {\nif (n < 5) n++;\nif (n > 7) {\nassert(n =="
            " 3); }\nassert(n < 6); } return 0; }\n"
        ),
        {8},
    ),
    "a run without inputs": (
        (
            "int main(void) { int n = 0;\nfor (int i = 0; i < 40; i++) n += i;\nif (n == 1) {\n"
            "assert(n == 2); }\nassert(n == 780); return 0; }\n"
        ),
        {8},
    ),
    "an error that is a branch": (
        "int main(void) { int n = ANY & 3;\nif (n > 3) reach_error();\nreturn 0; }\n",
        set(),
    ),
    "what must not be reached": (
        (
            "int main(void) { int n = ANY & 3;\nswitch (n) { case 0: case 1: case 2: case 3:"
            " break;\ndefault: n = 7; reach_error(); }\nreturn 0; }\n"
        ),
        set(),
    ),
    "all is reached": (
        "int main(void) { int n = ANY;\nSUPPOSE(n > 3);\nassert(n != 2); return 0; }\n",
        set(),
    ),
}


@pytest.mark.parametrize("name", UNASKED)
def test_a_proof_says_what_it_is_not_about(name: str, tmp_path: Path) -> None:
    text, lines = UNASKED[name]
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    outcome = Run(Request(str(file), "ic3cfa"), lambda key, value: None).outcome()
    assert outcome.verdict.value == "true"
    said = [note for note in outcome.notes if "no run" in note or "every run" in note]
    assert {int(note.split(":")[1]) for note in said if note.startswith(str(file))} == lines
    assert ("no run reaches an assertion: that none fails says nothing" in said) == (
        name == "contradiction"
    )


def test_a_proof_says_that_there_was_nothing_to_check(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { return 0; }\n")
    assert any(
        "nothing to check" in n
        for n in Run(Request(str(file), "ic3cfa"), lambda key, value: None).outcome().notes
    )
