"""Predicates that refute a spurious chain [CGMT16, 3.3]: the atoms of sequence interpolants.

Between the prefix A_k (initial states, k steps and the cubes up to x_k) and the rest stands J_k, a
formula over x_k:

    A_k implies J_k
    J_k(x) and T(x, i, x') and c_(k+1)(x') implies J_(k+1)(x')
    J_n and C implies P

`_backward` makes them from the violation back, each against one step only: a model of "one step,
then not J_(k+1)" is projected onto x_k; it is inconsistent with A_k, and a minimal core of it is a
clause of J_k. So only one step is ever projected, however long the chain is; A_k is asked of the
chain's own solver (`chain`). Where that does not end soon (on bit-vectors projection may go value
by value), the pair (A_k, one step) goes to `smt.interpolation`; where that fails:
`sequence_interpolants` of the whole chain, and last the atoms of the projected steps themselves. By
Thm. 2 the atoms rule the chain out. `reduced` [CGMT16, 5.5] leaves out those that an unsat core of
the abstract chain does not need; `related` adds atoms of the system that are likely to be asked for
next. Nothing here can make an answer wrong: predicates claim nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.chain import Chain
from obligato.engines.ic3ia.combine import combinations
from obligato.engines.ic3ia.lifting import preimage
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reduction import needed
from obligato.engines.ic3ia.related import RelatedAtoms
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import sorts_of
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make, kinds_of
from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import INT, REAL, Kind, Op, Term, size


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds of projection, and budgets of solver calls in the units of the theory's backend."""

    rounds: int
    drop: int  # a literal of a core
    core: int


NUMBERS = Effort(60, 400_000, 8_000_000)
WORDS = Effort(30, 1_000, 50_000)
MINIMISED = 40  # literals of a core that are tried to be dropped


class Refinement:
    """Finds predicates for one system."""

    def __init__(
        self, predicates: Predicates, options: Options, env: Environment, make: Make
    ) -> None:
        self.predicates, self.options, self.env, self.make = predicates, options, env, make
        self.system: TransitionSystem = predicates.system
        self.store = self.system.store
        self.effort = WORDS if Kind.BITVEC in kinds_of(sorts_of(self.system)) else NUMBERS
        self.hidden = [*self.system.primed.values(), *self.system.inputs]
        self.projected: dict[Term, None] = {}
        self.related = RelatedAtoms(predicates)

    def refine(self, chain: Chain) -> list[int]:
        """Add predicates; their numbers. Requires: the chain is spurious. Ensures: not empty unless
        every method failed.
        """
        self.projected = {}
        for method in (self._backward, self._sequence, self._atoms):
            found = method(chain)
            new = [
                p
                for p in dict.fromkeys(p for f in found or () for p in self.predicates.parts(f))
                if p not in self.predicates.number
            ]
            if new:
                self.env.count(f"refined_by{method.__name__}")
                break
        else:
            return []
        if self.options.reduce_predicates:
            new = needed(chain, new, self.make) or new
        return self.predicates.add(
            [*new, *(self.related.of(new) if self.options.related_atoms else ())]
        )

    # -- backward ----------------------------------------------------------------------------------

    def _backward(self, chain: Chain) -> list[Term] | None:
        """J_k, from the end of what is needed back to the initial states; None where one was not
        found.
        """
        out: list[Term] = []
        following = self.store.false
        for k in range(chain.length - 1, -1, -1):
            found = self._between(chain, k, following)
            if found is None:
                return None
            out.append(found)
            if found is self.store.true:
                break
            following = found
        return out

    def _between(self, chain: Chain, k: int, following: Term) -> Term | None:
        """J_k: implied by A_k; there is no violation, or no step to the next cube that leaves
        `following`, from J_k and c_k.
        """
        step = chain.step(k)
        if k < len(chain.cubes) - 1:
            step = [*step, self.system.prime(self.store.not_(following))]
        with closing(ActivationSolver(self.store, self.make, rebuild_every=0)) as solver:
            for f in step:
                solver.add(f)
            found = self._clauses(chain, k, step, solver)
        if found is not None:
            return found
        rest = self.store.and_(*step)
        return interpolate(chain.prefix(k), rest, make=self.make, budget=self.effort.core)

    def _clauses(
        self, chain: Chain, k: int, step: Sequence[Term], solver: ActivationSolver
    ) -> Term | None:
        clauses: list[Term] = []
        for _ in range(self.effort.rounds):
            self.env.tick()
            # step and clauses: sat - a state that steps out; unsat - the clauses are J_k
            # (heuristic)
            result = solver.check(kind="interpolate")
            if result is UNSAT:
                return self.store.and_(*clauses)
            core = self._core(chain, k, self._projected(step, solver)) if result is SAT else None
            if core is None:
                return None
            clauses.append(self.store.not_(self.store.and_(*core)))
            solver.add(clauses[-1])
        return None

    def _projected(self, step: Sequence[Term], solver: ActivationSolver) -> list[Term]:
        """The states that step out as the model does, as a cube."""
        model = solver.model_of((*self.system.state, *self.hidden))
        parts = [h for x in preimage(step, self.hidden, model) for h in _halves(x)]
        self.projected.update(dict.fromkeys(parts))
        return parts

    def _core(self, chain: Chain, k: int, literals: Sequence[Term]) -> list[Term] | None:
        """A minimal part of `literals` (about x_k) that A_k excludes; known and short predicates
        are kept rather.
        """
        known = self.predicates.number
        ordered = sorted(dict.fromkeys(literals), key=lambda x: (x.atom in known, -size(x), x.id))
        core = chain.excluded(k, ordered, self.effort.core)
        if core is None:
            return None
        for x in core[:MINIMISED]:
            if x in core:
                smaller = chain.excluded(k, [y for y in core if y is not x], self.effort.drop)
                core = core if smaller is None else smaller
        return self._combined(chain, k, core)

    def _combined(self, chain: Chain, k: int, core: list[Term]) -> list[Term]:
        """The core with several inequalities replaced by one that A_k excludes as well, where there
        is one.
        """
        for one, several in combinations(core) if self.options.combine else ():
            found = chain.excluded(
                k, [one, *(x for x in core if x not in several)], self.effort.drop
            )
            if found is not None:
                return self._combined(chain, k, found)
        return core

    # -- fallbacks ---------------------------------------------------------------------------------

    def _sequence(self, chain: Chain) -> list[Term] | None:
        """Sequence interpolants of the whole chain, about the state without time."""
        found = sequence_interpolants(chain.formulas(), make=self.make, budget=self.effort.core)
        return None if found is None else [chain.untimed(f, k) for k, f in enumerate(found)]

    def _atoms(self, chain: Chain) -> list[Term]:
        """The atoms of the steps that were projected."""
        return list(self.projected)


def _halves(literal: Term) -> list[Term]:
    """t = k as t <= k and t >= k."""
    if literal.op is not Op.EQ or literal.args[0].sort not in (INT, REAL):
        return [literal]
    s, (t, k) = literal.store, literal.args
    return [s.le(t, k), s.ge(t, k)]
