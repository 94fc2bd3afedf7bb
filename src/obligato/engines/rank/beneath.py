"""What is known of a program holds in its product with an automaton.

A product has a copy of each location for each state of the automaton, so that what static analyses
and IC3CFA find out about the program alone costs less there, and holds at all copies: a run of the
product is a run of the program. Variables on which no condition depends are left out before.

Limitation: what the automaton's letters restrict is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from obligato.analysis.pipeline import reduce
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, with_seeds
from obligato.engines.rank.questions import OPTIONS, Invariants, Questions
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate, Lift
from obligato.models.gcl import Assume
from obligato.models.rank_claims import Base, BuchiCFA
from obligato.smt import Solver
from obligato.terms import Term
from obligato.terms.traversal import conjuncts

LEVEL = 1  # of reduction: what no condition depends on is left out


def seeds(problem: BuchiCFA, blocks: CFA, env: Environment) -> dict[int, Sequence[Term]]:
    """What static analyses know at the locations of `blocks`: of the program beneath the problem, if
    there is one.
    """
    if problem.base is None:
        return dict(with_seeds(problem.cfa, blocks, OPTIONS, env).seeds)
    base, store = problem.base, blocks.store
    small, lift = _needed(_keeping(base, blocks.locations), problem.observed)
    places = in_blocks(small, env)
    known = with_seeds(small, places, OPTIONS, env).seeds
    claimed = {loc: store.and_(*known.get(loc, ())) for loc in places.locations}
    lifted = lift.certificate(Certificate(claimed)).invariants
    # what a reduction has left out no run enters
    gone = {loc: [store.false] for loc in base.cfa.locations if loc not in small.locations}
    found = gone | {loc: conjuncts(f) for loc, f in lifted.items()}
    return {loc: found.get(base.place.get(loc, -1), ()) for loc in blocks.locations}


def limits(
    base: Base, locations: Iterable[int], make: Callable[[], Solver], env: Environment, budget: int
) -> Invariants | None:
    """Invariants of the product at these locations by which the program reaches no limit; None: they
    were not found.
    """
    places = tuple(locations)
    below = _keeping(base, places)
    answer = Questions(below, env, make, below.keep).limits(budget)
    if not isinstance(answer, dict):
        return None
    return {loc: answer[base.place[loc]] for loc in places if base.place.get(loc) in answer}


def _needed(cfa: CFA, observed: tuple[str, ...]) -> tuple[CFA, Lift]:
    """The program as far as its conditions and the `observed` variables depend on it: an edge from
    each location that tests these keeps them while it is reduced.
    """
    store, first = cfa.store, max((e.id for e in cfa.edges), default=-1) + 1
    seen = {v: store.var(f"{v.name}!seen", v.sort) for v in cfa.variables if v.name in observed}
    told = Assume(store.and_(*(store.eq(v, value) for v, value in seen.items())))
    watching = [
        Edge(first + loc, loc, cfa.error, told) for loc in cfa.locations if loc != cfa.error
    ]
    watched = replace(cfa, edges=(*cfa.edges, *watching), inputs=(*cfa.inputs, *seen.values()))
    small, lift = reduce(watched, LEVEL)
    return replace(small, edges=tuple(e for e in small.edges if e.id < first)), lift


def _keeping(base: Base, locations: Iterable[int]) -> CFA:
    """The program, with the places of these locations as cut points."""
    places = (base.place[loc] for loc in locations if loc in base.place)
    return replace(base.cfa, keep=tuple(dict.fromkeys(places)))
