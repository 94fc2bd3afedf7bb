"""Contracts, executed: what the debug checkers of the engines share.
They ask z3 of their own, never the engine's solvers.

A contract that z3 cannot decide within the budget counts as kept: only a model against it, or a
refutation of what it promises, is a violation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from obligato.errors import InternalError
from obligato.smt import SAT, UNSAT, SatResult
from obligato.terms import Kind, Term, TermStore, Value, evaluate, free_vars

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
        self._must_not(SAT, complaint, formulas)

    def possible(self, complaint: str, *formulas: Term) -> None:
        """The formulas must be satisfiable together."""
        self._must_not(UNSAT, complaint, formulas)

    def _must_not(self, broken: SatResult, complaint: str, formulas: Sequence[Term]) -> None:
        solver = self._solver(formulas)
        # formulas: the answer `broken` - the contract is broken; any other or unknown - it may hold
        result = solver.check(budget=BUDGET)
        solver.close()
        if result is broken:
            raise InternalError(complaint)

    def implies(self, complaint: str, premise: Sequence[Term], conclusion: Sequence[Term]) -> None:
        """The premises must imply all conclusions."""
        self.never(complaint, *premise, self.store.not_(self.store.and_(*conclusion)))

    def suggested(self, cube: Sequence[Term], candidate: Sequence[Term]) -> None:
        """`clusters`: the candidate includes every state of the lemma's cube that suggests it."""
        self.implies("what a cluster suggests does not include its lemma", cube, candidate)

    def parted(self, cube: Sequence[Term], part: Sequence[Term]) -> None:
        """`concretise`: the part has a state, and the cube includes all of its states."""
        self.possible("a part of an obligation has no state", *part)
        self.implies("an obligation does not include its part", part, cube)

    def solve(
        self, formulas: Sequence[Term], variables: Sequence[Term]
    ) -> tuple[SatResult, dict[Term, Value]]:
        """Are the formulas satisfiable, and by which values? None are given unless they are."""
        solver = self._solver(formulas)
        # formulas: the caller knows what the answer means
        result = solver.check(budget=BUDGET)
        values = solver.model_of(variables) if result is SAT else {}
        solver.close()
        return result, values

    def a_state(
        self, complaint: str, formulas: Sequence[Term], variables: Sequence[Term]
    ) -> list[Term] | None:
        """Equations that describe a state of the formulas, which must have one; None:
        not found. Arrays are left open."""
        result, state = self.solve(formulas, variables)
        if result is UNSAT:
            raise InternalError(complaint)
        return self.equations(state) if result is SAT else None

    def preimage(
        self,
        step: Sequence[Term],
        hidden: Sequence[Term],
        model: Mapping[Term, Value],
        result: Sequence[Term],
    ) -> None:
        """`ctigar.lifting`, `ic3qe.extrapolate`: the result has no hidden variable, the model
        satisfies it, and another state of it satisfies exists hidden. step."""
        if any(v in free_vars(*result) for v in hidden):
            raise InternalError("a pre-image has a variable that was to be eliminated")
        if not all(evaluate(f, model) for f in result):
            raise InternalError("a pre-image does not include the state that it was made of")
        shown = [v for v in free_vars(*result, *step) if v not in hidden]
        own = self.equations({v: evaluate(v, model) for v in shown})
        found, state = self.solve([*result, self.store.not_(self.store.and_(*own))], shown)
        if found is SAT:
            given = self.equations(state)
            self.possible("a state of a pre-image does not have the step", *given, *step)

    def equations(self, values: dict[Term, Value]) -> list[Term]:
        """The values as equations."""
        s = self.store
        return [
            s.eq(x, s.const(v, x.sort)) for x, v in values.items() if x.sort.kind is not Kind.ARRAY
        ]
