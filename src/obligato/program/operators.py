"""The operators of IVL text: precedence and spelling, shared by the reader and the printer.

A bit-vector has no sign; an operator that depends on one says so: ``<s``, ``/u``, ``>>s``.  The
same sign ``+`` stands for ADD on Int and Real, BVADD on bit-vectors and FP_ADD with RNE on floats.
Operators without a sign are written as functions named like their `Op` in lower case: ``bvsmod(a,
b)``, ``fp_add(RTZ, a, b)``, ``fp_to_sbv{32}(RTZ, x)``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import IntEnum

from obligato.terms import Kind, Op, Term, TermStore


class Level(IntEnum):
    """Binding strength, weakest first."""

    ITE = 0
    IMPLIES = 1
    OR = 2
    AND = 3
    COMPARE = 4
    BITOR = 5
    BITXOR = 6
    BITAND = 7
    SHIFT = 8
    CONCAT = 9
    SUM = 10
    PRODUCT = 11
    UNARY = 12
    POSTFIX = 13
    ATOM = 14


_NUM = (Kind.INT, Kind.REAL)
_BV = (Kind.BITVEC,)
_FP = (Kind.FLOAT,)
_ANY = tuple(Kind)

# sign, kinds of its operands, operator, level
_TABLE: tuple[tuple[str, tuple[Kind, ...], Op, Level], ...] = (
    ("==>", (Kind.BOOL,), Op.IMPLIES, Level.IMPLIES),
    ("||", (Kind.BOOL,), Op.OR, Level.OR),
    ("&&", (Kind.BOOL,), Op.AND, Level.AND),
    ("==", _ANY, Op.EQ, Level.COMPARE),
    ("<", _NUM, Op.LT, Level.COMPARE),
    ("<=", _NUM, Op.LE, Level.COMPARE),
    (">", _NUM, Op.GT, Level.COMPARE),
    (">=", _NUM, Op.GE, Level.COMPARE),
    ("<", _FP, Op.FP_LT, Level.COMPARE),
    ("<=", _FP, Op.FP_LE, Level.COMPARE),
    (">", _FP, Op.FP_GT, Level.COMPARE),
    (">=", _FP, Op.FP_GE, Level.COMPARE),
    ("<u", _BV, Op.BVULT, Level.COMPARE),
    ("<=u", _BV, Op.BVULE, Level.COMPARE),
    (">u", _BV, Op.BVUGT, Level.COMPARE),
    (">=u", _BV, Op.BVUGE, Level.COMPARE),
    ("<s", _BV, Op.BVSLT, Level.COMPARE),
    ("<=s", _BV, Op.BVSLE, Level.COMPARE),
    (">s", _BV, Op.BVSGT, Level.COMPARE),
    (">=s", _BV, Op.BVSGE, Level.COMPARE),
    ("|", _BV, Op.BVOR, Level.BITOR),
    ("^", _BV, Op.BVXOR, Level.BITXOR),
    ("&", _BV, Op.BVAND, Level.BITAND),
    ("<<", _BV, Op.BVSHL, Level.SHIFT),
    (">>u", _BV, Op.BVLSHR, Level.SHIFT),
    (">>s", _BV, Op.BVASHR, Level.SHIFT),
    ("++", _BV, Op.CONCAT, Level.CONCAT),
    ("+", _NUM, Op.ADD, Level.SUM),
    ("-", _NUM, Op.SUB, Level.SUM),
    ("+", _BV, Op.BVADD, Level.SUM),
    ("-", _BV, Op.BVSUB, Level.SUM),
    ("+", _FP, Op.FP_ADD, Level.SUM),
    ("-", _FP, Op.FP_SUB, Level.SUM),
    ("*", _NUM, Op.MUL, Level.PRODUCT),
    ("*", _BV, Op.BVMUL, Level.PRODUCT),
    ("*", _FP, Op.FP_MUL, Level.PRODUCT),
    ("/", (Kind.INT,), Op.IDIV, Level.PRODUCT),
    ("%", (Kind.INT,), Op.MOD, Level.PRODUCT),
    ("/", (Kind.REAL,), Op.RDIV, Level.PRODUCT),
    ("/", _FP, Op.FP_DIV, Level.PRODUCT),
    ("/u", _BV, Op.BVUDIV, Level.PRODUCT),
    ("/s", _BV, Op.BVSDIV, Level.PRODUCT),
    ("%u", _BV, Op.BVUREM, Level.PRODUCT),
    ("%s", _BV, Op.BVSREM, Level.PRODUCT),
)
_PREFIX: tuple[tuple[str, tuple[Kind, ...], Op], ...] = (
    ("!", (Kind.BOOL,), Op.NOT),
    ("-", _NUM, Op.NEG),
    ("-", _BV, Op.BVNEG),
    ("-", _FP, Op.FP_NEG),
    ("~", _BV, Op.BVNOT),
)

INFIX: dict[Op, tuple[str, Level]] = {op: (sign, level) for sign, _, op, level in _TABLE}
BINARY: dict[tuple[str, Kind], Op] = {
    (sign, kind): op for sign, kinds, op, _ in _TABLE for kind in kinds
}
LEVELS: dict[str, Level] = {
    "!=": Level.COMPARE,
    ">>": Level.SHIFT,
    **{sign: level for sign, _, _, level in _TABLE},
}
PREFIX: dict[Op, str] = {op: sign for sign, _, op in _PREFIX}
UNARY: dict[tuple[str, Kind], Op] = {
    (sign, kind): op for sign, kinds, op in _PREFIX for kind in kinds
}

NARY = frozenset(
    (Op.AND, Op.OR, Op.ADD, Op.MUL, Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.CONCAT)
)
ROUNDED = frozenset((Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV))  # their signs mean RNE

# What SMT-LIB leaves open is closed by an ite around the operator (terms.builders);
# text shows the operator alone.
PARTIAL: dict[Op, Callable[[TermStore, tuple[Term, ...], Hashable], Term]] = {
    Op.IDIV: lambda s, args, data: s.idiv(*args),
    Op.MOD: lambda s, args, data: s.mod(*args),
    Op.RDIV: lambda s, args, data: s.rdiv(*args),
    Op.FP_MIN: lambda s, args, data: s.fp_min(*args),
    Op.FP_MAX: lambda s, args, data: s.fp_max(*args),
    Op.FP_TO_REAL: lambda s, args, data: s.fp_to_real(*args),
    Op.FP_TO_SBV: lambda s, args, data: s.fp_to_sbv(*args, data),  # type: ignore[call-arg, arg-type]
    Op.FP_TO_UBV: lambda s, args, data: s.fp_to_ubv(*args, data),  # type: ignore[call-arg, arg-type]
}

_NO_FUNCTION = (
    Op.VAR,
    Op.CONST,
    Op.ITE,
    Op.EXTRACT,
    Op.ZERO_EXT,
    Op.SIGN_EXT,
    Op.SELECT,
    Op.STORE,
    Op.CONST_ARRAY,
)


def function_name(op: Op) -> str:
    """The name of an operator as a function; with ``op_`` where a sign is the usual spelling."""
    signed = (op in INFIX or op in PREFIX) and op not in ROUNDED and op not in PARTIAL
    return f"op_{op.name.lower()}" if signed else op.name.lower()


FUNCTIONS: dict[str, Op] = {function_name(op): op for op in Op if op not in _NO_FUNCTION}
# zext(x, 32): to a width of 32
EXTENSIONS: dict[str, Op] = {"zext": Op.ZERO_EXT, "sext": Op.SIGN_EXT}
BUILT_IN = frozenset((*FUNCTIONS, *EXTENSIONS, "rat"))


def apply(op: Op, args: tuple[Term, ...], data: Hashable = None) -> Term:
    """The application as a program means it: total, with the open cases closed."""
    store = args[0].store
    build = PARTIAL.get(op)
    return store.mk(op, args, data) if build is None else build(store, args, data)
