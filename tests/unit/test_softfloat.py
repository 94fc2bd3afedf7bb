"""Exact floating point against two independent judges; the machine's arithmetic is a third, in a
file of its own.

- By definition: rounding in a tiny format is compared with a search through all its values, in
  rational arithmetic.
- Solvers, by evaluating constants: cvc5 and z3 exhaustively on tiny formats, bitwuzla (whose wheel
  has only the IEEE formats) on samples of Float16, Float32 and Float64; all rounding modes.

The solvers agree with us wherever these tests ask them, fp.rem and overflowing fp.roundToIntegral
included. z3 refuses formats with sb = 2, so those are left to cvc5.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import bitwuzla
import cvc5
import pytest
import z3

from obligato.terms import softfloat as sf
from obligato.terms.softfloat import FLOAT32, FLOAT64, FloatFormat, RoundingMode

RNE, RNA, RTP, RTN, RTZ = RoundingMode
TINY = FloatFormat(2, 3)
FLOAT16 = FloatFormat(5, 11)
SMALL = FloatFormat(3, 3)
WIDE = FloatFormat(2, 4)  # more fraction bits than exponents: rounding to an integer may overflow

ROUNDED = {"add": 2, "sub": 2, "mul": 2, "div": 2, "sqrt": 1, "round_to_integral": 1}
EXACT = {"neg": 1, "abs": 1, "rem": 2, "min": 2, "max": 2}
COMPARISONS = dict.fromkeys(["eq", "lt", "leq"], 2)
CLASSES = dict.fromkeys(
    [f"is_{c}" for c in ["nan", "inf", "zero", "normal", "subnormal", "negative", "positive"]], 1
)
UNROUNDED = {**EXACT, **COMPARISONS, **CLASSES}
ARITY = {**ROUNDED, **UNROUNDED, "fma": 3}


def patterns(fmt: FloatFormat) -> list[int]:
    """One pattern of each value."""
    return [x for x in range(1 << fmt.width) if sf.canonical(fmt, x) == x]


# -- solvers as calculators ------------------------------------------------------------------------


class Cvc5:
    """Evaluates constant terms with cvc5's rewriter."""

    KINDS: ClassVar = {
        "mul": "MULT",
        "round_to_integral": "RTI",
        "is_negative": "IS_NEG",
        "is_positive": "IS_POS",
    }
    MODES: ClassVar = {
        RNE: "ROUND_NEAREST_TIES_TO_EVEN",
        RNA: "ROUND_NEAREST_TIES_TO_AWAY",
        RTP: "ROUND_TOWARD_POSITIVE",
        RTN: "ROUND_TOWARD_NEGATIVE",
        RTZ: "ROUND_TOWARD_ZERO",
    }

    def __init__(self) -> None:
        self.tm = cvc5.TermManager()
        self.solver = cvc5.Solver(self.tm)
        self.solver.setOption("fp-exp", "true")
        self.modes = {
            rm: self.tm.mkRoundingMode(getattr(cvc5.RoundingMode, n))
            for rm, n in self.MODES.items()
        }

    def bits(self, width: int, x: int) -> Any:
        return self.tm.mkBitVector(width, x)

    def value(self, fmt: FloatFormat, x: int) -> Any:
        return self.tm.mkFloatingPoint(fmt.eb, fmt.sb, self.bits(fmt.width, x))

    def call(self, op: str, rm: RoundingMode | None, args: list[Any], *indices: int) -> int:
        kind = getattr(cvc5.Kind, "FLOATINGPOINT_" + self.KINDS.get(op, op.upper()))
        term = self.tm.mkTerm(
            self.tm.mkOp(kind, *indices), *([self.modes[rm]] if rm else []), *args
        )
        result = self.solver.simplify(term)
        if result.isFloatingPointValue():
            result = result.getFloatingPointValue()[2]
        return (
            int(result.getBitVectorValue(2), 2)
            if result.isBitVectorValue()
            else int(result.getBooleanValue())
        )


