"""Evaluation of terms over ranges: what a term can be when each variable is within its range.

The value of an Int term is an `IntRange`, of a bit-vector a `BitRange`, of a Boolean True, False or
None (either); anything else has no value (None).  One function per operator (`_TABLE`); an operator
without one gives no information.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from obligato.analysis.ranges import (
    ALL,
    BitRange,
    IntRange,
    bit_join,
    bit_linear,
    bit_mul,
    bit_sdiv,
    bit_srem,
    bit_top,
    bit_udiv,
    bit_urem,
    bit_value,
    both,
    int_add,
    int_join,
    int_mul,
    int_scale,
    unsigned,
    wrap,
)
from obligato.terms import Kind, Op, Sort, Term, postorder

Range = Any  # IntRange | BitRange | bool | None, by the sort of the term


class Ranges(Protocol):
    """The ranges of the variables that have one."""

    def get(self, variable: Term, /) -> Range:
        """The range of a variable, None if nothing is known."""


def top(sort: Sort) -> Range:
    """The range of all values of `sort`."""
    if sort.kind is Kind.INT:
        return ALL
    return bit_top(sort.width) if sort.kind is Kind.BITVEC else None


def join(a: Range, b: Range, sort: Sort) -> Range:
    """The least value above both."""
    if sort.kind is Kind.INT:
        return int_join(a, b)
    if sort.kind is Kind.BITVEC:
        return bit_join(a, b)
    return a if a is b else None


def constant(value: Any, sort: Sort) -> Range:
    """One value."""
    if sort.kind is Kind.INT:
        return (value, value)
    if sort.kind is Kind.BITVEC:
        return bit_value(value, sort.width)
    return value if sort.kind is Kind.BOOL else None


def evaluate_range(root: Term, state: Ranges) -> Range:
    """The range of the values of `root` in `state`."""
    if not root.args:
        return _leaf(root, state)
    if not any(a.args for a in root.args):  # most terms are this flat
        return _apply(root, [_leaf(a, state) for a in root.args])
    memo: dict[Term, Range] = {}
    for t in postorder((root,)):
        memo[t] = _apply(t, [memo[a] for a in t.args]) if t.args else _leaf(t, state)
    return memo[root]


def _apply(t: Term, values: list[Range]) -> Range:
    f = _TABLE.get(t.op)
    return top(t.sort) if f is None else f(t, values)


def _leaf(t: Term, state: Ranges) -> Range:
    known = state.get(t)
    if known is not None:
        return known
    return constant(t.data, t.sort) if t.op is Op.CONST else top(t.sort)


def _bvadd(t: Term, v: Sequence[Range]) -> Range:
    return bit_linear([(1, r) for r in v], 0, t.width)


def _bvneg(t: Term, v: Sequence[Range]) -> Range:
    return bit_linear([(-1, v[0])], 0, t.width)


def _bvnot(t: Term, v: Sequence[Range]) -> Range:
    return bit_linear([(-1, v[0])], -1, t.width)


def _bvmul(t: Term, v: Sequence[Range]) -> Range:
    acc = v[0]
    for r in v[1:]:
        acc = bit_mul(acc, r, t.width)
    return acc


def _bvand(t: Term, v: Sequence[Range]) -> Range:
    return unsigned(0, min(r[1] for r in v), t.width)


def _bvor(t: Term, v: Sequence[Range]) -> Range:
    return unsigned(max(r[0] for r in v), (1 << max(r[1] for r in v).bit_length()) - 1, t.width)


def _bvxor(t: Term, v: Sequence[Range]) -> Range:
    return unsigned(0, (1 << max(r[1] for r in v).bit_length()) - 1, t.width)


def _shift(v: Sequence[Range]) -> int | None:
    return v[1][0] if v[1][0] == v[1][1] else None


def _bvshl(t: Term, v: Sequence[Range]) -> Range:
    n, w = _shift(v), t.width
    if n is None:
        return bit_top(w)
    return bit_value(0, w) if n >= w else bit_linear([(1 << n, v[0])], 0, w)


def _bvlshr(t: Term, v: Sequence[Range]) -> Range:
    w = t.width
    return unsigned(v[0][0] >> min(v[1][1], w), v[0][1] >> min(v[1][0], w), w)


def _bvashr(t: Term, v: Sequence[Range]) -> Range:
    low, high = min(v[1][0], t.width), min(v[1][1], t.width)
    corners = [x >> n for x in v[0][2:] for n in (low, high)]
    return wrap(min(corners), max(corners), t.width)


def _concat(t: Term, v: Sequence[Range]) -> Range:
    lo = hi = 0
    for a, r in zip(t.args, v, strict=True):
        lo, hi = lo << a.width | r[0], hi << a.width | r[1]
    return unsigned(lo, hi, t.width)


def _extract(t: Term, v: Sequence[Range]) -> Range:
    assert isinstance(t.data, tuple)
    low = t.data[1]
    from_unsigned = wrap(v[0][0] >> low, v[0][1] >> low, t.width)
    from_signed = wrap(v[0][2] >> low, v[0][3] >> low, t.width)
    return both(from_unsigned, from_signed, t.width)


def _idiv(t: Term, v: Sequence[Range]) -> Range:
    a, b = v
    if b[0] is None or b[0] <= 0:
        return ALL
    lo = None if a[0] is None else a[0] // b[0] if a[0] < 0 else 0 if b[1] is None else a[0] // b[1]
    hi = (
        None
        if a[1] is None
        else a[1] // b[0]
        if a[1] >= 0
        else -1
        if b[1] is None
        else a[1] // b[1]
    )
    return lo, hi


def _mod(t: Term, v: Sequence[Range]) -> Range:
    a, b = v
    if b[0] is None or b[0] <= 0:
        return ALL
    if a[0] is not None and a[0] >= 0 and a[1] is not None and a[1] < b[0]:
        return a
    return 0, None if b[1] is None else b[1] - 1


def _ite(t: Term, v: Sequence[Range]) -> Range:
    return v[1] if v[0] is True else v[2] if v[0] is False else join(v[1], v[2], t.sort)


def _less(a: IntRange | BitRange, b: IntRange | BitRange, strict: bool) -> bool | None:
    """Is lo1..hi1 < (or <=) lo2..hi2?"""
    if a[1] is not None and b[0] is not None and (a[1] < b[0] if strict else a[1] <= b[0]):
        return True
    if a[0] is not None and b[1] is not None and (a[0] >= b[1] if strict else a[0] > b[1]):
        return False
    return None


def _compare(strict: bool) -> Callable[[Term, Sequence[Range]], Range]:
    def run(t: Term, v: Sequence[Range]) -> Range:
        return _less(v[0], v[1], strict) if t.args[0].sort.kind is Kind.INT else None

    return run


def _eq(t: Term, v: Sequence[Range]) -> Range:
    a, b = v
    kind = t.args[0].sort.kind
    if kind is Kind.BOOL:
        return None if a is None or b is None else a is b
    if kind is not Kind.INT and kind is not Kind.BITVEC:
        return None
    if a == b and a[0] is not None and a[0] == a[1]:
        return True
    apart = _less(a, b, True) or _less(b, a, True)
    if kind is Kind.BITVEC:
        apart = apart or _less(a[2:], b[2:], True) or _less(b[2:], a[2:], True)
    return False if apart else None


def _not(t: Term, v: Sequence[Range]) -> Range:
    return None if v[0] is None else not v[0]


def _and(t: Term, v: Sequence[Range]) -> Range:
    return False if False in v else None if None in v else True


def _or(t: Term, v: Sequence[Range]) -> Range:
    return True if True in v else None if None in v else False


_TABLE: dict[Op, Callable[[Term, Sequence[Range]], Range]] = {
    Op.NOT: _not,
    Op.AND: _and,
    Op.OR: _or,
    Op.ITE: _ite,
    Op.EQ: _eq,
    Op.LE: _compare(False),
    Op.LT: _compare(True),
    Op.ADD: lambda t, v: int_add(v) if t.sort.kind is Kind.INT else None,
    Op.MUL: lambda t, v: _int_product(v) if t.sort.kind is Kind.INT else None,
    Op.IDIV: _idiv,
    Op.MOD: _mod,
    Op.BVADD: _bvadd,
    Op.BVNEG: _bvneg,
    Op.BVNOT: _bvnot,
    Op.BVMUL: _bvmul,
    Op.BVUDIV: lambda t, v: bit_udiv(v[0], v[1], t.width),
    Op.BVUREM: lambda t, v: bit_urem(v[0], v[1], t.width),
    Op.BVSDIV: lambda t, v: bit_sdiv(v[0], v[1], t.width),
    Op.BVSREM: lambda t, v: bit_srem(v[0], v[1], t.width),
    Op.BVAND: _bvand,
    Op.BVOR: _bvor,
    Op.BVXOR: _bvxor,
    Op.BVSHL: _bvshl,
    Op.BVLSHR: _bvlshr,
    Op.BVASHR: _bvashr,
    Op.BVULT: lambda t, v: _less(v[0], v[1], True),
    Op.BVSLT: lambda t, v: _less(v[0][2:], v[1][2:], True),
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: lambda t, v: unsigned(v[0][0], v[0][1], t.width),
    Op.SIGN_EXT: lambda t, v: wrap(v[0][2], v[0][3], t.width),
}


def _int_product(v: Sequence[Range]) -> Range:
    acc = v[0]
    for r in v[1:]:
        acc = int_scale(acc[0], r) if acc[0] is not None and acc[0] == acc[1] else int_mul(acc, r)
    return acc
