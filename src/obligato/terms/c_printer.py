"""Printing terms as C expressions, for invariants and traces that a C programmer reads.

`to_c` gives None where there is no such expression: array updates, rounding modes other than the
default, floats other than float and double, identity of floats (C's == is IEEE equality), widths
without a C type.  Variables are printed by name and taken as signed unless `is_signed` says
otherwise.  Arithmetic is meant to wrap, as in our C semantics. Int and Real are printed as if C had
them; `div` and `mod` only by positive constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

from obligato.terms.c_bitvec import BITVEC_PRINTERS, Printer, unified
from obligato.terms.c_expr import (
    AND,
    BOTH,
    OR,
    PRIMARY,
    PRODUCT,
    RELATION,
    SIGNED,
    SUM,
    UNARY,
    UNSIGNED,
    Expr,
    Inexpressible,
    as_signed,
    as_unsigned,
    compared,
    conditional,
    infix,
    literal,
    negative,
    summed,
)
from obligato.terms.float_semantics import format_of
from obligato.terms.numerals import int_text
from obligato.terms.semantics import apply
from obligato.terms.softfloat import RoundingMode, is_inf, is_nan, is_zero, to_fraction
from obligato.terms.sorts import BOOL, FLOAT32, FLOAT64, Kind, Sort
from obligato.terms.store import TermStore, rebuild
from obligato.terms.term import BV_ORDERS, Op, Term
from obligato.terms.traversal import free_vars, postorder

MAX_CHARS = 20_000
_FLOAT_TYPES = {FLOAT32: "float", FLOAT64: "double"}


def _always(var: Term) -> bool:
    return True


def _numbers(var: Term, value: int) -> str | None:
    return None


Spell = Callable[[Term, int], str | None]  # a word for what a variable is compared with


def to_c(
    term: Term, is_signed: Callable[[Term], bool] = _always, spell: Spell = _numbers
) -> str | None:
    """A C expression with the value of `term`,
    or None where there is none (or only one of more than `MAX_CHARS`)."""
    done: dict[Term, Expr] = {}
    try:
        for t in postorder((term,)):
            done[t] = _expression(t, _worded(t, [done[a] for a in t.args], spell), is_signed)
            if len(done[t].text) > MAX_CHARS:
                return None
    except Inexpressible:
        return None
    return done[term].text


_COMPARISONS = frozenset((Op.EQ, Op.DISTINCT, *BV_ORDERS))


def _worded(t: Term, args: list[Expr], spell: Spell) -> list[Expr]:
    """The operands, where a constant that a variable is compared with is written as a word if it
    has one."""
    if t.op not in _COMPARISONS or len(args) != 2:
        return args
    for i, (constant, other) in enumerate((t.args, t.args[::-1])):
        variable = other.args[0] if other.op in (Op.SIGN_EXT, Op.ZERO_EXT) else other
        if constant.op is Op.CONST and isinstance(constant.data, int) and variable.op is Op.VAR:
            fits = variable is other or constant.data < 1 << (variable.sort.width - 1)
            word = (
                spell(variable, constant.data)
                if variable.sort.kind is Kind.BITVEC and fits
                else None
            )
            if word is not None:
                return [Expr(word) if n == i else e for n, e in enumerate(args)]
    return args


def _shown(formula: Term, names: Mapping[str, str]) -> dict[Term, str]:
    """The user's names of variables; their own where two would have the same one."""
    shown = {v: names.get(v.name, v.name) for v in free_vars(formula)}
    return shown if len(set(shown.values())) == len(shown) else {v: v.name for v in shown}


def c_text(
    formula: Term, names: Mapping[str, str], unsigned: AbstractSet[str], spell: Spell = _numbers
) -> str | None:
    """`formula` as a C expression over the user's `names` of its variables; those in `unsigned` are
    unsigned numbers. `spell` has words for what variables are compared with."""
    store = TermStore.raw()
    memo = {v: store.var(name, v.sort) for v, name in _shown(formula, names).items()}
    back = {new: v for v, new in memo.items()}
    return to_c(
        rebuild(formula, store, memo),
        lambda v: v.op is not Op.VAR or back[v].name not in unsigned,
        spell=lambda v, value: spell(back[v], value),
    )


