"""The operators of the SMT-LIB theories by name: how an application becomes a term.

Every entry takes a store and the argument terms; `SortError` says what is wrong, the reader adds
the position.  Variadic operators follow the standard's attributes: left-assoc, right-assoc,
chainable, pairwise.  Where Int and Real meet (``(* 2 x)`` with x Real, as older tools print it),
the Int side is converted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from obligato.errors import NO_SPAN, Unsupported
from obligato.terms.printer import SMT_NAMES
from obligato.terms.smtlib.scope import MAX_EXPONENT, MAX_SIGNIFICAND, MAX_WIDTH, Apply
from obligato.terms.sorts import INT, REAL, Kind, Sort, floating
from obligato.terms.store import TermStore
from obligato.terms.term import BV_BINARY, BV_ORDERS, Op, Term
from obligato.terms.typing import SortError

Args = list[Term]
Binary = Callable[[TermStore, Term, Term], Term]


def coerce(s: TermStore, t: Term, sort: Sort) -> Term:
    """`t` as a term of `sort`, converting Int to Real."""
    if t.sort is sort:
        return t
    if sort is REAL and t.sort is INT:
        return s.const(t.data, REAL) if t.op is Op.CONST else s.to_real(t)
    raise SortError(f"a term of sort {sort} was expected, not {t.sort}")


def mixed(s: TermStore, args: Args) -> Args:
    """Int arguments converted where others are Real."""
    if any(a.sort is not args[0].sort for a in args) and any(a.sort is REAL for a in args):
        return [coerce(s, a, REAL) if a.sort is INT else a for a in args]
    return args


def _arity(args: Args, low: int, high: int | None = None) -> None:
    if len(args) < low or (high is not None and len(args) > high):
        raise SortError(f"wrong number of arguments: {len(args)}")


def _plain(op: Op, count: int) -> Apply:
    """Exactly the store's operator."""

    def build(s: TermStore, args: Args) -> Term:
        if len(args) != count:
            raise SortError(f"{count} argument{'s' * (count > 1)} expected, not {len(args)}")
        return s.mk(op, tuple(args))

    return build


def _nary(op: Op) -> Apply:
    """An operator that the store has with any number of arguments."""

    def build(s: TermStore, args: Args) -> Term:
        if len(args) == 1 and args[0].sort.kind in _ONE[op]:
            return args[0]
        return s.mk(op, tuple(mixed(s, args)))

    return build


_NUMBERS = (Kind.INT, Kind.REAL)
_ONE = {
    Op.AND: (Kind.BOOL,),
    Op.OR: (Kind.BOOL,),
    Op.ADD: _NUMBERS,
    Op.MUL: _NUMBERS,
    **dict.fromkeys((Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR), (Kind.BITVEC,)),
}


def _left(build: Binary) -> Apply:
    def apply(s: TermStore, args: Args) -> Term:
        _arity(args, 2)
        acc, *rest = mixed(s, args)
        for a in rest:
            acc = build(s, acc, a)
        return acc

    return apply


def _chain(op: Op) -> Apply:
    """a < b < c is a < b and b < c."""

    def build(s: TermStore, args: Args) -> Term:
        if len(args) == 2 and args[0].sort is args[1].sort:
            return s.mk(op, (args[0], args[1]))
        _arity(args, 2)
        args = mixed(s, args)
        return s.and_(*(s.mk(op, (a, b)) for a, b in pairwise(args)))

    return build


def _binary(op: Op) -> Binary:
    return lambda s, a, b: s.mk(op, (a, b))


def _implies(s: TermStore, args: Args) -> Term:
    _arity(args, 2)
    *premises, result = args
    for p in reversed(premises):
        result = s.implies(p, result)
    return result


def _ite(s: TermStore, args: Args) -> Term:
    _arity(args, 3, 3)
    return s.mk(Op.ITE, (args[0], *mixed(s, args[1:])))


def _distinct(s: TermStore, args: Args) -> Term:
    _arity(args, 2)
    return s.mk(Op.DISTINCT, tuple(mixed(s, args)))


def _minus(s: TermStore, args: Args) -> Term:
    if len(args) > 1:
        return _left(_binary(Op.SUB))(s, args)
    if args[0].op is Op.CONST and args[0].sort.kind in _NUMBERS:
        return s.const(-args[0].data, args[0].sort)  # type: ignore[operator]
    return s.neg(args[0])


def _quotient(s: TermStore, args: Args) -> Term:
    return _left(_divide)(s, [coerce(s, a, REAL) for a in args])


def _divide(s: TermStore, a: Term, b: Term) -> Term:
    if a.op is Op.CONST and b.op is Op.CONST and b.data:
        return s.const(a.data / b.data, REAL)  # type: ignore[operator]
    return s.rdiv(a, _divisor(b))