class Z3:
    """Evaluates constant terms with z3's simplifier."""

    FUNCTIONS: ClassVar = {
        **{op: "fp" + op.upper() for op in ("leq", "lt", "eq", "fma")},
        "to_fp_from_fp": "fpFPToFP",
        "to_fp_from_sbv": "fpSignedToFP",
        "to_fp_from_ubv": "fpUnsignedToFP",
        "to_sbv": "fpToSBV",
        "to_ubv": "fpToUBV",
    }

    def bits(self, width: int, x: int) -> Any:
        return z3.BitVecVal(x, width)

    def value(self, fmt: FloatFormat, x: int) -> Any:
        return z3.simplify(z3.fpBVToFP(self.bits(fmt.width, x), z3.FPSort(fmt.eb, fmt.sb)))

    def call(self, op: str, rm: RoundingMode | None, args: list[Any], *indices: int) -> int:
        name = self.FUNCTIONS.get(op, "fp" + op.title().replace("_", "").replace("Nan", "NaN"))
        sort = [z3.FPSort(*indices)] if len(indices) == 2 else [z3.BitVecSort(i) for i in indices]
        mode = [getattr(z3, rm.name)()] if rm else []
        result = z3.simplify(getattr(z3, name)(*mode, *args, *sort))
        if z3.is_bool(result):
            return int(z3.is_true(result))
        if z3.is_bv(result):
            return int(result.as_long())
        fmt = FloatFormat(result.sort().ebits(), result.sort().sbits())
        return fmt.nan if result.isNaN() else int(z3.simplify(z3.fpToIEEEBV(result)).as_long())


class Bitwuzla:
    """Evaluates constant terms in the (empty) model of an empty set of assertions."""

    KINDS: ClassVar = {
        "eq": "EQUAL",
        "round_to_integral": "RTI",
        "is_negative": "IS_NEG",
        "is_positive": "IS_POS",
    }

    def __init__(self) -> None:
        self.tm = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        self.solver = bitwuzla.Bitwuzla(self.tm, options)
        # No assertion at all: always sat, and required before values can be read.
        assert self.solver.check_sat() is bitwuzla.Result.SAT

    def bits(self, width: int, x: int) -> Any:
        return self.tm.mk_bv_value(self.tm.mk_bv_sort(width), x)

    def value(self, fmt: FloatFormat, x: int) -> Any:
        return self.tm.mk_term(
            bitwuzla.Kind.FP_TO_FP_FROM_BV, [self.bits(fmt.width, x)], [fmt.eb, fmt.sb]
        )

    def call(self, op: str, rm: RoundingMode | None, args: list[Any], *indices: int) -> int:
        kind = getattr(bitwuzla.Kind, "FP_" + self.KINDS.get(op, op.upper()))
        mode = [self.tm.mk_rm_value(getattr(bitwuzla.RoundingMode, rm.name))] if rm else []
        result = self.solver.get_value(self.tm.mk_term(kind, mode + args, list(indices))).value(
            2, False
        )
        return int(result) if isinstance(result, bool) else int(result, 2)


Judge = Cvc5 | Z3 | Bitwuzla


def ours(op: str, fmt: FloatFormat, rm: RoundingMode | None, xs: tuple[int, ...]) -> int:
    return int(getattr(sf, op)(fmt, *([rm] if rm else []), *xs))


def left_open(op: str, fmt: FloatFormat, xs: tuple[int, ...]) -> bool:
    return op in ("min", "max") and all(sf.is_zero(fmt, x) for x in xs) and xs[0] != xs[1]


def agree(
    judge: Judge,
    op: str,
    fmt: FloatFormat,
    modes: list[RoundingMode | None],
    inputs: list[tuple[int, ...]],
) -> None:
    """Assert that the judge computes what we do."""
    values = {x: judge.value(fmt, x) for x in dict.fromkeys(x for xs in inputs for x in xs)}
    for rm, xs in product(modes, inputs):
        if not left_open(op, fmt, xs):
            assert ours(op, fmt, rm, xs) == judge.call(op, rm, [values[x] for x in xs]), (
                op,
                fmt,
                rm,
                xs,
            )


