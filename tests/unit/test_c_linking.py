"""Several C files as one program: names of their own, shared headers, and what a linker refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.api.request import Request
from obligato.api.worker import verify_work
from obligato.errors import InputError, Unsupported
from obligato.frontends.c import load
from obligato.frontends.preprocessing import Preprocessing
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import Program
from obligato.results.outcome import Verdict

HEADER = """#ifndef PAIR_H
#define PAIR_H
typedef struct { int x, limit; } pair;
enum colour { RED, GREEN };
int sum(const pair *p);
extern int shared;
static inline int twice(int n) { return 2 * n; }
#endif
"""
OTHER = """#include "pair.h"
struct local { int a, b; };
static int limit = 5;
enum { LOCAL = 7 };
int shared = 1;
static int check(const pair *p) { return p->limit + limit; }
int sum(const pair *p) { const char *text = "limit check"; return check(p) + twice(p->x) + LOCAL + (int)sizeof(struct local)
    + (text[0] == 'l'); }
"""
MAIN = """#include <assert.h>
#include "pair.h"
struct local { char c; };
enum { LOCAL = 3 };
static int limit = 100;
static void check(int x) { assert(x); }
int main(void) {
    pair p = { .x = 10, .limit = 1 };
    check(sum(&p) == 1 + 5 + 20 + 7 + 8 + 1);
    check(limit == 100 && LOCAL == 3 && sizeof(struct local) == 1 && shared == 1 && GREEN == 1);
    return 0;
}
"""


def program(folder: Path, **files: str) -> Program:
    for name, text in files.items():
        (folder / f"{name}.{'h' if name == 'pair' else 'c'}").write_text(text)
    others = tuple(str(folder / f"{name}.c") for name in files if name not in ("pair", "main"))
    return load(folder / "main.c", preprocessing=Preprocessing(others=others))


def test_names_of_one_file_are_its_own(tmp_path: Path) -> None:
    assert Interpreter(program(tmp_path, pair=HEADER, main=MAIN, other=OTHER)).run(Defaults()).status is Status.FINISHED


def test_verdict_and_places(tmp_path: Path) -> None:
    program(tmp_path, pair=HEADER, main=MAIN, other=OTHER.replace("limit = 5", "limit = 6"))
    how = Preprocessing(others=(str(tmp_path / "other.c"),))
    outcome = verify_work(Request(str(tmp_path / "main.c"), "bmc", preprocessing=how), lambda kind, data: None)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert {Path(step.file).name for step in outcome.trace.steps} >= {"main.c", "other.c"}
    assert outcome.options["preprocessing"]["others"] == (str(tmp_path / "other.c"),)


@pytest.mark.parametrize(("other", "kind", "message"), [
    ("int main(void) { return 1; }", InputError, "redefinition of 'main'"),
    ("long shared;\nint main_calls;", InputError, "redefinition of 'shared' with a different type"),
    ("#define pair twin\n#include \"pair.h\"\n", Unsupported, "reads differently"),
])
def test_what_does_not_fit_together_is_refused(other: str, kind: type[Exception], message: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=message):
        program(tmp_path, pair=HEADER, main=MAIN, other=other)


@pytest.mark.parametrize("line", ["static int counter;", "static int next(void) { static int n; return n++; }"])
def test_a_variable_that_each_file_has_for_itself_is_refused(line: str, tmp_path: Path) -> None:
    header = HEADER.replace("#endif", f"{line}\n#endif")
    with pytest.raises(Unsupported, match="its own copy"):
        program(tmp_path, pair=header, main=MAIN, other=OTHER)
