"""The properties div-by-zero and shifts, also as the sanitizers of a compiler see them, and all
properties at once.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import obligato
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.results.outcome import Verdict
from tests.c.harness import load_text

CASES = {  # property, statements, does a run violate it?
    "signed division": ("div-by-zero", "int z = 0; int x = 3 / z;", True),
    "unsigned remainder": ("div-by-zero", "unsigned z = 0; unsigned x = 3u % z;", True),
    "compound": ("div-by-zero", "int x = 8, z = 0; x /= z;", True),
    "guarded": ("div-by-zero", "int z = 0; int x = z ? 3 / z : 0;", False),
    "short circuit": ("div-by-zero", "int z = 0; int x = z && 3 % z;", False),
    "floats may": ("div-by-zero", "double z = 0; double x = 3 / z;", False),
    "constants": ("div-by-zero", "int x = 7 / 2 % 3;", False),
    "dropped value": ("div-by-zero", "int z = 0; 3 / z;", True),
    "in a condition": ("div-by-zero", "int z = 0; if (1 % z) z = 1;", True),
    "in an index": ("div-by-zero", "int z = 0, a[4] = {0}; int x = a[2 / z];", True),
    "wide shift": ("shifts", "int n = 32; int x = 1 << n;", True),
    "negative shift": ("shifts", "int n = -1; unsigned x = 8u >> n;", True),
    "long shift": ("shifts", "int n = 33; long long x = 1ll << n;", False),
    "promoted": ("shifts", "unsigned char c = 1; int n = 31; int x = c >> n;", False),
    "shift of a shift": ("shifts", "int n = 40; n >>= 1; unsigned x = 1u << n;", False),
    "compound shift": ("shifts", "unsigned x = 1; int n = 99; x <<= n;", True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_violated(name: str, tmp_path: Path) -> None:
    prop, text, violated = CASES[name]
    program = load_text(f"int main(void) {{ {text} return 0; }}\n", tmp_path, property=prop)
    result = Interpreter(program).run(Defaults())
    assert (result.status is Status.FAILED) is violated and (not violated or result.label == prop)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", CASES)
def test_sanitizers_agree(name: str, tmp_path: Path) -> None:
    prop, text, violated = CASES[name]
    source, out = tmp_path / "program.c", tmp_path / "program"
    # from the optimiser
    hidden = text.replace("int z", "volatile int z").replace("int n", "volatile int n")
    source.write_text(f"int main(void) {{ {hidden} return 0; }}\n")
    check = "integer-divide-by-zero" if prop == "div-by-zero" else "shift-exponent"
    flags = ["-w", "-O0", f"-fsanitize={check}", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(out)], check=True)
    if name != "dropped value":  # compilers drop it
        assert (
            subprocess.run([str(out)], capture_output=True, check=False).returncode != 0
        ) is violated


def test_all_properties_at_once(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int n = __VERIFIER_nondet_int(); return n > 0 ? 10 / (n - 1) : 0; }\n"
    )
    outcome = obligato.verify(file, property="all", timeout=60, isolated=False)
    found = {v.property: v.verdict for v in outcome.verdicts if v.check is None}
    assert list(found) == ["assertions", "memsafety", "no-overflow", "div-by-zero", "shifts"]
    assert (
        found["div-by-zero"] is Verdict.FALSE
        and found["shifts"] is found["memsafety"] is Verdict.TRUE
    )


MARKED = {  # statements before an assertion that fails, and the lines that are marked, with what
    "nothing": ("int x = 3;\nx = x + 1;", {}),
    "overflow": (
        "int x = 2147483647;\nx = x + __VERIFIER_nondet_int() % 2 + 1;",
        {3: "signed overflow"},
    ),
    "division": ("int z = 0;\nint x = 3;\nx = x / z;", {4: "division by zero"}),
    "shift": ("int n = 40;\nint x = 1 << n;", {3: "shift by too much"}),
    "shift to the right": ("int n = -1;\nint x = 8 >> n;", {3: "shift by too much"}),
    "index": ("static int a[3];\nint i = 3;\nint x = a[i];", {4: "access to invalid memory"}),
    "through a pointer": (
        "int a[3] = {0}, *p = a;\np = p + 3;\n*p = 1;",
        {4: "access to invalid memory"},
    ),
    "after free": (
        "int *p = malloc(4);\n*p = 1;\nfree(p);\nint x = *p;",
        {5: "access to invalid memory"},
    ),
    "the first of each kind": (
        "int a[2] = {0}, i = 2, x = 2147483647;\nx = x + 1;\nx = a[i];\nx = x / (i - 2);",
        {3: "signed overflow", 4: "access to invalid memory"},
    ),
    "in a loop": (
        "int a[4] = {1, 2, 3, 4}, s = 0;\nfor (int i = 0; i <= 4; i++)\n  s += a[i];",
        {4: "access to invalid memory"},
    ),
    "not on this way": (
        "int x = __VERIFIER_nondet_int();\nif (x == 5) return 0;\nx = 7 / (x - 5);",
        {},
    ),
}


@pytest.mark.parametrize("name", MARKED)
def test_undefined_steps_before_the_error_are_marked(name: str, tmp_path: Path) -> None:
    text, expected = MARKED[name]
    head = (
        "int __VERIFIER_nondet_int(void); void reach_error(void), *malloc(unsigned long), free(void"
        " *); int main(void) {\n"
    )
    path = tmp_path / "program.c"
    path.write_text(f"{head}{text}\nreach_error(); return 0; }}\n", encoding="utf-8")
    outcome = obligato.verify(path, "bmc")
    assert outcome.refuted and outcome.trace is not None
    assert {s.line: s.undefined for s in outcome.trace.steps if s.undefined} == expected
    assert ("before that the run did what is undefined" in obligato.report(outcome)) is bool(
        expected
    )


def test_what_a_trace_is_about_is_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        "int main(void) { int x = 2147483647; x = x + 1; return x; }\n", encoding="utf-8"
    )
    outcome = obligato.verify(path, property="no-overflow")
    assert outcome.trace is not None
    assert not any(s.undefined for s in outcome.trace.steps)


@pytest.mark.parametrize("newline", ["\n", " "])
def test_what_comes_behind_the_end_of_a_trace_is_no_mark(newline: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    lines = ["int main(void) { int a[3] = {0}, i = 3;", "a[i] = 1;", "return 1 / a[1]; }", ""]
    path.write_text(newline.join(lines), encoding="utf-8")
    outcome = obligato.verify(path, property="memsafety")
    assert outcome.trace is not None and outcome.refuted
    assert not any(s.undefined for s in outcome.trace.steps)
