"""A chain of cubes as a formula over points of time [CGMT16, Eq. 5], and what its prefixes exclude.

The chain is I(x0), c0(x0), T(x0, i0, x1), c1(x1), ..., not P(xn, in), with the constraints at each
step. A cube decides many atoms of the steps beside it (the program counter, conditions of
branches): they are replaced by their values, after which a step is little more than the edge of the
program that is taken. So each chain has a small solver of its own, and questions about its prefixes
are cheap, which they are not on an unrolling of all paths.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube
from obligato.models.ts_claims import SystemTrace
from obligato.models.unrolling import Unrolling
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term, conjuncts, substitute

REBUILD_EVERY = 200


class Chain:
    """One chain; `length` is how much of it is spurious: n + 1 of n steps are all of them and the
    violation.
    """

    def __init__(
        self, predicates: Predicates, cubes: list[Cube], env: Environment, make: Make
    ) -> None:
        self.system, self.predicates = predicates.system, predicates
        self.cubes, self.env = cubes, env
        self.store = self.system.store
        self.unrolling = Unrolling(self.system)
        self.length = len(cubes)
        self.solver = ActivationSolver(self.store, make, rebuild_every=REBUILD_EVERY)
        self._switches = [self.store.fresh(f"step!{t}", BOOL) for t in range(len(cubes))]
        self._parts = [self._step(t) for t in range(len(cubes))]
        self._start = self.unrolling.at(
            self.store.and_(self.system.init, predicates.formula(cubes[0])), 0
        )
        self.solver.add(self._start)
        for t, switch in enumerate(self._switches):
            self.solver.add(self._timed(t), under=switch)

    # -- formulas ----------------------------------------------------------------------------------

    def _step(self, t: int) -> list[Term]:
        """The step from x_t to the next cube, over (x, i, x'), or the violation; equivalent to it
        where c_t holds.
        """
        s, p = self.system, self.predicates
        known = dict(self._decided(p.terms[abs(x)], x > 0) for x in self.cubes[t])
        if t == len(self.cubes) - 1:
            parts = [self.store.or_(*(self.store.not_(q.formula) for q in s.assertions))]
            target = []
        else:
            parts, target = [s.trans], [p.next_literal(x) for x in self.cubes[t + 1]]
            known |= dict(self._decided(p.primed[abs(x)], x > 0) for x in self.cubes[t + 1])
        reduced = [c for f in (*s.constraints, *parts) for c in conjuncts(substitute(f, known))]
        return [*reduced, *target]

    def _decided(self, literal: Term, value: bool) -> tuple[Term, Term]:
        """The atom of a literal and its value where the literal has this one: renaming may have
        turned a predicate into a negation.
        """
        return literal.atom, self.store.bool_(value is (literal is literal.atom))

    def step(self, t: int) -> list[Term]:
        """See `_step`."""
        return self._parts[t]

    def _timed(self, t: int) -> Term:
        return self.unrolling.across(self.store.and_(*self._parts[t]), t)

    def formulas(self) -> list[Term]:
        """The spurious part as a sequence: initial states, steps, violation."""
        return [self._start, *(self._timed(t) for t in range(self.length))]

    def prefix(self, k: int) -> Term:
        """A_k about the state without time, earlier states with theirs."""
        return self.untimed(self.store.and_(*self.formulas()[: k + 1]), k)

    def untimed(self, formula: Term, k: int) -> Term:
        """A formula about x_k, without its time."""
        return substitute(formula, {self.unrolling.var(x, k): x for x in self.system.state})

    # -- questions ---------------------------------------------------------------------------------

    def run(self) -> SystemTrace | None:
        """The run that the cubes stand for; None: the chain is spurious, and `length` says how much
        of it.
        """
        self.env.tick()
        # I and c0 and T and c1 ... and not P: sat - a run; unsat - spurious, with the steps that
        # took part   (required)
        result = self.solver.check(self._switches, kind="concretise")
        if result is SAT:
            return self.unrolling.trace(self.solver.model_of, len(self.cubes) - 1)
        if result is not UNSAT:
            raise self.env.undecided("whether a counterexample is spurious")
        core = dict.fromkeys(self.solver.core())
        self.length = max([0, *(t for t, switch in enumerate(self._switches, 1) if switch in core)])
        return None

    def excluded(self, k: int, literals: Sequence[Term], budget: int) -> list[Term] | None:
        """A part of `literals`, about x_k, that the prefix A_k excludes; None if it does not, or
        cannot be decided.
        """
        origin = {self.unrolling.at(x, k): x for x in literals}
        self.env.tick()
        # A_k and literals: unsat - a core of the literals; sat - none   (heuristic)
        if (
            self.solver.check([*self._switches[:k], *origin], budget=budget, kind="exclude")
            is not UNSAT
        ):
            return None
        return [origin[t] for t in self.solver.core() if t in origin]

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()