def _expression(t: Term, args: list[Expr], is_signed: Callable[[Term], bool]) -> Expr:
    if t.op is Op.VAR:
        return _variable(t, is_signed(t))
    if t.op is Op.CONST:
        return _constant(t.data, t.sort)
    if t.sort.kind is not Kind.ARRAY and all(
        a.op is Op.CONST and a.sort.kind is not Kind.ARRAY for a in t.args
    ):
        return _constant(apply(t, [a.data for a in t.args]), t.sort)
    printer = _PRINTERS.get(t.op)
    if printer is None:
        raise Inexpressible(t.op.name)
    e = printer(t, args)
    if t.op is Op.SELECT and t.sort.kind is Kind.BITVEC:
        return Expr(
            e.text,
            e.level,
            SIGNED if is_signed(t) and t.sort.width in (8, 16, 32, 64) else UNSIGNED,
        )
    return e


def _variable(t: Term, signed: bool) -> Expr:
    if t.sort.kind is Kind.BITVEC:
        w = t.sort.width
        if w > 32 and w != 64:
            raise Inexpressible(f"no C type of {w} bits")
        return Expr(t.name, PRIMARY, SIGNED if signed and w in (8, 16, 32, 64) else UNSIGNED)
    if t.sort.kind is Kind.RM or (t.sort.kind is Kind.FLOAT and t.sort not in _FLOAT_TYPES):
        raise Inexpressible(str(t.sort))
    return Expr(t.name)


def _constant(value: Any, sort: Sort) -> Expr:
    match sort.kind:
        case Kind.BOOL:
            return Expr("1" if value else "0")
        case Kind.INT:
            return _number(int_text(abs(value)), value < 0)
        case Kind.REAL:
            return _rational(value)
        case Kind.BITVEC:
            return literal(value, sort.width, sort.width in (8, 16, 32, 64))
        case Kind.FLOAT if sort in _FLOAT_TYPES:
            return _float(value, sort)
        case Kind.RM if value is RoundingMode.RNE or value is RoundingMode.RTZ:
            return Expr("")
    raise Inexpressible(f"a value of {sort}")


def _number(text: str, below_zero: bool, level: int = PRIMARY) -> Expr:
    positive = Expr(text, level)
    return negative(positive) if below_zero else positive


def _rational(value: Fraction) -> Expr:
    n, d = int_text(abs(value.numerator)), int_text(value.denominator)
    return (
        _number(f"{n}.0", value < 0) if d == "1" else _number(f"{n}.0 / {d}.0", value < 0, PRODUCT)
    )


def _float(pattern: int, sort: Sort) -> Expr:
    fmt, suffix = format_of(sort), "f" if sort is FLOAT32 else ""
    if is_nan(fmt, pattern):
        return Expr(f'__builtin_nan{suffix}("")')
    below_zero = pattern >= fmt.sign_bit
    if is_inf(fmt, pattern):
        return _number(f"__builtin_inf{suffix}()", below_zero)
    value = to_fraction(fmt, pattern)
    assert value is not None
    return _number(_float_text(abs(value)) + suffix, below_zero)


def _float_text(value: Fraction) -> str:
    """Decimal where it is exact and short, else hexadecimal."""
    short = repr(float(value))
    return short if len(short) <= 12 and Fraction(short) == value else float(value).hex()


# -- Bool and equality -----------------------------------------------------------------------------


def not_(t: Term, args: list[Expr]) -> Expr:
    """Negation; a comparison is turned round."""
    e = args[0]
    return e.negation if e.negation is not None else Expr(f"!{e.at(UNARY)}", UNARY, negation=e)


def _junction(op: str, level: int) -> Printer:
    return lambda t, args: infix(op, level, [e.at(level + 1) for e in args])


def implies(t: Term, args: list[Expr]) -> Expr:
    """!a || b."""
    return infix("||", OR, [not_(t, args[:1]).at(AND), args[1].at(AND)])


