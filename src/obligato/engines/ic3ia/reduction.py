"""Predicate reduction [CGMT16, 5.5]: which of the new predicates does the refutation of the
abstract chain need?

The abstract chain is a sequence of steps that need not join: the target of one and the source of
the next agree on the predicates only [CGMT16, 2.5.3]. Each predicate's agreement, at all joints, is
switched on by a literal; the unsat core names those that are needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ic3ia.chain import Chain
from obligato.smt import UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term


def needed(chain: Chain, new: Sequence[Term], make: Make) -> list[Term]:
    """The new predicates in the core; none if the abstract chain is not refuted (or cannot be
    decided).
    """
    store, predicates = chain.store, chain.predicates
    at, across = chain.unrolling.at, chain.unrolling.across
    solver = ActivationSolver(store, make, rebuild_every=0)
    label = {p: store.fresh("agree!", BOOL) for p in (*predicates.terms[1:], *new)}
    try:
        solver.add(at(chain.system.init, 0))
        for t, cube in enumerate(chain.cubes[: chain.length + 1]):
            solver.add(
                across(
                    store.and_(
                        predicates.formula(cube), *(chain.step(t) if t < chain.length else ())
                    ),
                    2 * t,
                )
            )
            for p, agree in label.items() if t else ():
                solver.add(store.eq(at(p, 2 * t - 1), at(p, 2 * t)), under=agree)
        chain.env.tick()
        # I and steps that agree on predicates and cubes and not P: unsat - the core is enough; sat
        # - all are kept (heuristic)
        if solver.check(list(label.values()), kind="reduce") is not UNSAT:
            return []
        used = dict.fromkeys(solver.core())
        return [p for p in new if label[p] in used]
    finally:
        solver.close()
