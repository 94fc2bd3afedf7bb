"""Formulas about floats refuted by ranges: split the floats into boxes until in every box some
formula cannot hold.

`smt.range_values` says what terms may be in a box. A box in which all formulas may hold is split
where the ordered patterns of its widest variable have their middle, so exponents are split first
and then digits.

Only *unsat* is ever said: all boxes are refuted. Budgets count evaluated terms. Limitation: a
result is only as narrow as boxes are small, so formulas that are nearly satisfiable are left open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.errors import SolverFailure
from obligato.smt.boxes import box_of, conjuncts_of
from obligato.smt.escalation import EscalatingSolver
from obligato.smt.range_values import Abstract, Range, abstract, whole
from obligato.smt.solver import UNKNOWN, UNSAT, Capabilities, SatResult, Solver, SolverStats
from obligato.terms import Kind, Op, Term, Value, postorder

NAME = "ranges"
MOST = 2_000_000  # evaluated terms of one check
PATIENCE = 1_000_000  # of one check, before another solver is asked
CREDIT = 1_000_000  # of all checks of a run that ended without an answer


class RangeSolver(Solver):
    """Says unsat or unknown. `credit` is what is left for all solvers of a run together, if there
    is a limit.
    """

    def __init__(self, stats: SolverStats | None = None, credit: list[int] | None = None) -> None:
        super().__init__(stats)
        self.capabilities = Capabilities(NAME, frozenset(Kind), True, True)
        self.formulas: list[Term] = []
        self.credit = credit
        self._assumed: list[Term] = []
        self._interrupted = False

    def add(self, formula: Term) -> None:
        """Assert `formula` for good."""
        self.formulas.append(formula)

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._interrupted, self._assumed = False, list(assumptions)
        left = MOST if budget is None else min(budget, MOST)
        left = left if self.credit is None else min(left, self.credit[0])
        roots = conjuncts_of((*self.formulas, *assumptions))
        nodes = list(postorder(roots))
        variables = [t for t in nodes if t.op is Op.VAR and t.sort.kind is Kind.FLOAT]
        if not variables:
            return UNKNOWN
        result, used = self._refuted(roots, nodes, variables, left)
        if self.credit is not None and result is UNKNOWN:
            self.credit[0] -= used
        return result

    def _refuted(
        self, roots: list[Term], nodes: list[Term], variables: list[Term], left: int
    ) -> tuple[SatResult, int]:
        told = box_of(roots)
        boxes, used = [{v: told.get(v, whole(v.sort)) for v in variables}], 0
        while boxes:
            used += len(nodes)
            if used > left or self._interrupted:
                return UNKNOWN, used
            box = boxes.pop()
            if not _possible(roots, nodes, box):
                continue
            parts = _split(box)
            if parts is None:
                return UNKNOWN, used
            boxes += parts
        return UNSAT, used

    def core(self) -> list[Term]:
        """All assumptions: the solver does not know which of them are needed."""
        return list(dict.fromkeys(self._assumed))

    def _value_of_var(self, var: Term) -> Value | None:
        raise SolverFailure("ranges have no models")

    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon."""
        self._interrupted = True

    def close(self) -> None:
        """Forget the formulas."""
        self.formulas.clear()


def _possible(roots: list[Term], nodes: list[Term], box: dict[Term, Range]) -> bool:
    """May all formulas hold in the box? Booleans that are formulas themselves, perhaps negated, are
    known.
    """
    known: dict[Term, Abstract] = {r: frozenset((True,)) for r in roots if r.op is Op.VAR}
    known |= {
        r.args[0]: frozenset((False,)) for r in roots if r.op is Op.NOT and r.args[0].op is Op.VAR
    }
    values = abstract(nodes, box, known)
    return all(values[r] != frozenset((False,)) for r in roots)


def _split(box: dict[Term, Range]) -> list[dict[Term, Range]] | None:
    """Two halves of a box, or NaN beside the numbers; None if it is a point."""
    variable = max(box, key=lambda v: (box[v].nan and not box[v].empty, box[v].high - box[v].low))
    r = box[variable]
    if r.nan and not r.empty:
        return [
            {**box, variable: Range(1, 0, True)},
            {**box, variable: Range(r.low, r.high, False)},
        ]
    if r.low >= r.high:
        return None
    middle = (r.low + r.high) // 2
    return [
        {**box, variable: Range(r.low, middle, False)},
        {**box, variable: Range(middle + 1, r.high, False)},
    ]


class BoundedSolver(EscalatingSolver):
    """A solver that only ever says unsat first, then one that knows all of the theory. Both are
    named in the statistics if they have answered.
    """

    def __init__(
        self, first: Solver, make: Callable[[], Solver], patience: int, stats: SolverStats | None
    ) -> None:
        second = make()
        super().__init__(
            first, lambda: second, patience, name=second.capabilities.name, stats=stats
        )

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        """The budget is the second solver's: the first one has its patience and its credit."""
        result = super()._check(assumptions, None if budget is None else self.patience + budget)
        if self._answering is self._first and result is UNSAT:
            self.stats.solvers.setdefault(self._first.capabilities.name)
        return result

    def close(self) -> None:
        """Free both solvers."""
        super().close()
        self._make_second().close()
