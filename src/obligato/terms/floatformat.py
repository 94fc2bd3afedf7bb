"""IEEE 754 binary formats: bit patterns, classes of values, decoding, and the one rounding routine.

Idea: a value of format Float(eb, sb) is its IEEE bit pattern, a non-negative int of eb + sb bits
(sb counts the hidden bit, as in SMT-LIB). A finite pattern is unpacked into (negative, m, e) with
magnitude m * 2^e; exact results of operations have the same form and are rounded once.

Source: IEEE 754-2019, sections 3, 4 and 7.

Where to look: `round_exact` carries rounding, gradual underflow and overflow; `unpack` decodes. A
quotient or root, which may have infinitely many bits, is cut off and *stickied*: the cut value gets
one more low bit that says whether something was lost. That is enough for `round_exact` as long as
this bit lies below the half bit, hence the sb + 2 bits kept.

Conventions: there is one NaN (sign 0, exponent all ones, only the top fraction bit set). Every
operation accepts any NaN pattern and returns only this one. Patterns are not range-checked, and eb,
sb >= 2 is for the caller to ensure.

Limitations: no exception flags, no signalling NaN, no decimal formats.
"""

from enum import Enum
from fractions import Fraction
from typing import NamedTuple


class RoundingMode(Enum):
    """The five rounding modes of SMT-LIB, by their short names."""

    RNE = "RNE"  # to nearest, ties to even
    RNA = "RNA"  # to nearest, ties away from zero
    RTP = "RTP"  # toward +oo
    RTN = "RTN"  # toward -oo
    RTZ = "RTZ"  # toward zero


_RNE, _RNA, _RTP, _RTN, _RTZ = RoundingMode  # in the order above


class FloatFormat(NamedTuple):
    """A binary format: eb exponent bits, sb significand bits with the hidden bit.
    The helpers return bit patterns."""

    eb: int
    sb: int

    @property
    def width(self) -> int:
        """Number of bits of a pattern."""
        return self.eb + self.sb

    @property
    def bias(self) -> int:
        """Exponent bias; also the largest exponent of a finite value."""
        return (1 << (self.eb - 1)) - 1

    @property
    def min_quantum(self) -> int:
        """Exponent of the smallest subnormal, of which every finite value is a multiple."""
        return 3 - (1 << (self.eb - 1)) - self.sb

    @property
    def sign_bit(self) -> int:
        """Pattern with only the sign bit set, which is also -0."""
        return 1 << (self.eb + self.sb - 1)

    @property
    def nan(self) -> int:
        """The one canonical NaN."""
        return ((2 << self.eb) - 1) << (self.sb - 2)

    def inf(self, negative: bool = False) -> int:
        """Infinity."""
        return self._signed(((1 << self.eb) - 1) << (self.sb - 1), negative)

    def zero(self, negative: bool = False) -> int:
        """Zero."""
        return self._signed(0, negative)

    def max_finite(self, negative: bool = False) -> int:
        """The finite value of largest magnitude."""
        return self._signed((((1 << self.eb) - 1) << (self.sb - 1)) - 1, negative)

    def min_normal(self) -> int:
        """The positive normal value of smallest magnitude."""
        return 1 << (self.sb - 1)

    def _signed(self, magnitude: int, negative: bool) -> int:
        return magnitude | self.sign_bit if negative else magnitude


FLOAT32 = FloatFormat(8, 24)
FLOAT64 = FloatFormat(11, 53)


class Finite(NamedTuple):
    """The finite value (-1)^negative * m * 2^e; m = 0 is a signed zero."""

    negative: bool
    m: int
    e: int


# -- classification --------------------------------------------------------------------------------


def magnitude(fmt: FloatFormat, x: int) -> int:
    """The pattern without its sign; magnitudes are ordered as the values are."""
    return x & (fmt.sign_bit - 1)


def sign(fmt: FloatFormat, x: int) -> bool:
    return x >= fmt.sign_bit


def is_nan(fmt: FloatFormat, x: int) -> bool:
    return magnitude(fmt, x) > fmt.inf()


def is_inf(fmt: FloatFormat, x: int) -> bool:
    return magnitude(fmt, x) == fmt.inf()


def is_zero(fmt: FloatFormat, x: int) -> bool:
    return magnitude(fmt, x) == 0


