"""Exact IEEE 754 operations on bit patterns, for every binary format, in integers only.

Idea: unpack the operands into integers, compute exactly, round once (see `floatformat`, whose
public names are offered here too). No Python float takes part in any operation.

Source: IEEE 754-2019, sections 5 and 6, and the SMT-LIB theory FloatingPoint.

Where to look: `_sum` carries add, sub and fma with their rules for signed zeros; `div` and `sqrt`
keep enough bits and a sticky one. An addend far below the other one is reduced to its sign, and
`rem` works modulo the divisor, so the cost of an operation does not grow with the exponent range.
Arguments come in the order format, rounding mode, operands.

Where SMT-LIB leaves the result open, it is fixed here;
whoever compares with a solver has to know these cases:
- `min` and `max` of two zeros return the second argument.
- `to_int_signed` and `to_int_unsigned` return 0 for NaN,
  infinities and values that are out of range after rounding.
- `to_fraction` returns None for NaN and infinities, so that the caller has to decide.

Limitations: as `floatformat`.
"""

from fractions import Fraction
from math import isqrt

from obligato.terms.floatformat import (
    FLOAT32,
    FLOAT64,
    Finite,
    FloatFormat,
    RoundingMode,
    canonical,
    is_finite,
    is_inf,
    is_nan,
    is_negative,
    is_normal,
    is_positive,
    is_subnormal,
    is_zero,
    magnitude,
    round_exact,
    round_fraction,
    round_quotient,
    rounded_shift,
    sign,
    to_fraction,
    unpack,
)

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "FloatFormat",
    "RoundingMode",
    "abs",
    "add",
    "canonical",
    "convert",
    "div",
    "eq",
    "fma",
    "from_int",
    "from_real",
    "from_signed",
    "from_unsigned",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_negative",
    "is_normal",
    "is_positive",
    "is_subnormal",
    "is_zero",
    "leq",
    "lt",
    "max",
    "min",
    "mul",
    "neg",
    "rem",
    "round_fraction",
    "round_to_integral",
    "sqrt",
    "sub",
    "to_fraction",
    "to_int",
    "to_int_signed",
    "to_int_unsigned",
]


# -- arithmetic ------------------------------------------------------------------------------------


def neg(fmt: FloatFormat, x: int) -> int:
    return fmt.nan if is_nan(fmt, x) else x ^ fmt.sign_bit


def abs(fmt: FloatFormat, x: int) -> int:
    return fmt.nan if is_nan(fmt, x) else magnitude(fmt, x)


def _sum(fmt: FloatFormat, rm: RoundingMode, a: Finite, b: Finite) -> int:
    """Round a + b, each with at most 2 * sb bits.
    A sum of exactly 0 is -0 only for -0 + -0 and, in RTN, for x + -x."""
    if a.m == 0 and b.m == 0:
        return fmt.zero(a.negative if a.negative == b.negative else rm is RoundingMode.RTN)
    if a.m == 0 or b.m == 0:
        return round_exact(fmt, rm, a if a.m else b)
    if a.e < b.e:
        a, b = b, a
    limit = 3 * fmt.sb + 4
    if a.e - b.e > limit:  # b < 2^(a.e - sb - 4), below every half bit: only its sign matters
        b = Finite(b.negative, 1, a.e - limit)
    total = ((-a.m if a.negative else a.m) << (a.e - b.e)) + (-b.m if b.negative else b.m)
    if total == 0:
        return fmt.zero(rm is RoundingMode.RTN)
    return round_exact(fmt, rm, Finite(total < 0, total if total > 0 else -total, b.e))


def add(fmt: FloatFormat, rm: RoundingMode, x: int, y: int) -> int:
    if is_finite(fmt, x) and is_finite(fmt, y):
        return _sum(fmt, rm, unpack(fmt, x), unpack(fmt, y))
    if is_nan(fmt, x) or is_nan(fmt, y):
        return fmt.nan
    if is_inf(fmt, x):  # oo + -oo is NaN
        return fmt.nan if is_inf(fmt, y) and x != y else x
    return y


def sub(fmt: FloatFormat, rm: RoundingMode, x: int, y: int) -> int:
    return add(fmt, rm, x, neg(fmt, y))


