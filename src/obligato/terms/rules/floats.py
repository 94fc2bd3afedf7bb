"""Floating-point rules: comparisons point one way, sign changes move out of tests,
commutative arguments are sorted.

Rounding makes most laws of arithmetic false; only exact ones are here.
"""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.float_semantics import format_of
from obligato.terms.rules.boolean import eq_default
from obligato.terms.softfloat import is_nan, is_zero
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]


def is_nan_const(t: Term) -> bool:
    """Is it the constant NaN?"""
    return t.op is Op.CONST and isinstance(t.data, int) and is_nan(format_of(t.sort), t.data)


def eq_float(s: TermStore, a: Term, b: Term) -> Term:
    """Identity of values; equality with NaN is the test for it."""
    if a is not b:
        for x, y in ((a, b), (b, a)):
            if is_nan_const(y):
                return s.fp_is_nan(x)
    return eq_default(s, a, b)


def neg(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Involution."""
    return args[0].args[0] if args[0].op is Op.FP_NEG else None


def abs_(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Of a sign change; idempotent."""
    a = args[0]
    if a.op is Op.FP_ABS:
        return a
    return s.fp_abs(a.args[0]) if a.op is Op.FP_NEG else None


def _swapped(op: Op) -> Rule:
    return lambda s, args, data: s.mk(op, (args[1], args[0]))


def _compare(op: Op) -> Rule:
    def rule(s: TermStore, args: Args, data: Hashable) -> Term | None:
        """Comparisons with NaN are false; those of a float with itself are known unless it
        is NaN.
        """
        a, b = args
        if is_nan_const(a) or is_nan_const(b):
            return s.false
        if a is b:
            return s.false if op is Op.FP_LT else s.not_(s.fp_is_nan(a))
        if op is Op.FP_EQ:
            if _is_zero_const(a) or _is_zero_const(b):
                return s.fp_is_zero(b if _is_zero_const(a) else a)
            return s.intern(op, _sorted(a, b))
        return None

    return rule


def _is_zero_const(t: Term) -> bool:
    return t.op is Op.CONST and isinstance(t.data, int) and is_zero(format_of(t.sort), t.data)


def _sorted(a: Term, b: Term) -> Args:
    """Constants right, else by id."""
    swap = b.id < a.id if (a.op is Op.CONST) == (b.op is Op.CONST) else a.op is Op.CONST
    return (b, a) if swap else (a, b)


def _commutative(op: Op) -> Rule:
    def rule(s: TermStore, args: Args, data: Hashable) -> Term | None:
        """Sum, product, fused product-sum: NaN absorbs; the first two operands are sorted;
        x * 1 = x."""
        rm, a, b, *rest = args
        for x in args[1:]:
            if is_nan_const(x):
                return x
        a, b = _sorted(a, b)
        if op is Op.FP_MUL and b is s.fp_of(1, b.sort):
            return a
        return s.intern(op, (rm, a, b, *rest))

    return rule


def sub(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """An operation on NaN is NaN."""
    return next((x for x in args[1:] if is_nan_const(x)), None)


def div(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """NaN absorbs; x / 1 = x."""
    if args[2].op is Op.CONST and args[2] is s.fp_of(1, args[2].sort):
        return args[1]
    return sub(s, args, data)


def _min_max(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Of one value twice, and of NaN."""
    a, b = args
    if a is b or is_nan_const(b):
        return a
    return b if is_nan_const(a) else None


def _test(op: Op, mirrored: Op) -> Rule:
    def rule(s: TermStore, args: Args, data: Hashable) -> Term | None:
        """Through a sign change; the sign tests swap."""
        a = args[0]
        if a.op is Op.FP_NEG:
            return s.mk(mirrored, a.args)
        return s.mk(op, a.args) if a.op is Op.FP_ABS and op is mirrored else None

    return rule


def from_bits(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """A float that was turned into bits and back is itself."""
    return args[0].args[0] if args[0].op is Op.FP_TO_BITS and args[0].args[0].sort is data else None


def from_fp(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Rounding to its own format changes nothing."""
    return args[1] if args[1].sort is data else None


FLOAT_RULES: dict[Op, Rule] = {
    Op.FP_NEG: neg,
    Op.FP_ABS: abs_,
    Op.FP_GE: _swapped(Op.FP_LE),
    Op.FP_GT: _swapped(Op.FP_LT),
    Op.FP_SUB: sub,
    Op.FP_DIV: div,
    Op.FP_MIN: _min_max,
    Op.FP_MAX: _min_max,
    Op.FP_FROM_BITS: from_bits,
    Op.FP_FROM_FP: from_fp,
    **{op: _compare(op) for op in (Op.FP_LE, Op.FP_LT, Op.FP_EQ)},
    **{op: _commutative(op) for op in (Op.FP_ADD, Op.FP_MUL, Op.FP_FMA)},
    **{
        op: _test(op, op)
        for op in (Op.FP_IS_NORMAL, Op.FP_IS_SUBNORMAL, Op.FP_IS_ZERO, Op.FP_IS_INF, Op.FP_IS_NAN)
    },
    Op.FP_IS_NEG: _test(Op.FP_IS_NEG, Op.FP_IS_POS),
    Op.FP_IS_POS: _test(Op.FP_IS_POS, Op.FP_IS_NEG),
}
