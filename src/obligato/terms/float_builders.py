"""Named constructors for floating point.

Most are one operator.  Those whose value SMT-LIB leaves open somewhere (`fp_min`, `fp_max`,
`fp_to_sbv`, `fp_to_ubv`, `fp_to_real`) guard the open cases by an ite, so that no solver ever
decides them; terms.float_semantics makes the same choices.  `fp_eq` is IEEE equality, `eq` is
identity of values (NaN = NaN, -0 differs from +0).
"""

from __future__ import annotations

from fractions import Fraction

from obligato.terms.builders import ArrayBuilders
from obligato.terms.float_semantics import format_of
from obligato.terms.softfloat import RoundingMode, from_real
from obligato.terms.sorts import RM, Sort, floating
from obligato.terms.term import Op, Term


class FloatValueBuilders(ArrayBuilders):
    """Float constants, conversions from other sorts, and tests."""

    def rm(self, mode: RoundingMode) -> Term:
        """A rounding mode."""
        return self.const(mode, RM)

    def fp(self, pattern: int, sort: Sort) -> Term:
        """The float with this IEEE bit pattern; every NaN pattern is the one NaN."""
        return self.const(pattern, sort)

    def fp_of(self, value: Fraction | int, sort: Sort) -> Term:
        """The float nearest to a number; of two, the one whose last bit is 0."""
        return self.fp(from_real(format_of(sort), RoundingMode.RNE, Fraction(value)), sort)

    def fp_nan(self, sort: Sort) -> Term:
        """NaN."""
        return self.fp(format_of(sort).nan, sort)

    def fp_inf(self, sort: Sort, negative: bool = False) -> Term:
        """An infinity."""
        return self.fp(format_of(sort).inf(negative), sort)

    def fp_zero(self, sort: Sort, negative: bool = False) -> Term:
        """A zero."""
        return self.fp(format_of(sort).zero(negative), sort)

    def fp_is(self, test: Op, a: Term) -> Term:
        """One of the classification tests Op.FP_IS_NAN, Op.FP_IS_ZERO, ..."""
        return self.mk(test, (a,))

    def fp_is_nan(self, a: Term) -> Term:
        """Is it NaN?"""
        return self.mk(Op.FP_IS_NAN, (a,))

    def fp_is_inf(self, a: Term) -> Term:
        """Is it an infinity?"""
        return self.mk(Op.FP_IS_INF, (a,))

    def fp_is_zero(self, a: Term) -> Term:
        """Is it a zero of either sign?"""
        return self.mk(Op.FP_IS_ZERO, (a,))

    def fp_from_bits(self, a: Term, sort: Sort) -> Term:
        """A bit-vector read as IEEE pattern."""
        return self.mk(Op.FP_FROM_BITS, (a,), sort)

    def fp_from_fp(self, rm: Term, a: Term, sort: Sort) -> Term:
        """A float rounded to another format."""
        return self.mk(Op.FP_FROM_FP, (rm, a), sort)

    def fp_from_sbv(self, rm: Term, a: Term, sort: Sort) -> Term:
        """A signed integer rounded."""
        return self.mk(Op.FP_FROM_SBV, (rm, a), sort)

    def fp_from_ubv(self, rm: Term, a: Term, sort: Sort) -> Term:
        """An unsigned integer rounded."""
        return self.mk(Op.FP_FROM_UBV, (rm, a), sort)

    def fp_from_real(self, rm: Term, a: Term, sort: Sort) -> Term:
        """A Real rounded."""
        return self.mk(Op.FP_FROM_REAL, (rm, a), sort)

    def fp_to_bits(self, a: Term) -> Term:
        """The IEEE pattern, the canonical one for NaN."""
        return self.mk(Op.FP_TO_BITS, (a,))


