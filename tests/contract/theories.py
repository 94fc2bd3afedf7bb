"""Random formulas of each theory: a pool of terms grows by operators applied to what is already
there.

`formulas(theory)` draws a list of numbers; each picks an operator of the theory and its arguments
by sort. Every operator of the term layer is in some theory, surface ones included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from obligato.terms import (
    BOOL,
    FLOAT32,
    INT,
    REAL,
    RM,
    Op,
    Sort,
    Term,
    TermStore,
    array,
    bitvec,
    floating,
)
from obligato.terms.softfloat import RoundingMode

Build = Callable[..., Term]
Rule = tuple[tuple[Sort, ...], Build]  # argument sorts, builder(store, *arguments)


@dataclass(frozen=True)
class Theory:
    """Variables, constants and rules."""

    name: str
    variables: tuple[tuple[str, Sort], ...]
    constants: tuple[tuple[object, Sort], ...]
    rules: tuple[Rule, ...]

    @property
    def sorts(self) -> list[Sort]:
        """The sorts of its variables; they say which backends can do it."""
        return [sort for _, sort in self.variables]

    def __repr__(self) -> str:
        return self.name


def _op(op: Op, *sorts: Sort, data: object = None) -> Rule:
    return sorts, lambda s, *args: s.mk(op, args, data)


def _same(sort: Sort, count: int, *ops: Op) -> list[Rule]:
    return [_op(op, *[sort] * count) for op in ops]


def _common(sort: Sort) -> list[Rule]:
    return [
        _op(Op.EQ, sort, sort),
        _op(Op.ITE, BOOL, sort, sort),
        _op(Op.DISTINCT, sort, sort, sort),
    ]


_BOOL: list[Rule] = [
    _op(Op.NOT, BOOL),
    _op(Op.EQ, BOOL, BOOL),
    _op(Op.ITE, BOOL, BOOL, BOOL),
    _op(Op.AND, BOOL, BOOL, BOOL),
    *_same(BOOL, 2, Op.AND, Op.OR, Op.XOR, Op.IMPLIES),
]


def _arith(sort: Sort) -> list[Rule]:
    return [
        *_common(sort),
        *_same(sort, 2, Op.ADD, Op.SUB, Op.LE, Op.LT, Op.GE, Op.GT),
        *_same(sort, 3, Op.ADD),
        *_same(sort, 1, Op.NEG, Op.ABS),
        ((sort,), lambda s, a: s.mul(s.const(3, sort), a)),
        ((sort,), lambda s, a: s.mul(a, s.const(-2, sort))),
    ]


_BV2 = (
    Op.BVSUB,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
    Op.BVADD,
    Op.BVMUL,
    Op.BVAND,
    Op.BVOR,
    Op.BVXOR,
    Op.BVULT,
    Op.BVULE,
    Op.BVUGT,
    Op.BVUGE,
    Op.BVSLT,
    Op.BVSLE,
    Op.BVSGT,
    Op.BVSGE,
)
_W4, _W7 = bitvec(4), bitvec(7)


def _words(sort: Sort) -> list[Rule]:
    return [
        *_common(sort),
        *_same(sort, 2, *_BV2),
        *_same(sort, 1, Op.BVNEG, Op.BVNOT),
        *_same(sort, 3, Op.BVADD, Op.BVXOR),
    ]


_RESIZE: list[Rule] = [
    ((_W4,), lambda s, a: s.zero_ext(a, 3)),
    ((_W4,), lambda s, a: s.sign_ext(a, 3)),
    ((_W7,), lambda s, a: s.extract(a, 5, 2)),
    ((_W4, _W7), lambda s, a, b: s.concat(a, s.extract(b, 6, 4))),
    ((_W7,), lambda s, a: s.rotate_left(a, 3)),
]
_TESTS = (
    Op.FP_IS_NORMAL,
    Op.FP_IS_SUBNORMAL,
    Op.FP_IS_ZERO,
    Op.FP_IS_INF,
    Op.FP_IS_NAN,
    Op.FP_IS_NEG,
    Op.FP_IS_POS,
)


def _cheap_floats(f: Sort) -> list[Rule]:
    """What every solver does quickly."""
    w = bitvec(f.width)
    return [
        *_common(f),
        *_same(f, 1, Op.FP_ABS, Op.FP_NEG, *_TESTS),
        *_same(f, 2, Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ),
        _op(Op.FP_ADD, RM, f, f),
        _op(Op.FP_SUB, RM, f, f),
        _op(Op.EQ, RM, RM),
        ((f, f), lambda s, a, b: s.fp_min(a, b)),
        ((f, f), lambda s, a, b: s.fp_max(a, b)),
        *_same(f, 2, Op.FP_MIN, Op.FP_MAX),
        _op(Op.FP_FROM_BITS, w, data=f),
        _op(Op.FP_TO_BITS, f),
        _op(Op.FP_RTI, RM, f),
        _op(Op.FP_FROM_SBV, RM, w, data=f),
        _op(Op.FP_FROM_UBV, RM, w, data=f),
        ((RM, f), lambda s, r, a: s.fp_to_sbv(r, a, w.width)),
        ((RM, f), lambda s, r, a: s.fp_to_ubv(r, a, w.width)),
        *_common(w),
        *_same(w, 2, Op.BVADD, Op.BVULT),
    ]


def _dear_floats(f: Sort, other: Sort) -> list[Rule]:
    return [
        _op(Op.FP_MUL, RM, f, f),
        _op(Op.FP_DIV, RM, f, f),
        _op(Op.FP_FMA, RM, f, f, f),
        _op(Op.FP_SQRT, RM, f),
        _op(Op.FP_REM, f, f),
        ((RM, f), lambda s, r, a: s.fp_from_fp(r, s.fp_from_fp(r, a, other), f)),
    ]


def _arrays(sort: Sort) -> list[Rule]:
    return [
        _op(Op.EQ, sort, sort),
        _op(Op.ITE, BOOL, sort, sort),
        _op(Op.SELECT, sort, sort.index),
        _op(Op.STORE, sort, sort.index, sort.element),
        _op(Op.CONST_ARRAY, sort.element, data=sort),
    ]


def _theory(
    name: str,
    variables: dict[str, Sort],
    constants: Sequence[tuple[object, Sort]],
    rules: Sequence[Rule],
) -> Theory:
    booleans = {"p": BOOL, "q": BOOL}
    return Theory(
        name, tuple({**booleans, **variables}.items()), tuple(constants), (*_BOOL, *rules)
    )


_F16, _F7 = floating(5, 11), floating(3, 4)
_AB, _AI = array(_W7, _W4), array(INT, INT)
THEORIES = (
    _theory("bool", {"r": BOOL, "t": BOOL}, [], []),
    _theory(
        "bv",
        {"x": _W4, "y": _W4, "u": _W7, "v": _W7},
        [(0, _W4), (9, _W4), (1, _W7)],
        [*_words(_W4), *_words(_W7), *_RESIZE],
    ),
    _theory(
        "int",
        {"x": INT, "y": INT, "z": INT},
        [(0, INT), (5, INT), (-7, INT)],
        [
            *_arith(INT),
            ((INT,), lambda s, a: s.idiv(a, s.int_(3))),
            ((INT,), lambda s, a: s.mod(a, s.int_(-4))),
            ((INT,), lambda s, a: s.mk(Op.IDIV, (a, s.int_(0)))),
            ((INT,), lambda s, a: s.mk(Op.MOD, (a, s.int_(0)))),
        ],
    ),
    _theory(
        "real",
        {"x": REAL, "y": REAL},
        [(Fraction(1, 3), REAL), (Fraction(-5, 2), REAL)],
        [
            *_arith(REAL),
            ((REAL,), lambda s, a: s.rdiv(a, s.real(7))),
            ((REAL,), lambda s, a: s.mk(Op.RDIV, (a, s.real(0)))),
        ],
    ),
    _theory(
        "int+real",
        {"i": INT, "x": REAL},
        [(Fraction(1, 2), REAL), (3, INT)],
        [
            *_arith(INT),
            *_arith(REAL),
            _op(Op.TO_REAL, INT),
            _op(Op.TO_INT, REAL),
            _op(Op.IS_INT, REAL),
        ],
    ),
    _theory(
        "bv arrays",
        {"a": _AB, "b": _AB, "i": _W7, "x": _W4},
        [(3, _W7), (1, _W4)],
        [*_arrays(_AB), *_common(_W7), *_same(_W4, 2, Op.BVADD, Op.BVULT)],
    ),
    _theory(
        "int arrays",
        {"a": _AI, "b": _AI, "i": INT},
        [(3, INT)],
        [*_arrays(_AI), *_common(INT), *_same(INT, 2, Op.ADD, Op.LE)],
    ),
    _theory(
        "float16",
        {"f": _F16, "g": _F16, "w": bitvec(16), "m": RM},
        [(RoundingMode.RTZ, RM), (0x3C01, _F16), (0, bitvec(16))],
        [*_cheap_floats(_F16), *_dear_floats(_F16, FLOAT32)],
    ),
    _theory(
        "float32",
        {"f": FLOAT32, "g": FLOAT32, "w": bitvec(32), "m": RM},
        [(RoundingMode.RTP, RM), (0x3F800001, FLOAT32), (1, bitvec(32))],
        _cheap_floats(FLOAT32),
    ),
    _theory(
        "float7",
        {"f": _F7, "g": _F7, "w": bitvec(7), "m": RM},
        [(RoundingMode.RTZ, RM), (0x31, _F7), (0, bitvec(7))],
        [*_cheap_floats(_F7), *_dear_floats(_F7, floating(2, 3))],
    ),
)


@st.composite
def formulas(draw: st.DrawFn, theory: Theory) -> list[Term]:
    """Between one and six Boolean terms of `theory`, in a raw or a simplifying store."""
    store = TermStore.raw() if draw(st.booleans()) else TermStore()
    pool: dict[Sort, list[Term]] = {}
    for name, sort in theory.variables:
        pool.setdefault(sort, []).append(store.var(name, sort))
    for value, sort in theory.constants:
        pool.setdefault(sort, []).append(store.const(value, sort))
    numbers = st.integers(0, (1 << 30) - 1)
    for number in draw(st.lists(numbers, min_size=2, max_size=25)):
        number, rule = divmod(number, len(theory.rules))
        sorts, build = theory.rules[rule]
        args = []
        for sort in sorts:
            number, i = divmod(number, len(pool[sort]))
            args.append(pool[sort][-1 - i])
        term = build(store, *args)
        pool.setdefault(term.sort, []).append(term)
    return pool[BOOL][-draw(st.integers(1, 6)) :]
