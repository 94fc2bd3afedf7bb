"""What operators mean: the one definition used by constant folding, evaluation and the tests.

Python values per sort: Bool -> bool; Int -> int; Real -> Fraction; BitVec(w) -> int in [0, 2^w); Float -> IEEE pattern
as int with one canonical NaN (terms.softfloat); RoundingMode -> softfloat.RoundingMode; Array -> ArrayValue.

Where SMT-LIB leaves a value open it is fixed here, and the builders (terms.builders) make the same choice explicit by
an ite before any solver sees the term: x div 0 = 0, x mod 0 = x, x / 0 = 0; see terms.float_semantics for floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from obligato.terms.float_semantics import FLOAT_FUNCTIONS, Fun
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import Kind, Sort
from obligato.terms.term import Op, Term

Value = Hashable


class ArrayValue:
    """A total map: `default` everywhere but at `entries`. Immutable; see `settled` for equality over finite indices."""

    __slots__ = ("_hash", "default", "entries")

    def __init__(self, default: Value, entries: Mapping[Value, Value] | None = None) -> None:
        self.default = default
        self.entries = {k: v for k, v in entries.items() if v != default} if entries else {}
        self._hash: int | None = None

    def get(self, index: Value) -> Value:
        """The element at `index`."""
        return self.entries.get(index, self.default)

    def set(self, index: Value, value: Value) -> ArrayValue:
        """A copy that differs at `index`."""
        changed = ArrayValue(self.default)
        changed.entries = {**self.entries, index: value}
        if value == self.default:
            del changed.entries[index]
        return changed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and self.default == other.default and self.entries == other.entries

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.default, frozenset(self.entries.items())))
        return self._hash

    def __repr__(self) -> str:
        return f"ArrayValue({self.default!r}, {self.entries!r})"


def settled(value: ArrayValue, sort: Sort) -> ArrayValue:
    """The one representation of an array over a finite index sort, where several defaults can say the same.

    The default is the value that more than half of the indices have, if there is one, else the value at the first index.
    """
    size = _cardinality(sort.index)
    if size is None or 2 * len(value.entries) < size:
        return value
    indices: list[Value] = [False, True] if sort.index.kind is Kind.BOOL else list(range(size))
    elements = [value.get(i) for i in indices]
    default = next((e for e in dict.fromkeys(elements) if 2 * elements.count(e) > size), elements[0])
    return ArrayValue(default, dict(zip(indices, elements, strict=True)))


def _cardinality(sort: Sort) -> int | None:
    """How many values a Bool or bit-vector sort has; None for the other, larger ones."""
    if sort.kind is Kind.BITVEC:
        return 1 << sort.width
    return 2 if sort.kind is Kind.BOOL else None


def default_value(sort: Sort) -> Value:
    """A value of `sort`, used where a model leaves a variable open."""
    match sort.kind:
        case Kind.BOOL:
            return False
        case Kind.REAL:
            return Fraction(0)
        case Kind.ARRAY:
            return ArrayValue(default_value(sort.element))
        case Kind.RM:
            return RoundingMode.RNE
        case _:
            return 0


def to_signed(value: int, width: int) -> int:
    """The two's complement reading of a bit-vector value."""
    return value - (1 << width) if value >> (width - 1) else value


