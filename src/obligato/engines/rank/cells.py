"""Cells of arrays that a program writes before a loop that only reads the array: the ends of
strings and lists of numbers.

That a cell still holds what was written there is a candidate for an invariant (Houdini keeps it, if
it is one), and the distance from a place that the loop reads to the cell is a candidate for a rank:
a loop that looks for a mark stops at the cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from obligato.engines.rank.relation import Component
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, walk
from obligato.terms import Kind, Op, Term, free_vars, postorder

CELLS = 8
Cell = tuple[Term, Term, Term]  # an array, a place in it, and what is written there


def written_cells(cfa: CFA, component: Component) -> list[Cell]:
    """The cells whose array, place and contents are given by variables that the component does not
    change.
    """
    fixed = set(cfa.variables) - {x for h in component.hops for x in h.effect.pull.mapping}
    kept = (
        cell for cell in dict.fromkeys(_stores(cfa)) if all(v in fixed for v in free_vars(*cell))
    )
    return list(islice(kept, CELLS))


def _stores(cfa: CFA) -> Iterator[Cell]:
    for command in (c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign)):
        for x, t in command.pairs:
            while t.op is Op.STORE:
                yield x, t.args[1], t.args[2]
                t = t.args[0]


def contents(cfa: CFA, component: Component) -> list[Term]:
    """Formulas that say that the cells hold what was written to them."""
    s = cfa.store
    return [
        s.eq(s.mk(Op.SELECT, (array, place)), value)
        for array, place, value in written_cells(cfa, component)
    ]


def distances(cfa: CFA, component: Component) -> Iterator[Term]:
    """How far it is from the places that the component reads to the cells, modulo 2^w."""
    places = [
        (array, place)
        for array, place, _ in written_cells(cfa, component)
        if place.sort.kind is Kind.BITVEC
    ]
    tested = postorder([g for h in component.hops for g in h.effect.guard]) if places else ()
    for t in dict.fromkeys(
        t for t in tested if t.op is Op.SELECT and all(v in cfa.variables for v in free_vars(t))
    ):
        yield from (
            cfa.store.mk(Op.BVSUB, (place, t.args[1]))
            for array, place in places
            if t.args[0] is array
        )
