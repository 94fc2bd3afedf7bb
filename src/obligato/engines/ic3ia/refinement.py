"""Predicates that refute a spurious chain [CGMT16, 3.3]: the atoms of sequence interpolants.

Between the prefix A_k (initial states, k steps and the cubes up to x_k) and the rest stands J_k, a formula over x_k:

    A_k implies J_k      J_k(x) and T(x, i, x') and c_(k+1)(x') implies J_(k+1)(x')      J_n and C implies P

`_backward` makes them from the violation back, each against one step only: a model of "one step, then not J_(k+1)" is
projected onto x_k; it is inconsistent with A_k, and a minimal core of it is a clause of J_k. So only one step is ever
projected, however long the chain is; A_k is asked of the solver that unrolls the system anyway (`concretise`).
Where that does not end soon (on bit-vectors projection may go value by value), the pair (A_k, one step) goes to
`smt.interpolation`; where that fails: `sequence_interpolants` of the whole chain, and last the
atoms of the projected steps themselves.
By Thm. 2 the atoms rule the chain out. `reduced` [CGMT16, 5.5] leaves out those that an unsat core of the abstract chain does
not need.  Nothing here can make an answer wrong: predicates claim nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.combine import combinations
from obligato.engines.ic3ia.concretise import Concretiser, Spurious
from obligato.engines.ic3ia.lifting import preimage
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates, positive
from obligato.engines.ic3ia.reduction import needed
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import sorts_of
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import FrameSolver
from obligato.smt.factory import Make, kinds_of
from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import INT, REAL, Kind, Op, Term, conjuncts, size, substitute


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds of projection, and budgets of solver calls in the units of the theory's backend."""

    rounds: int
    drop: int  # a literal of a core
    core: int


NUMBERS = Effort(60, 400_000, 8_000_000)
WORDS = Effort(30, 1_000, 50_000)
REBUILD_EVERY = 100
MINIMISED = 40  # literals of a core that are tried to be dropped


@dataclass(frozen=True, slots=True)
class _Step:
    """What must not happen from x_k: `step` (in the solver for good) and `target` and `left` (under `active`)."""

    solver: FrameSolver
    step: list[Term]
    target: list[Term]
    left: list[Term]
    active: Term


class Refinement:
    """Finds predicates for one system."""

    def __init__(self, concretiser: Concretiser, options: Options, make: Make) -> None:
        self.concretiser, self.options, self.make = concretiser, options, make
        self.system: TransitionSystem = concretiser.system
        self.predicates: Predicates = concretiser.predicates
        self.env: Environment = concretiser.env
        self.store = self.system.store
        self.effort = WORDS if Kind.BITVEC in kinds_of(sorts_of(self.system)) else NUMBERS
        self.bad = [*self.system.constraints, self.store.or_(*(self.store.not_(p.formula) for p in self.system.properties))]
        self.step = [c for f in (*self.system.constraints, self.system.trans) for c in conjuncts(f)]
        self.hidden = [*self.system.primed.values(), *self.system.inputs]
        self.projected: dict[Term, None] = {}
        self._steps, self._ends = (FrameSolver(self.store, make, rebuild_every=REBUILD_EVERY) for _ in range(2))
        for solver, formulas in ((self._steps, self.step), (self._ends, self.bad)):
            for f in formulas:
                solver.add(f)

    def close(self) -> None:
        """Free the solvers."""
        self._steps.close()
        self._ends.close()

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
            found = self._between(spurious, k, following)
            if found is None:
                return None
            out.append(found)
            if found is self.store.true:
                break
            following = found
        return out

    def _between(self, spurious: Spurious, k: int, following: Term) -> Term | None:
        """J_k: implied by A_k; no violation (if x_k is the last), else no step from it to the next cube leaves `following`."""
        last = k == len(spurious.cubes) - 1
        solver, step = (self._ends, self.bad) if last else (self._steps, self.step)
        target = [] if last else [self.predicates.next_literal(x) for x in spurious.cubes[k + 1]]
        left = [] if last else [self.system.prime(self.store.not_(following))]
        found = self._clauses(spurious, k, _Step(solver, step, target, left, solver.activate(*left)))
        if found is None:
            a = substitute(self.concretiser.prefix_formula(spurious, k), self.concretiser.untimed(k))
            found = interpolate(a, self.store.and_(*step, *target, *left), make=self.make, budget=self.effort.core)
        return found

    def _clauses(self, spurious: Spurious, k: int, step: _Step) -> Term | None:
        clauses: list[Term] = []
        try:
            for _ in range(self.effort.rounds):
                self.env.tick()
                # step and clauses: sat - a state that steps out; unsat - the clauses are J_k   (heuristic)
                result = step.solver.check([step.active, *step.target], kind="interpolate")
                if result is UNSAT:
                    return self.store.and_(*clauses)
                core = self._core(spurious, k, self._projected(step)) if result is SAT else None
                if core is None:
                    return None
                clauses.append(self.store.not_(self.store.and_(*core)))
                step.solver.add(clauses[-1], under=step.active)
            return None
        finally:
            step.solver.retire(step.active)

    def _projected(self, step: _Step) -> list[Term]:
        """The states that step out as the model does, as a cube."""
        model = step.solver.model_of((*self.system.state, *self.hidden))
        cube = preimage([*step.step, *step.target, *step.left], self.hidden, model)
        parts = [h for x in cube for h in _halves(x)]
        self.projected.update(dict.fromkeys(parts))
        return parts

    def _core(self, spurious: Spurious, k: int, literals: Sequence[Term]) -> list[Term] | None:
        """A minimal part of `literals` (about x_k) that A_k excludes; known and short predicates are kept rather."""
        known = self.predicates.number
        ordered = sorted(dict.fromkeys(literals), key=lambda x: (positive(x) in known, -size(x), x.id))
        core = self.concretiser.excluded(spurious, k, ordered, self.effort.core)
        if core is None:
            return None
        for x in core[:MINIMISED]:
            if x in core:
                smaller = self.concretiser.excluded(spurious, k, [y for y in core if y is not x], self.effort.drop)
                core = core if smaller is None else smaller
        return self._combined(spurious, k, core)

    def _combined(self, spurious: Spurious, k: int, core: list[Term]) -> list[Term]:
        """The core with several inequalities replaced by one that A_k excludes as well, where there is one."""
        for one, several in combinations(core) if self.options.combine else ():
            found = self.concretiser.excluded(spurious, k, [one, *(x for x in core if x not in several)], self.effort.drop)
            if found is not None:
                return self._combined(spurious, k, found)
        return core

    # -- fallbacks ------------------------------------------------------------------------------------------------------

    def _sequence(self, spurious: Spurious) -> list[Term] | None:
        """Sequence interpolants of the whole chain, about the state without time."""
        found = sequence_interpolants(self.concretiser.formulas(spurious), make=self.make, budget=self.effort.core)
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
