"""The sort of an application, with a full check of its arguments.

A mistake here is ours (the readers check before they build), so it raises `InternalError`; readers
that build from user input may catch `SortError`, its subclass, and add a position.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from obligato.errors import InternalError
from obligato.terms.sorts import BOOL, INT, REAL, RM, Kind, Sort, bitvec
from obligato.terms.term import BV_BINARY, BV_ORDERS, Op, Term

Args = tuple[Term, ...]


class SortError(InternalError):
    """An operator was applied to arguments of the wrong number or sort."""


def infer_sort(op: Op, args: Args, data: Hashable) -> Sort:
    """The sort of ``op(args)`` with indices `data`; raises `SortError` if it is ill-sorted."""
    sort = _TABLE[op](args, data)
    if sort is None:
        sorts = " ".join(str(a.sort) for a in args)
        raise SortError(f"{op.name}{'' if data is None else data} cannot be applied to ({sorts})")
    return sort


Check = Callable[[Args, Hashable], Sort | None]


def _same(args: Args, kinds: tuple[Kind, ...], least: int = 1) -> Sort | None:
    if len(args) < least:
        return None
    s = args[0].sort
    for a in args:
        if a.sort is not s:
            return None
    return s if s.kind in kinds else None


def _uniform(
    kinds: tuple[Kind, ...], count: int | None, result: Sort | None = None, least: int = 1
) -> Check:
    def check(args: Args, data: Hashable) -> Sort | None:
        if count is not None and len(args) != count:
            return None
        s = _same(args, kinds, least)
        return s if s is None or result is None else result

    return check


def _ite(args: Args, data: Hashable) -> Sort | None:
    ok = len(args) == 3 and args[0].sort is BOOL and args[1].sort is args[2].sort
    return args[1].sort if ok else None


def _concat(args: Args, data: Hashable) -> Sort | None:
    ok = len(args) >= 2 and all(a.sort.kind is Kind.BITVEC for a in args)
    return bitvec(sum(a.sort.width for a in args)) if ok else None


def _extract(args: Args, data: Hashable) -> Sort | None:
    if len(args) != 1 or args[0].sort.kind is not Kind.BITVEC or not isinstance(data, tuple):
        return None
    hi, lo = data
    return bitvec(hi - lo + 1) if 0 <= lo <= hi < args[0].sort.width else None


def _extend(args: Args, data: Hashable) -> Sort | None:
    ok = len(args) == 1 and args[0].sort.kind is Kind.BITVEC and isinstance(data, int) and data >= 0
    return bitvec(args[0].sort.width + data) if ok and isinstance(data, int) else None


def _select(args: Args, data: Hashable) -> Sort | None:
    ok = len(args) == 2 and args[0].sort.kind is Kind.ARRAY and args[1].sort is args[0].sort.index
    return args[0].sort.element if ok else None


def _store(args: Args, data: Hashable) -> Sort | None:
    ok = len(args) == 3 and _select(args[:2], None) is args[2].sort
    return args[0].sort if ok else None


def _const_array(args: Args, data: Hashable) -> Sort | None:
    ok = (
        len(args) == 1
        and isinstance(data, Sort)
        and data.kind is Kind.ARRAY
        and data.element is args[0].sort
    )
    return data if ok and isinstance(data, Sort) else None


def _rounded(count: int) -> Check:
    def check(args: Args, data: Hashable) -> Sort | None:
        ok = len(args) == count + 1 and args[0].sort is RM
        return _same(args[1:], (Kind.FLOAT,)) if ok else None

    return check


def _to_fp(source: Kind, rounded: bool) -> Check:
    def check(args: Args, data: Hashable) -> Sort | None:
        if len(args) != 1 + rounded or not isinstance(data, Sort) or data.kind is not Kind.FLOAT:
            return None
        ok = args[-1].sort.kind is source and (not rounded or args[0].sort is RM)
        return data if ok and (rounded or args[0].sort.width == data.width) else None

    return check


def _fp_to_bv(args: Args, data: Hashable) -> Sort | None:
    ok = (
        len(args) == 2
        and args[0].sort is RM
        and args[1].sort.kind is Kind.FLOAT
        and isinstance(data, int)
    )
    return bitvec(data) if ok and isinstance(data, int) else None


def _fp_to_bits(args: Args, data: Hashable) -> Sort | None:
    return (
        bitvec(args[0].sort.width) if len(args) == 1 and args[0].sort.kind is Kind.FLOAT else None
    )


def _never(args: Args, data: Hashable) -> Sort | None:
    return None


_NUM = (Kind.INT, Kind.REAL)
_BV = (Kind.BITVEC,)
_FP = (Kind.FLOAT,)
_B = (Kind.BOOL,)
_ANY = tuple(Kind)

_TABLE: dict[Op, Check] = {
    Op.VAR: _never,
    Op.CONST: _never,
    Op.NOT: _uniform(_B, 1),
    Op.AND: _uniform(_B, None),
    Op.OR: _uniform(_B, None),
    Op.XOR: _uniform(_B, 2),
    Op.IMPLIES: _uniform(_B, 2),
    Op.EQ: _uniform(_ANY, 2, BOOL),
    Op.DISTINCT: _uniform(_ANY, None, BOOL, 2),
    Op.ITE: _ite,
    Op.ADD: _uniform(_NUM, None),
    Op.SUB: _uniform(_NUM, 2),
    Op.NEG: _uniform(_NUM, 1),
    Op.MUL: _uniform(_NUM, None),
    **{op: _uniform(_NUM, 2, BOOL) for op in (Op.LE, Op.LT, Op.GE, Op.GT)},
    Op.IDIV: _uniform((Kind.INT,), 2),
    Op.MOD: _uniform((Kind.INT,), 2),
    Op.RDIV: _uniform((Kind.REAL,), 2),
    Op.ABS: _uniform(_NUM, 1),
    Op.TO_REAL: _uniform((Kind.INT,), 1, REAL),
    Op.TO_INT: _uniform((Kind.REAL,), 1, INT),
    Op.IS_INT: _uniform((Kind.REAL,), 1, BOOL),
    **{op: _uniform(_BV, None) for op in (Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR)},
    **{op: _uniform(_BV, 1) for op in (Op.BVNEG, Op.BVNOT)},
    **{op: _uniform(_BV, 2) for op in BV_BINARY},
    **{op: _uniform(_BV, 2, BOOL) for op in BV_ORDERS},
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: _extend,
    Op.SIGN_EXT: _extend,
    Op.SELECT: _select,
    Op.STORE: _store,
    Op.CONST_ARRAY: _const_array,
    **{op: _uniform(_FP, 1) for op in (Op.FP_ABS, Op.FP_NEG)},
    **{op: _rounded(2) for op in (Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV)},
    Op.FP_FMA: _rounded(3),
    Op.FP_SQRT: _rounded(1),
    Op.FP_RTI: _rounded(1),
    **{op: _uniform(_FP, 2) for op in (Op.FP_REM, Op.FP_MIN, Op.FP_MAX)},
    **{op: _uniform(_FP, 2, BOOL) for op in (Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ)},
    **{
        op: _uniform(_FP, 1, BOOL)
        for op in (
            Op.FP_IS_NORMAL,
            Op.FP_IS_SUBNORMAL,
            Op.FP_IS_ZERO,
            Op.FP_IS_INF,
            Op.FP_IS_NAN,
            Op.FP_IS_NEG,
            Op.FP_IS_POS,
        )
    },
    Op.FP_FROM_BITS: _to_fp(Kind.BITVEC, False),
    Op.FP_FROM_FP: _to_fp(Kind.FLOAT, True),
    Op.FP_FROM_SBV: _to_fp(Kind.BITVEC, True),
    Op.FP_FROM_UBV: _to_fp(Kind.BITVEC, True),
    Op.FP_FROM_REAL: _to_fp(Kind.REAL, True),
    Op.FP_TO_SBV: _fp_to_bv,
    Op.FP_TO_UBV: _fp_to_bv,
    Op.FP_TO_REAL: _uniform(_FP, 1, REAL),
    Op.FP_TO_BITS: _fp_to_bits,
}
