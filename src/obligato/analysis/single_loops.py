"""Loops of one large block: what a round does, by which variables rounds are counted, and what is
known where such a loop is entered.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.analysis.cell_places import linear, widened
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, walk
from obligato.terms import Kind, Op, Sort, Term, free_vars, postorder

BOUNDS = 2  # of one counter
_ORDER = (Op.LE, Op.LT, Op.EQ, Op.BVSLT, Op.BVSLE, Op.BVULT, Op.BVULE)


def round_of(blocks: CFA, loc: int) -> BlockEffect | None:
    """The effect of the only edge from a location to itself."""
    loops = [e for e in blocks.out(loc) if e.target == loc]
    match loops:
        case [loop]:
            return BlockEffect(blocks.store, loop.command, f"round!{loop.id}!")
    return None


def counters(effect: BlockEffect, move: int) -> list[Term]:
    """The variables that a round moves by this number."""
    return [
        x
        for x, e in effect.pull.mapping.items()
        if x.sort.kind in (Kind.BITVEC, Kind.INT) and linear(e) == ({x: 1}, move)
    ]


def entry(blocks: CFA, loc: int, variable: Term) -> Term | None:
    """What all edges that enter the loop give to a variable, in terms of the state behind them."""
    given = dict.fromkeys(_given(e, variable) for e in blocks.into(loc) if e.source != loc)
    match list(given):
        case [value]:
            return value
    return None


def _given(edge: Edge, variable: Term) -> Term | None:
    value: Term | None = None
    for c in walk(edge.command):
        if isinstance(c, Assign):
            for x, e in c.pairs:
                if x is variable:
                    value = e
                elif value is not None and x in free_vars(value):
                    value = None
    return value


def ends(guard: Iterable[Term], counter: Term, variables: frozenset[Term]) -> list[Term]:
    """What the counter is compared with in each round, as values of its sort."""
    found: dict[Term, None] = {}
    for t in postorder(guard):
        if t.op in _ORDER:
            for a, b in (t.args, t.args[::-1]):
                fits = all(v in variables and v is not counter for v in free_vars(b))
                if widened(a) is counter and fits:
                    found[_narrowed(b, counter.sort)] = None
    return list(found)[:BOUNDS]


def _narrowed(t: Term, sort: Sort) -> Term:
    return t if t.sort is sort else t.store.extract(t, sort.width - 1, 0)
