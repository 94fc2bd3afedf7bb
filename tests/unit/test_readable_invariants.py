"""Invariants of C programs in the words of the program: no temporaries, no addresses, no numbers of
calls.
"""

from __future__ import annotations

import re
from pathlib import Path

import obligato
from obligato.api.describe_readable import _left_out, _plainer, _strongest
from obligato.reports.text import report
from obligato.results.outcome import Verdict
from obligato.terms import BOOL, TermStore

HEAD = (
    "extern int __VERIFIER_nondet_int(void); extern unsigned char rx(void); void"
    " reach_error(void);\n"
)
PACKET = (
    HEAD
    + """typedef struct { unsigned char type, length, payload[16]; } packet_t;
static int receive(packet_t *p) {
  p->type = rx();
  p->length = rx();
  if (p->length > 16) return -1;
  for (unsigned char i = 0; i < p->length; i++) p->payload[i] = rx();
  return 0; }
int main(void) { packet_t p;
  while (1) { if (receive(&p) == 0 && p.length > 16) reach_error(); } }
"""
)
TABLE = (
    HEAD
    + """struct cmd { int id; int (*run)(int); };
static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static struct cmd table[2] = { { 7, twice }, { 9, half } };
int main(void) { int k = 0, n = 0;
  while (__VERIFIER_nondet_int()) {
    k = __VERIFIER_nondet_int() & 1;
    n = table[k].run(10);
    table[k].id = 8;
    if (n != 20 && n != 5) reach_error();
    if (table[1].id > 9) reach_error(); }
  return 0; }
"""
)
TWO = (
    HEAD
    + """int count(int n) { int i = 0; while (i < n) { i++; } return i; }
int main(void) { int i = __VERIFIER_nondet_int(); if (i < 0 || i > 9) return 0;
  int a = count(i), b = count(3);
  if (a != i || b != 3) reach_error(); return 0; }
"""
)
RECORD = (
    HEAD
    + """typedef struct { unsigned char count, last; } ring_t;
static ring_t ring;
static void put(ring_t *r, unsigned char b) { if (r->count < 8) { r->count++; r->last = b; } }
static void get(ring_t *r) { if (r->count > 0) r->count--; }
int main(void) { while (1) { if (__VERIFIER_nondet_int()) put(&ring, rx()); else get(&ring);
    if (ring.count > 8) reach_error(); } }
"""
)


def shown(tmp_path: Path, text: str) -> str:
    """What is printed about the proof of a program."""
    program = tmp_path / "program.c"
    program.write_text(text)
    outcome = obligato.verify(program, timeout=60, externals="pure")
    assert outcome.verdict is Verdict.TRUE
    return "\n".join(
        line.partition(": ")[2] for line in report(outcome).splitlines() if line.startswith("  ")
    )


def test_temporaries_are_replaced_and_other_functions_named(tmp_path: Path) -> None:
    text = shown(tmp_path, PACKET)
    assert "$" not in text and "#" not in text and "p == &p" not in text
    assert "i < 17" in text and not re.search(r"^1$", text, re.MULTILINE)


def test_elements_of_records_and_functions_have_their_names(tmp_path: Path) -> None:
    text = shown(tmp_path, TABLE)
    assert (
        "table[1].id" in text and "table[0].run == twice" in text and "table[1].run == half" in text
    )


def test_variables_of_a_call_have_their_names_in_it(tmp_path: Path) -> None:
    text = shown(tmp_path, TWO)
    assert re.search(r"\bi < \d+u?\b", text) and "count::" not in text and "#" not in text


def test_members_of_a_variable_of_the_file_are_no_variables_of_a_function(tmp_path: Path) -> None:
    text = shown(tmp_path, RECORD)
    assert "ring.count < 9" in text and "ring::" not in text


def test_of_several_bounds_of_one_expression_the_strongest_is_shown() -> None:
    texts = [
        "x < 128",
        "x < 16",
        "x >= 0",
        "y[1] >= -40",
        "y[1] >= -3",
        "a || b < 3",
        "a || b < 4u",
    ]
    assert _strongest(texts) == ["x < 16", "x >= 0", "y[1] >= -3", "a || b < 3", "a || b < 4u"]


def test_what_is_not_shown_is_counted() -> None:
    assert [_left_out(n, "", "long ") for n in (0, 1, 2)] == [
        "",
        "1 long condition (--json has it)",
        "2 long conditions (--json has them)",
    ]


def test_equal_choices_are_equal_conditions() -> None:
    s = TermStore.raw()
    a, b, zero, one = s.var("a", BOOL), s.var("b", BOOL), s.bv(0, 1), s.bv(1, 1)
    choice = s.ite(a, zero, one)
    assert str(_plainer(s.eq(choice, s.ite(b, zero, one)))) == str(s.eq(a, b))
    assert str(_plainer(s.eq(choice, s.ite(b, one, zero)))) == str(s.eq(a, s.not_(b)))
    for other in (s.ite(b, one, one), s.var("x", zero.sort)):
        assert _plainer(s.eq(choice, other)) is s.eq(choice, other)