def _divisor(b: Term) -> Term:
    """`b`, if it is not the constant zero:
    what is divided by zero has any value, so no builder's choice is right."""
    if b.op is Op.CONST and not b.data:
        raise Unsupported(
            "division by the constant zero, whose value SMT-LIB leaves open",
            NO_SPAN,
            "division by zero",
        )
    return b


def _integers(build: Binary) -> Binary:
    def checked(s: TermStore, a: Term, b: Term) -> Term:
        if a.sort is not INT or b.sort is not INT:
            raise SortError(f"Int arguments expected, not ({a.sort} {b.sort})")
        return build(s, a, b)

    return checked


def _to_real(s: TermStore, args: Args) -> Term:
    _arity(args, 1, 1)
    return coerce(s, args[0], REAL)


def _to_int(op: Op) -> Apply:
    def build(s: TermStore, args: Args) -> Term:
        _arity(args, 1, 1)
        return s.mk(op, (coerce(s, args[0], REAL),))

    return build


def _select(s: TermStore, args: Args) -> Term:
    _arity(args, 2, 2)
    a = args[0]
    if a.sort.kind is not Kind.ARRAY:
        raise SortError(f"an array was expected, not {a.sort}")
    return s.select(a, coerce(s, args[1], a.sort.index))


def _store(s: TermStore, args: Args) -> Term:
    _arity(args, 3, 3)
    a = args[0]
    if a.sort.kind is not Kind.ARRAY:
        raise SortError(f"an array was expected, not {a.sort}")
    return s.store(a, coerce(s, args[1], a.sort.index), coerce(s, args[2], a.sort.element))


def const_array(sort: Sort, s: TermStore, args: Args) -> Term:
    """((as const sort) element)."""
    _arity(args, 1, 1)
    if sort.kind is not Kind.ARRAY:
        raise SortError(f"const needs an array sort, not {sort}")
    return s.const_array(sort, coerce(s, args[0], sort.element))


def check_width(width: int) -> None:
    """Refuse bit-vectors that no memory can hold."""
    if width > MAX_WIDTH:
        raise SortError(f"a bit-vector of {width} bits is too wide (at most {MAX_WIDTH})")


def _concat(s: TermStore, args: Args) -> Term:
    _arity(args, 2)
    check_width(sum(a.sort.width for a in args if a.sort.kind is Kind.BITVEC))
    return s.mk(Op.CONCAT, tuple(args))


def _negated(op: Op) -> Apply:
    return lambda s, args: s.mk(Op.BVNOT, (s.mk(op, tuple(args)),))


def _compare_bits(s: TermStore, args: Args) -> Term:
    _arity(args, 2, 2)
    if args[0].sort.kind is not Kind.BITVEC:
        raise SortError(f"bit-vectors expected, not {args[0].sort}")
    return s.ite(s.eq(args[0], args[1]), s.bv(1, 1), s.bv(0, 1))


def _guarded(name: str, count: int) -> Apply:
    """Through the named constructor, which closes the open cases."""

    def build(s: TermStore, args: Args) -> Term:
        _arity(args, count, count)
        if any(a.sort.kind is not Kind.FLOAT for a in args):
            raise SortError("floats expected")
        term = getattr(s, name)(*args)
        assert isinstance(term, Term)
        return term

    return build


_CHAINABLE = (
    Op.EQ,
    Op.LE,
    Op.LT,
    Op.GE,
    Op.GT,
    Op.FP_LE,
    Op.FP_LT,
    Op.FP_GE,
    Op.FP_GT,
    Op.FP_EQ,
    *BV_ORDERS,
)
_UNARY = (
    Op.NOT,
    Op.ABS,
    Op.BVNEG,
    Op.BVNOT,
    Op.FP_ABS,
    Op.FP_NEG,
    Op.FP_IS_NORMAL,
    Op.FP_IS_SUBNORMAL,
    Op.FP_IS_ZERO,
    Op.FP_IS_INF,
    Op.FP_IS_NAN,
    Op.FP_IS_NEG,
    Op.FP_IS_POS,
)
_BINARY_OPS = (*BV_BINARY, Op.FP_REM, Op.FP_SQRT, Op.FP_RTI)

OPERATORS: dict[str, Apply] = {
    **{SMT_NAMES[op]: _chain(op) for op in _CHAINABLE},
    **{SMT_NAMES[op]: _plain(op, 1) for op in _UNARY},
    **{SMT_NAMES[op]: _plain(op, 2) for op in _BINARY_OPS},
    **{SMT_NAMES[op]: _plain(op, 3) for op in (Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV)},
    **{SMT_NAMES[op]: _nary(op) for op in _ONE},
    "fp.fma": _plain(Op.FP_FMA, 4),
    "fp.to_ieee_bv": _plain(Op.FP_TO_BITS, 1),
    "fp.min": _guarded("fp_min", 2),
    "fp.max": _guarded("fp_max", 2),
    "fp.to_real": _guarded("fp_to_real", 1),
    "xor": _left(_binary(Op.XOR)),
    "=>": _implies,
    "implies": _implies,
    "iff": _chain(Op.EQ),
    "distinct": _distinct,
    "ite": _ite,
    "-": _minus,
    "/": _quotient,
    "div": _left(_integers(lambda s, a, b: s.idiv(a, _divisor(b)))),
    "mod": _left(_integers(lambda s, a, b: s.mod(a, _divisor(b)))),
    "to_real": _to_real,
    "to_int": _to_int(Op.TO_INT),
    "is_int": _to_int(Op.IS_INT),
    "select": _select,
    "store": _store,
    "concat": _concat,
    "bvcomp": _compare_bits,
    "bvnand": _negated(Op.BVAND),
    "bvnor": _negated(Op.BVOR),
    "bvxnor": _negated(Op.BVXOR),
}


