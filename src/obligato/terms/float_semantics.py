"""What the floating-point operators mean: `FLOAT_FUNCTIONS`, merged into the table of terms.semantics.

A float value is its IEEE pattern (an int) with one NaN; the arithmetic is terms.softfloat, which also fixes what
SMT-LIB leaves open: min/max of two zeros is the second argument, fp.to_sbv/fp.to_ubv of NaN, an infinity or an integer
out of range is 0.  fp.to_real of NaN and infinities is 0, decided here.  `FloatBuilders` makes the same choices
explicit by an ite.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from obligato.terms import softfloat as sf
from obligato.terms.sorts import Sort
from obligato.terms.term import Op, Term

Fun = Callable[[Term, Sequence[Any]], Hashable]


@cache
def format_of(sort: Sort) -> sf.FloatFormat:
    """The format of a Float sort."""
    return sf.FloatFormat(sort.eb, sort.sb)


def canonical(sort: Sort, pattern: int) -> int:
    """The pattern with the one NaN; bits beyond the format are cut off."""
    return sf.canonical(format_of(sort), pattern & ((1 << sort.width) - 1))


def _rounded(f: Callable[..., int]) -> Fun:
    """(rm, x, ...) -> float."""
    return lambda t, v: f(format_of(t.sort), *v)


def _on_argument(f: Callable[..., Hashable]) -> Fun:
    """(x, ...) -> anything, without rounding."""
    return lambda t, v: f(format_of(t.args[0].sort), *v)


def _source(t: Term) -> Sort:
    return t.args[1].sort


def _to_real(t: Term, v: Sequence[Any]) -> Hashable:
    value = sf.to_fraction(format_of(t.args[0].sort), v[0])
    return Fraction(0) if value is None else value


FLOAT_FUNCTIONS: dict[Op, Fun] = {
    **{op: _rounded(f) for op, f in (
        (Op.FP_ADD, sf.add), (Op.FP_SUB, sf.sub), (Op.FP_MUL, sf.mul), (Op.FP_DIV, sf.div), (Op.FP_FMA, sf.fma),
        (Op.FP_SQRT, sf.sqrt), (Op.FP_RTI, sf.round_to_integral), (Op.FP_FROM_REAL, sf.from_real),
        (Op.FP_FROM_UBV, sf.from_unsigned),
    )},
    **{op: _on_argument(f) for op, f in (
        (Op.FP_ABS, sf.abs), (Op.FP_NEG, sf.neg), (Op.FP_REM, sf.rem), (Op.FP_MIN, sf.min), (Op.FP_MAX, sf.max),
        (Op.FP_LE, sf.leq), (Op.FP_LT, sf.lt), (Op.FP_EQ, sf.eq), (Op.FP_IS_NORMAL, sf.is_normal),
        (Op.FP_IS_SUBNORMAL, sf.is_subnormal), (Op.FP_IS_ZERO, sf.is_zero), (Op.FP_IS_INF, sf.is_inf),
        (Op.FP_IS_NAN, sf.is_nan), (Op.FP_IS_NEG, sf.is_negative), (Op.FP_IS_POS, sf.is_positive),
        (Op.FP_TO_BITS, sf.canonical),
    )},
    Op.FP_GE: lambda t, v: sf.leq(format_of(t.args[0].sort), v[1], v[0]),
    Op.FP_GT: lambda t, v: sf.lt(format_of(t.args[0].sort), v[1], v[0]),
    Op.FP_FROM_BITS: lambda t, v: canonical(t.sort, v[0]),
    Op.FP_FROM_FP: lambda t, v: sf.convert(format_of(_source(t)), format_of(t.sort), v[0], v[1]),
    Op.FP_FROM_SBV: lambda t, v: sf.from_signed(format_of(t.sort), v[0], v[1], _source(t).width),
    Op.FP_TO_SBV: lambda t, v: sf.to_int_signed(format_of(_source(t)), v[0], v[1], t.sort.width),
    Op.FP_TO_UBV: lambda t, v: sf.to_int_unsigned(format_of(_source(t)), v[0], v[1], t.sort.width),
    Op.FP_TO_REAL: _to_real,
}
