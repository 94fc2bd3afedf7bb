"""Pairs of programs: one, and the same after an edit that keeps its proof. For
`verify new.c --from old.json`.

Edits move lines, add statements beside what the proof is about, write conditions and updates
another way, or change constants.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

HEAD = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
"""


class Pair(NamedTuple):
    """Two programs in C."""

    name: str
    old: str
    new: str


def _pairs(name: str, text: str, *edits: tuple[str, str]) -> list[Pair]:
    """The program with each edit, which puts a text for the only place of another."""
    for before, _ in edits:
        assert text.count(before) == 1, (name, before)
    return [
        Pair(f"{name}-{n}", HEAD + text, HEAD + text.replace(*edit))
        for n, edit in enumerate(edits, 1)
    ]


def edited(file: Path) -> Pair:
    """A program with an edit that fits all: lines at the top, and a variable of its own at the
    beginning of `main`.
    """
    text = file.read_text(encoding="utf-8")
    beside = "\n  int beside_ = 7;\n  if (beside_ > 3) beside_--;\n"
    new, places = re.subn(
        r"(\bmain\s*\([^()]*\)\s*\{)", lambda found: found[0] + beside, text, count=1
    )
    assert places == 1, file
    return Pair(file.stem[:14], text, f"/* lines\n   that\n   move the others */\n{new}")


GCD = """signed char gcd(signed char a, signed char b) {
  signed char t;
  while (b != 0) {
    t = a % b;
    a = b;
    b = t;
  }
  return a;
}
int main(void) {
  signed char x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (y > 0 && y < x) {
    signed char g = gcd(x, y);
    if (y < g) reach_error();
  }
  return 0;
}
"""
LOCK = """int main(void) {
  int locked = 0, got = 0, n = 0;
  while (__VERIFIER_nondet_int()) {
    if (locked) {
      if (got != n) reach_error();
      locked = 0;
    } else {
      locked = 1;
      got = n;
    }
    if (!locked) n = __VERIFIER_nondet_int();
  }
  return 0;
}
"""
STATES = """int main(void) {
  int state = 0, sent = 0, acked = 0;
  while (__VERIFIER_nondet_int()) {
    if (state == 0) { sent = 1; acked = 0; state = 1; }
    else if (state == 1) { if (__VERIFIER_nondet_int()) state = 2; }
    else if (state == 2) { acked = 1; state = 3; }
    else if (state == 3) { sent = 0; state = 0; }
    else { state = 0; sent = 0; }
    if (acked && !sent && state != 0) reach_error();
    if (state == 2 && acked) reach_error();
  }
  return 0;
}
"""
QUEUE = """int main(void) {
  unsigned head = 0, tail = 0, used = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      if (used < 8) { tail = (tail + 1) % 8; used++; }
    } else if (used > 0) {
      head = (head + 1) % 8;
      used--;
    }
    if ((head + used) % 8 != tail) reach_error();
    if (used > 8) reach_error();
  }
  return 0;
}
"""
TOKEN = """int main(void) {
  int a = 1, b = 0, c = 0, owner = 0;
  while (__VERIFIER_nondet_int()) {
    if (a) { a = 0; b = 1; owner = 1; }
    else if (b) { b = 0; c = 1; owner = 2; }
    else { c = 0; a = 1; owner = 0; }
    if (a + b + c != 1) reach_error();
    if (b && owner != 1) reach_error();
  }
  return 0;
}
"""
SORTED = """int main(void) {
  unsigned low = 0, high = 100, middle, steps = 0, key = __VERIFIER_nondet_uint();
  if (key >= 100) return 0;
  while (low < high) {
    middle = low + (high - low) / 2;
    if (middle < key) low = middle + 1;
    else high = middle;
    steps++;
    if (low > high || high > 100) reach_error();
  }
  if (low > key) reach_error();
  return 0;
}
"""
COINS = """int main(void) {
  unsigned paid = 0, price = 150, change = 0;
  while (__VERIFIER_nondet_int()) {
    unsigned coin = __VERIFIER_nondet_uint();
    if (coin == 10 || coin == 20 || coin == 50) {
      paid += coin;
      if (paid >= price) { change = paid - price; paid = 0; }
    }
    if (paid >= 150) reach_error();
    if (change > 40) reach_error();
  }
  return 0;
}
"""
NESTED = """int main(void) {
  unsigned i = 0, j = 0, sum = 0;
  while (i < 10 && __VERIFIER_nondet_int()) {
    j = 0;
    while (j < i) {
      sum = sum + 1;
      j = j + 1;
      if (j > i) reach_error();
    }
    i = i + 1;
    if (i > 10 || j > 9) reach_error();
  }
  return 0;
}
"""
ELEVATOR = """int main(void) {
  int floor = 0, door = 0, moving = 0, up = 1;
  while (__VERIFIER_nondet_int()) {
    if (moving) {
      if (up && floor < 7) floor++;
      if (!up && floor > 0) floor--;
      if (__VERIFIER_nondet_int()) moving = 0;
    } else if (door) {
      if (__VERIFIER_nondet_int()) door = 0;
    } else if (__VERIFIER_nondet_int()) {
      door = 1;
    } else {
      up = floor == 0 ? 1 : floor == 7 ? 0 : __VERIFIER_nondet_int() != 0;
      moving = 1;
    }
    if (moving && door) reach_error();
    if (floor < 0 || floor > 7) reach_error();
  }
  return 0;
}
"""
PARITY = """int main(void) {
  unsigned char bits = 0, ones = 0, flips = 0;
  while (__VERIFIER_nondet_int()) {
    unsigned char place = __VERIFIER_nondet_uint() & 7;
    unsigned char mask = 1u << place;
    if (bits & mask) ones--; else ones++;
    bits ^= mask;
    flips ^= 1;
    if ((ones & 1) != flips) reach_error();
  }
  return 0;
}
"""

