"""Facts about all cells of arrays: loop nests, tiles, reversed copies, flags; each proof is checked
as any other.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.analysis.cell_places import Places, linear, tiled
from obligato.results.outcome import Verdict
from obligato.terms import Op, TermStore, array, bitvec, evaluate

HEAD = "void reach_error(void); int __VERIFIER_nondet_int(void);\n"
PROGRAMS = {
    "rows and columns": """int a[30][40], b[30][40]; int main(void) { int i, j;
  for (i = 0; i < 30; i++) for (j = 0; j < 40; j++) a[i][j] = __VERIFIER_nondet_int();
  for (i = 0; i < 30; i++) for (j = 0; j < 40; j++) b[i][j] = a[i][j] + 1;
  for (i = 0; i < 30; i++) for (j = 0; j < 40; j++) if (b[i][j] != a[i][j] + 1) reach_error(); }""",
    "reversed": """int a[100], b[100]; int main(void) { int i;
  for (i = 0; i < 100; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < 100; i++) b[i] = a[100 - i - 1];
  for (i = 0; i < 100; i++) if (b[i] != a[99 - i]) reach_error(); }""",
    "tiles": """int a[200]; int main(void) { int i;
  for (i = 1; i <= 100; i++) a[2 * i - 2] = 5;
  for (i = 1; i <= 100; i++) a[2 * i - 1] = 7;
  for (i = 0; i < 200; i++) if (a[i] < 5) reach_error(); }""",
    "a flag": """int a[100], b[100]; int main(void) { int i, same = 1;
  for (i = 0; i < 100; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
  for (i = 0; i < 100; i++) if (a[i] != b[i]) same = 0;
  if (same) for (i = 0; i < 100; i++) if (a[i] != b[i]) reach_error(); }""",
    "what the place says": """int a[100]; int main(void) { int i;
  for (i = 0; i < 100; i++) { if (i + 1 < 100) a[i + 1] = i; a[i] = i; }
  for (i = 0; i < 100; i++) if (a[i] < i) reach_error(); }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_cells(name: str, tmp_path: Path) -> None:
    file = tmp_path / "cells.c"
    file.write_text(HEAD + PROGRAMS[name])
    outcome = obligato.verify(file, "ic3cfa", isolated=False, short_runs=0)
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert any("index" in i.formula for i in outcome.certificate.invariants)


def test_what_lies_before_the_first_cell_is_no_part_of_a_tile(tmp_path: Path) -> None:
    """Where addresses are as long as counters, a[2 * i - 2] is a place of one counter in steps of a
    power of two; that of i = 0 is before the array.
    """
    file = tmp_path / "cells.c"
    file.write_text(f"""{HEAD} int a[200]; int main(void) {{ int i, n = __VERIFIER_nondet_int();
  if (n < 1 || n > 100) return 0;
  for (i = 1; i <= n; i++) a[2 * i - 2] = 5;
  for (i = 1; i <= n; i++) a[2 * i - 1] = 7;
  for (i = 0; i < 2 * n; i++) if (a[i] < 5) reach_error(); }}""")
    outcome = obligato.verify(file, "ic3cfa", isolated=False, short_runs=0, data_model="ILP32")
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert any("index" in i.formula for i in outcome.certificate.invariants)


def _store() -> tuple[TermStore, Places]:
    s = TermStore()
    i, j = s.var("i", bitvec(32)), s.var("j", bitvec(32))
    return s, Places(s.var("index", bitvec(64)), lambda v: v in (i, j), lambda m: [s.bv(30, 64)])


def test_linear_forms_look_through_extensions() -> None:
    s, _ = _store()
    i = s.var("i", bitvec(32))
    narrow = s.mk(Op.BVSUB, (s.bv(99, 32), i))  # 99 - i
    t = s.mk(Op.BVMUL, (s.bv(40, 64), s.sign_ext(narrow, 32)))
    assert linear(t) == ({s.sign_ext(i, 32): -40}, 3960)


def test_a_place_determines_another_one_and_its_counter() -> None:
    s, places = _store()
    i, index = s.var("i", bitvec(32)), s.var("index", bitvec(64))
    a, b = (s.var(n, array(bitvec(64), bitvec(32))) for n in "ab")
    here, mirrored = s.sign_ext(i, 32), s.sign_ext(s.mk(Op.BVSUB, (s.bv(99, 32), i)), 32)
    place = places.place(here)
    assert place is not None
    moved = places.at_index(s.eq(s.select(a, here), s.select(b, mirrored)), here, place)
    assert moved is s.eq(s.select(a, index), s.select(b, s.mk(Op.BVSUB, (s.bv(99, 64), index))))
    counted = places.at_index(s.eq(s.select(a, here), i), here, place)
    assert counted is s.eq(s.select(a, index), s.extract(index, 31, 0))


def test_a_nest_has_passed_what_lies_below() -> None:
    s, places = _store()
    i, j, index = s.var("i", bitvec(32)), s.var("j", bitvec(32)), s.var("index", bitvec(64))
    t = s.mk(Op.BVADD, (s.mk(Op.BVMUL, (s.bv(40, 64), s.sign_ext(i, 32))), s.sign_ext(j, 32)))
    place = places.place(t)
    assert place is not None and [c for _, c in place.counters] == [40, 1]
    here, row, *_ = places.passed(place, True)
    for value, inside, in_rows in (
        (0, True, True),
        (79, True, True),
        (80, True, False),
        (82, True, False),
        (83, False, False),
    ):
        state = {i: 2, j: 3, index: value}
        assert (evaluate(here, state), evaluate(row, state)) == (inside, in_rows)


def test_tiles_lie_beside_each_other() -> None:
    s, places = _store()
    twice = s.mk(Op.BVMUL, (s.bv(2, 64), s.sign_ext(s.var("i", bitvec(32)), 32)))
    even, odd = places.place(twice), places.place(s.mk(Op.BVADD, (twice, s.bv(1, 64))))
    assert even is not None and odd is not None
    assert tiled([odd, even]) == [even] and tiled([even]) == [] and tiled([odd]) == []
