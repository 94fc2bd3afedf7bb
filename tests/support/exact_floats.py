"""Floats by exact rational arithmetic: a second computation of what terms over floats are worth.

A float is a `Fraction`, one of two infinities, or None for NaN; a zero has a sign besides. `worth`
carries it: the exact result of an operation, rounded once by counting units in the last place.
Nothing is shared with `terms.softfloat`, which computes on patterns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from obligato.terms import Kind, Op, Sort, Term, postorder
from obligato.terms.softfloat import RoundingMode


@dataclass(frozen=True)
class Real:
    """A number, or what is beyond all numbers (`infinite`); a zero has the sign `negative`."""

    value: Fraction
    negative: bool
    infinite: bool = False

    @property
    def order(self) -> tuple[int, Fraction]:
        """By which it is compared."""
        return ((-1 if self.negative else 1) * self.infinite, self.value)


Float = Real | None


def decoded(pattern: int, sort: Sort) -> Float:
    """The float of a pattern."""
    digits, exponents = sort.sb - 1, (1 << sort.eb) - 1
    negative, fraction = bool(pattern >> (sort.width - 1)), pattern & ((1 << digits) - 1)
    exponent = pattern >> digits & exponents
    if exponent == exponents:
        return None if fraction else Real(Fraction(0), negative, True)
    value = _unit(sort, max(exponent, 1)) * (fraction + (1 << digits) * (exponent > 0))
    return Real(-value if negative else value, negative)


def _unit(sort: Sort, exponent: int) -> Fraction:
    return Fraction(2) ** (exponent - (1 << (sort.eb - 1)) + 2 - sort.sb)


def rounded(value: Fraction, sort: Sort, mode: RoundingMode, negative: bool) -> Real:
    """The nearest number of a format in a direction; an exact zero has the given sign."""
    if not value:
        return Real(value, negative)
    below, size = value < 0, abs(value)
    last = (1 << sort.eb) - 2
    binade = size.numerator.bit_length() - size.denominator.bit_length()  # or one less
    binade -= size < Fraction(2) ** binade
    unit = _unit(sort, min(max(binade + (1 << (sort.eb - 1)) - 1, 1), last))
    digits = floor(size / unit)
    rest, odd = size / unit - digits, digits % 2 == 1
    half = Fraction(1, 2)
    digits += {
        RoundingMode.RNE: rest > half or (rest == half and odd),
        RoundingMode.RNA: rest >= half,
        RoundingMode.RTP: rest > 0 and not below,
        RoundingMode.RTN: rest > 0 and below,
        RoundingMode.RTZ: False,
    }[mode]
    made = digits * unit
    if made >= _unit(sort, last) * (1 << sort.sb):
        greatest = _unit(sort, last) * ((1 << sort.sb) - 1)
        stops = {RoundingMode.RTZ: True, RoundingMode.RTP: below, RoundingMode.RTN: not below}
        if stops.get(mode, False):
            return Real(-greatest if below else greatest, below)
        return Real(Fraction(0), below, True)
    return Real(-made if below else made, below)


def _sum(sort: Sort, mode: RoundingMode, a: Real, b: Real) -> Float:
    if a.infinite or b.infinite:
        if a.infinite and b.infinite and a.negative != b.negative:
            return None
        return a if a.infinite else b
    both = a.negative and b.negative if a.negative == b.negative else mode is RoundingMode.RTN
    return rounded(a.value + b.value, sort, mode, both)


def _product(sort: Sort, mode: RoundingMode, a: Real, b: Real) -> Float:
    negative = a.negative != b.negative
    if a.infinite or b.infinite:
        zero = any(not x.infinite and not x.value for x in (a, b))
        return None if zero else Real(Fraction(0), negative, True)
    return rounded(a.value * b.value, sort, mode, negative)


def _quotient(sort: Sort, mode: RoundingMode, a: Real, b: Real) -> Float:
    negative = a.negative != b.negative
    if a.infinite:
        return None if b.infinite else Real(Fraction(0), negative, True)
    if b.infinite:
        return Real(Fraction(0), negative)
    if not b.value:
        return Real(Fraction(0), negative, True) if a.value else None
    return rounded(a.value / b.value, sort, mode, negative)


def _opposite(a: Real) -> Real:
    return Real(-a.value, not a.negative, a.infinite)


def _computed(t: Term, args: list[object]) -> Float:
    """The float of an application of an operation."""
    floats = [a for a in args if a is None or isinstance(a, Real)]
    if any(a is None for a in floats):
        return None
    a, *others = [f for f in floats if f is not None] or [Real(Fraction(0), False)]
    if t.op is Op.FP_NEG:
        return _opposite(a)
    if t.op is Op.FP_ABS:
        return Real(abs(a.value), False, a.infinite)
    mode = args[0]
    assert isinstance(mode, RoundingMode)
    if t.op is Op.FP_FROM_FP:
        return a if a.infinite else rounded(a.value, t.sort, mode, a.negative)
    if t.op in (Op.FP_FROM_SBV, Op.FP_FROM_UBV):
        word, width = args[1], t.args[1].sort.width
        assert isinstance(word, int)
        signed = t.op is Op.FP_FROM_SBV and word >> (width - 1)
        return rounded(Fraction(word - (1 << width) if signed else word), t.sort, mode, False)
    b = _opposite(others[0]) if t.op is Op.FP_SUB else others[0]
    rule = {Op.FP_MUL: _product, Op.FP_DIV: _quotient}.get(t.op, _sum)
    return rule(t.sort, mode, a, b)


def _compared(t: Term, a: Float, b: Float) -> bool:
    if t.op is Op.EQ:
        return a == b
    if a is None or b is None:
        return False
    x, y = a.order, b.order
    return {Op.FP_LE: x <= y, Op.FP_LT: x < y, Op.FP_GE: x >= y, Op.FP_GT: x > y, Op.FP_EQ: x == y}[
        t.op
    ]


def worth(formula: Term, model: Mapping[Term, object]) -> object:
    """What a term is worth: a truth value, a word, or a float by itself.

    Requires: floats of the model are patterns; the operators are those of filters and clamps.
    """
    made: dict[Term, object] = {}
    for t in postorder((formula,)):
        args = [made[a] for a in t.args]
        if t.op in (Op.CONST, Op.VAR):
            value = model[t] if t.op is Op.VAR else t.data
            is_float = t.sort.kind is Kind.FLOAT and isinstance(value, int)
            made[t] = decoded(value, t.sort) if is_float else value  # type: ignore[arg-type]
        elif t.op is Op.ITE:
            made[t] = args[1] if args[0] else args[2]
        elif t.op is Op.NOT:
            made[t] = not args[0]
        elif t.op is Op.AND:
            made[t] = all(args)
        elif t.op is Op.OR:
            made[t] = any(args)
        elif t.op is Op.FP_IS_NAN:
            made[t] = args[0] is None
        elif t.sort.kind is Kind.FLOAT:
            made[t] = _computed(t, args)
        else:
            a, b = (x if isinstance(x, Real) else None for x in args)
            made[t] = _compared(t, a, b)
    return made[formula]
