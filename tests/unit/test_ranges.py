"""Ranges of floats: what they refute has no model, by trying all values of small formats;
polynomials in real formats.
"""

from __future__ import annotations

import random
from itertools import product

import pytest

from obligato.errors import SolverFailure
from obligato.results.checking.solving import chain
from obligato.smt import UNKNOWN, UNSAT, SolverStats
from obligato.smt.factory import make_solver
from obligato.smt.range_values import Range, abstract, whole
from obligato.smt.ranges import BoundedSolver, RangeSolver
from obligato.terms import (
    BOOL,
    FLOAT32,
    FLOAT64,
    Op,
    Sort,
    Term,
    TermStore,
    bitvec,
    evaluate,
    floating,
    postorder,
)
from obligato.terms.float_semantics import canonical, format_of
from obligato.terms.softfloat import RoundingMode, convert, is_nan
from obligato.terms.sorts import RM
from tests.support.floats import from_python_float

SMALL = floating(2, 3)
OTHER = floating(2, 4)
MODES = list(RoundingMode)


class Formulas:
    """Random formulas over two floats, a word and a Boolean."""

    def __init__(self, chance: random.Random) -> None:
        self.s, self.chance = TermStore.raw(), chance
        self.variables = [
            self.s.var("x", SMALL),
            self.s.var("y", SMALL),
            self.s.var("c", BOOL),
            self.s.var("w", bitvec(1)),
        ]

    def number(self, depth: int, sort: Sort = SMALL) -> Term:
        s, pick = self.s, self.chance.randrange(12)
        if sort is OTHER:
            return s.mk(Op.FP_FROM_FP, (self.mode(), self.number(depth - 1)), OTHER)
        if depth <= 0 or pick < 2:
            leaf = self.chance.randrange(3)
            return (
                self.variables[leaf]
                if leaf < 2
                else s.const(canonical(sort, self.chance.randrange(1 << sort.width)), sort)
            )
        if pick < 8:
            op = self.chance.choice((Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV))
            a = self.number(depth - 1)
            return s.mk(op, (self.mode(), a, a if pick == 7 else self.number(depth - 1)))
        if pick == 8:
            return s.mk(self.chance.choice((Op.FP_NEG, Op.FP_ABS)), (self.number(depth - 1),))
        if pick == 9:
            return s.mk(
                Op.ITE, (self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1))
            )
        return s.mk(Op.FP_FROM_FP, (self.mode(), self.number(depth - 1, OTHER)), SMALL)

    def mode(self) -> Term:
        return self.s.const(self.chance.choice(MODES), RM)

    def truth(self, depth: int) -> Term:
        s, pick = self.s, self.chance.randrange(9)
        if depth > 0 and pick < 3:
            return s.mk(
                self.chance.choice((Op.AND, Op.OR)), (self.truth(depth - 1), self.truth(depth - 1))
            )
        if pick == 3:
            return s.mk(Op.NOT, (self.truth(depth - 1),)) if depth > 0 else self.variables[2]
        if pick == 4:
            one, zero = s.bv(1, 1), s.bv(0, 1)
            return s.mk(
                Op.EQ,
                (
                    s.mk(Op.ITE, (self.truth(depth - 1), one, zero)),
                    self.chance.choice((one, self.variables[3])),
                ),
            )
        if pick == 5:
            return s.mk(Op.FP_IS_NAN, (self.number(depth - 1),))
        op = self.chance.choice((Op.FP_LT, Op.FP_LE, Op.FP_EQ, Op.FP_GT, Op.FP_GE, Op.EQ))
        return s.mk(op, (self.number(depth - 1), self.number(depth - 1)))

    def satisfiable(self, formulas: list[Term]) -> bool:
        floats = sorted({canonical(SMALL, p) for p in range(1 << SMALL.width)})
        x, y, c, w = self.variables
        states = (
            {x: a, y: b, c: d, w: e}
            for a, b, d, e in product(floats, floats, (False, True), (0, 1))
        )
        return any(all(evaluate(f, state) for f in formulas) for state in states)


def random_box(formulas: Formulas) -> dict[Term, Range]:
    """Ranges for the two floats; they may be NaN, numbers, or both."""
    every, box = whole(SMALL), dict[Term, Range]()
    for x in formulas.variables[:2]:
        low, high = sorted(formulas.chance.randint(every.low, every.high) for _ in range(2))
        kind = formulas.chance.randrange(8)
        box[x] = (
            Range(1, 0, True) if kind == 0 else every if kind == 1 else Range(low, high, kind == 2)
        )
    return box


