"""Predicates that refute a spurious chain [CGMT16, 3.3]: the atoms of sequence interpolants.

Between the prefix A_k (initial states, k steps and the cubes up to x_k) and the rest stands J_k, a formula over x_k:

    A_k implies J_k      J_k(x) and T(x, i, x') and c_(k+1)(x') implies J_(k+1)(x')      J_n and C implies P

`_backward` makes them from the violation back, each against one step only: a model of "one step, then not J_(k+1)" is
projected onto x_k; it is inconsistent with A_k, and a minimal core of it is a clause of J_k. So only one step is ever
projected, however long the chain is; A_k is asked of the solver that unrolls the system anyway (`concretise`).
For bit-vectors, where projection tends to single values, the pair (A_k, one step) goes to `smt.interpolation`.

Where that fails: `sequence_interpolants` of the whole chain, and last the atoms of the projected steps themselves.
By Thm. 2 the atoms rule the chain out. `reduced` [CGMT16, 5.5] leaves out those that an unsat core of the abstract chain does
not need.  Nothing here can make an answer wrong: predicates claim nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.concretise import Concretiser, Spurious
from obligato.engines.ic3ia.lifting import preimage
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates, positive
from obligato.engines.ic3ia.reduction import needed
from obligato.engines.ic3ts import Cube
from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import FrameSolver
from obligato.smt.factory import Make
from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import INT, REAL, Kind, Op, Term, conjuncts, size, substitute

ROUNDS = 60
BUDGET = 1_000_000  # of each solver call in the fallback
MINIMISED = 40  # literals of a core that are tried to be dropped


class Refinement:
    """Finds predicates for one system."""

    def __init__(self, concretiser: Concretiser, options: Options, make: Make) -> None:
        self.concretiser, self.options, self.make = concretiser, options, make
        self.system: TransitionSystem = concretiser.system
        self.predicates: Predicates = concretiser.predicates
        self.env: Environment = concretiser.env
        self.store = self.system.store
        self.words = any(x.sort.kind is Kind.BITVEC for x in self.system.state)
        self.bad = [*self.system.constraints, self.store.or_(*(self.store.not_(p.formula) for p in self.system.properties))]
        self.step = [c for f in (*self.system.constraints, self.system.trans) for c in conjuncts(f)]
        self.hidden = [*self.system.primed.values(), *self.system.inputs]
        self.projected: dict[Term, None] = {}

    def refine(self, spurious: Spurious) -> list[int]:
        """Add predicates; their numbers. Ensures: not empty unless every method failed."""
        self.projected = {}
        for method in (self._backward, self._sequence, self._atoms):
            found = method(spurious)
            new = [p for p in dict.fromkeys(p for f in found or () for p in self.predicates.parts(f))
                   if p not in self.predicates.number]
            if new:
                self.env.count(f"refined_by{method.__name__}")
                break
        else:
            return []
        if self.options.reduce_predicates:
            new = needed(self.concretiser, spurious, new, self.make) or new
        return self.predicates.add(new)

    # -- backward -------------------------------------------------------------------------------------------------------

    def _backward(self, spurious: Spurious) -> list[Term] | None:
        """J_k, from the end of what is needed back to the initial states; None where one was not found."""
        out: list[Term] = []
        following = self.store.false
        for k in range(spurious.length - 1, -1, -1):
            found = self._between(spurious, k, self._step_after(spurious.cubes, k, following))
            if found is None:
                return None
            out.append(found)
            if found is self.store.true:
                break
            following = found
        return out

    def _step_after(self, cubes: list[Cube], k: int, following: Term) -> list[Term]:
        """What must not happen from x_k: a violation if it is the last, else a step out of `following`."""
        if k == len(cubes) - 1:
            return self.bad
        target = map(self.predicates.next_literal, cubes[k + 1])
        return [*self.step, *target, self.system.prime(self.store.not_(following))]

    def _between(self, spurious: Spurious, k: int, step: Sequence[Term]) -> Term | None:
        """J_k: implied by A_k, inconsistent with `step`."""
        if self.words:
            a = substitute(self.concretiser.prefix_formula(spurious, k), self.concretiser.untimed(k))
            found = interpolate(a, self.store.and_(*step), make=self.make)
            if found is not None:
                return found
        solver = FrameSolver(self.store, self.make, rebuild_every=0)
        try:
            for f in step:
                solver.add(f)
            return self._clauses(spurious, k, step, solver)
        finally:
            solver.close()

    def _clauses(self, spurious: Spurious, k: int, step: Sequence[Term], solver: FrameSolver) -> Term | None:
        clauses: list[Term] = []
        for _ in range(ROUNDS):
            self.env.tick()
            # step and clauses: sat - a state that steps out; unsat - the clauses are J_k   (heuristic)
            result = solver.check(kind="interpolate")
            if result is UNSAT:
                return self.store.and_(*clauses)
            if result is not SAT:
                return None
            model = solver.model_of((*self.system.state, *self.hidden))
            parts = [h for x in preimage(step, self.hidden, model) for h in _halves(x)]
            self.projected.update(dict.fromkeys(parts))
            core = self._core(spurious, k, parts)
            if core is None:
                return None
            clauses.append(self.store.not_(self.store.and_(*core)))
            if not core:
                return self.store.false
            solver.add(clauses[-1])
        return None

    def _core(self, spurious: Spurious, k: int, literals: Sequence[Term]) -> list[Term] | None:
        """A minimal part of `literals` (about x_k) that A_k excludes; known and short predicates are kept rather."""
        known = self.predicates.number
        ordered = sorted(dict.fromkeys(literals), key=lambda x: (positive(x) in known, -size(x), x.id))
        core = self.concretiser.excluded(spurious, k, ordered)
        if core is None:
            return None
        for x in core[:MINIMISED]:
            if x in core:
                smaller = self.concretiser.excluded(spurious, k, [y for y in core if y is not x])
                core = core if smaller is None else smaller
        return core

    # -- fallbacks ------------------------------------------------------------------------------------------------------

    def _sequence(self, spurious: Spurious) -> list[Term] | None:
        """Sequence interpolants of the whole chain, about the state without time."""
        found = sequence_interpolants(self.concretiser.formulas(spurious), make=self.make, budget=BUDGET)
        if found is None:
            return None
        return [substitute(f, self.concretiser.untimed(k)) for k, f in enumerate(found)]

    def _atoms(self, spurious: Spurious) -> list[Term]:
        """The atoms of the steps that were projected."""
        return list(self.projected)


def _halves(literal: Term) -> list[Term]:
    """t = k as t <= k and t >= k."""
    if literal.op is not Op.EQ or literal.args[0].sort not in (INT, REAL):
        return [literal]
    s, (t, k) = literal.store, literal.args
    return [s.le(t, k), s.ge(t, k)]
