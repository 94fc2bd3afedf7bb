"""Contracts, executed: what the debug checkers of the engines share.
They ask z3 of their own, never the engine's solvers.

A contract that z3 cannot decide within the budget counts as kept: only a model against it, or a
refutation of what it promises, is a violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obligato.errors import InternalError
from obligato.smt import SAT, UNSAT
from obligato.terms import Kind, Term, TermStore, Value

if TYPE_CHECKING:
    from obligato.smt.z3_backend import Z3Solver

BUDGET = 20_000_000


class ContractChecker:
    """Raises `InternalError` at the first contract that is certainly broken."""

    def __init__(self, store: TermStore) -> None:
        # its library is large, and most runs check no contracts
        from obligato.smt.z3_context import Z3Context

        self.store = store
        self._context = Z3Context()

    def _solver(self, formulas: Sequence[Term]) -> Z3Solver:
        from obligato.smt.z3_backend import Z3Solver

        solver = Z3Solver(self._context)
        for f in formulas:
            solver.add(f)
        return solver

    def never(self, complaint: str, *formulas: Term) -> None:
        """The formulas must be unsatisfiable together."""
        solver = self._solver(formulas)
        # formulas: sat - the contract is broken; unsat or unknown - it may hold
        result = solver.check(budget=BUDGET)
        solver.close()
        if result is SAT:
            raise InternalError(complaint)

    def possible(self, complaint: str, *formulas: Term) -> None:
        """The formulas must be satisfiable together."""
        solver = self._solver(formulas)
        # formulas: unsat - the contract is broken; sat or unknown - it may hold
        result = solver.check(budget=BUDGET)
        solver.close()
        if result is UNSAT:
            raise InternalError(complaint)

    def implies(self, complaint: str, premise: Sequence[Term], conclusion: Sequence[Term]) -> None:
        """The premises must imply all conclusions."""
        self.never(complaint, *premise, self.store.not_(self.store.and_(*conclusion)))

    def a_state(
        self, complaint: str, formulas: Sequence[Term], variables: Sequence[Term]
    ) -> list[Term] | None:
        """Equations that describe a state of the formulas, which must have one; None:
        not found. Arrays are left open."""
        solver = self._solver(formulas)
        # formulas: unsat - there is no such state, the contract is broken
        result = solver.check(budget=BUDGET)
        state = solver.model_of(variables) if result is SAT else None
        solver.close()
        if result is UNSAT:
            raise InternalError(complaint)
        return None if state is None else self.equations(state)

    def equations(self, values: dict[Term, Value]) -> list[Term]:
        """The values as equations."""
        s = self.store
        return [
            s.eq(x, s.const(v, x.sort)) for x, v in values.items() if x.sort.kind is not Kind.ARRAY
        ]