def inside(pattern: int, sort: Sort, r: Range) -> bool:
    magnitude = pattern & ((1 << (sort.width - 1)) - 1)
    if is_nan(format_of(sort), pattern):
        return r.nan
    return r.low <= (-magnitude if pattern >> (sort.width - 1) else magnitude) <= r.high


@pytest.mark.parametrize("seed", range(80))
def test_every_value_lies_in_its_range(seed: int) -> None:
    formulas = Formulas(random.Random(seed))
    terms = [*(formulas.number(3) for _ in range(4)), *(formulas.truth(2) for _ in range(4))]
    box = random_box(formulas)
    values = abstract(list(postorder(terms)), box, {})
    floats = sorted({canonical(SMALL, p) for p in range(1 << SMALL.width)})
    x, y, c, w = formulas.variables
    for a, b in product(
        [p for p in floats if inside(p, SMALL, box[x])],
        [p for p in floats if inside(p, SMALL, box[y])],
    ):
        state = {x: a, y: b, c: bool(a & 1), w: b & 1}
        for t in terms:
            known, value = values[t], evaluate(t, state)
            assert known is None or (
                inside(value, t.sort, known) if isinstance(known, Range) else value in known
            )


@pytest.mark.parametrize("seed", range(30))
def test_what_is_refuted_has_no_model(seed: int) -> None:
    formulas = Formulas(random.Random(seed))
    asked = [formulas.truth(3) for _ in range(3)]
    solver = RangeSolver()
    solver.add(asked[0])
    answer = solver.check(asked[1:], budget=20_000)
    assert answer is UNKNOWN or not formulas.satisfiable(asked)


def polynomial(s: TermStore, x: Term) -> Term:
    """x * x + x, which is more than -0.2501 everywhere."""
    nearest = s.const(RoundingMode.RNE, RM)
    return s.mk(Op.FP_ADD, (nearest, s.mk(Op.FP_MUL, (nearest, x, x)), x))


def question(bound: float) -> tuple[TermStore, list[Term]]:
    s = TermStore()
    x = s.var("x", FLOAT32)

    def number(value: float) -> Term:
        pattern = convert(
            format_of(FLOAT64), format_of(FLOAT32), RoundingMode.RNE, from_python_float(value)
        )
        return s.const(pattern, FLOAT32)

    within = [s.mk(Op.FP_LT, (number(-1.0), x)), s.mk(Op.FP_LT, (x, number(1.0)))]
    return s, [*within, s.mk(Op.FP_LT, (polynomial(s, x), number(bound)))]


def test_a_polynomial_is_bounded() -> None:
    _, formulas = question(-0.26)
    solver = RangeSolver()
    assert solver.check(formulas) is UNSAT and solver.core() == formulas
    with pytest.raises(SolverFailure):
        solver.model_of(formulas[0].args)


def test_what_has_a_model_is_left_to_another_solver() -> None:
    s, formulas = question(-0.24)
    assert RangeSolver().check(formulas) is UNKNOWN
    stats, credit = SolverStats(), [100_000]
    solver = BoundedSolver(
        RangeSolver(credit=credit),
        lambda: make_solver([FLOAT32], prefer="bitwuzla"),
        100_000,
        stats,
    )
    result = solver.check(formulas)
    assert (
        all(evaluate(f, solver.model_of([s.var("x", FLOAT32)])) for f in formulas)
        and result.value == "sat"
    )
    assert credit[0] < 100_000 and "ranges" not in stats.solvers
    # the budget is that of the other solver
    assert solver.check(formulas, budget=50_000).value == "sat"
    assert solver.check(question(-0.26)[1][:0]) is not UNSAT
    solver.close()


def test_a_proof_by_ranges_is_named_and_checked_last_by_them() -> None:
    stats = SolverStats()
    s, formulas = question(-0.26)
    solver = BoundedSolver(
        RangeSolver(), lambda: make_solver([FLOAT32], prefer="bitwuzla"), 100_000, stats
    )
    assert solver.check(formulas) is UNSAT and "ranges" in stats.solvers
    links = chain([FLOAT32], stats.solvers, SolverStats())
    assert [link.independent for link in links if link.name == "ranges"] == [
        False
    ] and s is formulas[0].store
    assert all(link.name != "ranges" for link in chain([bitvec(8)], {}, SolverStats()))
    solver.close()
