"""Refinement from one step [BBW14, 3.3]: predicates with which a lifting or a consecution query
succeeds.

Lifting: an interpolant R of s and "not pre" (s implies R, R implies pre) is made of the literals of
`pre` that the abstract CTI does not imply yet. They hold in s, so they become part of its
abstraction, and lifting succeeds.

Consecution: F and not s and C and T and s' is unsat. An interpolant R' (implied by the left side,
inconsistent with s') is found as its negation N, a cube that s satisfies: while F and not s and C
and T and N' has a model, its step is projected onto x'; the projection excludes s, so one of its
literals is false in s, and its negation joins N. That stays with the relations that the program
makes; where it does not end, bounds of the values of s from an unsat core will do (s itself always
is such a cube).

Equations become two inequalities (`Predicates`). Nothing here can make an answer wrong: predicates
claim nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ctigar.cti import equations
from obligato.engines.ctigar.options import Options
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.smt.implicant import halves, implicant_of_all
from obligato.smt.interpolation import interpolate
from obligato.smt.projection import project
from obligato.terms import Term, conjuncts, evaluate, free_vars, size, substitute

ROUNDS = 24  # projections of one consecution refinement
BUDGET = 4_000_000


class Refinement:
    """Finds predicates for failed queries of one system."""

    def __init__(
        self, predicates: Predicates, options: Options, env: Environment, make: Make
    ) -> None:
        self.predicates, self.options, self.env, self.make = predicates, options, env, make
        self.system, self.store = predicates.system, predicates.store
        self.hidden = [*self.system.state, *self.system.inputs]
        self._unprime = {p: x for x, p in self.system.primed.items()}
        self._steps = ActivationSolver(self.store, make, rebuild_every=options.rebuild_every)
        for f in (*self.system.constraints, self.system.trans):
            self._steps.add(f)

    # -- lifting -----------------------------------------------------------------------------------

    def lifting(self, state: ConcreteState, missing: Sequence[Term]) -> list[int]:
        """Requires: `missing` are the literals of pre that the abstraction of the state lacks."""
        if self.options.interpolants == "solver" and missing:
            found = interpolate(
                self.store.and_(*equations(state)),
                self.store.not_(self.store.and_(*missing)),
                make=self.make,
                budget=BUDGET,
            )
            if found is not None:
                return self.predicates.add(conjuncts(found)) or self.predicates.add(missing)
        return self.predicates.add(missing)

    # -- consecution -------------------------------------------------------------------------------

    def consecution(
        self, state: ConcreteState, abstraction: Sequence[Term], frame: Sequence[Term]
    ) -> list[int]:
        """Requires: frame and not s and C and T and s' is unsat; `abstraction` are the literals of
        s^, about x.

        Ensures: F and not t and C and T and t' is unsat for the new abstraction t of the state,
        unless a solver gave up.
        """
        other = self.store.not_(self.store.and_(*equations(state)))
        after = [h for e in equations(state) for h in halves(e)]
        primed = {self.system.prime(h): h for h in after}
        self.env.tick()
        # F and not s and C and T and s': unsat - a core of F and of the bounds of s; sat - a broken
        # contract   (heuristic)
        if self._steps.check([*frame, other, *primed], budget=BUDGET, kind="refine") is not UNSAT:
            return self.predicates.add(after)
        core = dict.fromkeys(self._steps.core())
        needed = [f for f in (*frame, other) if f in core]
        bounds = [primed[h] for h in self._steps.core() if h in primed]
        found = (
            self._by_solver(needed, state)
            if self.options.interpolants == "solver"
            else self._cube(state, abstraction, needed)
        )
        add = self.predicates.add
        return add(found or ()) or add(bounds) or add(after)

    def _cube(
        self, state: ConcreteState, abstraction: Sequence[Term], needed: Sequence[Term]
    ) -> list[Term] | None:
        """N without the literals that are known; None where it was not found."""
        step = [
            c for f in (*needed, *self.system.constraints, self.system.trans) for c in conjuncts(f)
        ]
        known = [self.system.prime(x) for x in abstraction]
        cube: list[Term] = []
        for _ in range(ROUNDS):
            self.env.tick()
            # F and not s and C and T and s^' and N': sat - a state to separate from s; unsat - N
            # will do   (heuristic)
            result = self._steps.check(
                [*needed, *known, *map(self.system.prime, cube)], budget=BUDGET, kind="refine"
            )
            if result is UNSAT:
                core = dict.fromkeys(self._steps.core())
                return [x for x in cube if self.system.prime(x) in core]
            if result is not SAT:
                return None
            model = self._steps.model_of(
                (*self.system.state, *self.system.inputs, *self.system.primed.values())
            )
            image = project(implicant_of_all(step, model), self.hidden, model, plain=True).literals
            apart = self._apart(state, [substitute(x, self._unprime) for x in image])
            if apart is None:
                return None
            cube.append(apart)
        return None

    def _apart(self, state: ConcreteState, image: Sequence[Term]) -> Term | None:
        """The negation of a literal of `image` that is false in the state: of few variables, short,
        with small constants.
        """
        parts = [h for x in image for h in halves(x)]
        refuted = [self.store.not_(x) for x in parts if not evaluate(x, state)]
        return min(refuted, key=_plainness) if refuted else None

    def _by_solver(self, needed: Sequence[Term], state: ConcreteState) -> list[Term] | None:
        after = self.store.and_(*equations(state, self.system.primed))
        step = self.store.and_(*needed, *self.system.constraints, self.system.trans)
        found = interpolate(step, after, make=self.make, budget=BUDGET)
        return (
            None if found is None else conjuncts(substitute(self.store.not_(found), self._unprime))
        )

    def close(self) -> None:
        """Free the solver."""
        self._steps.close()


def _plainness(literal: Term) -> tuple[int, int, int]:
    """Relations before bounds, then short ones."""
    return (len(free_vars(literal)) < 2, size(literal.atom), literal.id)
