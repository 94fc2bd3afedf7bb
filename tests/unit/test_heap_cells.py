"""Lists on the heap: facts about all nodes prove that they are used and freed as they should be;
wrong programs stay wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.analysis.sampling import consistent
from obligato.frontends.c import load
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import Assign
from obligato.program.syntax import LIMIT, Assert, Assume, statements
from obligato.results.outcome import Verdict
from obligato.terms import Op, TermStore, array, bitvec

HEAD = """void *malloc(unsigned long); void free(void *); int __VERIFIER_nondet_int(void); void reach_error(void);
struct node { struct node *next; int data; };
"""
PREPENDED = """struct node *head = 0, *t;
  while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->data = 7; n->next = head; head = n; }
"""
APPENDED = """struct node *head = malloc(sizeof *head), *x = head, *t; head->data = 7; head->next = 0;
  while (__VERIFIER_nondet_int()) { x->next = malloc(sizeof *x); x = x->next; x->data = 7; x->next = 0; }
"""
FREED = "while (head) { t = head->next; free(head); head = t; }"
DATA = "for (t = head; t; t = t->next) if (t->data != 7) reach_error();"
REVERSED = (
    "struct node *p = 0; x = head; while (x) { t = x->next; x->next = p; p = x; x = t; } head = p;"
)

PAIRS = """struct node *head = malloc(sizeof *head), *x = head, *t; head->data = 0; head->next = 0;
  while (__VERIFIER_nondet_int()) { x->next = malloc(sizeof *x); x = x->next; x->data = 0; x->next = 0;
    if (__VERIFIER_nondet_int()) { x->data = 1;
      x->next = malloc(sizeof *x); x = x->next; x->data = 2; x->next = 0; } }
"""
FOLLOWED = "for (t = head; t; t = t->next) if (t->data == 1) { t = t->next; if (t->data != 2) reach_error(); }"
PRECEDED = "for (t = head; t; t = t->next) if (t->data == 2 && t->next->data != 1) reach_error();"

SORTED = """struct node *head = malloc(sizeof *head), *x = head, *t; int late = 0; head->data = 0; head->next = 0;
  while (__VERIFIER_nondet_int()) { x->next = malloc(sizeof *x); x = x->next; x->next = 0;
    if (__VERIFIER_nondet_int()) late = 1;
    if (late) x->data = 1; else x->data = 0; }
  for (t = head; t && t->data == 0; t = t->next) ;
  for (; t; t = t->next) if (t->data != 1) reach_error();
"""
NEVER_TWICE = """struct node *head = malloc(sizeof *head), *x = head, *t; head->data = 0; head->next = 0;
  while (__VERIFIER_nondet_int()) { t = x; x->next = malloc(sizeof *x); x = x->next; x->next = 0;
    if (t->data) x->data = 0; else x->data = __VERIFIER_nondet_int() ? 1 : 0; }
  for (t = head; t->next; t = t->next) if (t->data && t->next->data) reach_error();