def modes_of(op: str) -> list[RoundingMode | None]:
    return [None] if op in UNROUNDED else list(RoundingMode)


@pytest.mark.parametrize(
    ("judge", "fmt"), [(Z3, TINY), (Cvc5, TINY), (Cvc5, FloatFormat(2, 2)), (Cvc5, SMALL)], ids=str
)
@pytest.mark.parametrize("op", [*ROUNDED, *UNROUNDED])
def test_every_input_of_tiny_formats(judge: type[Judge], fmt: FloatFormat, op: str) -> None:
    agree(judge(), op, fmt, modes_of(op), list(product(patterns(fmt), repeat=ARITY[op])))


@pytest.mark.parametrize("judge", [Z3, Cvc5])
@pytest.mark.parametrize("op", ["rem", "sqrt", "round_to_integral"])
def test_formats_with_few_exponents(judge: type[Judge], op: str) -> None:
    agree(judge(), op, WIDE, modes_of(op), list(product(patterns(WIDE), repeat=ARITY[op])))


@pytest.mark.parametrize(
    ("judge", "fmt", "count"), [(Z3, TINY, 600), (Cvc5, TINY, 3000), (Cvc5, SMALL, 4000)], ids=str
)
def test_fma_on_sampled_triples(judge: type[Judge], fmt: FloatFormat, count: int) -> None:
    triples = list(product(patterns(fmt), repeat=3))
    agree(judge(), "fma", fmt, list(RoundingMode), random.Random(1).sample(triples, count))


def samples(
    fmt: FloatFormat, rng: random.Random, arity: int, count: int
) -> Iterator[tuple[int, ...]]:
    """Operands that meet: specials, small changes of them, and values whose exponents lie close
    together.
    """
    specials = [0, 1, fmt.min_normal(), fmt.bias << (fmt.sb - 1), fmt.max_finite(), fmt.inf()]
    for _ in range(count):
        centre = rng.choice([*specials, rng.getrandbits(fmt.width - 1)])
        near = [
            (centre + rng.choice([0, 1, -1, rng.getrandbits(fmt.sb + 2)])) % fmt.sign_bit
            for _ in range(arity)
        ]
        free = [rng.getrandbits(fmt.width - 1) for _ in range(arity)]
        xs = [x if rng.random() < 0.8 else y for x, y in zip(near, free, strict=True)]
        yield tuple(sf.canonical(fmt, x | rng.getrandbits(1) * fmt.sign_bit) for x in xs)


