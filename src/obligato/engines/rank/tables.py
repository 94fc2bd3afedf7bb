"""The one run of a program without inputs as a table: which states it has in a loop, and how many
are left.

That a run is in one of these states whenever it is in the component is a candidate for an invariant
(Houdini keeps it, if it is one); the number of states that are left is a rank. It serves short
loops whose arithmetic no linear expression follows (floats, products, strides that go through the
wrap-around).
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.rank.relation import Component, State
from obligato.models.cfa import CFA
from obligato.terms import Kind, Term

MOST = 300  # states of one component
WIDTH = 16  # bits of the rank
Stop = tuple[int, State]  # location and state
Table = dict[int, tuple[Term, Term]]  # by location the states there, and the rank


def table(cfa: CFA, component: Component, stops: Sequence[Stop]) -> Table:
    """The table of the states of a run that has ended; empty if it is too long or has arrays
    in it.
    """
    s, known = cfa.store, set(cfa.variables)
    words = [x for x in component.relevant if x in known]
    inside = [(loc, state) for loc, state in stops if loc in component.locations]
    if not 0 < len(inside) <= MOST or any(x.sort.kind is Kind.ARRAY for x in words):
        return {}
    found = dict.fromkeys(component.locations, (s.false, s.bv(0, WIDTH)))
    for left, (loc, state) in enumerate(reversed(inside)):
        here = s.and_(*(s.eq(x, s.const(state[x], x.sort)) for x in words))
        states, rank = found[loc]
        found[loc] = s.or_(states, here), s.ite(here, s.bv(left, WIDTH), rank)
    return found
