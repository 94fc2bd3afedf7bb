"""Large blocks: loop heads survive, paths name original edges, sizes stay within the limit.
(Verdicts: test_passes.)
"""

from __future__ import annotations

from itertools import pairwise

from obligato.models.blocks import cut_points, large_blocks
from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect, path_effect, paths
from obligato.models.gcl import Assign, Assume, Choice, Command, Tagged, walk
from obligato.terms import INT, TermStore, bitvec
from tests.cfas import ERROR, Counter, assign, make_cfa
from tests.small_cfas import Generator


def leaves(command: Command) -> int:
    return sum(isinstance(c, Tagged) for c in walk(command))


def test_counter_becomes_three_blocks() -> None:
    blocks = large_blocks(Counter().cfa)
    assert list(blocks.locations) == [0, 1, 4, ERROR] or list(blocks.locations) == [0, 1, ERROR]
    by_ends = {(e.source, e.target): e for e in blocks.edges}
    assert path_effect(blocks.store, by_ends[1, 1].command).edges == (1, 2)
    assert path_effect(blocks.store, by_ends[1, ERROR].command).edges == (3, 5)


def test_every_cycle_has_a_cut_point_and_paths_are_paths() -> None:
    for seed in range(60):
        cfa = Generator(seed).cfa()
        blocks = large_blocks(cfa, limit=12)
        cuts = cut_points(cfa)
        assert not _cyclic(cfa, {*cuts}), seed
        assert all(c in blocks.locations for c in cuts)
        for e in blocks.edges:
            assert leaves(e.command) <= 12
            for path in paths(e.command):
                edges = [cfa.by_id[n] for n in path_effect(cfa.store, e.command, path).edges]
                assert edges[0].source == e.source and edges[-1].target == e.target
                assert all(
                    a.target == b.source and a.target not in cuts for a, b in pairwise(edges)
                )


def _cyclic(cfa: CFA, without: set[int]) -> bool:
    """Is there a cycle among the reachable locations that avoids `without`? By removing sinks until
    nothing changes.
    """
    left = {cfa.initial}
    stack = [cfa.initial]
    while stack:
        new = [e.target for e in cfa.out(stack.pop()) if e.target not in left]
        left.update(new)
        stack.extend(new)
    left -= without
    changed = True
    while changed:
        sinks = {n for n in left if not any(e.target in left for e in cfa.out(n))}
        left -= sinks
        changed = bool(sinks)
    return bool(left)


def test_kept_locations_survive() -> None:
    s = TermStore()
    x = s.var("x", INT)
    line = make_cfa(s, [x], [(0, 1, assign(x, x)), (1, 2, assign(x, x)), (2, ERROR, assign(x, x))])
    assert list(large_blocks(line).locations) == [0, ERROR]
    kept = CFA(s, line.variables, (), line.locations, line.edges, 0, ERROR, keep=(1,))
    assert list(large_blocks(kept).locations) == [0, 1, ERROR]


def test_unreachable_loops_are_left_out() -> None:
    s = TermStore()
    x = s.var("x", INT)
    cfa = make_cfa(
        s,
        [x],
        [
            (0, 1, assign(x, x)),
            (1, ERROR, assign(x, x)),
            (2, 2, assign(x, x)),
            (2, 1, assign(x, x)),
        ],
    )
    assert [(e.source, e.target) for e in large_blocks(cfa).edges] == [(0, ERROR)]


def test_a_long_chain_of_cases() -> None:
    """A switch of 600 cases is one block: no recursion over its nesting, no multiplication of
    paths.
    """
    s, n = TermStore(), 600
    x, y = s.var("x", bitvec(32)), s.var("y", bitvec(32))
    edges: list[tuple[int, int, Command]] = [(0, 1000, assign(y, x))]
    for i in range(n):
        c = s.eq(x, s.bv(i, 32))
        edges += [
            (1000 + i, 3000 + i, Assume(c)),
            (3000 + i, 2000, assign(y, s.bv(i + 7, 32))),
            (1000 + i, 1001 + i, Assume(s.not_(c))),
        ]
    edges += [(1000 + n, 2000, Assign(())), (2000, ERROR, Assume(s.eq(y, s.bv(9, 32))))]
    blocks = large_blocks(make_cfa(s, [x, y], edges), limit=4 * n)
    (edge,) = blocks.edges
    assert any(isinstance(c, Choice) for c in walk(edge.command)) and leaves(edge.command) <= 4 * n
    block = BlockEffect(s, edge.command, "sel!")
    assert block.selectors == []  # every branch is decided by its condition
    path = path_effect(s, edge.command, block.path_of({x: 2}))
    assert path.edges == (0, 3, 6, 7, 8, 3 * n + 2)