def equal(t: Term, args: list[Expr]) -> Expr:
    """==, where it means identity."""
    a, b = t.args
    kind = a.sort.kind
    if kind in (Kind.ARRAY, Kind.RM) or (
        kind is Kind.FLOAT and not (_plain_float(a) or _plain_float(b))
    ):
        raise Inexpressible(f"identity of {a.sort}")
    if kind is Kind.BITVEC:
        args = unified(args, a.sort.width)
    if args[0].zero_test is not None and b.op is Op.CONST and b.data == 0:
        return compared("==", args[0].zero_test, args[1])
    return compared("==", args[0], args[1])


def _plain_float(t: Term) -> bool:
    """A constant for which == is identity: neither NaN nor a zero."""
    fmt = format_of(t.sort)
    return (
        t.op is Op.CONST
        and isinstance(t.data, int)
        and not (is_nan(fmt, t.data) or is_zero(fmt, t.data))
    )


def different(t: Term, args: list[Expr]) -> Expr:
    """!= of two."""
    if len(args) != 2:
        raise Inexpressible("distinct of more than two")
    return not_(t, [equal(t, args)])


def xor(t: Term, args: list[Expr]) -> Expr:
    """!= of Booleans."""
    return compared("!=", args[0], args[1])


def ite(t: Term, args: list[Expr]) -> Expr:
    """c ? a : b, with one reading in both branches."""
    if t.sort.kind is Kind.ARRAY:
        raise Inexpressible("a conditional of arrays")
    a, b = args[1:]
    if t.sort is BOOL or t.sort.kind is not Kind.BITVEC:
        return conditional(args[0], a, b)
    a, b = unified([a, b], t.sort.width)
    unsigned = UNSIGNED in (a.reading, b.reading)
    return conditional(args[0], a, b, UNSIGNED if unsigned else SIGNED)


def select(t: Term, args: list[Expr]) -> Expr:
    """a[i]."""
    index = args[1]
    if index.value is not None:
        index = as_unsigned(index, t.args[1].sort.width)
    return Expr(
        f"{args[0].at(PRIMARY)}[{index.text.removesuffix('u') if index.value is not None else index.text}]"
    )


# -- Int and Real ----------------------------------------------------------------------------------


def add(t: Term, args: list[Expr]) -> Expr:
    """Sum."""
    return summed(args, BOTH)


def sub(t: Term, args: list[Expr]) -> Expr:
    """Difference."""
    return infix("-", SUM, [args[0].at(SUM), args[1].at(PRODUCT)])


def neg(t: Term, args: list[Expr]) -> Expr:
    """Negative."""
    return negative(args[0])


def mul(t: Term, args: list[Expr]) -> Expr:
    """Product; a negative coefficient can be subtracted."""
    product = infix("*", PRODUCT, [e.at(UNARY) for e in args])
    factor = args[0].minus
    if factor is None or t.args[0].op is not Op.CONST:
        return product
    rest = [e.at(UNARY) for e in args[1:]]
    if factor.text in ("1", "1.0") and len(rest) == 1:
        return negative(args[1])
    return Expr(product.text, PRODUCT, minus=infix("*", PRODUCT, [factor.at(UNARY), *rest]))


def _divisor(t: Term) -> int:
    n = t.args[1]
    if n.op is not Op.CONST or not isinstance(n.data, int) or n.data <= 0:
        raise Inexpressible("division by anything but a positive constant")
    return n.data


def mod(t: Term, args: list[Expr]) -> Expr:
    """The remainder that is never negative; C's own is 0 in the same cases."""
    n = _divisor(t)
    plain = Expr(f"{args[0].at(PRODUCT)} % {n}", PRODUCT)
    return Expr(f"({plain.text} + {n}) % {n}", PRODUCT, zero_test=plain)


def idiv(t: Term, args: list[Expr]) -> Expr:
    """Division that rounds down."""
    rest = mod(t, args)
    return Expr(f"({args[0].at(SUM)} - {rest.at(UNARY)}) / {_divisor(t)}", PRODUCT)


def _comparison(op: str) -> Printer:
    return lambda t, args: compared(op, args[0], args[1])


