"""What a user reads about memory: the names of places instead of arrays and addresses."""

from __future__ import annotations

from pathlib import Path

import obligato
from obligato.frontends.c import load

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
    shorts, = (cells for name, cells in places.cells.items() if name.endswith("bitvec16"))
    assert sorted(shorts.values()) == [f"table[{i}].pair.{m}" for i in (0, 1) for m in ("hi", "lo")]
    assert {"&table[1]", "&table[1].tag[0]", "&table[1].pair.hi"} <= set(places.addresses.values())
    assert {"main::p", "set::r"} <= places.pointers


def test_a_trace_names_places(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(TEXT)
    outcome = obligato.verify(file, "bmc", timeout=60)
    assert outcome.trace is not None
    shown = {name: value for step in outcome.trace.steps for name, value in step.assignments.items()}
    assert shown["table[1].n"] == 5 and shown["table[1].pair.hi"] == 7 and shown["p"] == "&table[1]"
    assert not any("memory$" in name for name in shown)