def is_normal(fmt: FloatFormat, x: int) -> bool:
    return fmt.min_normal() <= magnitude(fmt, x) < fmt.inf()


def is_subnormal(fmt: FloatFormat, x: int) -> bool:
    return 0 < magnitude(fmt, x) < fmt.min_normal()


def is_negative(fmt: FloatFormat, x: int) -> bool:
    """Sign bit set and not NaN; -0 is negative."""
    return sign(fmt, x) and not is_nan(fmt, x)


def is_positive(fmt: FloatFormat, x: int) -> bool:
    """Sign bit clear and not NaN; +0 is positive."""
    return not sign(fmt, x) and not is_nan(fmt, x)


def canonical(fmt: FloatFormat, x: int) -> int:
    """The same value with the one NaN pattern."""
    return fmt.nan if is_nan(fmt, x) else x


def is_finite(fmt: FloatFormat, x: int) -> bool:
    return magnitude(fmt, x) < fmt.inf()


# -- decoding and rounding -------------------------------------------------------------------------


def unpack(fmt: FloatFormat, x: int) -> Finite:
    """Decode a finite pattern."""
    hidden = 1 << (fmt.sb - 1)
    field, fraction = divmod(magnitude(fmt, x), hidden)
    if field == 0:
        return Finite(sign(fmt, x), fraction, fmt.min_quantum)
    return Finite(sign(fmt, x), fraction + hidden, fmt.min_quantum + field - 1)


def rounded_shift(rm: RoundingMode, negative: bool, m: int, shift: int) -> int:
    """The magnitude m / 2^shift of a value of the given sign, rounded to an integer."""
    if shift <= 0:
        return m << -shift
    # 0 < m / 2^shift < 1/4 rounds like 1/4, without a number of shift bits
    if shift > m.bit_length() + 1:
        m, shift = int(m > 0), 2
    kept = m >> shift
    lost = m - (kept << shift)
    half = 1 << (shift - 1)
    if rm is _RNE:
        return kept + (lost > half or (lost == half and kept & 1))
    if rm is _RNA:
        return kept + (lost >= half)
    away = rm is (_RTN if negative else _RTP)
    return kept + (away and lost > 0)


def round_exact(fmt: FloatFormat, rm: RoundingMode, value: Finite) -> int:
    """The exact value rounded in mode rm;
    a zero, also one from underflow, keeps the value's sign."""
    negative, m, e = value
    if m == 0:
        return fmt.zero(negative)
    quantum = e + m.bit_length() - fmt.sb
    if quantum < fmt.min_quantum:
        quantum = fmt.min_quantum
    kept = rounded_shift(rm, negative, m, quantum - e)
    # A normal value's hidden bit adds the missing 1 to the exponent field,
    # and so does a carry out of the significand.
    pattern = ((quantum - fmt.min_quantum) << (fmt.sb - 1)) + kept
    if pattern < fmt.inf():
        return pattern | fmt.sign_bit if negative else pattern
    toward_zero = rm is _RTZ or rm is (_RTP if negative else _RTN)
    return fmt.max_finite(negative) if toward_zero else fmt.inf(negative)


def round_quotient(
    fmt: FloatFormat, rm: RoundingMode, negative: bool, n: int, d: int, e: int
) -> int:
    """Round (-1)^negative * n / d * 2^e, for n >= 0 and d > 0."""
    scale = fmt.sb + 2 - n.bit_length() + d.bit_length()  # leaves at least sb + 2 bits of quotient
    if scale < 0:
        scale = 0
    quotient, rest = divmod(n << scale, d)
    return round_exact(fmt, rm, Finite(negative, quotient << 1 | (rest != 0), e - scale - 1))


def to_fraction(fmt: FloatFormat, x: int) -> Fraction | None:
    """The exact value; None for NaN and infinities."""
    if not is_finite(fmt, x):
        return None
    negative, m, e = unpack(fmt, x)
    return Fraction(-m if negative else m) * Fraction(2) ** e


def round_fraction(fmt: FloatFormat, rm: RoundingMode, value: Fraction, sign_of_zero: bool) -> int:
    """The value rounded; exactly 0 becomes -0 if sign_of_zero holds,
    else +0 (underflow keeps the value's sign)."""
    if value == 0:
        return fmt.zero(sign_of_zero)
    n = value.numerator
    return round_quotient(fmt, rm, n < 0, -n if n < 0 else n, value.denominator, 0)
