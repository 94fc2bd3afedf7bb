"""What is said about reals holds of floats: no formula is refuted that has a model, by trying all
values of a small format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from obligato.errors import SolverFailure
from obligato.smt import SAT, UNSAT, SatResult, Solver
from obligato.smt.factory import make_solver, real_solver
from obligato.smt.ranges import BoundedSolver, RangeSolver
from obligato.smt.reals import RealSolver
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, FLOAT64, Op, Term, TermStore, evaluate
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import floating

SMALL = floating(3, 3)
WIDE = floating(4, 4)
MODES = list(RoundingMode)
ONE = 0x3FF0000000000000
LARGEST = 0x7FEFFFFFFFFFFFFF
PLACES = (LARGEST, ONE + 5, ONE + 1, 3 * ONE // 4, 8)  # the last one: subnormal
COMPARED = (Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ, Op.EQ)


def some_float(s: TermStore, rng: Random, variables: list[Term], depth: int) -> Term:
    if depth == 0 or rng.random() < 0.2:
        k = s.fp(rng.randrange(64), SMALL)
        return rng.choice([*variables, *variables, k])
    a, b = (some_float(s, rng, variables, depth - 1) for _ in range(2))
    op = rng.choice(
        [Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV, Op.FP_NEG, Op.FP_ABS, Op.ITE, Op.FP_FROM_FP]
    )
    if op in (Op.FP_NEG, Op.FP_ABS):
        return s.mk(op, (a,))
    if op is Op.ITE:
        return s.ite(some_atom(s, rng, variables, depth - 1), a, b)
    mode = s.rm(rng.choice(MODES))
    if op is Op.FP_FROM_FP:
        return s.fp_from_fp(mode, s.fp_from_fp(mode, a, WIDE), SMALL)
    return s.mk(op, (mode, a, b))


def some_atom(s: TermStore, rng: Random, variables: list[Term], depth: int) -> Term:
    a, b = (some_float(s, rng, variables, depth) for _ in range(2))
    atom = s.mk(rng.choice(COMPARED), (a, b))
    return s.not_(atom) if rng.random() < 0.3 else atom


def bounded(s: TermStore, rng: Random, x: Term) -> list[Term]:
    """x between two constants, perhaps on one path only, or one of which may be missing."""
    low, high = sorted(rng.choices(range(-12, 13), k=2))
    bounds = [
        s.fp_le(s.fp_of(Fraction(low, 4), SMALL), x),
        s.fp_le(x, s.fp_of(Fraction(high, 4), SMALL)),
    ]
    if rng.random() < 0.5:
        return [s.or_(s.var("c", BOOL), b) for b in bounds]
    return bounds if rng.random() < 0.8 else bounds[: rng.randrange(2)]


def a_question(rng: Random, s: TermStore) -> list[Term]:
    x, y, c = s.var("x", SMALL), s.var("y", SMALL), s.var("c", BOOL)
    formulas = [f for v in (x, y) for f in bounded(s, rng, v)]
    chosen = s.ite(c, s.fp_of(Fraction(1, 2), SMALL), x)
    terms = [chosen, y, x] if rng.random() < 0.6 else [x, y]
    return formulas + [some_atom(s, rng, terms, 2) for _ in range(rng.choice([1, 2]))]


@pytest.mark.parametrize("seed", range(6))
def test_nothing_satisfiable_is_refuted(seed: int) -> None:
    rng, refuted = Random(seed), 0
    for _ in range(60):
        s = TermStore.raw()
        formulas = a_question(rng, s)
        solver = real_solver()
        for f in formulas:
            solver.add(f)
        if solver.check() is not UNSAT:
            continue
        refuted += 1
        names = [s.var("x", SMALL), s.var("y", SMALL), s.var("c", BOOL)]
        for values in product(range(64), range(64), (False, True)):
            model = dict(zip(names, values, strict=True))
            memo: dict[Term, object] = {}
            assert not all(evaluate(f, model, memo) for f in formulas), (formulas, model)
    assert refuted >= 3


def test_a_bound_on_one_path_is_used_there() -> None:
    s = TermStore.raw()
    x, y, c = s.var("x", FLOAT64), s.var("y", FLOAT64), s.var("c", BOOL)
    one, ten = (s.fp_of(n, FLOAT64) for n in (1, 10))
    rm = s.rm(RoundingMode.RNE)
    solver = real_solver()
    for f in (
        s.or_(s.not_(c), s.fp_le(s.fp_neg(one), x)),
        s.or_(s.not_(c), s.fp_le(x, one)),
        s.fp_le(s.fp_of(-2, FLOAT64), y),
        s.fp_le(y, s.fp_of(2, FLOAT64)),
    ):
        solver.add(f)
    total = s.fp_add(rm, s.ite(c, x, y), s.fp_mul(rm, ten, y))
    assert solver.check([s.fp_lt(s.fp_of(23, FLOAT64), total)]) is UNSAT
    assert solver.check([s.fp_lt(s.fp_of(21, FLOAT64), total)]) is not UNSAT
    assert solver.check([s.fp_lt(s.fp_of(23, FLOAT64), s.fp_add(rm, x, y))]) is not UNSAT


@pytest.mark.parametrize("make", [real_solver, RangeSolver])
def test_a_constant_that_may_be_nan_bounds_nothing(make: Callable[[], Solver]) -> None:
    s = TermStore.raw()
    x, y, rm = s.var("x", FLOAT64), s.var("y", FLOAT64), s.rm(RoundingMode.RNE)
    zero, least = s.fp_zero(FLOAT64), s.fp_inf(FLOAT64, negative=True)
    quotient = s.mk(Op.FP_DIV, (rm, zero, zero))  # as in raw formulas, where nothing is folded
    total = s.fp_le(s.fp_add(rm, y, y), s.fp_inf(FLOAT64))  # without sums, reals are not asked
    nan, low = s.fp_nan(FLOAT64), s.fp_inf(FLOAT64, negative=True)
    for value, formulas in (
        (nan, [s.eq(x, quotient), s.fp_is_nan(x)]),
        (nan, [s.eq(quotient, x), s.not_(s.fp_le(x, x))]),
        (low, [s.not_(s.fp_le(x, quotient)), s.fp_le(x, least)]),
    ):
        model = {x: value.data, y: zero.data}
        assert all(evaluate(f, model) for f in (*formulas, total))
        assert make().check([*formulas, total], budget=2_000) is not UNSAT


def test_a_failure_of_the_solver_for_reals_leaves_the_question_to_the_next_one() -> None:
    class Failing(Z3Solver):
        def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
            raise SolverFailure("z3 failed in a check")

    s = TermStore.raw()
    x, rm = s.var("x", FLOAT64), s.rm(RoundingMode.RNE)
    words = make_solver([FLOAT64], prefer="bitwuzla")
    solver = BoundedSolver(RealSolver(Failing), lambda: words, 1_000, None)
    solver.add(s.fp_le(s.fp_add(rm, x, x), s.fp_of(1, FLOAT64)))
    assert solver.check([s.fp_le(s.fp_of(1, FLOAT64), x)]) is UNSAT
    assert solver.check([s.fp_le(s.fp_of(0, FLOAT64), x)]) is SAT
    solver.close()


def near(s: TermStore, rng: Random, x: Term, pattern: int) -> list[Term]:
    """Bounds of a variable at most two units from a pattern. Requires: it is positive and finite."""
    low, high = pattern - rng.choice((0, 0, 2)), min(pattern + rng.choice((0, 0, 2)), LARGEST)
    return [s.fp_le(s.fp(max(low, 0), FLOAT64), x), s.fp_le(x, s.fp(high, FLOAT64))]


@pytest.mark.parametrize("seed", range(4))
def test_the_value_of_a_rounded_operation_is_possible(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        s = TermStore.raw()
        x, y = s.var("x", FLOAT64), s.var("y", FLOAT64)
        values = [max(0, rng.choice(PLACES) - rng.randrange(9)) for _ in range(2)]
        model = dict(zip((x, y), values, strict=True))
        op = rng.choice([Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV])
        made = s.mk(op, (s.rm(rng.choice(MODES)), x, y))
        back = s.mk(rng.choice([Op.FP_SUB, Op.FP_MUL]), (s.rm(rng.choice(MODES)), made, y))
        formulas = [f for v in model for f in near(s, rng, v, model[v])]
        for t in (made, back):
            formulas.append(s.eq(t, s.fp(evaluate(t, model), FLOAT64)))
        assert all(evaluate(f, model) for f in formulas)
        solver = real_solver()
        assert solver.check(formulas) is not UNSAT, (formulas, model)
        solver.close()
