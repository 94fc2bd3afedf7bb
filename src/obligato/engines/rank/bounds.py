"""Bounds of sums and differences of two words: candidates for invariants, from their intervals
where a loop is entered.

A loop that counts one word up and another one down, or both down, keeps their sum or difference; so
that a word does not wrap around is often known from the other one only. The bounds are those that
the intervals at the entry imply, stated with two more bits, so that they are exact. They are
candidates: Houdini keeps those that are inductive.

A loop that goes on while two words differ does not pass the place where they are equal, if it counts
by one: `sides` has the candidates for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from obligato.analysis.dataflow import solve
from obligato.analysis.intervals import IntervalAnalysis
from obligato.engines.rank.relation import Component
from obligato.models.cfa import CFA
from obligato.program.graphs import components
from obligato.terms import Kind, Op, Term, TermStore, free_vars, postorder

WORDS = 6  # that a component changes, at most
SIDES = 60  # candidates at one location
Bounds = dict[Term, tuple[int, int]]  # as signed numbers


def pair_bounds(cfa: CFA, component: Component) -> dict[int, list[Term]]:
    """Candidates at the locations of a component by which a run may enter it."""
    changed = dict.fromkeys(x for h in component.hops for x in h.effect.pull.mapping)
    words = [
        x
        for x in component.relevant
        if x in changed and x.sort.kind is Kind.BITVEC and x in set(cfa.variables)
    ][:WORDS]
    entries = _entries(cfa, component, words)
    found = [
        f
        for bounds in entries
        for x, y in combinations(bounds, 2)
        if x.sort is y.sort
        for f in _about(cfa.store, x, y, bounds)
    ]
    return {loc: list(dict.fromkeys(found)) for loc in component.locations} if found else {}


def sides(cfa: CFA, components: Iterable[Component]) -> dict[int, list[Term]]:
    """Candidates at the locations where hops begin: what they compare for equality stays on one side
    of the other.
    """
    variables, found = frozenset(cfa.variables), dict[int, dict[Term, None]]()
    for hop in (h for c in components for h in c.hops):
        known = found.setdefault(hop.source, {})
        for t in postorder(hop.effect.guard):
            if t.op is Op.EQ and t.args[0].sort.kind is Kind.BITVEC:
                known |= dict.fromkeys(_sides(t) if variables.issuperset(free_vars(t)) else ())
    return {loc: [f for f in fs if not f.is_const][:SIDES] for loc, fs in found.items()}


def _sides(equation: Term) -> Iterator[Term]:
    a, b = equation.args
    for x, y in ((a, b), (b, a)):
        yield equation.store.mk(Op.BVSLT, (x, y))
        yield equation.store.mk(Op.BVSLE, (x, y))


def _entries(cfa: CFA, component: Component, words: list[Term]) -> list[Bounds]:
    """The intervals of the words at each location where a run may enter the component; words
    without bounds are left out.
    """
    targets = {loc: [e.target for e in cfa.out(loc)] for loc in cfa.locations}
    inside = next(set(g) for g in components(cfa.locations, targets) if component.locations[0] in g)
    solution = solve(cfa, IntervalAnalysis(cfa))
    out = []
    for junction in solution.junctions:
        if junction in solution.states and junction not in inside:
            for location, state in solution.arrivals(junction):
                if location in inside:
                    out.append(
                        {
                            x: (r[2], r[3])
                            for x in words
                            if (r := state.get(x)) is not None and len(r) == 4
                        }
                    )
    return out


def _about(store: TermStore, x: Term, y: Term, bounds: Bounds) -> Iterator[Term]:
    width = x.sort.width + 2
    a, b = store.resize(x, width, True), store.resize(y, width, True)
    (low, high), (least, most) = bounds[x], bounds[y]
    for term, bottom, top in (
        (store.mk(Op.BVADD, (a, b)), low + least, high + most),
        (store.mk(Op.BVSUB, (a, b)), low - most, high - least),
    ):
        yield store.mk(Op.BVSLE, (term, store.bv(top % (1 << width), width)))
        yield store.mk(Op.BVSLE, (store.bv(bottom % (1 << width), width), term))