def _tdiv(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def euclid_div(a: int, b: int) -> int:
    """SMT-LIB's integer div (remainder never negative); 0 if b is 0."""
    if b == 0:
        return 0
    return a // b if b > 0 else -(a // -b)


def euclid_mod(a: int, b: int) -> int:
    """SMT-LIB's integer mod; a if b is 0."""
    return a if b == 0 else a - b * euclid_div(a, b)


def _udiv(a: int, b: int, w: int) -> int:
    return (1 << w) - 1 if b == 0 else a // b


def _urem(a: int, b: int, w: int) -> int:
    return a if b == 0 else a % b


def _sdiv(a: int, b: int, w: int) -> int:
    sa, sb = to_signed(a, w), to_signed(b, w)
    if sb == 0:
        return 1 if sa < 0 else -1
    return _tdiv(sa, sb)


def _srem(a: int, b: int, w: int) -> int:
    sa, sb = to_signed(a, w), to_signed(b, w)
    return sa if sb == 0 else sa - sb * _tdiv(sa, sb)


def _smod(a: int, b: int, w: int) -> int:
    sa, sb = to_signed(a, w), to_signed(b, w)
    return sa if sb == 0 else sa % sb


def _shl(a: int, b: int, w: int) -> int:
    return 0 if b >= w else a << b


def _lshr(a: int, b: int, w: int) -> int:
    return 0 if b >= w else a >> b


def _ashr(a: int, b: int, w: int) -> int:
    return to_signed(a, w) >> min(b, w)


_BV2: dict[Op, Callable[[int, int, int], int]] = {
    Op.BVSUB: lambda a, b, w: a - b,
    Op.BVUDIV: _udiv, Op.BVUREM: _urem, Op.BVSDIV: _sdiv, Op.BVSREM: _srem, Op.BVSMOD: _smod,
    Op.BVSHL: _shl, Op.BVLSHR: _lshr, Op.BVASHR: _ashr,
}
_BVN: dict[Op, Callable[[int, int], int]] = {
    Op.BVADD: operator.add, Op.BVMUL: operator.mul,
    Op.BVAND: operator.and_, Op.BVOR: operator.or_, Op.BVXOR: operator.xor,
}
_UCMP: dict[Op, Callable[[Any, Any], bool]] = {
    Op.BVULT: operator.lt, Op.BVULE: operator.le, Op.BVUGT: operator.gt, Op.BVUGE: operator.ge,
    Op.LT: operator.lt, Op.LE: operator.le, Op.GT: operator.gt, Op.GE: operator.ge,
    Op.XOR: operator.ne, Op.IMPLIES: lambda a, b: not a or b,
}
_SCMP: dict[Op, Callable[[int, int], bool]] = {
    Op.BVSLT: operator.lt, Op.BVSLE: operator.le, Op.BVSGT: operator.gt, Op.BVSGE: operator.ge,
}


def _nary_bv(op: Op) -> Fun:
    f = _BVN[op]

    def run(t: Term, v: Sequence[Any]) -> Any:
        if len(v) == 2:
            return f(v[0], v[1]) & t.sort.mask
        return reduce(f, v) & t.sort.mask

    return run


def _bv2(op: Op) -> Fun:
    f = _BV2[op]

    def run(t: Term, v: Sequence[Any]) -> Any:
        return f(v[0], v[1], t.sort.width) & t.sort.mask

    return run


def _ucmp(op: Op) -> Fun:
    f = _UCMP[op]
    return lambda t, v: f(v[0], v[1])


def _scmp(op: Op) -> Fun:
    f = _SCMP[op]

    def run(t: Term, v: Sequence[Any]) -> Any:
        mask = t.args[0].sort.mask
        sign = mask ^ (mask >> 1)  # flipping the sign bit turns the signed order into the unsigned one
        return f(v[0] ^ sign, v[1] ^ sign)

    return run


def _mul(t: Term, v: Sequence[Any]) -> Any:
    return v[0] * v[1] if len(v) == 2 else reduce(operator.mul, v)


def _sum(t: Term, v: Sequence[Any]) -> Any:
    return v[0] + v[1] if len(v) == 2 else reduce(operator.add, v)


def _concat(t: Term, v: Sequence[Any]) -> Any:
    acc = 0
    for a, x in zip(t.args, v, strict=True):
        acc = acc << a.sort.width | x
    return acc


def _extract(t: Term, v: Sequence[Any]) -> Any:
    return (v[0] >> t.data[1]) & t.sort.mask  # type: ignore[index]


def _comparable(t: Term, v: Sequence[Any]) -> Sequence[Any]:
    """The values such that equal ones are equal in Python."""
    sort = t.args[0].sort
    return [settled(x, sort) for x in v] if sort.kind is Kind.ARRAY else v


def _eq(t: Term, v: Sequence[Any]) -> Any:
    return v[0] == v[1] or (type(v[0]) is ArrayValue and len(set(_comparable(t, v))) == 1)


FUNCTIONS: dict[Op, Fun] = {
    Op.NOT: lambda t, v: not v[0],
    Op.AND: lambda t, v: all(v),
    Op.OR: lambda t, v: any(v),
    Op.EQ: _eq, Op.DISTINCT: lambda t, v: len(set(_comparable(t, v))) == len(v),
    Op.ITE: lambda t, v: v[1] if v[0] else v[2],
    Op.ADD: _sum, Op.MUL: _mul,
    Op.SUB: lambda t, v: v[0] - v[1],
    Op.NEG: lambda t, v: -v[0],
    Op.IDIV: lambda t, v: euclid_div(v[0], v[1]),
    Op.MOD: lambda t, v: euclid_mod(v[0], v[1]),
    Op.RDIV: lambda t, v: v[0] / v[1] if v[1] else Fraction(0),
    Op.ABS: lambda t, v: abs(v[0]),
    Op.TO_REAL: lambda t, v: Fraction(v[0]),
    Op.TO_INT: lambda t, v: v[0].numerator // v[0].denominator,
    Op.IS_INT: lambda t, v: v[0].denominator == 1,
    Op.BVNEG: lambda t, v: -v[0] & t.sort.mask,
    Op.BVNOT: lambda t, v: ~v[0] & t.sort.mask,
    **{op: _nary_bv(op) for op in _BVN},
    **{op: _bv2(op) for op in _BV2},
    **{op: _ucmp(op) for op in _UCMP},
    **{op: _scmp(op) for op in _SCMP},
    Op.CONCAT: _concat, Op.EXTRACT: _extract,
    Op.ZERO_EXT: lambda t, v: v[0],
    Op.SIGN_EXT: lambda t, v: to_signed(v[0], t.args[0].sort.width) & t.sort.mask,
    Op.SELECT: lambda t, v: v[0].get(v[1]),
    Op.STORE: lambda t, v: settled(v[0].set(v[1], v[2]), t.sort),
    Op.CONST_ARRAY: lambda t, v: ArrayValue(v[0]),
    **FLOAT_FUNCTIONS,
}


def apply(t: Term, values: Sequence[Any]) -> Value:
    """The value of the application `t` when its arguments have `values`."""
    return FUNCTIONS[t.op](t, values)
