"""The second reader: printed programs compile and do what the original does; a wrong reading is
found.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from obligato.cli import crosscheck as _crosscheck  # noqa: F401 - registers the command
from obligato.cli import show as _show  # noqa: F401 - registers the command
from obligato.cli.main import app
from obligato.crosscheck.comparison import (
    UNDEFINED,
    UNINITIALISED,
    Report,
    Run,
    crosscheck,
    difference,
)
from obligato.crosscheck.inputs import words
from obligato.crosscheck.native import toolchain
from obligato.crosscheck.printing import c_text
from obligato.errors import ConfigError
from obligato.frontends.c import load

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
DECLARATIONS = """extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void); extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__); extern void *memcpy(void *, const void *, __SIZE_TYPE__); extern void abort(void);
"""
EVERYDAY = """
struct node { int value; struct node *next; }; union view { unsigned char bytes[72]; int first; };
struct packet { unsigned kind : 3; int length : 13; char data[5]; } last; int counts[4]; double mean; static long total;
static struct node *push(struct node *list, int value) {
  struct node *n = malloc(sizeof *n); n->value = value; n->next = list; return n;
}
static int sum(const struct node *n) { return n ? n->value + sum(n->next) : 0; }
static struct packet made(int kind) { struct packet p = {kind, -kind, "ab"}; p.data[4] = 7; return p; }
int undefined_elsewhere(int);
int main(void) {
  struct node *list = 0; int x = __VERIFIER_nondet_int() & 255, i; union view v = {{1, 2, 3}}, w;
  for (i = 0; i < (x & 3) + 1; i++) { list = push(list, x + i); counts[i] += i; }
  last = made(x); w = v; memcpy(w.bytes + 1, &x, sizeof x); total = sum(list) + w.first + last.length;
  mean = total / 3.0 + (float)__VERIFIER_nondet_double();
  switch (undefined_elsewhere(x) & 3) { case 1: reach_error(); case 2: abort(); default: total++; }
  return total - x;
}
"""


def compared(
    text: str, folder: Path, model: str = "LP64", read: str | None = None, runs: int = 12
) -> Report:
    """The report on a program; `read` is what is read instead of it."""
    try:
        toolchain(model)
    except ConfigError as problem:
        pytest.skip(str(problem))
    file, other = folder / "program.c", folder / "read.c"
    file.write_text(DECLARATIONS + text)
    other.write_text(DECLARATIONS + (read or text))
    return crosscheck(file, load(other, data_model=model), model, runs)


def test_reaching_the_end_of_main_returns_zero(tmp_path: Path) -> None:
    report = compared(
        "int g; int main(void) { g = __VERIFIER_nondet_int(); if (g > 3) return 7; }", tmp_path
    )
    assert report.differences == [] and report.compared


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
def test_everyday_program_agrees(tmp_path: Path, model: str) -> None:
    report = compared(EVERYDAY, tmp_path, model, runs=30)
    assert report.differences == []
    assert (
        report.outcomes["agree: return"]
        and report.outcomes["agree: halt"]
        and report.outcomes["agree: error unreach-call"]
    )
    assert {"counts[3]", "mean", "total", "last.kind"} <= {o.label for o in report.observed}


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        (
            "int main(void) { return __VERIFIER_nondet_int() / 2; }",
            "int main(void) { return __VERIFIER_nondet_int() >> 1; }",
            "return",
        ),
        (
            "int g; int main(void) { g = __VERIFIER_nondet_uchar(); return 0; }",
            "int g; int main(void) { g = (signed char)__VERIFIER_nondet_uchar(); return 0; }",
            "g: original",
        ),
        (
            "int main(void) { if (__VERIFIER_nondet_int() < 0) reach_error(); return 0; }",
            "int main(void) { if (__VERIFIER_nondet_int() <= 0) reach_error(); return 0; }",
            "original ends with",
        ),
        (
            "int main(void) { while (__VERIFIER_nondet_int() != 1) ; return 0; }",
            "int main(void) { while (__VERIFIER_nondet_int() > 1) ; return 0; }",
            "asks for more inputs",
        ),
    ],
)
def test_wrong_reading_is_found(tmp_path: Path, right: str, wrong: str, what: str) -> None:
    report = compared(right, tmp_path, read=wrong)
    assert report.differences and what in report.differences[0].what


def test_main_without_return(tmp_path: Path) -> None:
    report = compared("int g; int main(void) { g = __VERIFIER_nondet_int(); }", tmp_path, runs=3)
    assert report.outcomes == {"agree: return": 3}


def test_undefined_runs_are_discarded(tmp_path: Path) -> None:
    report = compared(
        "int a[3]; int main(void) { int i = __VERIFIER_nondet_int() & 7; a[i] = 1; return i; }",
        tmp_path,
    )
    assert (
        report.outcomes[UNDEFINED] and report.outcomes["agree: return"] and not report.differences
    )
    assert "a" in report.complaint


def test_uninitialised_values_prove_nothing(tmp_path: Path) -> None:
    text = "int main(void) { int x, y = __VERIFIER_nondet_uchar(); if (y) x = 1; return x; }"
    report = compared(text, tmp_path)
    assert (
        report.outcomes[UNINITIALISED]
        and report.outcomes["agree: return"]
        and not report.differences
    )


def test_signs_of_what_nothing_has_set_prove_nothing(tmp_path: Path) -> None:
    """Both fillings of the compiler are no positive number, some of our junk is one."""
    asked = " ".join(f"if (x{i} > 0) __VERIFIER_nondet_int();" for i in range(6))
    names = ", ".join(f"x{i}" for i in range(6))
    report = compared(f"int main(void) {{ int {names}; {asked} return 0; }}", tmp_path)
    assert report.outcomes[UNINITIALISED] and not report.differences


def test_a_forgotten_zero_is_a_difference(tmp_path: Path) -> None:
    """What the original sets is never taken for uninitialised memory."""
    text = "int main(void) { int x = 0; if (x != 0) return __VERIFIER_nondet_int(); return 0; }"
    report = compared(text, tmp_path, read=text.replace("x = 0", "x"))
    assert report.differences and not report.outcomes[UNINITIALISED]


def test_functions_that_no_run_calls_need_not_be_there(tmp_path: Path) -> None:
    text = "int far(void); int dead(void) { return far(); } int main(void) { return 0; }"
    assert compared(text, tmp_path).outcomes["agree: return"]


def test_a_run_to_where_we_see_none_is_a_difference(tmp_path: Path) -> None:
    text = "int far(void); int dead(void) { return far(); } int main(void) { return dead(); }"
    report = compared(text, tmp_path, read=text.replace("return dead()", "return 0"))
    assert "unforeseen far" in report.differences[0].what


def test_runs_without_end_are_compared_up_to_the_limit(tmp_path: Path) -> None:
    text = (
        "int main(void) { int x = 0; while (x != 1) x = __VERIFIER_nondet_int() & 1 ? 3 : 5; return"
        " 0; }"
    )
    report = compared(text, tmp_path, runs=4)
    assert (
        not report.differences
        and report.compared == 4
        and all(w.startswith("agree up to") for w in report.outcomes)
    )


def test_ends_are_compared() -> None:
    def run(end: str, *inputs: str) -> Run:
        return Run(inputs, end, {"return": "1"}, 77)

    assert difference(run("return", "input f 1"), run("return", "input f 1")) is None
    assert difference(run("return", "input f 1"), run("return", "input f 2")) is not None
    assert difference(run("return", "input f 1"), run("return")) is not None
    # it went on where ours had ended
    assert difference(run("time", "input f 1"), run("return")) is not None
    assert difference(run("time"), run("return", "input f 1")) is None
    assert difference(run("halt"), run("assume")) is not None


def test_inputs_are_reproducible_words() -> None:
    assert words(1, 5, 20) == words(1, 5, 20) != words(2, 5, 20)
    assert all(0 <= w < 1 << 64 for n in range(9) for w in words(3, n, 50))


def test_commands(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); int main(void) { return"
        " __VERIFIER_nondet_int(); }\n"
    )
    runner = CliRunner()
    shown = runner.invoke(app, ["show", str(file), "--as", "c"])
    assert shown.exit_code == 0 and 'cc_input("__VERIFIER_nondet_int", 32)' in shown.stdout
    done = runner.invoke(app, ["crosscheck", str(file), "--data-model", "LP64", "--runs", "3"])
    assert done.exit_code == 0 and done.stdout.endswith("no difference\n")
    ivl = tmp_path / "program.ivl"
    ivl.write_text("proc main() { }\n")
    assert isinstance(runner.invoke(app, ["crosscheck", str(ivl)]).exception, ConfigError)


def test_printed_c_is_accepted_without_warnings(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(DECLARATIONS + EVERYDAY)
    text = c_text(load(file, data_model="LP64"))
    flags = ["-std=c11", "-Wall", "-Werror", "-Wno-unused", "-c", "-x", "c", "-o", "/dev/null", "-"]
    done = subprocess.run(["gcc", *flags], input=text, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
