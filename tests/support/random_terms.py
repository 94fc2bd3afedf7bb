"""Random well-sorted terms over all operators and sorts, and random values for their variables."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from obligato.program.operators import PARTIAL
from obligato.program.operators import apply as total
from obligato.terms import (
    BOOL,
    FLOAT32,
    INT,
    REAL,
    RM,
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    array,
    bitvec,
    floating,
)
from obligato.terms.semantics import settled
from obligato.terms.softfloat import FloatFormat, RoundingMode, canonical

SMALL = floating(3, 4)
SORTS = (
    BOOL,
    INT,
    REAL,
    RM,
    bitvec(1),
    bitvec(3),
    bitvec(8),
    bitvec(32),
    bitvec(65),
    SMALL,
    FLOAT32,
    array(bitvec(3), bitvec(8)),
    array(INT, BOOL),
    array(bitvec(1), array(INT, bitvec(3))),
    array(bitvec(8), SMALL),
)
BV_BINARY = (
    Op.BVADD,
    Op.BVSUB,
    Op.BVMUL,
    Op.BVAND,
    Op.BVOR,
    Op.BVXOR,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
)
_BV_TESTS = (Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVSLT, Op.BVSLE, Op.BVSGT, Op.BVSGE)
_FP_TESTS = (Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ)
_FP_CLASSES = (
    Op.FP_IS_NORMAL,
    Op.FP_IS_SUBNORMAL,
    Op.FP_IS_ZERO,
    Op.FP_IS_INF,
    Op.FP_IS_NAN,
    Op.FP_IS_NEG,
    Op.FP_IS_POS,
)


def random_value(rng: random.Random, sort: Sort) -> Any:
    """A value, small and special ones more often."""
    match sort.kind:
        case Kind.BOOL:
            return rng.random() < 0.5
        case Kind.INT:
            return rng.choice((0, 1, -1, rng.randint(-9, 9), rng.randint(-(10**30), 10**30)))
        case Kind.REAL:
            return Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 10, 7)))
        case Kind.BITVEC:
            top = 1 << sort.width
            return rng.choice((0, 1, rng.getrandbits(sort.width), top - 1, top >> 1)) % top
        case Kind.FLOAT:
            fmt = FloatFormat(sort.eb, sort.sb)
            specials = (0, fmt.sign_bit, fmt.nan, fmt.inf(), fmt.inf(True), 1, fmt.max_finite())
            return canonical(
                fmt, rng.choice((*specials, *(rng.getrandbits(sort.width) for _ in range(6))))
            )
        case Kind.RM:
            return rng.choice(list(RoundingMode))
        case _:
            keys = [random_value(rng, sort.index) for _ in range(rng.randint(0, 3))]
            value = ArrayValue(
                random_value(rng, sort.element), {k: random_value(rng, sort.element) for k in keys}
            )
            return settled(value, sort)


class RandomTerms:
    """A source of terms of one store; variables are named after their sort."""

    def __init__(self, seed: int, store: TermStore, variables: int = 2) -> None:
        self.rng = random.Random(seed)
        self.store = store
        self.pool = {
            s: [store.var(f"v{i}_{n}", s) for n in range(variables)] for i, s in enumerate(SORTS)
        }

    def assignment(self) -> dict[Term, Any]:
        """Values for all variables."""
        return {v: random_value(self.rng, s) for s, vs in self.pool.items() for v in vs}

    def term(self, sort: Sort, depth: int) -> Term:
        """A term of `sort`, at most `depth` operators deep."""
        if depth == 0 or self.rng.random() < 0.15:
            if sort in self.pool and self.rng.random() < 0.6:
                return self.rng.choice(self.pool[sort])
            return self.store.const(random_value(self.rng, sort), sort)
        if self.rng.random() < 0.1:
            return self.store.ite(
                self.term(BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1)
            )
        return getattr(self, f"_{sort.kind.name.lower()}")(sort, depth - 1)  # type: ignore[no-any-return]

    def _mk(self, op: Op, *args: Term, data: Any = None) -> Term:
        return total(op, args, data) if op in PARTIAL else self.store.mk(op, args, data)

    def _many(self, sort: Sort, depth: int) -> list[Term]:
        return [self.term(sort, depth) for _ in range(self.rng.choice((2, 2, 3, 4)))]

    def _same(self, op: Op, sort: Sort, depth: int, count: int = 2) -> Term:
        return self._mk(op, *(self.term(sort, depth) for _ in range(count)))

    def _bool(self, sort: Sort, depth: int) -> Term:
        r = self.rng
        bv, fp = r.choice((bitvec(1), bitvec(8), bitvec(65))), r.choice((SMALL, FLOAT32))
        return r.choice(
            (
                lambda: self._mk(r.choice((Op.AND, Op.OR)), *self._many(BOOL, depth)),
                lambda: self._same(r.choice((Op.XOR, Op.IMPLIES)), BOOL, depth),
                lambda: self._same(Op.NOT, BOOL, depth, 1),
                lambda: self._same(Op.EQ, r.choice(SORTS), depth),
                lambda: self._mk(Op.DISTINCT, *self._many(r.choice((INT, bitvec(3))), depth)),
                lambda: self._same(
                    r.choice((Op.LE, Op.LT, Op.GE, Op.GT)), r.choice((INT, REAL)), depth
                ),
                lambda: self._same(Op.IS_INT, REAL, depth, 1),
                lambda: self._same(r.choice(_BV_TESTS), bv, depth),
                lambda: self._same(r.choice(_FP_TESTS), fp, depth),
                lambda: self._same(r.choice(_FP_CLASSES), fp, depth, 1),
                lambda: self._mk(
                    Op.SELECT, self.term(array(INT, BOOL), depth), self.term(INT, depth)
                ),
            )
        )()

    def _int(self, sort: Sort, depth: int) -> Term:
        op = self.rng.choice((Op.ADD, Op.MUL, Op.SUB, Op.NEG, Op.IDIV, Op.MOD, Op.ABS, Op.TO_INT))
        if op in (Op.ADD, Op.MUL):
            return self._mk(op, *self._many(INT, depth))
        return self._same(
            op,
            REAL if op is Op.TO_INT else INT,
            depth,
            1 if op in (Op.NEG, Op.ABS, Op.TO_INT) else 2,
        )

    def _real(self, sort: Sort, depth: int) -> Term:
        op = self.rng.choice((Op.ADD, Op.MUL, Op.SUB, Op.NEG, Op.RDIV, Op.TO_REAL, Op.FP_TO_REAL))
        if op in (Op.ADD, Op.MUL):
            return self._mk(op, *self._many(REAL, depth))
        inner = INT if op is Op.TO_REAL else SMALL if op is Op.FP_TO_REAL else REAL
        return self._same(op, inner, depth, 1 if op in (Op.NEG, Op.TO_REAL, Op.FP_TO_REAL) else 2)

    def _roundingmode(self, sort: Sort, depth: int) -> Term:
        return self.term(sort, 0)

    _rm = _roundingmode

    def _bitvec(self, sort: Sort, depth: int) -> Term:
        w, r = sort.width, self.rng
        cut = r.randint(1, w - 1) if w > 1 else 0
        makers = [
            lambda: self._same(r.choice(BV_BINARY), sort, depth),
            lambda: self._mk(
                r.choice((Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR)),
                *self._many(sort, depth),
            ),
            lambda: self._same(r.choice((Op.BVNEG, Op.BVNOT)), sort, depth, 1),
            lambda: self._mk(Op.EXTRACT, self.term(bitvec(w + 5), depth), data=(w + 2, 3)),
            lambda: self._mk(
                r.choice((Op.FP_TO_SBV, Op.FP_TO_UBV)),
                self.term(RM, 0),
                self.term(SMALL, depth),
                data=w,
            ),
        ]
        if cut:
            makers += [
                lambda: self._mk(
                    r.choice((Op.ZERO_EXT, Op.SIGN_EXT)),
                    self.term(bitvec(cut), depth),
                    data=w - cut,
                ),
                lambda: self._mk(
                    Op.CONCAT, self.term(bitvec(cut), depth), self.term(bitvec(w - cut), depth)
                ),
            ]
        if w == SMALL.width:
            makers.append(lambda: self._mk(Op.FP_TO_BITS, self.term(SMALL, depth)))
        if w == 8:
            makers.append(
                lambda: self._mk(
                    Op.SELECT, self.term(array(bitvec(3), sort), depth), self.term(bitvec(3), depth)
                )
            )
        return r.choice(makers)()

    def _float(self, sort: Sort, depth: int) -> Term:
        r = self.rng

        def rounded(op: Op, *args: Sort) -> Term:
            data = sort if op.name.startswith("FP_FROM") else None
            return self._mk(op, self.term(RM, 0), *(self.term(a, depth) for a in args), data=data)

        return r.choice(
            (
                lambda: self._same(r.choice((Op.FP_ABS, Op.FP_NEG)), sort, depth, 1),
                lambda: self._same(r.choice((Op.FP_REM, Op.FP_MIN, Op.FP_MAX)), sort, depth),
                lambda: rounded(r.choice((Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV)), sort, sort),
                lambda: rounded(Op.FP_FMA, sort, sort, sort),
                lambda: rounded(r.choice((Op.FP_SQRT, Op.FP_RTI)), sort),
                lambda: rounded(Op.FP_FROM_FP, SMALL if sort is FLOAT32 else FLOAT32),
                lambda: rounded(r.choice((Op.FP_FROM_SBV, Op.FP_FROM_UBV)), bitvec(8)),
                lambda: rounded(Op.FP_FROM_REAL, REAL),
                lambda: self._mk(Op.FP_FROM_BITS, self.term(bitvec(sort.width), depth), data=sort),
            )
        )()

    def _array(self, sort: Sort, depth: int) -> Term:
        if self.rng.random() < 0.3:
            return self._mk(Op.CONST_ARRAY, self.term(sort.element, depth), data=sort)
        return self._mk(
            Op.STORE,
            self.term(sort, depth),
            self.term(sort.index, depth),
            self.term(sort.element, depth),
        )
