"""Half-space lemmas [Bra12, 1.2]: for a CTI s a linear inequality that excludes it and is inductive
relative to a frame.

Wanted is h: a.x + c >= 0 with small integers a, such that for the location l of s (everywhere, if
there is no control)

    not h(s)      I and l implies h      F and (l implies h) and C and T implies (l' implies h')

[Bra12] finds a and c by Farkas' lemma, one system of constraints per path. Here a solver for a and
c and the two queries take turns: an initial state, or a step from where the clause holds to where
it does not, becomes a constraint on a and c. As T is asked as it is, paths need not be enumerated.

Limitation: Int only; at most `ROUNDS` turns for each of `SIZES`; coefficients at most `COEFFICIENT`
in absolute value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from obligato.analysis.affine_system import control_variables, located
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.initial import Initial
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.smt import SAT, UNSAT, Solver
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.terms import INT, Op, Term, Value, evaluate

ROUNDS = 24
MOST_VARIABLES = 10
COEFFICIENT = 2
# coefficients that are not zero, and the constant: simple ones first
SIZES = ((1, 2), (2, 8), (MOST_VARIABLES, 1000))
BUDGET = 1_000_000


class HalfSpaces:
    """Finds half-spaces of one system, for the first `tries` CTIs; `steps` knows C and T, `initial`
    the initial states.
    """

    def __init__(
        self,
        predicates: Predicates,
        steps: ActivationSolver,
        initial: Initial,
        env: Environment,
        make: Make,
        tries: int,
    ) -> None:
        self.predicates, self.system, self.store = predicates, predicates.system, predicates.store
        self.steps, self.initial, self.env, self.make, self.tries = steps, initial, env, make, tries
        self.control = control_variables(self.system)
        self.variables = [x for x in self.system.state if x.sort is INT and x not in self.control][
            :MOST_VARIABLES
        ]
        self.coefficients = [self.store.fresh(f"a!{n}", INT) for n in range(len(self.variables))]
        self.constant = self.store.fresh("c!", INT)
        self.literals: dict[int, None] = {}  # those that say: not in the half-space

    def note(self, state: ConcreteState, frame: Sequence[Term]) -> list[int]:
        """Look for a half-space without the state; the numbers of new predicates."""
        if not self.tries or not self.variables or self.excluding(state):
            return []
        self.tries -= 1
        found = self.find(state, frame)
        if found is None:
            return []
        added = self.predicates.add([found])
        n = self.predicates.number[found.atom]
        self.literals[-n if found is found.atom else n] = None
        self.env.count("half_spaces")
        return added

    def excluding(self, state: ConcreteState) -> list[int]:
        """The literals that say that a state is not in a half-space."""
        return [n for n in self.literals if evaluate(self.predicates.literal(n), state)]

    def candidate(self, cube: Cube) -> Cube | None:
        """The part of a cube that says: at this location and not in a half-space; None where it
        says nothing about one.
        """
        known = dict.fromkeys(self.control)
        chosen = [
            n
            for n in cube
            if n in self.literals or all(v in known for v in self.predicates.variables[abs(n)])
        ]
        return (
            tuple(chosen)
            if len(chosen) < len(cube) and any(n in self.literals for n in chosen)
            else None
        )

    def find(self, state: ConcreteState, frame: Sequence[Term]) -> Term | None:
        """Requires: `frame` are assumptions that switch F on in `steps`."""
        here = located(self.control, tuple(state[x] for x in self.control))
        with closing(self.make()) as solver:
            for a in self.coefficients:
                solver.add(self.store.le(self.store.int_(-COEFFICIENT), a))
                solver.add(self.store.le(a, self.store.int_(COEFFICIENT)))
            solver.add(self.store.not_(self._at(state)))
            found = (self._search(solver, size, here, frame) for size in SIZES)
            return next((half for half in found if half is not None), None)

    def _search(
        self, solver: Solver, size: tuple[int, int], here: list[Term], frame: Sequence[Term]
    ) -> Term | None:
        """A half-space with at most so many coefficients and so large a constant; what is learned
        stays in `solver`.
        """
        s = self.store
        most, largest = (s.int_(n) for n in size)
        used = s.add(
            s.int_(0), *(s.ite(s.eq(a, s.int_(0)), s.int_(0), s.int_(1)) for a in self.coefficients)
        )
        small = [
            s.le(used, most),
            s.le(s.int_(1), used),
            s.le(self.constant, largest),
            s.le(s.neg(self.constant), largest),
        ]
        for _ in range(ROUNDS):
            self.env.tick()
            # a, c and what was learned: sat - a candidate; unsat - there is none of this size
            # (heuristic)
            if solver.check(small, budget=BUDGET, kind="half-space") is not SAT:
                return None
            half = self._half_space(solver.model_of([*self.coefficients, self.constant]))
            lesson = None if half is None else self._lesson(half, here, frame)
            if half is None or lesson is None:
                return None
            if lesson is self.store.true:
                return half
            solver.add(lesson)
        return None

    def _at(self, state: Mapping[Term, Value]) -> Term:
        """The template's value at a state is not negative, as a formula over a and c."""
        s = self.store
        terms = [
            s.mul(s.const(state[x], INT), a)
            for x, a in zip(self.variables, self.coefficients, strict=True)
        ]
        return s.ge(s.add(self.constant, *terms), s.int_(0))

    def _half_space(self, model: Mapping[Term, Value]) -> Term | None:
        s = self.store
        a, c = [evaluate(t, model) for t in self.coefficients], evaluate(self.constant, model)
        terms = [s.mul(s.const(v, INT), x) for v, x in zip(a, self.variables, strict=True)]
        half = s.ge(s.add(s.const(c, INT), *terms), s.int_(0))
        return None if half.op is Op.CONST else half

    def _lesson(self, half: Term, here: list[Term], frame: Sequence[Term]) -> Term | None:
        """True: the half-space will do; else what a and c must satisfy; None: a solver gave up."""
        s, prime = self.store, self.system.prime
        self.env.tick()
        # I and l and not h: sat - a state that h must have   (heuristic)
        result = self.initial.solver.check([*here, s.not_(half)], budget=BUDGET, kind="half-space")
        if result is SAT:
            return self._at(
                self._values(self.initial.solver.model_of(self.system.state), self.system.state)
            )
        if result is not UNSAT:
            return None
        self.env.tick()
        # F and (l implies h) and C and T and l' and not h': sat - a step that h must have; unsat -
        # found   (heuristic)
        result = self.steps.check(
            [*frame, *map(prime, here), s.not_(prime(half))],
            temporary=[s.implies(s.and_(*here), half)],
            budget=BUDGET,
            kind="half-space",
        )
        if result is not SAT:
            return s.true if result is UNSAT else None
        model = self.steps.model_of((*self.system.state, *self.system.primed.values()))
        before = self._values(model, self.system.state)
        after = self._at(self._values(model, list(self.system.primed.values()), self.system.state))
        return (
            s.implies(self._at(before), after) if all(evaluate(x, before) for x in here) else after
        )

    def _values(
        self, model: Mapping[Term, Value], names: Sequence[Term], to: Sequence[Term] | None = None
    ) -> dict[Term, Value]:
        return {
            x: evaluate(name, model)
            for name, x in zip(names, names if to is None else to, strict=True)
        }
