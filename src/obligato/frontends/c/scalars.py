"""Arithmetic and conversions of C scalars as terms, bit by bit [C11, 6.3.1, 6.5].

Integers and pointers are bit-vectors, floats are SMT-LIB floats rounded to nearest even.  What C
leaves undefined has the value that the term has: arithmetic wraps, a shift by too much gives all
zeros or sign bits, an integer conversion of a float out of range gives 0.  Properties about it are
asserted elsewhere (checks.py).
"""

from __future__ import annotations

from fractions import Fraction

from obligato.errors import Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.types import CType, FloatType, IntType, PointerType, scalar_sort
from obligato.terms import Kind, Op, Term, TermStore
from obligato.terms.softfloat import RoundingMode

_INT_OPS = {
    k.B_ADD: Op.BVADD,
    k.B_SUB: Op.BVSUB,
    k.B_MUL: Op.BVMUL,
    k.B_AND: Op.BVAND,
    k.B_OR: Op.BVOR,
    k.B_XOR: Op.BVXOR,
    k.B_SHL: Op.BVSHL,
}
_SIGNED_OPS = {
    k.B_DIV: Op.BVSDIV,
    k.B_REM: Op.BVSREM,
    k.B_SHR: Op.BVASHR,
    k.B_LT: Op.BVSLT,
    k.B_LE: Op.BVSLE,
    k.B_GT: Op.BVSGT,
    k.B_GE: Op.BVSGE,
}
_UNSIGNED_OPS = {
    k.B_DIV: Op.BVUDIV,
    k.B_REM: Op.BVUREM,
    k.B_SHR: Op.BVLSHR,
    k.B_LT: Op.BVULT,
    k.B_LE: Op.BVULE,
    k.B_GT: Op.BVUGT,
    k.B_GE: Op.BVUGE,
}
_FLOAT_OPS = {k.B_ADD: Op.FP_ADD, k.B_SUB: Op.FP_SUB, k.B_MUL: Op.FP_MUL, k.B_DIV: Op.FP_DIV}
_FLOAT_TESTS = {
    k.B_LT: Op.FP_LT,
    k.B_LE: Op.FP_LE,
    k.B_GT: Op.FP_GT,
    k.B_GE: Op.FP_GE,
    k.B_EQ: Op.FP_EQ,
}