class FloatArithBuilders(FloatValueBuilders):
    """Float arithmetic and comparison."""

    def fp_abs(self, a: Term) -> Term:
        """Absolute value."""
        return self.mk(Op.FP_ABS, (a,))

    def fp_neg(self, a: Term) -> Term:
        """Sign flipped."""
        return self.mk(Op.FP_NEG, (a,))

    def fp_add(self, rm: Term, a: Term, b: Term) -> Term:
        """Sum."""
        return self.mk(Op.FP_ADD, (rm, a, b))

    def fp_sub(self, rm: Term, a: Term, b: Term) -> Term:
        """Difference."""
        return self.mk(Op.FP_SUB, (rm, a, b))

    def fp_mul(self, rm: Term, a: Term, b: Term) -> Term:
        """Product."""
        return self.mk(Op.FP_MUL, (rm, a, b))

    def fp_div(self, rm: Term, a: Term, b: Term) -> Term:
        """Quotient."""
        return self.mk(Op.FP_DIV, (rm, a, b))

    def fp_fma(self, rm: Term, a: Term, b: Term, c: Term) -> Term:
        """a * b + c rounded once."""
        return self.mk(Op.FP_FMA, (rm, a, b, c))

    def fp_sqrt(self, rm: Term, a: Term) -> Term:
        """Square root."""
        return self.mk(Op.FP_SQRT, (rm, a))

    def fp_rem(self, a: Term, b: Term) -> Term:
        """IEEE remainder (not C's fmod)."""
        return self.mk(Op.FP_REM, (a, b))

    def fp_rti(self, rm: Term, a: Term) -> Term:
        """Round to an integral float."""
        return self.mk(Op.FP_RTI, (rm, a))

    def fp_le(self, a: Term, b: Term) -> Term:
        """a <= b."""
        return self.mk(Op.FP_LE, (a, b))

    def fp_lt(self, a: Term, b: Term) -> Term:
        """a < b."""
        return self.mk(Op.FP_LT, (a, b))

    def fp_eq(self, a: Term, b: Term) -> Term:
        """IEEE equality: NaN equals nothing, -0 equals +0."""
        return self.mk(Op.FP_EQ, (a, b))


class FloatBuilders(FloatArithBuilders):
    """The constructors with open cases, closed."""

    def fp_min(self, a: Term, b: Term) -> Term:
        """The smaller one; b if both are zeros."""
        return self.ite(self._zeros(a, b), b, self.mk(Op.FP_MIN, (a, b)))

    def fp_max(self, a: Term, b: Term) -> Term:
        """The larger one; b if both are zeros."""
        return self.ite(self._zeros(a, b), b, self.mk(Op.FP_MAX, (a, b)))

    def fp_to_real(self, a: Term) -> Term:
        """The exact value; 0 for NaN and infinities."""
        return self.ite(self._finite(a), self.mk(Op.FP_TO_REAL, (a,)), self.real(0))

    def fp_to_sbv(self, rm: Term, a: Term, width: int) -> Term:
        """Rounded to a signed integer; 0 for NaN, infinities and out of range."""
        inside = self._integer_in(rm, a, -(1 << (width - 1)), 1 << (width - 1))
        return self.ite(inside, self.mk(Op.FP_TO_SBV, (rm, a), width), self.bv(0, width))

    def fp_to_ubv(self, rm: Term, a: Term, width: int) -> Term:
        """Rounded to an unsigned integer; 0 for NaN, infinities and out of range."""
        inside = self._integer_in(rm, a, 0, 1 << width)
        return self.ite(inside, self.mk(Op.FP_TO_UBV, (rm, a), width), self.bv(0, width))

    def _zeros(self, a: Term, b: Term) -> Term:
        return self.and_(self.fp_is_zero(a), self.fp_is_zero(b))

    def _finite(self, a: Term) -> Term:
        return self.not_(self.or_(self.fp_is_nan(a), self.fp_is_inf(a)))

    def _integer_in(self, rm: Term, a: Term, low: int, high: int) -> Term:
        """Is `a`, rounded to an integer, in low..high-1?
        Both bounds are 0 or powers of two, so they are exact floats.

        Where the largest binade has fraction bits, rounding up may leave the format:
        more exponent bits keep it exact.
        """
        sort = a.sort
        if sort.sb.bit_length() > sort.eb - 1:
            sort = floating(sort.sb.bit_length() + 1, sort.sb)
            a = self.fp_from_fp(self.rm(RoundingMode.RNE), a, sort)
        rounded = self.fp_rti(rm, a)
        tests = [self._finite(a)]  # a bound beyond the largest float needs no test
        if low.bit_length() - 1 <= format_of(sort).bias:
            tests.append(self.fp_le(self.fp_of(low, sort), rounded))
        if high.bit_length() - 1 <= format_of(sort).bias:
            tests.append(self.fp_lt(rounded, self.fp_of(high, sort)))
        return self.and_(*tests)
