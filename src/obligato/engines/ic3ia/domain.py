"""The first predicates of an abstraction: what the system says, and what the paper on CTIGAR starts
with [BBW14, 4.1].

Atoms of initial states and properties and the Boolean variables (among them the location); x <= y
for all pairs of state variables of one sort, of which x < y is the negation of another; the
equations of Karr's analysis. Predicates claim nothing.
"""

from __future__ import annotations

from itertools import combinations

from obligato.analysis.affine_system import cheap_relations, control_variables
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.options import AbstractionOptions
from obligato.engines.ic3ia.predicates import Predicates
from obligato.models.transition_system import TransitionSystem
from obligato.smt.factory import Make
from obligato.terms import BOOL, INT, REAL, Kind, Op, Term

MOST_PAIRS = 300


def first_predicates(
    system: TransitionSystem, options: AbstractionOptions, env: Environment, make: Make
) -> tuple[Predicates, tuple[Term, ...]]:
    """The domain before any refinement, and what every frame may assume (`Hooks.known`); the
    options say what is in them.
    """
    predicates = Predicates(system, options.split_equalities)
    if options.initial_predicates != "none":  # [CGMT16, Fig. 3, line 1]
        predicates.add([*(p.formula for p in system.assertions), system.init])
    if options.initial_predicates == "all":
        predicates.add(x for x in system.state if x.sort is BOOL)
    if options.annotated_predicates:
        predicates.add(system.predicates)
    if options.orders:
        predicates.add(orders(system))
    found = cheap_relations(system, make, env.tick) if options.affine != "off" else None
    if found is None:
        return predicates, ()
    predicates.add(found.equations())
    known = found.invariant()
    return predicates, () if known is None or options.affine != "known" else (known,)


def orders(system: TransitionSystem) -> list[Term]:
    """x <= y for all pairs of numbers or words that are not control [BBW14, 4.1]; none where there
    are too many pairs.
    """
    store, control = system.store, dict.fromkeys(control_variables(system))
    data = [
        x
        for x in system.state
        if x not in control and (x.sort in (INT, REAL) or x.sort.kind is Kind.BITVEC)
    ]
    pairs = [(x, y) for x, y in combinations(data, 2) if x.sort is y.sort]
    if len(pairs) > MOST_PAIRS:
        return []
    return [
        store.mk(Op.LE if x.sort in (INT, REAL) else Op.BVSLE, pair)
        for x, y in pairs
        for pair in ((x, y), (y, x))
    ]
