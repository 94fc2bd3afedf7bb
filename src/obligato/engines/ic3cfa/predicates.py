"""Extra literals: what a blocked cube implies over a set of mined predicates (beyond the paper; cf.
[BBW14, 3.1]).

Dropping literals of WEP cubes only recombines atoms of the program. Here the cube is first
abstracted: the literals over the location's predicates that every state of F_(level, l) and the
cube satisfies. If that larger cube is unreachable too, its generalisation is the lemma; it may be
one, such as ``x >= 50 and x != y``, that no subset of the cube's literals is.

Ensures: F_(level, l) and cube implies the abstraction,
so blocking the abstraction blocks the cube at this level.
"""

from __future__ import annotations

from itertools import count

from obligato.engines.ic3cfa.queries import Queries
from obligato.engines.kernel.cube import Literals, clause_of, cube_of
from obligato.smt import SAT, UNSAT
from obligato.terms import Term, evaluate, free_vars, size

SIMPLE = 6  # literals of at most this size are kept beside the predicates
SHARE = 5  # at most one in so many solver calls may serve abstraction


class Predicates:
    """Mined predicates by location."""

    def __init__(self, queries: Queries, predicates: dict[int, list[Term]]) -> None:
        self.queries = queries
        self.predicates = predicates
        self._simple: dict[Term, bool] = {}
        self._variables = {location: free_vars(*known) for location, known in predicates.items()}

    def abstract(self, location: int, cube: Literals, level: int) -> Literals | None:
        """The literals over predicates that hold in all states of the frame and the cube,
        and the cube's own simple ones."""
        known = self.predicates.get(location)
        if not known or not self._affordable():
            return None
        implied = self._implied(location, cube, level, known)
        if not implied:
            return None
        return cube_of([*implied, *filter(self._is_simple, cube)])

    def _is_simple(self, literal: Term) -> bool:
        known = self._simple.get(literal)
        if known is None:
            known = self._simple[literal] = size(literal) <= SIMPLE
        return known

    def _affordable(self) -> bool:
        stats = self.queries.env.stats
        return SHARE * stats.calls.get("abstract", 0) <= 100 + stats.total_calls

    def _implied(
        self, location: int, cube: Literals, level: int, known: list[Term]
    ) -> list[Term] | None:
        """Start from the literals true in one state,
        drop those that further states make false, until none is left."""
        solver = self.queries.solver(location)
        assumptions = [*self.queries.frame(location, level), *cube]
        literals: list[Term] | None = None
        budget = self.queries.options.budget
        limit = self.queries.options.abstraction_models
        for _ in range(limit) if limit else count():
            self.queries.env.tick()
            differ = () if literals is None else (clause_of(self.queries.store, tuple(literals)),)
            # F_(level, l) and cube and not all literals:
            # sat - a state that refutes some of them; unsat - all are implied
            result = solver.check(assumptions, temporary=differ, budget=budget, kind="abstract")
            if result is not SAT:
                return literals if result is UNSAT else None
            model = solver.model_of(self._variables[location])
            if literals is None:
                store = self.queries.store
                literals = [p if evaluate(p, model) else store.not_(p) for p in known]
            else:
                literals = [lit for lit in literals if evaluate(lit, model)]
            if not literals:
                break
        return None