class Scalars:
    """Builds terms for scalar operations in one store."""

    def __init__(self, store: TermStore) -> None:
        self.store = store
        # `rounding` is a variable where programs change it
        self.rounding = self.nearest = store.rm(RoundingMode.RNE)
        self.to_zero = store.rm(RoundingMode.RTZ)

    def constant(self, value: int | float | Fraction, t: CType) -> Term:
        """A number as a value of type `t`."""
        sort = scalar_sort(t)
        if sort.kind is Kind.FLOAT:
            return self._float_constant(value, t)
        assert isinstance(value, int)
        return self.store.bv(value, sort.width)

    def _float_constant(self, value: int | float | Fraction, t: CType) -> Term:
        sort = scalar_sort(t)
        if value != value:
            return self.store.fp_nan(sort)
        if value in (float("inf"), float("-inf")):
            return self.store.fp_inf(sort, value < 0)
        if value == 0:
            return self.store.fp_zero(sort, isinstance(value, float) and str(value).startswith("-"))
        return self.store.fp_of(Fraction(value), sort)

    def truth(self, a: Term, t: CType) -> Term:
        """``a != 0`` as a Bool."""
        s = self.store
        if a.sort.kind is Kind.FLOAT:
            return s.not_(s.fp_is_zero(a))
        if (
            a.op is Op.ITE
            and a.args[1].is_const
            and a.args[2].is_const
            and a.args[2].data == 0
            and a.args[1].data != 0
        ):
            return a.args[0]
        if a.is_const:
            return s.bool_(a.data != 0)
        return s.ne(a, s.bv(0, a.sort.width))

    def from_bool(self, c: Term, t: CType) -> Term:
        """A Bool as 0 or 1 of type `t`."""
        return self.store.ite(c, self.constant(1, t), self.constant(0, t))

    def convert(self, a: Term, source: CType, target: CType) -> Term:
        """The value of `a` converted to another scalar type."""
        if source is target:
            return a
        if isinstance(target, IntType) and target.is_bool:
            c = self.truth(a, source)
            return (
                self.constant(int(c is self.store.true), target)
                if c.is_const
                else self.from_bool(c, target)
            )
        if isinstance(target, FloatType):
            return self._to_float(a, source, target)
        if isinstance(target, IntType | PointerType):
            if isinstance(source, FloatType):
                return self._to_integer(a, target)
            # gcc extends pointers with their sign
            signed = not isinstance(source, IntType) or source.signed
            return self.resize(a, target.width, signed)
        raise Unsupported(f"conversion from {source} to {target}", construct="conversion")

    def resize(self, a: Term, width: int, signed: bool) -> Term:
        """Truncate or extend; constants are folded so that they read as constants."""
        if a.is_const and isinstance(a.data, int):
            old = a.sort.width
            value = a.data - (1 << old) if signed and a.data >> (old - 1) else a.data
            return self.store.bv(value, width)
        return self.store.resize(a, width, signed)

    def _to_float(self, a: Term, source: CType, target: FloatType) -> Term:
        s = self.store
        if isinstance(source, FloatType):
            mode = self.nearest if a.is_const else self.rounding
            return a if source.sort is target.sort else s.fp_from_fp(mode, a, target.sort)
        if a.is_const and isinstance(a.data, int):
            signed = isinstance(source, IntType) and source.signed
            negative = signed and a.data >> (a.sort.width - 1)
            return self.constant(a.data - (1 << a.sort.width) if negative else a.data, target)
        if isinstance(source, IntType) and source.signed:
            return s.fp_from_sbv(self.rounding, a, target.sort)
        return s.fp_from_ubv(self.rounding, a, target.sort)

    def _to_integer(self, a: Term, target: IntType | PointerType) -> Term:
        if target.width < 32:  # as the machine does: by way of int
            return self.store.extract(
                self.store.fp_to_sbv(self.to_zero, a, 32), target.width - 1, 0
            )
        signed = isinstance(target, IntType) and target.signed
        convert = self.store.fp_to_sbv if signed else self.store.fp_to_ubv
        return convert(self.to_zero, a, target.width)

    def unary(self, operator: int, a: Term, t: CType) -> Term:
        """``-a`` or ``~a``."""
        s = self.store
        if operator == k.U_MINUS:
            if a.sort.kind is Kind.FLOAT:
                return s.fp_neg(a)
            return (
                s.bv(-a.data, a.sort.width)
                if isinstance(a.data, int) and a.is_const
                else s.mk(Op.BVNEG, (a,))
            )
        if operator == k.U_NOT and a.sort.kind is Kind.BITVEC:
            return (
                s.bv(~a.data, a.sort.width)
                if isinstance(a.data, int) and a.is_const
                else s.mk(Op.BVNOT, (a,))
            )
        raise Unsupported(f"unary operator on {t}", construct="unary operator")

    def binary(self, operator: int, a: Term, b: Term, t: CType) -> Term:
        """An arithmetic operator on two values of type `t` (for shifts only `a` is of that
        type).
        """
        s = self.store
        if a.sort.kind is Kind.FLOAT:
            if operator not in _FLOAT_OPS:
                raise Unsupported(f"operator on {t}", construct="floating operator")
            constant = a.is_const and b.is_const  # computed at translation time
            return s.mk(_FLOAT_OPS[operator], (self.nearest if constant else self.rounding, a, b))
        op = _INT_OPS.get(operator)
        if op is None:
            op = (_SIGNED_OPS if isinstance(t, IntType) and t.signed else _UNSIGNED_OPS)[operator]
        return s.mk(op, (a, b))

    def shift_amount(self, b: Term, t: CType, width: int) -> Term:
        """The right operand of a shift, in the width of the left one; too large amounts stay too
        large.
        """
        s = self.store
        if b.is_const or b.sort.width <= width:
            return self.resize(b, width, isinstance(t, IntType) and t.signed)
        too_large = s.mk(Op.BVULE, (s.bv(width, b.sort.width), b))
        return s.ite(too_large, s.bv(width, width), s.extract(b, width - 1, 0))

    def compare(self, operator: int, a: Term, b: Term, t: CType) -> Term:
        """A comparison of two values of type `t` as a Bool."""
        s = self.store
        if a.sort.kind is Kind.FLOAT:
            return (
                s.not_(s.fp_eq(a, b))
                if operator == k.B_NE
                else s.mk(_FLOAT_TESTS[operator], (a, b))
            )
        if operator == k.B_EQ:
            return s.eq(a, b)
        if operator == k.B_NE:
            return s.ne(a, b)
        return s.mk(
            (_SIGNED_OPS if isinstance(t, IntType) and t.signed else _UNSIGNED_OPS)[operator],
            (a, b),
        )
