"""Ranges of 3-bit vectors contain every value that the operators can give; conditions narrow
soundly.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from obligato.analysis.abstract_eval import Range, evaluate_range
from obligato.analysis.persistent import FactMap, Keys
from obligato.analysis.ranges import (
    BitRange,
    bit_meet,
    bit_top,
    bit_value,
    int_add,
    int_meet,
    int_mul,
    int_scale,
    tighten,
    wrap,
)
from obligato.analysis.refine import State, assume
from obligato.terms import BOOL, INT, Op, Term, TermStore, bitvec, evaluate, to_signed
from tests.termgen import BV_BINARY

W = 3
BINARY = (*BV_BINARY, Op.CONCAT, Op.BVULT, Op.BVSLT, Op.EQ)


def members(r: BitRange, w: int = W) -> list[int]:
    return [v for v in range(1 << w) if r[0] <= v <= r[1] and r[2] <= to_signed(v, w) <= r[3]]


def some_ranges(rng: Random, count: int) -> list[BitRange]:
    out: list[BitRange] = [bit_top(W), *(bit_value(v, W) for v in (0, 3, 4, 7))]
    while len(out) < count:
        u, s = sorted(rng.choices(range(8), k=2)), sorted(rng.choices(range(-4, 4), k=2))
        r = tighten((u[0], u[1], s[0], s[1]), W)
        if r is not None and members(r):
            out.append(r)
    return out


def holds(r: object, value: object, width: int) -> bool:
    if isinstance(value, bool):
        return r is None or r is value
    assert isinstance(r, tuple) and isinstance(value, int)
    return bool(r[0] <= value <= r[1] and r[2] <= to_signed(value, width) <= r[3])


@pytest.mark.parametrize("op", BINARY)
def test_binary_operators(op: Op) -> None:
    s, rng = TermStore(), Random(int(op))
    x, y = s.var("x", bitvec(W)), s.var("y", bitvec(W))
    t = s.mk(op, (x, y))
    for a, b in product(some_ranges(rng, 14), repeat=2):
        r = evaluate_range(t, {x: a, y: b})
        for v, w in product(members(a), members(b)):
            assert holds(
                r, evaluate(t, {x: v, y: w}), t.sort.width if t.sort.kind is x.sort.kind else 0
            ), (a, b, v, w, r)


def test_unary_operators() -> None:
    s, rng = TermStore(), Random(0)
    x = s.var("x", bitvec(W))
    terms = [
        s.mk(Op.BVNEG, (x,)),
        s.mk(Op.BVNOT, (x,)),
        s.zero_ext(x, 2),
        s.sign_ext(x, 2),
        s.extract(x, 1, 0),
        s.extract(x, 2, 1),
        s.ite(s.eq(x, s.bv(2, W)), s.bv(5, W), x),
        s.mk(Op.BVADD, (x, s.bv(3, W))),
    ]
    for t, r in product(terms, some_ranges(rng, 25)):
        out = evaluate_range(t, {x: r})
        assert all(holds(out, evaluate(t, {x: v}), t.width) for v in members(r)), (t, r, out)


def conditions(s: TermStore, x: Term, y: Term, rng: Random) -> Term:
    sides = [x, y, s.bv(rng.randrange(8), W), s.mk(Op.BVADD, (x, s.bv(rng.randrange(8), W)))]
    a, b = rng.choice(sides), rng.choice(sides)
    if rng.random() < 0.2:
        a, b = s.zero_ext(a, 1), s.sign_ext(b, 1)
    atom = s.mk(rng.choice([Op.BVULT, Op.BVSLT, Op.EQ, Op.BVULE]), (a, b))
    return s.not_(atom) if rng.random() < 0.4 else atom


def state(ranges: dict[Term, Range]) -> State:
    """These ranges as a state."""
    out: State = FactMap(Keys(ranges))
    for x, r in ranges.items():
        out = out.with_fact(x, r)
    return out


def test_conditions_narrow_soundly() -> None:
    s, rng = TermStore(), Random(1)
    x, y = s.var("x", bitvec(W)), s.var("y", bitvec(W))
    for _ in range(400):
        a, b = rng.choice(some_ranges(rng, 12)), rng.choice(some_ranges(rng, 12))
        parts = [conditions(s, x, y, rng) for _ in range(rng.choice([1, 2]))]
        c = rng.choice([s.and_, s.or_])(*parts) if rng.random() < 0.5 else parts[0]
        after = assume(c, True, state({x: a, y: b}))
        passing = [(v, w) for v, w in product(members(a), members(b)) if evaluate(c, {x: v, y: w})]
        if after is None:
            assert not passing, (c, a, b)
        else:
            assert all(
                holds(after.get(x, bit_top(W)), v, W) and holds(after.get(y, bit_top(W)), w, W)
                for v, w in passing
            )


def test_integers() -> None:
    s, rng = TermStore(), Random(2)
    x, y = s.var("x", INT), s.var("y", INT)
    ends = [None, -3, -1, 0, 2, 5]
    ranges = [(lo, hi) for lo in ends for hi in ends if lo is None or hi is None or lo <= hi]
    terms = [
        s.add(x, y),
        s.sub(x, y),
        s.mul(x, y),
        s.mul(s.int_(-2), x),
        s.mod(x, s.int_(3)),
        s.idiv(x, s.int_(3)),
        s.mod(x, y),
        s.idiv(x, y),
        s.le(x, y),
        s.eq(x, y),
        s.le(s.add(x, s.mul(s.int_(2), y)), s.int_(3)),
    ]
    near = range(-6, 8)
    for t, a, b in product(terms, ranges, rng.sample(ranges, 8)):
        r = evaluate_range(t, {x: a, y: b})
        for v, w in product(near, near):
            if _in(a, v) and _in(b, w):
                value = evaluate(t, {x: v, y: w})
                assert (r is None or r is value) if isinstance(value, bool) else _in(r, value), (
                    t,
                    a,
                    b,
                    v,
                    w,
                    r,
                )
        if t.sort.kind.value == "Bool":
            for truth in (True, False):
                after = assume(t, truth, state({x: a, y: b}))
                passing = [
                    (v, w)
                    for v, w in product(near, near)
                    if _in(a, v) and _in(b, w) and evaluate(t, {x: v, y: w}) is truth
                ]
                assert after is not None or not passing
                assert after is None or all(
                    _in(after[x], v) and _in(after[y], w) for v, w in passing
                )


def _in(r: tuple[int | None, int | None], v: int) -> bool:
    return (r[0] is None or r[0] <= v) and (r[1] is None or v <= r[1])


def test_precision_where_it_counts() -> None:
    # across the unsigned wrap the signed reading is exact
    assert wrap(250, 260, 8) == (0, 255, -6, 4)
    assert wrap(120, 140, 8) == (120, 140, -128, 127)
    assert bit_meet((0, 255, -6, 4), (0, 127, 0, 127), 8) == (0, 4, 0, 4)
    assert int_meet((0, 3), (4, None)) is None
    assert int_add([(0, 1), (None, 2)]) == (None, 3)
    assert int_mul((-2, 3), (4, 5)) == (-10, 15) and int_scale(-1, (0, None)) == (None, 0)


def test_shared_disjunctions_are_not_taken_apart_again_and_again() -> None:
    """Sixty levels that share their parts: one by one they would be 2^60."""
    s = TermStore()
    x, bits = s.var("x", INT), [s.var(f"b{i}", BOOL) for i in range(60)]
    condition = s.le(x, s.int_(3))
    for b in bits:
        condition = s.or_(s.and_(b, condition), s.and_(s.not_(b), condition, s.le(s.int_(0), x)))
    assert assume(condition, True, state({x: (0, 9)})) is not None
