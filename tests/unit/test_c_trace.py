"""Traces of C programs for people: what is left out, what is folded, and the line that fails."""

from __future__ import annotations

from pathlib import Path

import obligato
from obligato.reports.c_trace import _resolved, c_trace_lines
from obligato.reports.text import report

PROGRAM = """extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);
struct counter { unsigned char steps; int total; };
static void add(struct counter *c, int by)
{
    c->total += by;
    c->steps++;
}
int main(void)
{
    struct counter c = { 0, 5 };
    unsigned char n = __VERIFIER_nondet_uchar(), unused;
    if (n < 30) return 0;
    for (int i = 0; i < 30; i++)
        add(&c, 2);
    if (c.total == 65) reach_error();
    return 0;
}
"""


def test_a_long_run_is_short(tmp_path: Path) -> None:
    file = tmp_path / "sum.c"
    file.write_text(PROGRAM)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    lines = list(c_trace_lines(outcome.trace))
    text = "\n".join(lines)
    assert "input __VERIFIER_nondet_uchar() = " in text and "n = " in text
    assert "c.total = 7" in text and "c.total = 65" in text and "c.total = 35" not in text
    assert (
        "rounds 3 to " in text
        and "c.total grows by 2 each time" in text
        and "c.steps grows by 1 each time" in text
    )
    assert (
        "unused" not in text.replace("__VERIFIER_nondet_uchar(), unused", "")
        and "by = " not in text
        and "[" not in text
    )
    assert lines[-1].strip().startswith("if (c.total == 65) reach_error();    where c.total = 65")
    assert len(lines) < 25 < len(outcome.trace.steps)
    assert len(report(outcome, verbose=True).splitlines()) > 2 * len(lines)  # all steps


TEXTS = """extern void reach_error(void);
int main(void)
{
    char name[8] = "ab\\"c", other[3] = {7, 8, 9};
    int numbers[2] = {65, 0}; const char *empty = "";
    name[1] = 'x';
    if (name[0] == 'a') reach_error();
    return empty[0] + other[0] + numbers[0];
}
"""


def test_elements_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(TEXTS)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    shown = [
        line for line in c_trace_lines(outcome.trace) if any(f":{n}:" in line for n in (4, 5, 6))
    ]
    first, *rest = [line.split("    ")[-1] for line in shown]
    assert first == r"""name = "ab\"c", other[0] = 7, other[1] = 8, other[2] = '\t'"""
    assert rest[0].startswith("numbers[0] = 65, numbers[1] = 0"), "numbers are no text"
    assert rest[1:] == ["name[1] = 'x'"]


SIGNS = """#include <stdlib.h>
extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);
struct node { unsigned short key; struct node *next; };
unsigned char bytes[4]; signed char small;
static unsigned short both(const unsigned char *b) { unsigned short v = (unsigned short)(b[2] | b[3] << 8); return v; }
int main(void)
{
    unsigned at = __VERIFIER_nondet_uchar();
    if (at != 2) return 0;
    bytes[at] = 250;
    bytes[at + 1] = 200 + __VERIFIER_nondet_uchar() % 2;
    struct node *p = malloc(sizeof *p);
    p->key = both(bytes);
    small = (signed char)bytes[at];
    if (small < 0 && p->key == 51450) reach_error(); /* \033[31m \u202e */
    return 0;
}
"""


def test_numbers_have_the_signs_of_their_types(tmp_path: Path) -> None:
    file = tmp_path / "signs.c"
    file.write_text(SIGNS)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    text = report(outcome)
    for said in ("bytes[2] = 250", "bytes[3] = 200", "v = 51450", "p->key = 51450", "small = -6"):
        assert said in text
    assert " = -6," not in text.replace("small = -6", "")
    assert "?[31m ?" in text and "\033" not in text  # what could control a terminal


BYTES = """#include <string.h>
extern void reach_error(void); extern short __VERIFIER_nondet_short(void);
typedef struct { int a[2][2]; char tag; } matrix_t;
int main(void)
{
    matrix_t m = { { { 0 } }, 'x' }, n = m;
    m.a[1][0] = -70000;
    if (memcmp(&m, &n, sizeof m) != 0) reach_error();
    return 0;
}
"""


def test_numbers_in_memory_of_bytes_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(BYTES)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    text = "\n".join(c_trace_lines(outcome.trace))
    assert "m.a[1][0] = -70000" in text and "memory$" not in text


def test_places_behind_pointers_and_indices() -> None:
    known = {"p": "&ring", "ring.count": 3, "i": 2, "cells[2].tag": 7, "n": 5, "q": "block 1"}
    resolved = {
        place: _resolved(place, known)
        for place in ("p->count", "cells[i].tag", "*p", "n", "q->next", "cells[0].tag")
    }
    assert resolved == {
        "p->count": "ring.count",
        "cells[i].tag": "cells[2].tag",
        "*p": "ring",
        "n": "n",
        "q->next": "q->next",
        "cells[0].tag": "cells[0].tag",
    }