def _product(a: Finite, b: Finite) -> Finite:
    return Finite(a.negative != b.negative, a.m * b.m, a.e + b.e)


def _infinite_product(fmt: FloatFormat, x: int, y: int) -> int:
    """x * y where x or y is not finite: NaN or an infinity."""
    if is_nan(fmt, x) or is_nan(fmt, y) or is_zero(fmt, x) or is_zero(fmt, y):
        return fmt.nan
    return fmt.inf(sign(fmt, x) != sign(fmt, y))


def mul(fmt: FloatFormat, rm: RoundingMode, x: int, y: int) -> int:
    if is_finite(fmt, x) and is_finite(fmt, y):
        return round_exact(fmt, rm, _product(unpack(fmt, x), unpack(fmt, y)))
    return _infinite_product(fmt, x, y)


def fma(fmt: FloatFormat, rm: RoundingMode, x: int, y: int, z: int) -> int:
    """x * y + z with one rounding."""
    if not (is_finite(fmt, x) and is_finite(fmt, y)):
        return add(fmt, rm, _infinite_product(fmt, x, y), z)
    if not is_finite(fmt, z):
        return canonical(fmt, z)
    return _sum(fmt, rm, _product(unpack(fmt, x), unpack(fmt, y)), unpack(fmt, z))


def div(fmt: FloatFormat, rm: RoundingMode, x: int, y: int) -> int:
    negative = sign(fmt, x) != sign(fmt, y)
    if is_nan(fmt, x) or is_nan(fmt, y):
        return fmt.nan
    if is_inf(fmt, x):
        return fmt.nan if is_inf(fmt, y) else fmt.inf(negative)
    if is_inf(fmt, y):
        return fmt.zero(negative)
    if is_zero(fmt, y):
        return fmt.nan if is_zero(fmt, x) else fmt.inf(negative)
    a, b = unpack(fmt, x), unpack(fmt, y)
    return round_quotient(fmt, rm, negative, a.m, b.m, a.e - b.e)


