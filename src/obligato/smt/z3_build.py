"""How each operator is built in z3: `BUILDERS`, used by `z3_context`.

An entry takes the library and returns a function of (context, term, asts of its arguments) to a new
ast (0 on failure). Where z3 leaves a value open (division by zero, min/max of zeros, infinity as a
real) the ite that fixes it as `terms.semantics` does is built here, so that a model always
evaluates as z3 meant it.

Limitation: FP_TO_SBV/FP_TO_UBV out of range are left to the guard their constructor builds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from obligato.terms import Kind, Op, Term
from obligato.terms.floatformat import FloatFormat
from obligato.terms.term import BV_BINARY, BV_ORDERS

if TYPE_CHECKING:
    from obligato.smt.z3_context import Z3Context

Build = Callable[["Z3Context", Term, list[int]], int]
Factory = Callable[[Any], Build]


def _unary(name: str) -> Factory:
    def bound(lib: Any) -> Build:
        f = getattr(lib, "mk_" + name)
        return lambda c, t, a: f(c.handle, a[0])

    return bound


def _binary(name: str) -> Factory:
    def bound(lib: Any) -> Build:
        f = getattr(lib, "mk_" + name)
        return lambda c, t, a: f(c.handle, a[0], a[1])

    return bound


def _ternary(name: str) -> Factory:
    def bound(lib: Any) -> Build:
        f = getattr(lib, "mk_" + name)
        return lambda c, t, a: f(c.handle, a[0], a[1], a[2])

    return bound


def _fold(name: str) -> Factory:
    """A left fold of a binary function. z3 keeps the last result alive, so the partial ones need no
    reference.
    """

    def bound(lib: Any) -> Build:
        f = getattr(lib, "mk_" + name)

        def build(c: Z3Context, t: Term, a: list[int]) -> int:
            acc = a[0]
            for x in a[1:]:
                acc = f(c.handle, acc, x)
            return acc

        return build

    return bound


_ARRAYS: list[Any] = [ctypes.c_size_t * n for n in range(16)]


def handles(items: list[int]) -> Any:
    """A C array of handles."""
    n = len(items)
    return (_ARRAYS[n] if n < 16 else ctypes.c_size_t * n)(*items)


def _nary(name: str) -> Factory:
    def bound(lib: Any) -> Build:
        f = getattr(lib, "mk_" + name)
        return lambda c, t, a: f(c.handle, len(a), handles(a))

    return bound


def _method(build: Build) -> Factory:
    return lambda lib: build


def _variable(c: Z3Context, t: Term, a: list[int]) -> int:
    symbol = c.lib.mk_string_symbol(c.handle, t.name.encode())
    return c.lib.mk_const(c.handle, symbol, c.sort(t.sort))  # type: ignore[no-any-return]


def _division(name: str, if_zero: Callable[[Z3Context, Term, list[int]], int]) -> Factory:
    """A division that is `if_zero` where the divisor is 0."""

    def build(c: Z3Context, t: Term, a: list[int]) -> int:
        quotient: int = getattr(c.lib, "mk_" + name)(c.handle, a[0], a[1])
        divisor = t.args[1]
        if divisor.op is Op.CONST and divisor.data:
            return quotient
        c.keep(quotient)
        zero = c.keep(c.value(Fraction(0) if divisor.sort.kind is Kind.REAL else 0, divisor.sort))
        is_zero = c.keep(c.lib.mk_eq(c.handle, a[1], zero))
        return c.lib.mk_ite(c.handle, is_zero, if_zero(c, t, a), quotient)  # type: ignore[no-any-return]

    return _method(build)


def _zero(c: Z3Context, t: Term, a: list[int]) -> int:
    return c.keep(c.value(Fraction(0) if t.sort.kind is Kind.REAL else 0, t.sort))


def _indexed(name: str) -> Factory:
    def build(c: Z3Context, t: Term, a: list[int]) -> int:
        return getattr(c.lib, "mk_" + name)(c.handle, t.data, a[0])  # type: ignore[no-any-return]

    return _method(build)


def _extract(c: Z3Context, t: Term, a: list[int]) -> int:
    assert isinstance(t.data, tuple)
    return c.lib.mk_extract(c.handle, t.data[0], t.data[1], a[0])  # type: ignore[no-any-return]


def _const_array(c: Z3Context, t: Term, a: list[int]) -> int:
    return c.lib.mk_const_array(c.handle, c.sort(t.sort.index), a[0])  # type: ignore[no-any-return]


def _fma(c: Z3Context, t: Term, a: list[int]) -> int:
    return c.lib.mk_fpa_fma(c.handle, a[0], a[1], a[2], a[3])  # type: ignore[no-any-return]


def _least(name: str) -> Factory:
    """min or max; of two zeros the second argument."""

    def build(c: Z3Context, t: Term, a: list[int]) -> int:
        lib, h = c.lib, c.handle
        zeros = [c.keep(lib.mk_fpa_is_zero(h, x)) for x in a]
        both = c.keep(lib.mk_and(h, 2, handles(zeros)))
        return lib.mk_ite(h, both, a[1], c.keep(getattr(lib, "mk_" + name)(h, a[0], a[1])))  # type: ignore[no-any-return]

    return _method(build)


def _to_float(name: str) -> Factory:
    def build(c: Z3Context, t: Term, a: list[int]) -> int:
        return getattr(c.lib, "mk_" + name)(c.handle, *a, c.sort(t.sort))  # type: ignore[no-any-return]

    return _method(build)


def _float_to_bv(name: str) -> Factory:
    def build(c: Z3Context, t: Term, a: list[int]) -> int:
        return getattr(c.lib, "mk_" + name)(c.handle, a[0], a[1], t.data)  # type: ignore[no-any-return]

    return _method(build)


def _float_to_real(c: Z3Context, t: Term, a: list[int]) -> int:
    """inf and NaN are 0."""
    lib, h = c.lib, c.handle
    special = [c.keep(lib.mk_fpa_is_nan(h, a[0])), c.keep(lib.mk_fpa_is_infinite(h, a[0]))]
    odd = c.keep(lib.mk_or(h, 2, handles(special)))
    return lib.mk_ite(h, odd, _zero(c, t, a), c.keep(lib.mk_fpa_to_real(h, a[0])))  # type: ignore[no-any-return]


def _float_bits(c: Z3Context, t: Term, a: list[int]) -> int:
    """The IEEE pattern; NaN is the canonical one."""
    lib, h = c.lib, c.handle
    fmt = FloatFormat(t.args[0].sort.eb, t.args[0].sort.sb)
    nan = c.keep(c.value(fmt.nan, t.sort))
    is_nan_ast, bits = c.keep(lib.mk_fpa_is_nan(h, a[0])), c.keep(lib.mk_fpa_to_ieee_bv(h, a[0]))
    return lib.mk_ite(h, is_nan_ast, nan, bits)  # type: ignore[no-any-return]


BUILDERS: dict[Op, Factory] = {
    Op.VAR: _method(_variable),
    Op.CONST: _method(lambda c, t, a: c.value(t.data, t.sort)),
    Op.NOT: _unary("not"),
    Op.AND: _nary("and"),
    Op.OR: _nary("or"),
    Op.XOR: _binary("xor"),
    Op.IMPLIES: _binary("implies"),
    Op.EQ: _binary("eq"),
    Op.DISTINCT: _nary("distinct"),
    Op.ITE: _ternary("ite"),
    Op.ADD: _nary("add"),
    Op.SUB: _nary("sub"),
    Op.NEG: _unary("unary_minus"),
    Op.MUL: _nary("mul"),
    Op.LE: _binary("le"),
    Op.LT: _binary("lt"),
    Op.GE: _binary("ge"),
    Op.GT: _binary("gt"),
    Op.IDIV: _division("div", _zero),
    Op.MOD: _division("mod", lambda c, t, a: a[0]),
    Op.RDIV: _division("div", _zero),
    Op.ABS: _unary("abs"),
    Op.TO_REAL: _unary("int2real"),
    Op.TO_INT: _unary("real2int"),
    Op.IS_INT: _unary("is_int"),
    **{
        op: _fold(op.name.lower())
        for op in (Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.CONCAT)
    },
    **{op: _unary(op.name.lower()) for op in (Op.BVNEG, Op.BVNOT)},
    **{op: _binary(op.name.lower()) for op in (*BV_BINARY, *BV_ORDERS)},
    Op.EXTRACT: _method(_extract),
    Op.ZERO_EXT: _indexed("zero_ext"),
    Op.SIGN_EXT: _indexed("sign_ext"),
    Op.SELECT: _binary("select"),
    Op.STORE: _ternary("store"),
    Op.CONST_ARRAY: _method(_const_array),
    Op.FP_ABS: _unary("fpa_abs"),
    Op.FP_NEG: _unary("fpa_neg"),
    Op.FP_ADD: _ternary("fpa_add"),
    Op.FP_SUB: _ternary("fpa_sub"),
    Op.FP_MUL: _ternary("fpa_mul"),
    Op.FP_DIV: _ternary("fpa_div"),
    Op.FP_FMA: _method(_fma),
    Op.FP_SQRT: _binary("fpa_sqrt"),
    Op.FP_REM: _binary("fpa_rem"),
    Op.FP_RTI: _binary("fpa_round_to_integral"),
    Op.FP_MIN: _least("fpa_min"),
    Op.FP_MAX: _least("fpa_max"),
    Op.FP_LE: _binary("fpa_leq"),
    Op.FP_LT: _binary("fpa_lt"),
    Op.FP_GE: _binary("fpa_geq"),
    Op.FP_GT: _binary("fpa_gt"),
    Op.FP_EQ: _binary("fpa_eq"),
    Op.FP_IS_NORMAL: _unary("fpa_is_normal"),
    Op.FP_IS_SUBNORMAL: _unary("fpa_is_subnormal"),
    Op.FP_IS_ZERO: _unary("fpa_is_zero"),
    Op.FP_IS_INF: _unary("fpa_is_infinite"),
    Op.FP_IS_NAN: _unary("fpa_is_nan"),
    Op.FP_IS_NEG: _unary("fpa_is_negative"),
    Op.FP_IS_POS: _unary("fpa_is_positive"),
    Op.FP_FROM_BITS: _to_float("fpa_to_fp_bv"),
    Op.FP_FROM_FP: _to_float("fpa_to_fp_float"),
    Op.FP_FROM_SBV: _to_float("fpa_to_fp_signed"),
    Op.FP_FROM_UBV: _to_float("fpa_to_fp_unsigned"),
    Op.FP_FROM_REAL: _to_float("fpa_to_fp_real"),
    Op.FP_TO_SBV: _float_to_bv("fpa_to_sbv"),
    Op.FP_TO_UBV: _float_to_bv("fpa_to_ubv"),
    Op.FP_TO_REAL: _method(_float_to_real),
    Op.FP_TO_BITS: _method(_float_bits),
}