def _float_comparison(op: str) -> Printer:
    """NaN makes !(a < b) differ from a >= b, so only the text is kept."""
    return lambda t, args: Expr(compared(op, args[0], args[1]).text, RELATION)


def absolute(t: Term, args: list[Expr]) -> Expr:
    """By cases."""
    return conditional(compared("<", args[0], Expr("0")), neg(t, args), args[0])


# -- floats ----------------------------------------------------------------------------------------


def _needs(t: Term, mode: RoundingMode) -> None:
    if t.args[0].op is not Op.CONST or t.args[0].data is not mode:
        raise Inexpressible("another rounding mode than C's")
    if t.sort.kind is Kind.FLOAT and t.sort not in _FLOAT_TYPES:
        raise Inexpressible(str(t.sort))


def _float_infix(op: str, level: int) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        _needs(t, RoundingMode.RNE)
        return infix(op, level, [args[1].at(level), args[2].at(level + 1)])

    return run


def _call(name: str) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        if t.op is Op.FP_SQRT:
            _needs(t, RoundingMode.RNE)
        suffix = "f" if t.sort is FLOAT32 else ""
        return Expr(f"{name}{suffix}({args[-1].text})")

    return run


def _to_float(t: Term, args: list[Expr]) -> Expr:
    _needs(t, RoundingMode.RNE)
    e, source = args[1], t.args[1].sort
    if source.kind is Kind.BITVEC:
        e = (as_unsigned if t.op is Op.FP_FROM_UBV else as_signed)(e, source.width)
    return Expr(f"({_FLOAT_TYPES[t.sort]}){e.at(UNARY)}", UNARY)


def _to_integer(t: Term, args: list[Expr]) -> Expr:
    _needs(t, RoundingMode.RTZ)
    signed = t.op is Op.FP_TO_SBV
    names = {
        32: "int" if signed else "unsigned",
        64: "long long" if signed else "unsigned long long",
    }
    if t.sort.width not in names:
        raise Inexpressible("a narrow integer from a float")
    return Expr(
        f"({names[t.sort.width]}){args[1].at(UNARY)}", UNARY, SIGNED if signed else UNSIGNED
    )


_PRINTERS: dict[Op, Printer] = {
    Op.NOT: not_,
    Op.AND: _junction("&&", AND),
    Op.OR: _junction("||", OR),
    Op.IMPLIES: implies,
    Op.XOR: xor,
    Op.EQ: equal,
    Op.DISTINCT: different,
    Op.ITE: ite,
    Op.SELECT: select,
    Op.ADD: add,
    Op.SUB: sub,
    Op.NEG: neg,
    Op.MUL: mul,
    Op.MOD: mod,
    Op.IDIV: idiv,
    Op.ABS: absolute,
    Op.LE: _comparison("<="),
    Op.LT: _comparison("<"),
    Op.GE: _comparison(">="),
    Op.GT: _comparison(">"),
    Op.TO_REAL: lambda t, args: args[0],
    **BITVEC_PRINTERS,
    Op.FP_ADD: _float_infix("+", SUM),
    Op.FP_SUB: _float_infix("-", SUM),
    Op.FP_MUL: _float_infix("*", PRODUCT),
    Op.FP_DIV: _float_infix("/", PRODUCT),
    Op.FP_NEG: neg,
    Op.FP_ABS: _call("__builtin_fabs"),
    Op.FP_SQRT: _call("__builtin_sqrt"),
    Op.FP_LE: _float_comparison("<="),
    Op.FP_LT: _float_comparison("<"),
    Op.FP_GE: _float_comparison(">="),
    Op.FP_GT: _float_comparison(">"),
    Op.FP_EQ: _comparison("=="),
    Op.FP_IS_NAN: _call("__builtin_isnan"),
    Op.FP_IS_INF: _call("__builtin_isinf"),
    Op.FP_IS_NORMAL: _call("__builtin_isnormal"),
    Op.FP_FROM_FP: _to_float,
    Op.FP_FROM_SBV: _to_float,
    Op.FP_FROM_UBV: _to_float,
    Op.FP_TO_SBV: _to_integer,
    Op.FP_TO_UBV: _to_integer,
}
