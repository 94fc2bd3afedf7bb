"""Random terms of every sort, for property-based tests; driven by any `random.Random` (hypothesis
has one).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import ClassVar

from obligato.terms import (
    BOOL,
    INT,
    REAL,
    RM,
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    array,
    bitvec,
)
from obligato.terms.float_semantics import canonical
from obligato.terms.semantics import settled
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import floating

SMALL_FLOAT = floating(3, 4)
SORTS = [
    BOOL,
    INT,
    REAL,
    bitvec(1),
    bitvec(4),
    bitvec(8),
    bitvec(32),
    SMALL_FLOAT,
    floating(8, 24),
    array(INT, INT),
    array(bitvec(4), bitvec(8)),
    array(bitvec(1), BOOL),
    array(INT, REAL),
]
MORE_SORTS = [  # some that solvers do not know, or know slowly
    *SORTS,
    RM,
    bitvec(3),
    bitvec(65),
    array(bitvec(1), array(INT, bitvec(3))),
    array(bitvec(8), SMALL_FLOAT),
]
BV_BINARY = [
    Op.BVADD,
    Op.BVSUB,
    Op.BVMUL,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
    Op.BVAND,
    Op.BVOR,
    Op.BVXOR,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
]
BV_COMPARE = [Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVSLT, Op.BVSLE, Op.BVSGT, Op.BVSGE]
FP_COMPARE = [Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ]
FP_TESTS = [
    Op.FP_IS_NORMAL,
    Op.FP_IS_SUBNORMAL,
    Op.FP_IS_ZERO,
    Op.FP_IS_INF,
    Op.FP_IS_NAN,
    Op.FP_IS_NEG,
    Op.FP_IS_POS,
]


def random_value(rng: Random, sort: Sort) -> Value:
    """A value, often a special one."""
    match sort.kind:
        case Kind.BOOL:
            return rng.random() < 0.5
        case Kind.INT:
            return rng.choice(
                [0, 1, -1, 2, 3, -3, 5, 10, rng.randrange(-100, 100), rng.getrandbits(70)]
            )
        case Kind.REAL:
            return Fraction(rng.randrange(-12, 12), rng.choice([1, 1, 2, 3, 10]))
        case Kind.RM:
            return rng.choice(list(RoundingMode))
        case Kind.ARRAY:
            entries = {
                random_value(rng, sort.index): random_value(rng, sort.element)
                for _ in range(rng.randrange(4))
            }
            return settled(ArrayValue(random_value(rng, sort.element), entries), sort)
    w = sort.width
    special = [
        0,
        1,
        2,
        3,
        1 << (w - 1),
        (1 << (w - 1)) - 1,
        (1 << w) - 1,
        rng.getrandbits(w),
        rng.getrandbits(w),
    ]
    value = rng.choice(special) & sort.mask
    return canonical(sort, value) if sort.kind is Kind.FLOAT else value


class TermGen:
    """Builds random terms in `store` over two variables per sort."""

    def __init__(
        self, rng: Random, store: TermStore, floats: bool = True, nonlinear: bool = True
    ) -> None:
        self.rng = rng
        self.s = store
        self.floats = floats
        self.nonlinear = nonlinear

    def var(self, sort: Sort) -> Term:
        """One of the two variables of a sort."""
        return self.s.var(f"{self.rng.choice('xy')} {sort}", sort)

    def leaf(self, sort: Sort) -> Term:
        """A variable or value."""
        if self.rng.random() < 0.4:
            value = random_value(self.rng, sort)
            return self.s.const(value, sort)
        return self.var(sort)

    def term(self, sort: Sort, depth: int) -> Term:
        """A term of `sort`, at most `depth` levels deep."""
        if depth <= 0 or self.rng.random() < 0.15:
            return self.leaf(sort)
        if self.rng.random() < 0.12:
            return self.s.ite(
                self.term(BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1)
            )
        return self._makers[sort.kind](self, sort, depth - 1)

    def _many(self, sort: Sort, depth: int) -> tuple[Term, ...]:
        return tuple(self.term(sort, depth) for _ in range(self.rng.choice([2, 2, 2, 3])))

    def _bool(self, sort: Sort, d: int) -> Term:
        s, rng = self.s, self.rng
        other = rng.choice(SORTS if self.floats else [x for x in SORTS if x.kind is not Kind.FLOAT])
        pick = rng.randrange(8)
        if pick == 0:
            return s.not_(self.term(BOOL, d))
        if pick == 1:
            return s.mk(rng.choice([Op.AND, Op.OR]), self._many(BOOL, d))
        if pick == 2:
            return s.mk(rng.choice([Op.XOR, Op.IMPLIES]), (self.term(BOOL, d), self.term(BOOL, d)))
        if pick == 3:
            return s.eq(self.term(other, d), self.term(other, d))
        if pick == 4:
            return s.distinct(*self._many(other, d))
        return self._comparison(other, d)

    def _comparison(self, other: Sort, d: int) -> Term:
        s, rng = self.s, self.rng
        if other.kind is Kind.BITVEC:
            return s.mk(rng.choice(BV_COMPARE), (self.term(other, d), self.term(other, d)))
        if other.kind is Kind.FLOAT:
            if rng.random() < 0.4:
                return s.mk(rng.choice(FP_TESTS), (self.term(other, d),))
            return s.mk(rng.choice(FP_COMPARE), (self.term(other, d), self.term(other, d)))
        number = other if other.kind in (Kind.INT, Kind.REAL) else rng.choice([INT, REAL])
        if number is REAL and rng.random() < 0.1:
            return s.mk(Op.IS_INT, (self.term(REAL, d),))
        return s.mk(
            rng.choice([Op.LE, Op.LT, Op.GE, Op.GT]), (self.term(number, d), self.term(number, d))
        )

    def _number(self, sort: Sort, d: int) -> Term:
        s, rng = self.s, self.rng
        a, b = self.term(sort, d), self.term(sort, d)
        constant = s.const(random_value(rng, sort), sort)
        factor = b if self.nonlinear and rng.random() < 0.3 else constant
        common: list[Callable[[], Term]] = [
            lambda: s.mk(Op.ADD, (a, b)),
            lambda: s.add(*self._many(sort, d)),
            lambda: s.sub(a, b),
            lambda: s.neg(a),
            lambda: s.mul(a, factor),
            lambda: s.mul(factor, a, constant),
            lambda: s.abs(a),
        ]
        if sort is INT:
            common += [
                lambda: s.idiv(a, factor),
                lambda: s.mod(a, factor),
                lambda: s.to_int(self.term(REAL, d)),
                lambda: s.select(self.term(array(INT, INT), d), a),
            ]
        else:
            common += [lambda: s.rdiv(a, factor), lambda: s.to_real(self.term(INT, d))]
            if self.floats:
                common.append(lambda: s.fp_to_real(self.term(SMALL_FLOAT, d)))
        return rng.choice(common)()

    def _bitvec(self, sort: Sort, d: int) -> Term:
        s, rng, w = self.s, self.rng, sort.width
        pick = rng.randrange(8)
        if pick == 0:
            return s.mk(rng.choice([Op.BVNOT, Op.BVNEG]), (self.term(sort, d),))
        if pick == 1 and w > 1:
            k = rng.randrange(1, w)
            return s.mk(rng.choice([Op.ZERO_EXT, Op.SIGN_EXT]), (self.term(bitvec(w - k), d),), k)
        if pick == 2 and w > 1:
            k = rng.randrange(1, w)
            return s.concat(self.term(bitvec(w - k), d), self.term(bitvec(k), d))
        if pick == 3:
            more, lo = rng.randrange(4), rng.randrange(4)
            return s.extract(self.term(bitvec(w + more + lo), d), w + lo - 1, lo)
        if pick == 4 and w == 8:
            if rng.random() < 0.5 or not self.floats:
                return s.select(self.term(array(bitvec(4), sort), d), self.term(bitvec(4), d))
            convert = rng.choice([s.fp_to_sbv, s.fp_to_ubv])
            return convert(self.term(RM, 0), self.term(SMALL_FLOAT, d), w)
        if pick == 5:
            return s.mk(
                rng.choice([Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR]), self._many(sort, d)
            )
        return s.mk(rng.choice(BV_BINARY), (self.term(sort, d), self.term(sort, d)))

    def _float(self, sort: Sort, d: int) -> Term:
        s, rng = self.s, self.rng
        rm, a, b = self.term(RM, 0), self.term(sort, d), self.term(sort, d)
        width = rng.choice([4, 8])
        makers: list[Callable[[], Term]] = [
            lambda: s.fp_neg(a),
            lambda: s.fp_abs(a),
            lambda: s.fp_add(rm, a, b),
            lambda: s.fp_sub(rm, a, b),
            lambda: s.fp_mul(rm, a, b),
            lambda: s.fp_div(rm, a, b),
            lambda: s.fp_fma(rm, a, b, a),
            lambda: s.fp_sqrt(rm, a),
            lambda: s.fp_rem(a, b),
            lambda: s.fp_rti(rm, a),
            lambda: s.fp_min(a, b),
            lambda: s.fp_max(a, b),
            lambda: s.fp_from_bits(self.term(bitvec(sort.width), d), sort),
            lambda: s.fp_from_bits(s.fp_to_bits(a), sort),
            lambda: s.fp_from_fp(rm, self.term(SMALL_FLOAT, d), sort),
            lambda: s.fp_from_sbv(rm, self.term(bitvec(width), d), sort),
            lambda: s.fp_from_ubv(rm, self.term(bitvec(width), d), sort),
            lambda: s.fp_from_real(rm, s.real(Fraction(rng.randrange(-40, 40), 7)), sort),
        ]
        return rng.choice(makers)()

    def _array(self, sort: Sort, d: int) -> Term:
        s = self.s
        if self.rng.random() < 0.2:
            return s.const_array(sort, self.term(sort.element, d))
        return s.store(
            self.term(sort, d), self.term(sort.index, min(d, 1)), self.term(sort.element, d)
        )

    def _mode(self, sort: Sort, d: int) -> Term:
        return self.leaf(sort)

    _makers: ClassVar[dict[Kind, Callable[[TermGen, Sort, int], Term]]] = {
        Kind.BOOL: _bool,
        Kind.INT: _number,
        Kind.REAL: _number,
        Kind.BITVEC: _bitvec,
        Kind.FLOAT: _float,
        Kind.ARRAY: _array,
        Kind.RM: _mode,
    }