@pytest.mark.parametrize("fmt", [FLOAT16, FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("op", [*ROUNDED, *UNROUNDED, "fma"])
def test_samples_of_ieee_formats(fmt: FloatFormat, op: str) -> None:
    agree(Bitwuzla(), op, fmt, modes_of(op), list(samples(fmt, random.Random(op), ARITY[op], 100)))


# -- rounding by definition ------------------------------------------------------------------------


Point = tuple[Fraction, int]


def points_of(fmt: FloatFormat) -> list[Point]:
    """All non-negative finite values with their patterns, in order, and the next power of two for
    infinity.
    """
    finite = [(sf.to_fraction(fmt, x), x) for x in range(fmt.inf())]
    return [(v, x) for v, x in finite if v is not None] + [
        (Fraction(2) ** (fmt.bias + 1), fmt.inf())
    ]


def nearest(fmt: FloatFormat, points: list[Point], rm: RoundingMode, value: Fraction) -> int:
    """Rounding of a nonzero value by its definition."""
    negative, size = value < 0, abs(value)
    above = next((i for i, (v, _) in enumerate(points) if v >= size), len(points) - 1)
    exact = points[above][0] == size and above < len(points) - 1
    below = above if exact else above - 1
    middle = (points[below][0] + points[above][0]) / 2
    if rm in (RNE, RNA):
        up = size > middle or (size == middle and (rm is RNA or above % 2 == 0))
    else:
        up = rm is (RTN if negative else RTP)
    return points[above if up else below][1] | (fmt.sign_bit if negative else 0)


@pytest.mark.parametrize("fmt", [FloatFormat(2, 2), TINY, SMALL, WIDE], ids=str)
@pytest.mark.parametrize("rm", RoundingMode)
def test_rounding_by_definition(fmt: FloatFormat, rm: RoundingMode) -> None:
    points, step = points_of(fmt), Fraction(2) ** (fmt.min_quantum - 2)
    grid = [k * step for k in range(1, int(points[-1][0] / step) + 9)]
    for size in grid + [v + step / 7 for v in grid] + [step / 1000, Fraction(10**30)]:
        for value in (size, -size):
            want = nearest(fmt, points, rm, value)
            assert sf.round_fraction(fmt, rm, value, False) == want, value
            assert sf.round_fraction(fmt, rm, value, True) == want, value
    assert sf.round_fraction(fmt, rm, Fraction(0), True) == fmt.zero(True)
    assert sf.from_real(fmt, rm, Fraction(0)) == fmt.zero()


@pytest.mark.parametrize("fmt", [TINY, SMALL, FloatFormat(5, 6)], ids=str)
def test_values_survive_the_way_through_fractions(fmt: FloatFormat) -> None:
    for x in patterns(fmt):
        value = sf.to_fraction(fmt, x)
        assert (value is None) == (sf.is_nan(fmt, x) or sf.is_inf(fmt, x))
        assert value is None or sf.round_fraction(fmt, RTZ, value, sf.is_negative(fmt, x)) == x


# -- conversions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("judge", [Z3, Cvc5])
@pytest.mark.parametrize("rm", RoundingMode)
def test_conversions_against_solvers(judge: type[Judge], rm: RoundingMode) -> None:
    solver, middle = judge(), FloatFormat(4, 4)
    for source, target in ((middle, TINY), (middle, FloatFormat(3, 6)), (TINY, middle)):
        for x in patterns(source):
            want = solver.call("to_fp_from_fp", rm, [solver.value(source, x)], *target)
            assert sf.convert(source, target, rm, x) == want, (source, target, x)
    for bits in range(256):
        operand = [solver.bits(8, bits)]
        assert sf.from_signed(SMALL, rm, bits, 8) == solver.call(
            "to_fp_from_sbv", rm, operand, *SMALL
        )
        assert sf.from_unsigned(SMALL, rm, bits) == solver.call(
            "to_fp_from_ubv", rm, operand, *SMALL
        )


@pytest.mark.parametrize("judge", [Z3, Cvc5])
@pytest.mark.parametrize("rm", RoundingMode)
def test_integers_against_solvers(judge: type[Judge], rm: RoundingMode) -> None:
    solver, fmt = judge(), FloatFormat(4, 4)
    for x, width in product(patterns(fmt), (1, 3, 5)):
        for op, low in (("to_sbv", -(1 << (width - 1))), ("to_ubv", 0)):
            got = (sf.to_int_signed if low else sf.to_int_unsigned)(fmt, rm, x, width)
            if sf.to_int(fmt, rm, x, low, low + (1 << width) - 1) is None:
                assert got == 0
            else:
                assert got == solver.call(op, rm, [solver.value(fmt, x)], width), (op, x, width)


def test_integers_out_of_range_are_zero() -> None:
    half = sf.from_real(FLOAT32, RNE, Fraction(1, 2))
    for x in (
        FLOAT32.nan,
        FLOAT32.inf(),
        FLOAT32.inf(True),
        FLOAT32.max_finite(),
        sf.from_int(FLOAT32, RNE, 256),
    ):
        assert sf.to_int_signed(FLOAT32, RNE, x, 8) == sf.to_int_unsigned(FLOAT32, RNE, x, 8) == 0
    assert sf.to_int_unsigned(FLOAT32, RNE, sf.from_int(FLOAT32, RNE, -1), 8) == 0
    assert sf.to_int_signed(FLOAT32, RNE, sf.from_int(FLOAT32, RNE, -128), 8) == 128
    assert [sf.to_int_unsigned(FLOAT32, rm, half, 8) for rm in RoundingMode] == [0, 1, 1, 0, 0]
    assert [sf.to_int_signed(FLOAT32, rm, sf.neg(FLOAT32, half), 8) for rm in RoundingMode] == [
        0,
        255,
        0,
        255,
        0,
    ]


# -- corner cases ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rm", RoundingMode)
def test_signs_of_zero(rm: RoundingMode) -> None:
    plus, minus, one = FLOAT32.zero(), FLOAT32.zero(True), sf.from_int(FLOAT32, rm, 1)
    cancelled = FLOAT32.zero(rm is RTN)
    assert sf.sub(FLOAT32, rm, one, one) == cancelled
    assert sf.add(FLOAT32, rm, plus, minus) == cancelled
    assert sf.add(FLOAT32, rm, minus, minus) == minus
    assert sf.sub(FLOAT32, rm, plus, minus) == plus
    assert sf.fma(FLOAT32, rm, one, sf.neg(FLOAT32, one), one) == cancelled
    assert sf.fma(FLOAT32, rm, minus, one, minus) == minus
    assert sf.fma(FLOAT32, rm, minus, one, plus) == cancelled
    assert sf.sqrt(FLOAT32, rm, minus) == minus
    assert sf.mul(FLOAT32, rm, minus, one) == sf.div(FLOAT32, rm, minus, one) == minus
    assert sf.rem(FLOAT32, minus, one) == sf.rem(FLOAT32, sf.neg(FLOAT32, one), one) == minus


@pytest.mark.parametrize("op", ["min", "max"])
def test_min_and_max_of_zeros_return_the_second(op: str) -> None:
    for x, y in product((FLOAT32.zero(), FLOAT32.zero(True)), repeat=2):
        assert ours(op, FLOAT32, None, (x, y)) == y


def test_only_the_canonical_nan_is_returned() -> None:
    nans = [x for x in range(1 << SMALL.width) if sf.is_nan(SMALL, x)]
    assert SMALL.nan == 0b011110
    assert sf.canonical(SMALL, nans[0]) == sf.canonical(SMALL, nans[-1])
    for op, arity in {**ROUNDED, **EXACT, "fma": 3}.items():
        for xs in product([SMALL.inf(), 5, *nans], repeat=arity):
            for rm in modes_of(op):
                result = ours(op, SMALL, rm, xs)
                assert result == SMALL.nan or not sf.is_nan(SMALL, result), (op, xs)


def test_cost_is_independent_of_the_exponent_range() -> None:
    fmt = FloatFormat(40, 11)  # a number of 2^39 bits would not fit into memory
    big, tiny, one = fmt.max_finite(), fmt.sign_bit | 1, fmt.bias << 10
    assert sf.add(fmt, RNE, big, tiny) == big
    assert sf.add(fmt, RTZ, big, tiny) == sf.fma(fmt, RTZ, big, one, tiny) == big - 1
    assert sf.fma(fmt, RTN, tiny, one, big) == big - 1
    assert sf.fma(fmt, RTP, tiny, tiny, fmt.zero()) == 1
    assert (sf.rem(fmt, tiny, big), sf.rem(fmt, big, tiny)) == (tiny, fmt.zero())
    assert (sf.to_int_signed(fmt, RNE, big, 64), sf.to_int_signed(fmt, RTN, tiny, 8)) == (0, 255)
    assert (
        sf.to_int_signed(fmt, RTP, 0, 8),
        sf.round_to_integral(fmt, RTP, 0),
        sf.rem(fmt, 0, big),
    ) == (0, 0, 0)
    assert sf.convert(fmt, FLOAT16, RTZ, big) == FLOAT16.max_finite()
