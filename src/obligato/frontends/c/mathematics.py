"""<math.h> functions that the floating-point theory has exactly; the others are refused as
undefined externals.

`fmod` is built from the IEEE remainder: with r = remainder(|x|, |y|), |fmod| is r, or r + |y| if r
is negative; both are exact.  The sign of a NaN is not known, so functions that show it are marked
as approximations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.characters import truth_value
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.types import FloatType
from obligato.program.syntax import Assign, Havoc, If
from obligato.terms import BOOL, Op, Term
from obligato.terms.softfloat import RoundingMode

_ROUNDINGS = {
    "floor": RoundingMode.RTN,
    "ceil": RoundingMode.RTP,
    "trunc": RoundingMode.RTZ,
    "round": RoundingMode.RNA,
}
_MODES = {
    0: RoundingMode.RNE,
    0x400: RoundingMode.RTN,
    0x800: RoundingMode.RTP,
    0xC00: RoundingMode.RTZ,
}  # <fenv.h> on x86
INFINITE = "__builtin_isinf"  # 1 for both infinities; the library's isinf tells the sign
_TESTS = {"isnan": Op.FP_IS_NAN, "isnormal": Op.FP_IS_NORMAL, INFINITE: Op.FP_IS_INF}
_SIGNS = {
    4: -(1 << 31),
    8: 1,
}  # by size, what gcc gives for the sign of negative numbers; 512 for others
_RELATIONS = {
    "isgreater": k.B_GT,
    "isgreaterequal": k.B_GE,
    "isless": k.B_LT,
    "islessequal": k.B_LE,
}


@dataclass(eq=False, repr=False)
class Mathematics(Part):
    """Values of functions of <math.h> (`math_function`)."""

    memory: Memory
    arithmetic: Arithmetic
    places: Places
    evaluator: Evaluator

    def math_function(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """The value of a mathematical function."""
        if name in ("nan", "inf", "huge_val"):
            sort = n.type.sort
            assert sort is not None
            return self.store.fp_nan(sort) if name == "nan" else self.store.fp_inf(sort)
        test = self._test(name, arguments)
        if test is not None:
            return self.arithmetic.as_int(test, n.type)
        if name == "signbit":
            negative = self._sign(self.evaluator.value(arguments[0]))
            return truth_value(self.code, name, negative, _SIGNS.get(arguments[0].type.size, 512))
        if name == "modf":
            return self._modf(self.evaluator.value(arguments[0]), arguments[1])
        a = [self.evaluator.value(x) for x in arguments]
        if name == "fpclassify":
            return self._classify(a)
        if name in ("isinf", "isinf_sign"):
            sign = self.store.ite(
                self.store.fp_is(Op.FP_IS_NEG, a[0]), self.store.bv(-1, 32), self.store.bv(1, 32)
            )
            return self.store.ite(self.store.fp_is_inf(a[0]), sign, self.store.bv(0, 32))
        if not all(isinstance(x.type, FloatType) for x in arguments):
            raise self.code.refuse(name, n)
        return self._float_function(name, n, a)

    def rounding_function(self, name: str, arguments: list[Node]) -> Term:
        """fesetround and fegetround; the mode is a variable if the program sets it."""
        s, current = self.store, self.scalars.rounding
        known = [(s.bv(code, 32), s.rm(mode)) for code, mode in _MODES.items()]
        if name == "fegetround":
            answer = known[0][0]
            for code, mode in known[1:]:
                answer = s.ite(s.eq(current, mode), code, answer)
            return answer
        wanted, new = self.code.captured(self.evaluator.value(arguments[0]), "mode"), current
        for code, mode in known:
            new = s.ite(s.eq(wanted, code), mode, new)
        self.code.assign(current, new)
        return s.ite(s.or_(*(s.eq(wanted, code) for code, _ in known)), s.bv(0, 32), s.bv(1, 32))

    def _test(self, name: str, arguments: list[Node]) -> Term | None:
        s = self.store
        if name in _TESTS:
            return s.fp_is(_TESTS[name], self.evaluator.value(arguments[0]))
        if name in ("isfinite", "finite"):
            a = self.evaluator.value(arguments[0])
            return s.not_(s.or_(s.fp_is_nan(a), s.fp_is_inf(a)))
        if name in _RELATIONS or name in ("islessgreater", "isunordered"):
            a, b = self.evaluator.value(arguments[0]), self.evaluator.value(arguments[1])
            if name == "isunordered":
                return s.or_(s.fp_is_nan(a), s.fp_is_nan(b))
            if name == "islessgreater":
                return s.or_(s.fp_lt(a, b), s.fp_lt(b, a))
            return self.scalars.compare(_RELATIONS[name], a, b, arguments[0].type)
        return None

    def _sign(self, a: Term) -> Term:
        b, s = self.code.local("sign", BOOL), self.store
        unknown = (Havoc((b,), "the sign of a NaN", self.code.span),)
        known = (Assign((b,), (s.fp_is(Op.FP_IS_NEG, a),), self.code.span),)
        self.code.emit(If(s.fp_is_nan(a), unknown, known, self.code.span))
        return b

    def _classify(self, a: list[Term]) -> Term:
        """FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4; GNU's form passes the
        five values first.
        """
        s, x = self.store, a[-1]
        if len(a) == 6:
            nan, inf, normal, subnormal, zero = a[:5]
        else:
            nan, inf, zero, subnormal, normal = (s.bv(i, 32) for i in range(5))
        rest = s.ite(s.fp_is(Op.FP_IS_SUBNORMAL, x), subnormal, normal)
        return s.ite(
            s.fp_is_nan(x), nan, s.ite(s.fp_is_inf(x), inf, s.ite(s.fp_is_zero(x), zero, rest))
        )

    def _float_function(self, name: str, n: Node, a: list[Term]) -> Term:
        s = self.store
        simple: dict[str, Callable[[], Term]] = {
            "fabs": lambda: s.fp_abs(a[0]),
            "sqrt": lambda: s.fp_sqrt(self.scalars.rounding, a[0]),
            "remainder": lambda: s.fp_rem(a[0], a[1]),
            "fmin": lambda: self._extreme(s.fp_min(a[0], a[1]), a[0], a[1]),
            "fmax": lambda: self._extreme(s.fp_max(a[0], a[1]), a[0], a[1]),
            "fma": lambda: s.fp_fma(self.scalars.rounding, a[0], a[1], a[2]),
            "fmod": lambda: self._fmod(a[0], a[1]),
            "fdim": lambda: self._fdim(a[0], a[1]),
            "copysign": lambda: s.ite(self._sign(a[1]), s.fp_neg(s.fp_abs(a[0])), s.fp_abs(a[0])),
        }
        if name in simple:
            return simple[name]()
        if name in _ROUNDINGS or name in ("rint", "nearbyint"):
            return s.fp_rti(
                s.rm(_ROUNDINGS[name]) if name in _ROUNDINGS else self.scalars.rounding, a[0]
            )
        if name in ("lround", "llround", "lrint", "llrint"):
            mode = s.rm(RoundingMode.RNA) if name.endswith("round") else self.scalars.rounding
            return s.fp_to_sbv(mode, a[0], 8 * n.type.size)
        raise self.code.refuse(name, n)

    def _extreme(self, usual: Term, a: Term, b: Term) -> Term:
        """fmin or fmax; of two zeros with different signs it may be either."""
        s, first = self.store, self.code.local("first", BOOL)
        different = s.ne(s.fp_is(Op.FP_IS_NEG, a), s.fp_is(Op.FP_IS_NEG, b))
        either = (Havoc((first,), "the sign of the least or greatest zero", self.code.span),)
        zeros = s.and_(s.fp_is_zero(a), s.fp_is_zero(b), different)
        self.code.emit(If(zeros, either, (), self.code.span))
        return s.ite(zeros, s.ite(first, a, b), usual)

    def _fmod(self, x: Term, y: Term) -> Term:
        s, size = self.store, self.store.fp_abs(y)
        r = s.fp_rem(s.fp_abs(x), size)
        positive = s.ite(
            s.fp_lt(r, s.fp_zero(x.sort)), s.fp_add(self.scalars.nearest, r, size), s.fp_abs(r)
        )
        return s.ite(s.fp_is(Op.FP_IS_NEG, x), s.fp_neg(positive), positive)

    def _modf(self, x: Term, pointer: Node) -> Term:
        """The fraction, with the sign of x; the integral part goes through the pointer."""
        s, x = self.store, self.code.captured(x)
        whole = s.fp_rti(self.scalars.to_zero, x)
        self.memory.store_once(self.places.target(pointer, self.code.address(0)), whole)
        rest = s.fp_sub(self.scalars.nearest, x, whole)
        size = s.ite(s.fp_is_inf(x), s.fp_zero(x.sort), s.fp_abs(rest))
        return s.ite(s.fp_is(Op.FP_IS_NEG, x), s.fp_neg(size), size)

    def _fdim(self, x: Term, y: Term) -> Term:
        s = self.store
        difference = s.fp_sub(self.scalars.rounding, x, y)
        return s.ite(s.fp_le(x, y), s.fp_zero(x.sort), difference)
