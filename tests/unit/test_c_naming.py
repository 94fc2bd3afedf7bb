"""What a user reads about memory: the names of places instead of arrays and addresses."""

from __future__ import annotations

from pathlib import Path

import obligato
from obligato.frontends.c import load
from obligato.reports.c_trace import c_trace_lines

TEXT = """extern void reach_error(void);
typedef struct { int n; char tag[2]; struct { short lo, hi; } pair; } rec;
static rec table[2];
static void set(rec *r, int n) { r->n = n; r->pair.hi = 7; }
int main(void) { rec *p = &table[1]; set(p, 5); if (table[1].n == 5) reach_error(); return 0; }
"""


def test_places(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(TEXT)
    places = load(file).places
    (shorts,) = (cells for name, cells in places.cells.items() if name.endswith("bitvec16"))
    assert sorted(part.name for part in shorts.values()) == [
        f"table[{i}].pair.{m}" for i in (0, 1) for m in ("hi", "lo")
    ]
    assert {"&table[1]", "&table[1].tag[0]", "&table[1].pair.hi"} <= set(places.addresses.values())
    assert {"main::p", "set::r"} <= places.pointers


def test_a_trace_names_places(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(TEXT)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    shown = {
        name: value for step in outcome.trace.steps for name, value in step.assignments.items()
    }
    assert shown["table[1].n"] == 5 and shown["table[1].pair.hi"] == 7 and shown["p"] == "&table[1]"
    assert not any("memory$" in name for name in shown)


HEAP = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void); void *malloc(unsigned long);
struct node { int v; struct node *next; char tag[4]; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 2; i++) {
    struct node *p = malloc(sizeof *p);
    p->v = __VERIFIER_nondet_int();
    p->tag[1] = 9;
    p->next = head;
    head = p;
  }
  int *a = malloc(4 * sizeof(int));
  a[2] = 7;
  *a = head->v;
  head->next->v = 5;
  if (*a == 12) reach_error();
  return 0;
}
"""


def test_dynamic_memory_is_seen_from_pointers(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAP)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    shown: dict[tuple[int, str], object] = {}
    for step in outcome.trace.steps:
        shown |= {(step.line, name): value for name, value in step.assignments.items()}
    wanted = {
        (6, "p"): "block 2",
        (7, "p->v"): 12,
        (8, "p->tag[1]"): r"'\t'",
        (9, "p->next"): "block 1",
        (10, "head"): "block 2",
        (12, "a"): "block 3",
        (13, "a[2]"): 7,
        (14, "*a"): 12,
        (15, "(block 1)->v"): 5,
    }
    assert {key: shown.get(key) for key in wanted} == wanted
    assert not any("memory$" in name for line, name in shown if line)


WORDS = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
#include <string.h>
typedef enum { IDLE, RUNNING = 5, FAULT = -1 } state;
struct job { state now; const char *name; char text[8]; state past[3]; unsigned char count; };
static struct job jobs[2];
static void start(struct job *j) { j->now = RUNNING; j->past[1] = FAULT; j->count = 200; }
int main(void) {
  char key = 'x';
  state s = IDLE;
  while (s == IDLE) { if (__VERIFIER_nondet_int()) s = FAULT; }
  jobs[0].name = "first";
  strcpy(jobs[1].text, "abc");
  start(&jobs[1]);
  if (jobs[1].now == RUNNING) reach_error();
  return key;
}
"""


def test_values_have_the_words_of_the_program(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(WORDS)
    outcome = obligato.verify(file, "bmc", timeout=60, isolated=False)
    assert outcome.trace is not None
    shown = {
        name: value for step in outcome.trace.steps for name, value in step.assignments.items()
    }
    assert shown["key"] == "'x'" and shown["s"] == "FAULT" and shown["jobs[0].name"] == '"first"'
    assert (shown["jobs[1].now"], shown["jobs[1].past[1]"], shown["jobs[1].count"]) == (
        "RUNNING",
        "FAULT",
        200,
    )
    lines = list(c_trace_lines(outcome.trace))
    assert any(
        line.endswith('jobs[1].text[0..2] = "abc"') and 'strcpy(jobs[1].text, "abc");' in line
        for line in lines
    )
    assert not any("<library>" in line for line in lines)


def test_invariants_have_the_words_of_the_program(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(WORDS.replace("if (jobs[1].now == RUNNING)", "if (s != FAULT)"))
    outcome = obligato.verify(file, "ic3cfa", timeout=60, isolated=False)
    assert outcome.certificate is not None
    texts = [i.c for i in outcome.certificate.invariants if i.loop_head]
    assert any(
        text is not None and "FAULT" in text and "4294967295" not in text for text in texts
    ), texts
