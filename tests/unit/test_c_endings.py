"""Loops while memory is tracked: which of them are known to end, or can be left by a choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.frontends.c.endings import UNENDING
from obligato.frontends.c.room import NONE_LEFT
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import LIMIT, Assert, Assume, Program, statements
from tests.c.harness import load_text

HEAD = """extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern int other(void);
struct node { struct node *next; };
"""
UP = "struct node *h = malloc(sizeof *h), *p = h; for (int i = 0; i < 300; i++) { p->next = malloc(sizeof *p); p = p->next; p->next = 0; }"
DOWN = "struct node *h = 0, *p; for (int i = 0; i < 300; i++) { p = malloc(sizeof *p); p->next = h; h = p; }"
FREE = "while (h) { p = h; h = h->next; free(p); }"
RUNS = {  # of `main`: what the run meets
    "int *p = malloc(4); for (int i = 0; i < 300; i++) ; free(p);": "",
    "int *p = malloc(4), n = 300; while (n) n--; free(p);": "",
    "int *p = malloc(4); for (int i = -200; i != 200; i++) ; free(p);": LIMIT,  # not by its order
    "int *p = malloc(4); for (int i = -200; i < 200; i++) ; free(p);": "",
    "int *p = malloc(4); for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) ; free(p);": "",
    "int *p = malloc(4), i = 0; do { if (i == 7) continue; } while (++i < 300); free(p);": "",
    UP + "p = h; while (p) p = p->next;" + FREE: "",
    DOWN + FREE: "",
    "int *p = malloc(4), x = 0, n = 0; while (x < 2) { x = 1 - x; n++; if (n == 300) break; } free(p);": "",
    # these would go on for ever, or are not known to end
    "int *p = malloc(4); p = 0; while (1) ;": LIMIT,
    "int *p = malloc(4), x = 0; while (x < 2) x = 1 - x; free(p);": LIMIT,
    "unsigned char i = 0; int *p = malloc(4); while (i < 256) i++; free(p);": LIMIT,
    "while (1) malloc(4);": LIMIT,
    "int *p = malloc(4), n = 3; again: if (n--) goto again; free(p);": LIMIT,
    "int n = 3; again: if (n--) goto again; free(malloc(4));": "",
    "int *p = malloc(4); __VERIFIER_assume(0); free(p);": LIMIT,
    "int *p = malloc(4); free(p); __VERIFIER_assume(0);": "",
    # what is lost is counted at the end
    "for (int i = 0; i < 3; i++) malloc(4);": "valid-memtrack",
    UP + "p = h->next; h->next = 0; p = h;" + FREE: "valid-memtrack",
}
LEFT = {  # is the loop left by a choice of inputs?
    "while (__VERIFIER_nondet_int()) x++;": True,
    "while (x && __VERIFIER_nondet_int()) x++;": True,
    "while (x && __VERIFIER_nondet_bool()) x++;": True,
    "while (__VERIFIER_nondet_int() && x) x++;": True,
    "do x++; while (__VERIFIER_nondet_int() == 3);": True,
    "for (;;) { if (__VERIFIER_nondet_int() == 7) break; x++; }": True,
    "for (;;) { if (__VERIFIER_nondet_int()) return 1; x++; }": True,
    "for (;;) { int i; for (i = 0; i < 3; i++) x++; if (__VERIFIER_nondet_int()) break; }": True,
    "for (;;) { int y = __VERIFIER_nondet_int(); if (y > 5) break; x += y; }": True,
    "while (__VERIFIER_nondet_int() || x) x++;": False,
    "while (__VERIFIER_nondet_int() * 0 == 0) x++;": False,
    "for (;;) { if (x) continue; if (__VERIFIER_nondet_int()) break; }": False,
    "int y = __VERIFIER_nondet_int(); while (y) x++;": False,
    "for (;;) { int y = __VERIFIER_nondet_int(); y = x; if (y) break; }": False,
    "for (;;) { int y = __VERIFIER_nondet_bool(); if (y == 2) break; }": False,
    "for (;;) { if (x) { if (__VERIFIER_nondet_int()) break; } }": False,
    "while (other()) x++;": False,
}


def asserted(program: Program) -> int:
    """How many assertions say that a run goes on that may never end."""
    return sum(
        isinstance(s, Assert) and s.label == UNENDING
        for p in program.procedures.values()
        for s in statements(p.body)
    )


@pytest.mark.parametrize("body", RUNS)
def test_what_a_run_meets(body: str, tmp_path: Path) -> None:
    text = HEAD + f"int main(void) {{ {body} return 0; }}"
    program = load_text(text, tmp_path, property="valid-memsafety", data_model="ILP32")
    result = Interpreter(program).run(Defaults())
    failed = result.status is Status.FAILED
    met = LIMIT if failed and result.kind == LIMIT else result.label if failed else ""
    assert met == RUNS[body]


@pytest.mark.parametrize("loop", LEFT)
def test_loops_that_are_left_by_a_choice(loop: str, tmp_path: Path) -> None:
    text = HEAD + f"int main(void) {{ int x = 0, *p = malloc(4); {loop} free(p); return 0; }}"
    program = load_text(text, tmp_path, property="valid-memsafety", data_model="ILP32")
    inner = loop.count("for (i")
    assert asserted(program) == (inner if LEFT[loop] else 1)


def test_recursion_while_blocks_live_is_not_followed(tmp_path: Path) -> None:
    text = HEAD + "int f(int n) { return n ? f(n - 1) : 0; }"
    for body, met in (
        ("int *p = malloc(4); f(3); free(p);", LIMIT),
        ("free(malloc(4)); f(3);", ""),
    ):
        main = f"int main(void) {{ {body} return 0; }}"
        program = load_text(text + main, tmp_path, property="valid-memsafety")
        result = Interpreter(program).run(Defaults())
        assert (result.kind if result.status is Status.FAILED else "") == met


def test_an_entry_that_calls_itself_is_not_followed(tmp_path: Path) -> None:
    text = HEAD + "int main(void) { int *p = malloc(4); if (*p) main(); return 0; }"
    program = load_text(text, tmp_path, property="valid-memsafety")
    assert Interpreter(program).run(Defaults()).kind == LIMIT


@pytest.mark.parametrize(
    ("body", "goes_on"),
    [
        ("for (unsigned i = 0; i < 0x40000000; i++) malloc(60);", 0),
        ("while (__VERIFIER_nondet_int()) malloc(60);", 1),
        ("for (;;) { malloc(60); if (__VERIFIER_nondet_int()) break; malloc(60); }", 1),
        ("unsigned n = __VERIFIER_nondet_int(); malloc(n); malloc(n);", 0),
    ],
)
def test_a_run_stops_for_want_of_memory_only_where_it_might_leave_a_loop(
    body: str, goes_on: int, tmp_path: Path
) -> None:
    """Memory that was lost before that would not be counted."""
    text = HEAD + f"int main(void) {{ {body} return 0; }}"
    program = load_text(text, tmp_path, property="valid-memsafety", data_model="ILP32")
    all_ = [s for p in program.procedures.values() for s in statements(p.body)]
    assumed = [s for s in all_ if isinstance(s, Assume)]
    left = [s for s in all_ if isinstance(s, Assert) and s.label == NONE_LEFT]
    assert len(assumed) == goes_on
    assert len(left) == body.count("malloc") and all(s.kind == LIMIT for s in left)


def test_nothing_is_added_where_memory_is_not_tracked(tmp_path: Path) -> None:
    text = HEAD + "int main(void) { int *p = malloc(4); while (*p) ; free(p); return 0; }"
    assert asserted(load_text(text, tmp_path, property="memsafety")) == 0