MOVED = ("int main(void) {", "/* a comment\n   of three\n   lines */\n\nint main(void) {")
PAIRS = [
    *_pairs(
        "gcd",
        GCD,
        MOVED,
        ("    b = t;\n", "    b = t;\n    t = 0;\n"),
        ("if (y > 0 && y < x)", "if (!(y <= 0 || x <= y))"),
    ),
    *_pairs("lock", LOCK, MOVED, ("if (got != n)", "if (n - got)")),
    *_pairs(
        "states",
        STATES,
        ("int state = 0,", "int count = 0;\n  int state = 0,"),
        ("acked = 1; state = 3;", "state = 3; acked = 1;"),
    ),
    *_pairs(
        "queue",
        QUEUE,
        ("used++;", "used = used + 1u;"),
        ("    if (used > 8)", "    int full = used == 8;\n    if (used > 8 && !full)"),
    ),
    *_pairs(
        "token",
        TOKEN,
        ("a = 0; b = 1; owner = 1;", "owner = 1; b = 1; a = 0;"),
        ("else if (b)", "else if (b == 1)"),
    ),
    *_pairs("search", SORTED, ("(high - low) / 2", "((high - low) >> 1)"), ("    steps++;\n", "")),
    *_pairs(
        "coins",
        COINS,
        ("coin == 10 || coin == 20 || coin == 50", "coin == 50 || coin == 20 || coin == 10"),
        MOVED,
    ),
    *_pairs("nested", NESTED, ("sum = sum + 1;", "sum = sum + 2;")),
    *_pairs(
        "elevator",
        ELEVATOR,
        ("if (moving && door) reach_error();", "if (door) { if (moving) reach_error(); }"),
        ("      moving = 1;\n", "      int ready = 1;\n      moving = ready;\n"),
    ),
    *_pairs("parity", PARITY, ("flips ^= 1;", "flips = !flips;"), MOVED),
]
