"""`EscalatingSolver`: a fast solver for the many easy queries, a strong one for the few that it
cannot answer soon.

A check goes to the first solver with `patience` as its budget; only if that is used up it goes to
the second, which is made when it is first needed and then told all formulas so far. Core and model
come from whoever answered. The budget of a check counts the first solver's units, then the
second's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from obligato.smt.solver import UNKNOWN, Capabilities, SatResult, Solver, SolverStats
from obligato.terms import Term, Value


class EscalatingSolver(Solver):
    """`first` for `patience` units of budget, then the solver that `make_second` makes."""

    def __init__(
        self,
        first: Solver,
        make_second: Callable[[], Solver],
        patience: int,
        *,
        name: str,
        stats: SolverStats | None = None,
    ) -> None:
        super().__init__(stats)
        able = first.capabilities
        self.capabilities = Capabilities(name, able.kinds, able.interruptible, able.budget)
        self.patience = patience
        self._make_second = make_second
        self._first = self._answering = first
        self._second: Solver | None = None
        self._untold: list[Term] = []  # what the second solver has not been told
        self._interrupted = False

    def add(self, formula: Term) -> None:
        """Assert `formula`."""
        self._first.add(formula)
        self._answering = self._first  # it knows that its last answer is outdated
        self._untold.append(formula)

    def paid_off(self, checks: int) -> bool:
        """Has loading the first solver paid off after so many checks?"""
        return self._first.paid_off(checks)

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._interrupted = False
        self._answering = self._first
        limit = self.patience if budget is None else min(budget, self.patience)
        result = self._first._check(assumptions, limit)
        rest = None if budget is None else budget - limit
        if result is not UNKNOWN or self._interrupted or rest == 0:
            return result
        self._answering = self._informed_second()
        return UNKNOWN if self._interrupted else self._answering._check(assumptions, rest)

    def _informed_second(self) -> Solver:
        if self._second is None:
            self._second = self._make_second()
        for formula in self._untold:
            self._second.add(formula)
        self._untold.clear()
        return self._second

    def core(self) -> list[Term]:
        """After UNSAT: the core of the solver that answered."""
        return self._answering.core()

    def _value_of_var(self, var: Term) -> Value | None:
        return self._answering._value_of_var(var)

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        """After SAT: the values of `variables`; those left open are missing."""
        return self._answering.model_of(variables)

    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon."""
        self._interrupted = True
        self._answering.interrupt()

    def close(self) -> None:
        """Free both solvers."""
        self._first.close()
        if self._second is not None:
            self._second.close()
