"""One relation with a program counter, and the measures that stop large blocks."""

from __future__ import annotations

import pytest

from obligato.frontends.ivl import parse
from obligato.models.blocks import large_blocks, single_edges
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.effect import count_paths
from obligato.models.importing import import_cfa
from obligato.models.monolithic import Monolithic
from obligato.program.inline import inline
from obligato.terms import TermStore

BRANCHES = """proc main() { var x, y: bv4; havoc x; y := 0;
  if (x <u 1) { y := 1; } if (x <u 2) { y := y + 1; } if (x <u 3) { y := y + 1; } if (x <u 4) { y := y + 1; }
  while (*) { assert y <u 5; x := x + 1; } }"""


def cfa() -> CFA:
    return import_cfa(build_cfa(inline(parse(BRANCHES))), TermStore())


def test_all_inner_locations_become_one() -> None:
    original = single_edges(cfa())
    joined = Monolithic(original)
    assert set(joined.cfa.locations) == {original.initial, original.error, joined.everywhere}
    assert joined.counter in joined.cfa.variables and len(joined.cfa.edges) == 3
    assert sum(count_paths(e.command, 1000) for e in joined.cfa.edges) == len(original.edges)


def test_an_invariant_is_read_off_at_each_value_of_the_counter() -> None:
    original = single_edges(cfa())
    joined = Monolithic(original)
    s, x = original.store, original.variables[0]
    somewhere = next(iter(joined.number))
    at = s.eq(joined.counter, s.const(joined.number[somewhere], joined.sort))
    found = joined.lift(s.implies(at, s.eq(x, s.const(0, x.sort))))
    assert found.pop(somewhere) is s.eq(x, s.const(0, x.sort)) and set(found.values()) == {s.true}


@pytest.mark.parametrize(("limit", "paths"), [(4, 4), (16, 16)])
def test_the_measure_of_paths_stops_blocks(limit: int, paths: int) -> None:
    blocks = large_blocks(cfa(), limit, "paths")
    assert max(count_paths(e.command, 1000) for e in blocks.edges) <= paths
    assert max(count_paths(e.command, 1000) for e in large_blocks(cfa(), 2000).edges) == 16
