"""Abstract CTIs and their lifting [BBW14, 3.1].

`pre` stands for "z and T implies t'" in the paper's query: the projection of an implicant of the
step onto the state. It is a cube that the concrete state satisfies, and each state in it satisfies
the constraints and has a step to the target. So a relation that is not total, one that is not a
function, and constraints need no care beyond: where the relation is total and functional and the
inputs are fixed (`inputs` = fixed, the paper's z) the query says what the paper's does along the
path that the state takes; with `inputs` = free they are projected as the next state is.

    s^ and not pre:   unsat - lifting succeeds, and its core is the lifted CTI
                      sat - a lifting abstraction failure (LAF)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from obligato.engines.ctigar.cti import equations
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube, cube_of
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.engines.kernel.debug import ContractChecker
from obligato.smt import SAT, UNSAT, SatResult
from obligato.smt.activation import ActivationSolver
from obligato.smt.implicant import implicant_of_all
from obligato.smt.projection import project
from obligato.terms import Term, Value, conjuncts, evaluate, substitute

MOST_CUBES = 16  # of one abstract CTI by AllSAT


class AbstractLifting:
    """Abstracts concrete CTIs and lifts abstract ones; `solver` has no formulas of its own."""

    def __init__(
        self,
        predicates: Predicates,
        solver: ActivationSolver,
        env: Environment,
        *,
        free_inputs: bool,
    ) -> None:
        self.predicates, self.solver, self.env = predicates, solver, env
        self.free_inputs = free_inputs
        self.system, self.store = predicates.system, predicates.store
        self._debug = ContractChecker(self.store) if env.debug else None

    def preimage(self, step: Sequence[Term], model: Mapping[Term, Value]) -> tuple[Term, ...]:
        """Requires: model |= step. Ensures: a cube over the state that the model satisfies and that
        implies exists i, x'. step (where inputs are fixed: with the inputs of the model).
        """
        literals = implicant_of_all([c for f in step for c in conjuncts(f)], model)
        hidden = list(self.system.primed.values())
        inputs = {i: self.store.const(evaluate(i, model), i.sort) for i in self.system.inputs}
        if self.free_inputs:
            hidden += self.system.inputs
        else:
            literals = [substitute(x, inputs) for x in literals]
        found = project(literals, hidden, model, plain=self.free_inputs).literals
        if self._debug is not None:
            fixed = {} if self.free_inputs else inputs
            self._debug.preimage([substitute(f, fixed) for f in step], hidden, model, found)
        return found

    def lift(self, cube: Cube, pre: Sequence[Term]) -> Cube | None:
        """A part of the abstract CTI that implies `pre`; None: a LAF, or the solver cannot tell."""
        literals = {self.predicates.literal(n): n for n in cube}
        kept = [literals[x] for x in pre if x in literals]
        rest = [x for x in pre if x not in literals]
        if not rest:
            return cube_of(kept)
        self.env.tick()
        # s^ and not pre: unsat - lifted, a core of s^ implies pre; sat - a LAF   (heuristic)
        if self._refuted(literals, rest) is not UNSAT:
            return None
        return cube_of([*kept, *(literals[x] for x in self.solver.core() if x in literals)])

    def _refuted(self, literals: Iterable[Term], facts: Sequence[Term]) -> SatResult:
        """Can the literals hold without all of the facts?"""
        some_fails = self.store.not_(self.store.and_(*facts))
        # literals and not (all facts): unsat - the literals imply the facts; sat - a state where not
        # (heuristic)
        return self.solver.check(list(literals), temporary=[some_fails], kind="lift")

    def missing(self, cube: Cube, pre: Sequence[Term]) -> list[Term]:
        """The literals of `pre` that the abstract CTI does not imply: conjuncts of an interpolant
        of s and "not pre".
        """
        literals = [self.predicates.literal(n) for n in cube]
        known = dict.fromkeys(literals)
        return [x for x in pre if x not in known and not self._implies(literals, x)]

    def _implies(self, literals: Sequence[Term], fact: Term) -> bool:
        self.env.tick()
        # s^ and not fact: unsat - implied; sat - to be added   (heuristic)
        return self.solver.check([*literals, self.store.not_(fact)], kind="lift") is UNSAT

    # -- partial assignments -----------------------------------------------------------------------

    def partial(self, state: ConcreteState, pre: Sequence[Term]) -> dict[Term, Value]:
        """The part of a concrete CTI that implies `pre`: concrete lifting, which always
        succeeds.
        """
        origin = dict(zip(equations(state), state, strict=True))
        self.env.tick()
        # s and not pre: unsat - a core of s implies pre; unknown - all is kept   (heuristic)
        if self._refuted(origin, pre) is not UNSAT:
            return dict(state)
        kept = {origin[x] for x in self.solver.core() if x in origin}
        return {x: v for x, v in state.items() if x in kept}

    def cube(self, state: ConcreteState) -> Cube:
        """The best-effort abstract CTI: the literals that the (partial) assignment makes true
        [BBW14, 3.1].
        """
        p = self.predicates
        if all(x in state for x in self.system.state):
            return p.cube(p.state(state))
        values = {x: self.store.const(v, x.sort) for x, v in state.items()}
        decided = [(n, substitute(p.terms[n], values)) for n in range(1, len(p) + 1)]
        truths = (self.store.true, self.store.false)
        return tuple([n if t is self.store.true else -n for n, t in decided if t in truths])

    def others(
        self, state: ConcreteState, partial: ConcreteState, known: Sequence[Term]
    ) -> list[ConcreteState]:
        """States with the same partial assignment for which `known` holds, one for each of the other
        cubes that its most precise abstraction consists of, by AllSAT [BBW14, footnote 5]; fewer
        than `MOST_CUBES`.
        """
        out: list[ConcreteState] = []
        blocked = [self.store.not_(self.predicates.formula(self.cube(state)))]
        while len(blocked) < MOST_CUBES:
            self.env.tick()
            # s and what is known and not the cubes so far: sat - one more; unsat - all found
            # (heuristic)
            question = [*blocked, *known]
            if self.solver.check(equations(partial), temporary=question, kind="allsat") is not SAT:
                break
            model = self.solver.model_of(self.system.state)
            out.append(
                {x: partial[x] if x in partial else evaluate(x, model) for x in self.system.state}
            )
            blocked.append(self.store.not_(self.predicates.formula(self.cube(out[-1]))))
        return out
