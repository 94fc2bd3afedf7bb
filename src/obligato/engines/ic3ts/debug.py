"""The contracts of `hooks.py`, executed. Switched on in tests (`Environment.debug`); it asks z3 about terms, not the hooks.

Checked for each lemma: it holds initially and after a step from F_(level-1) at its level; for each obligation of exact hooks:
a state of it (one per model asked) violates a property or steps into the parent's cube; for the result: initiation,
consecution and safety of the invariant.
"""

from __future__ import annotations

from obligato.engines.ic3ts.cube import ConcreteState, Lemma, Obligation
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.hooks import Hooks
from obligato.errors import InternalError
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.smt import SAT, UNSAT, SatResult
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import Kind, Term


class DebugChecker:
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, system: TransitionSystem, hooks: Hooks, frames: Frames) -> None:
        self.system, self.hooks, self.frames = system, hooks, frames
        store = system.store
        self.bad = store.or_(*(store.not_(p.formula) for p in system.properties))
        self._context = Z3Context()

    def _check(self, *formulas: Term) -> SatResult:
        solver = Z3Solver(self._context)
        for f in formulas:
            solver.add(f)
        # the formulas: sat - a model; unsat - none: what that means is said by the caller
        result = solver.check()
        solver.close()
        return result

    def _frame(self, level: int) -> Term:
        store = self.system.store
        if level == 0:
            return self.system.init
        return store.and_(*self.hooks.known, *(store.not_(self.hooks.formula(x.cube)) for x in self.frames.at(level)))

    def lemma(self, lemma: Lemma) -> None:
        """I implies not c;  F_(level-1) and C and T implies not c'  (F_(level-1) includes the lemma itself)."""
        cube, s = self.hooks.formula(lemma.cube), self.system
        if self._check(s.init, cube) is not UNSAT:
            raise InternalError(f"the lemma {lemma.cube} does not hold initially")
        if self._check(self._frame(lemma.level - 1), *s.constraints, s.trans, s.prime(cube)) is not UNSAT:
            raise InternalError(f"the lemma {lemma.cube} does not hold at level {lemma.level}")

    def obligation(self, o: Obligation) -> None:
        """A state of the cube (the concrete one, if it has one) does what the obligation says, for some inputs."""
        s = self.system
        state = self._state_of(o)
        here = [s.store.eq(x, s.store.const(v, x.sort)) for x, v in state.items() if x.sort.kind is not Kind.ARRAY]
        if self._check(*here, self.hooks.formula(o.cube)) is UNSAT:
            raise InternalError(f"the concrete state of the obligation {o.cube} is not in its cube")
        if not self.hooks.exact:
            return
        does = [self.bad] if o.parent is None else [s.trans, s.prime(self.hooks.formula(o.parent.cube))]
        if self._check(*here, *s.constraints, *does) is UNSAT:
            raise InternalError(f"a state of the obligation {o.cube} does not do what it says")

    def _state_of(self, o: Obligation) -> ConcreteState:
        if o.state is not None:
            return o.state
        solver = Z3Solver(self._context)
        for f in (self.hooks.formula(o.cube), *self.hooks.known):
            solver.add(f)
        # cube: sat - a state; unsat - an obligation without states
        if solver.check() is not SAT:
            raise InternalError(f"the obligation {o.cube} has no states")
        state = solver.model_of(self.system.state)
        solver.close()
        return state

    def certificate(self, certificate: SystemCertificate) -> None:
        """I implies Inv;  Inv and C and T implies Inv';  Inv and C implies P."""
        s, inv = self.system, certificate.invariant
        no = s.store.not_
        for name, formulas in (("initiation", (s.init, no(inv))), ("safety", (inv, *s.constraints, self.bad)),
                               ("consecution", (inv, *s.constraints, s.trans, no(s.prime(inv))))):
            if self._check(*formulas) is not UNSAT:
                raise InternalError(f"the invariant fails {name}")
