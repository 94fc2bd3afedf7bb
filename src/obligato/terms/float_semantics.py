"""What the floating-point operators mean:
`FLOAT_MEANINGS`, merged into the table of terms.semantics.

A float value is its IEEE pattern (an int) with one NaN; the arithmetic is terms.softfloat, which
also fixes what SMT-LIB leaves open: min/max of two zeros is the second argument,
fp.to_sbv/fp.to_ubv of NaN, an infinity or an integer out of range is 0.  fp.to_real of NaN and
infinities is 0, decided here.  `FloatBuilders` makes the same choices explicit by an ite.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from obligato.terms import softfloat as sf
from obligato.terms.sorts import Sort
from obligato.terms.term import Op, Term

Function = Callable[..., Any]  # of the values of an application's arguments
Meaning = Callable[[Term], Function]  # from an application of an operator


@cache
def format_of(sort: Sort) -> sf.FloatFormat:
    """The format of a Float sort."""
    return sf.FloatFormat(sort.eb, sort.sb)


def canonical(sort: Sort, pattern: int) -> int:
    """The pattern with the one NaN; bits beyond the format are cut off."""
    return sf.canonical(format_of(sort), pattern & ((1 << sort.width) - 1))


def _rounded(f: Callable[..., int]) -> Meaning:
    """(rm, x, ...) -> float."""
    return lambda t: partial(f, format_of(t.sort))


def _on_argument(f: Callable[..., Hashable]) -> Meaning:
    """(x, ...) -> anything, without rounding."""
    return lambda t: partial(f, format_of(t.args[0].sort))


def _swapped(f: Callable[..., Hashable]) -> Meaning:
    """(x, y) -> anything, as f(y, x)."""

    def of(t: Term) -> Function:
        fmt = format_of(t.args[0].sort)
        return lambda a, b: f(fmt, b, a)

    return of


def _to_integer(f: Callable[..., int]) -> Meaning:
    """(rm, x) -> bit-vector."""

    def of(t: Term) -> Function:
        fmt, width = format_of(t.args[1].sort), t.sort.width
        return lambda rm, a: f(fmt, rm, a, width)

    return of


def _from_signed(t: Term) -> Function:
    fmt, width = format_of(t.sort), t.args[1].sort.width
    return lambda rm, a: sf.from_signed(fmt, rm, a, width)


def _to_real(t: Term) -> Function:
    fmt = format_of(t.args[0].sort)
    return lambda a: sf.to_fraction(fmt, a) or Fraction(0)  # None where there is no number


FLOAT_MEANINGS: dict[Op, Meaning] = {
    **{
        op: _rounded(f)
        for op, f in (
            (Op.FP_ADD, sf.add),
            (Op.FP_SUB, sf.sub),
            (Op.FP_MUL, sf.mul),
            (Op.FP_DIV, sf.div),
            (Op.FP_FMA, sf.fma),
            (Op.FP_SQRT, sf.sqrt),
            (Op.FP_RTI, sf.round_to_integral),
            (Op.FP_FROM_REAL, sf.from_real),
            (Op.FP_FROM_UBV, sf.from_unsigned),
        )
    },
    **{
        op: _on_argument(f)
        for op, f in (
            (Op.FP_ABS, sf.abs),
            (Op.FP_NEG, sf.neg),
            (Op.FP_REM, sf.rem),
            (Op.FP_MIN, sf.min),
            (Op.FP_MAX, sf.max),
            (Op.FP_LE, sf.leq),
            (Op.FP_LT, sf.lt),
            (Op.FP_EQ, sf.eq),
            (Op.FP_IS_NORMAL, sf.is_normal),
            (Op.FP_IS_SUBNORMAL, sf.is_subnormal),
            (Op.FP_IS_ZERO, sf.is_zero),
            (Op.FP_IS_INF, sf.is_inf),
            (Op.FP_IS_NAN, sf.is_nan),
            (Op.FP_IS_NEG, sf.is_negative),
            (Op.FP_IS_POS, sf.is_positive),
            (Op.FP_TO_BITS, sf.canonical),
        )
    },
    Op.FP_GE: _swapped(sf.leq),
    Op.FP_GT: _swapped(sf.lt),
    Op.FP_FROM_BITS: lambda t: partial(canonical, t.sort),
    Op.FP_FROM_FP: lambda t: partial(sf.convert, format_of(t.args[1].sort), format_of(t.sort)),
    Op.FP_FROM_SBV: _from_signed,
    Op.FP_TO_SBV: _to_integer(sf.to_int_signed),
    Op.FP_TO_UBV: _to_integer(sf.to_int_unsigned),
    Op.FP_TO_REAL: _to_real,
}
