"""Exact floating point against the machine: Python's doubles, C floats, libm's fma; mostly round to
nearest.
"""

import ctypes
import math
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.terms import softfloat as sf
from obligato.terms.softfloat import FLOAT32, FLOAT64, FloatFormat, RoundingMode
from tests.support.floats import from_python_float, to_python_float

RNE, RTP, RTN, RTZ = RoundingMode.RNE, RoundingMode.RTP, RoundingMode.RTN, RoundingMode.RTZ

doubles = st.one_of(
    st.floats(),
    st.integers(0, (1 << 64) - 1).map(to_python_float),
    st.integers(-(10**6), 10**6).map(lambda n: n / 64),
)
singles = st.floats(width=32)
many = settings(max_examples=300, deadline=None)
d = from_python_float


def f(value: float) -> int:
    """The FLOAT32 pattern of the C float nearest to a double."""
    (bits,) = struct.unpack("<I", bytes(ctypes.c_float(value)))
    return sf.canonical(FLOAT32, int(bits))


def machine(x: float, y: float) -> dict[str, float]:
    """What the machine computes, without the cases in which Python raises an exception instead."""
    results = {"add": x + y, "sub": x - y, "mul": x * y}
    if y != 0:
        results["div"] = x / y
    if not x < 0:
        results["sqrt"] = math.sqrt(x)
    return results


def check_arithmetic(fmt: FloatFormat, pattern: Callable[[float], int], x: float, y: float) -> None:
    xs = pattern(x), pattern(y)
    for op, result in machine(x, y).items():
        operands = xs[:1] if op == "sqrt" else xs
        assert getattr(sf, op)(fmt, RNE, *operands) == pattern(result), op
    if math.isfinite(x) and y != 0:
        assert sf.rem(fmt, *xs) == pattern(math.remainder(x, y))
    assert (sf.eq(fmt, *xs), sf.lt(fmt, *xs), sf.leq(fmt, *xs)) == (x == y, x < y, x <= y)
    assert (sf.neg(fmt, xs[0]), sf.abs(fmt, xs[0])) == (pattern(-x), pattern(abs(x)))


@many
@given(doubles, doubles)
def test_double_arithmetic(x: float, y: float) -> None:
    check_arithmetic(FLOAT64, d, x, y)


@many
@given(singles, singles)
def test_single_arithmetic(x: float, y: float) -> None:
    """A double result rounded to single is the single result: 53 >= 2 * 24 + 2, so rounding twice
    does no harm.
    """
    check_arithmetic(FLOAT32, f, x, y)


@many
@given(doubles, doubles, doubles)
def test_fma_of_libm(x: float, y: float, z: float) -> None:
    fma = getattr(ctypes.CDLL(None), "fma", None)
    if fma is None:
        pytest.skip("the C library offers no fma")
    fma.argtypes, fma.restype = [ctypes.c_double] * 3, ctypes.c_double
    assert sf.fma(FLOAT64, RNE, d(x), d(y), d(z)) == d(fma(x, y, z))
    assert sf.fma(FLOAT64, RNE, d(x), d(y), d(-x * y)) == d(fma(x, y, -x * y))


@many
@given(doubles)
def test_double_conversions(x: float) -> None:
    assert math.isnan(x) or math.copysign(1, to_python_float(d(x))) == math.copysign(1, x)
    assert to_python_float(d(x)) == x or math.isnan(x)
    assert sf.convert(FLOAT64, FLOAT32, RNE, d(x)) == f(x)
    assert sf.convert(FLOAT32, FLOAT64, RNE, f(x)) == d(ctypes.c_float(x).value)
    if math.isfinite(x):
        integers = {RNE: round(x), RTP: math.ceil(x), RTN: math.floor(x), RTZ: math.trunc(x)}
        for rm, n in integers.items():
            assert sf.round_to_integral(FLOAT64, rm, d(x)) == d(math.copysign(float(n), x))
            assert sf.to_int_signed(FLOAT64, rm, d(x), 64) == (
                n % (1 << 64) if -(1 << 63) <= n < 1 << 63 else 0
            )


@many
@given(st.integers(-(1 << 200), 1 << 200), st.integers(1, 1 << 200))
def test_rationals_to_double(n: int, m: int) -> None:
    assert sf.from_int(FLOAT64, RNE, n) == d(float(n))
    assert sf.from_real(FLOAT64, RNE, Fraction(n, m)) == d(n / m)
