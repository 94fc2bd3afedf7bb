"""Small functions with pointers are read once for each call."""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.frontends.c import load
from obligato.models.build import build_cfa
from obligato.models.checks import checks
from obligato.program.inline import inline

HEAD = """void *malloc(unsigned long); void abort(void); extern void reach_error(void);
static void *get(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
struct list { struct list *next; int n; };
"""


def copies(body: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "program.c"
    file.write_text(HEAD + body)
    return [name for name in load(file).procedures if "#" in name]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("int main(void) { return *(int *)get(4); }", []),
        ("int main(void) { return *(int *)get(4) + *(long *)get(8); }", ["get#1"]),
        (
            "static int *two(void) { get(1); return get(4); } int main(void) { return *two() + *two(); }",
            ["two#1", "get#2", "get#3", "get#4"],
        ),
        ("int f(int n) { return n + 1; } int main(void) { return f(f(1)); }", []),
        (
            "int f(int *p) { static int n; return n += *p; }"
            " int main(void) { int a = 1, b = 2; f(&a); return f(&b); }",
            [],
        ),
        (
            "int f(struct list *l) { return l ? f(l->next) + 1 : 0; }"
            " int main(void) { struct list a = {0}; return f(&a) + f(0); }",
            [],
        ),
        (
            "int f(int *p) { return *p; } int (*g)(int *) = f;"
            " int main(void) { int a = 1; return g(&a) + f(&a) + f(&a); }",
            ["f#1"],
        ),
    ],
)
def test_which_functions_are_copied(body: str, found: list[str], tmp_path: Path) -> None:
    assert sorted(copies(body, tmp_path)) == sorted(found)


def test_calls_do_not_share_memory(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        HEAD + "int main(void) { int *a = get(4); struct list *l = get(sizeof *l); *a = 1;"
        " l->next = 0; l->n = 2; if (*a != 1 || l->next) reach_error(); return 0; }"
    )
    program = load(file)
    memory = {v.name for v in program.globals if v.name.startswith("memory$")}
    assert memory and not any(name.endswith("bitvec8") for name in memory)


def test_checks_of_copies_are_one_check_and_names_are_those_of_the_source(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        HEAD + "static int add(int *p, int k) { return *p + k; }\n"
        "int main(void) { int a = 1, b = 2147483647; return add(&a, 1) + add(&b, 2); }"
    )
    cfa = build_cfa(inline(load(file, property="no-overflow")))
    names = [c.name for c in checks(cfa, "no-overflow")]
    assert names.count("no-overflow@4") == 1 and "no-overflow@4.2" not in names
    outcome = obligato.verify(file, "bmc", property="no-overflow", timeout=60, isolated=False)
    assert outcome.trace is not None
    assert {s.function for s in outcome.trace.steps} <= {"", "main", "add"}
    assert not any("add#" in name for s in outcome.trace.steps for name in s.assignments)
