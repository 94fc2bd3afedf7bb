"""Formulas about floats refuted over the reals (`smt.real_terms`), by linear arithmetic of z3.

Only *unsat* is ever said. It is for loops that filter, limit or interpolate: what is known before a
round is a box or a polygon, and after the round, up to rounding, another one inside of it.
Limitation: what depends on single digits, and products of many terms, are left open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.errors import SolverFailure
from obligato.smt.real_terms import Relaxed
from obligato.smt.solver import UNKNOWN, UNSAT, Capabilities, SatResult, Solver, SolverStats
from obligato.terms import Kind, Op, Term, Value, postorder

NAME = "z3 (reals for floats)"
LARGEST = 3_000  # terms of one check
BUDGET = 3_000_000  # of one check, in units of z3
UNITS = 20  # of z3, as long as one evaluated term of `smt.ranges`, in which others give budgets
PATIENCE = BUDGET // UNITS
CHEAP = 20  # part of the budget that a check is charged with that had a model
CREDIT = 40_000_000  # of all checks of a run that ended without an answer
_ARITHMETIC = frozenset((Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV))


class RealSolver(Solver):
    """Says unsat or unknown. `credit` is what is left for all solvers of a run together, if there
    is a limit.
    """

    def __init__(
        self,
        make: Callable[[], Solver],
        stats: SolverStats | None = None,
        credit: list[int] | None = None,
    ) -> None:
        super().__init__(stats)
        self.capabilities = Capabilities(NAME, frozenset(Kind), True, True)
        self.formulas: list[Term] = []
        self.make, self.credit = make, credit
        self._assumed: list[Term] = []
        self._asked: Solver | None = None

    def add(self, formula: Term) -> None:
        """Assert `formula` for good."""
        self.formulas.append(formula)

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._assumed = list(assumptions)
        left = BUDGET if budget is None else min(BUDGET, UNITS * budget)
        if self.credit is not None and self.credit[0] < left:
            return UNKNOWN
        roots = [*self.formulas, *assumptions]
        nodes = list(postorder(roots))
        if len(nodes) > LARGEST or not any(t.op in _ARITHMETIC for t in nodes):
            return UNKNOWN
        result = self._relaxed(roots, left)
        if self.credit is not None and result is not UNSAT:
            self.credit[0] -= left if result is UNKNOWN else left // CHEAP
        return UNSAT if result is UNSAT else UNKNOWN

    def _relaxed(self, roots: list[Term], budget: int) -> SatResult:
        """The answer about reals; a failure of the solver is none, as others are asked after it."""
        solver = self._asked = self.make()
        try:
            for f in Relaxed(roots).all_of():
                solver.add(f)
            # the formulas and assumptions over reals: unsat - so are they; else nothing is known
            # (heuristic)
            return solver.check((), budget=budget, kind="reals")
        except SolverFailure:
            return UNKNOWN
        finally:
            self._asked = None
            solver.close()

    def core(self) -> list[Term]:
        """All assumptions: what is known of the ranges depends on all of them."""
        return list(dict.fromkeys(self._assumed))

    def _value_of_var(self, var: Term) -> Value | None:
        raise SolverFailure("a relaxation to the reals gives no models")

    def interrupt(self) -> None:
        """Make a running check return soon."""
        if self._asked is not None:
            self._asked.interrupt()

    def close(self) -> None:
        """Forget the formulas."""
        self.formulas.clear()