# -- indexed operators: the indices come first -----------------------------------------------------


def _extract(hi: int, lo: int, s: TermStore, args: Args) -> Term:
    return s.mk(Op.EXTRACT, tuple(args), (hi, lo))


def _one_word(args: Args) -> Term:
    _arity(args, 1, 1)
    if args[0].sort.kind is not Kind.BITVEC:
        raise SortError(f"a bit-vector was expected, not {args[0].sort}")
    return args[0]


def _extend(op: Op, extra: int, s: TermStore, args: Args) -> Term:
    word = _one_word(args)
    check_width(word.sort.width + extra)
    return word if extra == 0 else s.mk(op, (word,), extra)


def _rotate(sign: int, n: int, s: TermStore, args: Args) -> Term:
    return s.rotate_left(_one_word(args), sign * n)


def _repeat(n: int, s: TermStore, args: Args) -> Term:
    word = _one_word(args)
    if n < 1:
        raise SortError("repeat needs a positive number")
    check_width(word.sort.width * n)
    return s.concat(*[word] * n)


def _divisible(n: int, s: TermStore, args: Args) -> Term:
    _arity(args, 1, 1)
    if n < 1 or args[0].sort is not INT:
        raise SortError("divisible needs a positive index and an Int")
    return s.eq(s.mod(args[0], s.int_(n)), s.int_(0))


def _fp_to_bv(name: str, width: int, s: TermStore, args: Args) -> Term:
    _arity(args, 2, 2)
    if width < 1 or args[0].sort.kind is not Kind.RM or args[1].sort.kind is not Kind.FLOAT:
        raise SortError("a rounding mode and a float expected")
    check_width(width)
    return (
        s.fp_to_sbv(args[0], args[1], width)
        if name == "fp.to_sbv"
        else s.fp_to_ubv(args[0], args[1], width)
    )


INDEXED: dict[str, tuple[int, Callable[..., Term]]] = {
    "extract": (2, _extract),
    "zero_extend": (1, partial(_extend, Op.ZERO_EXT)),
    "sign_extend": (1, partial(_extend, Op.SIGN_EXT)),
    "rotate_left": (1, partial(_rotate, 1)),
    "rotate_right": (1, partial(_rotate, -1)),
    "repeat": (1, _repeat),
    "divisible": (1, _divisible),
    "fp.to_sbv": (1, partial(_fp_to_bv, "fp.to_sbv")),
    "fp.to_ubv": (1, partial(_fp_to_bv, "fp.to_ubv")),
}


def to_float(sort: Sort, signed: bool, s: TermStore, args: Args) -> Term:
    """(_ to_fp eb sb) and (_ to_fp_unsigned eb sb): what is meant follows from the arguments."""
    if len(args) == 1 and signed:
        return s.fp_from_bits(args[0], sort)
    _arity(args, 2, 2)
    rm, a = args
    match a.sort.kind:
        case Kind.BITVEC:
            return s.fp_from_sbv(rm, a, sort) if signed else s.fp_from_ubv(rm, a, sort)
        case Kind.FLOAT if signed:
            return s.fp_from_fp(rm, a, sort)
        case Kind.INT | Kind.REAL if signed:
            return s.fp_from_real(rm, coerce(s, a, REAL), sort)
    raise SortError(f"no conversion from {a.sort} to a float")


def float_from_parts(s: TermStore, args: Args) -> Term:
    """(fp sign exponent significand)."""
    _arity(args, 3, 3)
    if (
        any(a.sort.kind is not Kind.BITVEC for a in args)
        or args[0].sort.width != 1
        or args[1].sort.width < 2
    ):
        raise SortError("fp needs one sign bit, an exponent and a significand")
    if args[1].sort.width > MAX_EXPONENT or args[2].sort.width >= MAX_SIGNIFICAND:
        raise SortError("this floating-point format is too large")
    sort = floating(args[1].sort.width, args[2].sort.width + 1)
    if all(a.op is Op.CONST for a in args):
        pattern = 0
        for a in args:
            assert isinstance(a.data, int)
            pattern = pattern << a.sort.width | a.data
        return s.fp(pattern, sort)
    return s.fp_from_bits(_concat(s, args), sort)


OPERATORS["fp"] = float_from_parts