"""

RIGHT = {
    "sorted": (SORTED, "unreach-call"),
    "never twice": (NEVER_TWICE, "unreach-call"),
    "neighbours": (PAIRS + FOLLOWED, "unreach-call"),
    "neighbours, reversed": (PAIRS + REVERSED + PRECEDED, "unreach-call"),
    "the newest first": (PREPENDED + FREED, "memsafety"),
    "the oldest first": (APPENDED + FREED, "memsafety"),
    "reversed": (APPENDED + REVERSED + FREED, "memsafety"),
    "data": (PREPENDED + DATA + FREED, "unreach-call"),
    "by turns": (
        """struct node *a = malloc(sizeof *a), *p = a; int flag = 1;
  while (__VERIFIER_nondet_int()) {
    if (flag) { p->data = 1; flag = 0; } else { p->data = 2; flag = 1; }
    p->next = malloc(sizeof *p); p = p->next; }
  p->data = 3; p = a; flag = 1;
  while (p->data != 3) {
    if (flag) { flag = 0; if (p->data != 1) reach_error(); } else { flag = 1; if (p->data != 2) reach_error(); }
    p = p->next; }""",
        "unreach-call",
    ),
}
LONG = (
    "reversed",
    "the oldest first",
    "neighbours, reversed",
)  # the others show the same facts in less time
WRONG = {
    "freed in the middle": (APPENDED + "if (head->next) free(head->next);" + FREED, "memsafety"),
    "a cycle": (APPENDED + "x->next = head;" + FREED, "memsafety"),
    "the end is not set": (
        APPENDED.replace("x->data = 7; x->next = 0;", "x->data = 7;") + FREED,
        "memsafety",
    ),
    "read after free": (
        PREPENDED + FREED.replace("t = head->next; free(head);", "free(head); t = head->next;"),
        "memsafety",
    ),
    "too small": (PREPENDED.replace("sizeof *n", "sizeof *n - 1") + FREED, "memsafety"),
    "not by turns": (
        RIGHT["by turns"][0].replace("p->data = 1; flag = 0;", "p->data = 1;"),
        "unreach-call",
    ),
    "other neighbours": (PAIRS + "x->data = 1;" + FOLLOWED, "memsafety"),
    "neighbours, not reversed": (PAIRS + PRECEDED, "memsafety"),
    "not sorted": (SORTED.replace("late = 1;", "late = !late;"), "unreach-call"),
    "twice": (NEVER_TWICE.replace("x->data = 0; else", "x->data = 1; else"), "unreach-call"),
    "other data": (APPENDED + "x->data = 8;" + DATA + FREED, "unreach-call"),
}


def program(body: str, folder: Path) -> Path:
    file = folder / "list.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return file


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in RIGHT]
)
def test_lists_are_proved(name: str, tmp_path: Path) -> None:
    body, prop = RIGHT[name]
    outcome = obligato.verify(
        program(body, tmp_path), "ic3cfa", property=prop, data_model="ILP32", isolated=False
    )
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert any("index" in i.formula for i in outcome.certificate.invariants)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_lists_are_refuted(name: str, tmp_path: Path) -> None:
    body, prop = WRONG[name]
    outcome = obligato.verify(
        program(body, tmp_path), "bmc", property=prop, data_model="ILP32", isolated=False
    )
    assert outcome.verdict is Verdict.FALSE


def test_runs_refute_candidates() -> None:
    """What a short run shows to be false is no candidate; what holds stays one, also about all
    values of an index.
    """
    store = TermStore()
    i, a = store.var("i", bitvec(8)), store.var("a", array(bitvec(8), bitvec(8)))
    index, cell = store.var("index", bitvec(8)), store.select(a, store.var("index", bitvec(8)))
    start = Assign(((i, store.bv(0, 8)), (a, store.const_array(a.sort, store.bv(5, 8)))))
    step = Assign(
        ((a, store.store(a, i, store.bv(7, 8))), (i, store.mk(Op.BVADD, (i, store.bv(1, 8)))))
    )
    locations = {n: Location(n, f"l{n}") for n in range(3)}
    cfa = CFA(store, (i, a), (), locations, (Edge(0, 0, 1, start), Edge(1, 1, 1, step)), 0, 2)
    holds = [store.or_(store.eq(cell, store.bv(5, 8)), store.eq(cell, store.bv(7, 8)))]
    fails = [store.eq(i, store.bv(0, 8)), store.eq(cell, store.bv(5, 8))]
    assert consistent(cfa, {1: [*fails, *holds]}, index, 0) == {1: holds}


@pytest.mark.parametrize("prop", ["memsafety", "unreach-call"])
def test_addresses_end_when_memory_does(prop: str, tmp_path: Path) -> None:
    """There is no run that needs more memory than there is; once something was freed, the model's
    addresses are a limit.
    """
    body = "int i, *p; for (i = 0; i < 9; i++) { p = malloc(8); *p = i; FREE }"
    for free, limits in (("", 0), ("free(p);", 1)):
        loaded = load(
            program(body.replace("FREE", free), tmp_path), data_model="ILP32", property=prop
        )
        inside = [s for p in loaded.procedures.values() for s in statements(p.body)]
        assert (
            sum(
                isinstance(s, Assert) and s.kind == LIMIT and "no address left" in s.label
                for s in inside
            )
            == limits
        )
        assert any(isinstance(s, Assume) and "heap$" in str(s.condition) for s in inside)


@pytest.mark.parametrize(
    "body",
    [
        "int i, *p; for (i = 1; i < 9; i++) p = malloc(i);",
        "int i; char *p = malloc(1000), *q; for (i = 1; i < 9; i++) { q = malloc(1); *q = *p; }",
    ],
)
def test_slots_that_are_nearly_empty_keep_their_limit(body: str, tmp_path: Path) -> None:
    """Slots of half the address space, or small blocks in slots for large ones, are no measure of
    memory.
    """
    loaded = load(program(body, tmp_path), data_model="ILP32", property="memsafety")
    inside = [s for p in loaded.procedures.values() for s in statements(p.body)]
    assert any(
        isinstance(s, Assert) and s.kind == LIMIT and "no address left" in s.label for s in inside
    )