def sqrt(fmt: FloatFormat, rm: RoundingMode, x: int) -> int:
    """Square root; -0 is its own root, other negative values have none."""
    if is_nan(fmt, x) or is_zero(fmt, x):
        return canonical(fmt, x)
    if sign(fmt, x):
        return fmt.nan
    if is_inf(fmt, x):
        return x
    _, m, e = unpack(fmt, x)
    # leaves at least sb + 2 bits of root, and makes the exponent even
    scale = 2 * fmt.sb + 4 + (e & 1)
    root = isqrt(m << scale)
    inexact = root * root != m << scale
    return round_exact(fmt, rm, Finite(False, root << 1 | inexact, (e - scale) // 2 - 1))


def rem(fmt: FloatFormat, x: int, y: int) -> int:
    """IEEE remainder x - y * n, n the integer nearest to x / y, ties to even.
    It is exact; a zero has x's sign."""
    if is_nan(fmt, y) or is_zero(fmt, y) or not is_finite(fmt, x):
        return fmt.nan
    if is_inf(fmt, y):
        return x
    a, b = unpack(fmt, x), unpack(fmt, y)
    if b.e - a.e > fmt.sb:  # then y is normal and |x| < |y| / 2
        return x
    e = a.e if a.e < b.e else b.e
    divisor = b.m << (b.e - e)
    # modulo 2 * |y|, to keep the parity of the quotient
    rest = a.m * pow(2, a.e - e, 2 * divisor) % (2 * divisor)
    odd = rest >= divisor
    rest -= divisor * odd
    if 2 * rest > divisor or (2 * rest == divisor and odd):
        rest -= divisor
    negative = a.negative != (rest < 0)
    return round_exact(fmt, RoundingMode.RNE, Finite(negative, -rest if rest < 0 else rest, e))


def round_to_integral(fmt: FloatFormat, rm: RoundingMode, x: int) -> int:
    """The nearest integral value in direction rm; a zero has x's sign.

    In formats whose largest binade still has fraction bits (sb > 2^(eb-1)) the integer may be too
    large; it then overflows as any other result.
    """
    if not is_finite(fmt, x):
        return canonical(fmt, x)
    negative, m, e = unpack(fmt, x)
    return (
        x
        if e >= 0
        else round_exact(fmt, rm, Finite(negative, rounded_shift(rm, negative, m, -e), 0))
    )


# -- comparison ------------------------------------------------------------------------------------


def _key(fmt: FloatFormat, x: int) -> int:
    """An integer that orders all patterns but NaN as IEEE does; both zeros have key 0."""
    return -magnitude(fmt, x) if sign(fmt, x) else magnitude(fmt, x)


def _ordered(fmt: FloatFormat, x: int, y: int) -> bool:
    return not (is_nan(fmt, x) or is_nan(fmt, y))


def eq(fmt: FloatFormat, x: int, y: int) -> bool:
    """IEEE equality: NaN equals nothing, -0 equals +0."""
    return _ordered(fmt, x, y) and _key(fmt, x) == _key(fmt, y)


def lt(fmt: FloatFormat, x: int, y: int) -> bool:
    return _ordered(fmt, x, y) and _key(fmt, x) < _key(fmt, y)


def leq(fmt: FloatFormat, x: int, y: int) -> bool:
    return _ordered(fmt, x, y) and _key(fmt, x) <= _key(fmt, y)


def min(fmt: FloatFormat, x: int, y: int) -> int:
    """The smaller one; the other one if one is NaN; y if both are zero."""
    return x if (is_nan(fmt, y) and not is_nan(fmt, x)) or lt(fmt, x, y) else canonical(fmt, y)


def max(fmt: FloatFormat, x: int, y: int) -> int:
    """The larger one; the other one if one is NaN; y if both are zero."""
    return x if (is_nan(fmt, y) and not is_nan(fmt, x)) or lt(fmt, y, x) else canonical(fmt, y)


# -- conversion ------------------------------------------------------------------------------------


def from_real(fmt: FloatFormat, rm: RoundingMode, value: Fraction) -> int:
    """A real number rounded; 0 becomes +0."""
    return round_fraction(fmt, rm, value, False)


def from_int(fmt: FloatFormat, rm: RoundingMode, value: int) -> int:
    """A mathematical integer rounded; 0 becomes +0."""
    return round_exact(fmt, rm, Finite(value < 0, -value if value < 0 else value, 0))


def from_unsigned(fmt: FloatFormat, rm: RoundingMode, bits: int) -> int:
    """A bit-vector read as an unsigned number."""
    return from_int(fmt, rm, bits)


def from_signed(fmt: FloatFormat, rm: RoundingMode, bits: int, width: int) -> int:
    """A bit-vector of the given width (a non-negative int) read in two's complement."""
    return from_int(fmt, rm, bits - (bits >> (width - 1) << width))


def convert(source: FloatFormat, target: FloatFormat, rm: RoundingMode, x: int) -> int:
    """A value of one format rounded to another; infinities and the sign of zero are kept."""
    if is_finite(source, x):
        return round_exact(target, rm, unpack(source, x))
    return target.nan if is_nan(source, x) else target.inf(sign(source, x))


def to_int(fmt: FloatFormat, rm: RoundingMode, x: int, low: int, high: int) -> int | None:
    """The value rounded to an integer;
    None for NaN, infinities and integers outside low..high (low <= 0 <= high)."""
    if not is_finite(fmt, x):
        return None
    negative, m, e = unpack(fmt, x)
    if m and e > (high - low).bit_length():
        return None
    value = rounded_shift(rm, negative, m, -e) * (-1 if negative else 1)
    return value if low <= value <= high else None


def to_int_unsigned(fmt: FloatFormat, rm: RoundingMode, x: int, width: int) -> int:
    """The value as an unsigned bit-vector of the given width; 0 where SMT-LIB leaves it open."""
    return to_int(fmt, rm, x, 0, (1 << width) - 1) or 0


def to_int_signed(fmt: FloatFormat, rm: RoundingMode, x: int, width: int) -> int:
    """The value in two's complement as a pattern (an int >= 0) of the given width;
    0 where SMT-LIB leaves it open."""
    half = 1 << (width - 1)
    return (to_int(fmt, rm, x, -half, half - 1) or 0) & (2 * half - 1)
