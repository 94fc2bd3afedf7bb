"""State variables that are always equal become one, and start values that nobody reads are chosen.

Two state variables are equal if they start equal and their next values are the same functions of
classes of equal variables; the coarsest such partition is found by refinement (`classes`). A `pre`
on the right side of an arrow is never read before it is written, so its start value is free to
choose: equal to others, and the first value that is written if that is a constant, so that an
invariant need not exempt the first step.
"""

from __future__ import annotations

from collections.abc import Mapping

from obligato.frontends.lustre.builder import Cell
from obligato.terms import Op, Substitution, Term, TermStore

Cells = Mapping[Term, Cell]


def classes(cells: Cells) -> dict[Term, Term]:
    """For each state variable one that is always equal to it (perhaps itself)."""
    leader: dict[Term, Term] = {}
    first: dict[object, Term] = {}
    for x, cell in cells.items():
        key = x if cell.unguarded else (x.sort, cell.start)
        leader[x] = first.setdefault(key, x)
    while True:
        put = Substitution(leader)
        found: dict[object, Term] = {}
        finer: dict[Term, Term] = {}
        for x, cell in cells.items():
            assert cell.next is not None
            finer[x] = found.setdefault((leader[x], put(cell.next)), x)
        if finer == leader:
            return leader
        leader = finer


def choose_starts(cells: Cells, first: Term | None) -> dict[Term, Term]:
    """Start values for variables whose start value is never read: the first value they take, where
    that is a constant.
    """
    simplifying = TermStore()
    memo: dict[Term, Term] = {}
    if first is not None:
        memo[first] = simplifying.true
    out: dict[Term, Term] = {}
    for x, cell in cells.items():
        if cell.start is None and not cell.unguarded and cell.next is not None:
            value = simplifying.import_term(cell.next, memo)
            if value.op is Op.CONST:
                out[x] = x.store.const(value.data, x.sort)
    return out
