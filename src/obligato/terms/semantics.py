"""What operators mean: the one definition used by constant folding, evaluation and the tests.

Python values per sort: Bool -> bool; Int -> int; Real -> Fraction; BitVec(w) -> int in [0, 2^w);
Float -> IEEE pattern as int with one canonical NaN (terms.softfloat); RoundingMode ->
softfloat.RoundingMode; Array -> ArrayValue.

Where SMT-LIB leaves a value open it is fixed here, and the builders (terms.builders) make the same
choice explicit by an ite before any solver sees the term: x div 0 = 0, x mod 0 = x, x / 0 = 0; see
terms.float_semantics for floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from obligato.terms.float_semantics import FLOAT_MEANINGS, Function, Meaning
from obligato.terms.numerals import number_text
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import Kind, Sort
from obligato.terms.term import Op, Term

Value = Hashable


class ArrayValue:
    """A total map: `default` everywhere but at `entries`.
    Immutable; see `settled` for equality over finite indices."""

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
        return (
            isinstance(other, ArrayValue)
            and self.default == other.default
            and self.entries == other.entries
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.default, frozenset(self.entries.items())))
        return self._hash

    def __repr__(self) -> str:
        entries = ", ".join(f"{shown(i)}: {shown(v)}" for i, v in self.entries.items())
        return f"ArrayValue({shown(self.default)}, {{{entries}}})"


def shown(value: Value) -> str:
    """A value as text; numerals of any length are printed."""
    return (
        number_text(value)
        if isinstance(value, int | Fraction) and not isinstance(value, bool)
        else repr(value)
    )


def settled(value: ArrayValue, sort: Sort) -> ArrayValue:
    """The one representation of an array over a finite index sort,
    where several defaults can say the same.

    The default is the value that more than half of the indices have, if there is one,
    else the value at the first index.
    """
    if sort.element.kind is Kind.ARRAY:
        value = _settled_inside(value, sort.element)
    size = _cardinality(sort.index)
    if size is None or 2 * len(value.entries) < size:
        return value
    indices: list[Value] = [False, True] if sort.index.kind is Kind.BOOL else list(range(size))
    elements = [value.get(i) for i in indices]
    default = next(
        (e for e in dict.fromkeys(elements) if 2 * elements.count(e) > size), elements[0]
    )
    return ArrayValue(default, dict(zip(indices, elements, strict=True)))


def _settled_inside(value: ArrayValue, element: Sort) -> ArrayValue:
    """The array of arrays with the one representation of each element."""
    default: Any = value.default
    entries: Mapping[Value, Any] = value.entries
    return ArrayValue(
        settled(default, element), {i: settled(v, element) for i, v in entries.items()}
    )


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


# -- meanings: from an application, the function of its arguments' values --------------------------


def _always(f: Function) -> Meaning:
    """The same function for every application."""
    return lambda t: f


def _nary(two: Function, more: Callable[[Sequence[Any]], Any]) -> Meaning:
    """One function for two arguments, which is the common case, and one for any number."""
    return lambda t: two if len(t.args) == 2 else lambda *v: more(v)


def _word(f: Callable[[int, int, int], int]) -> Meaning:
    """f(a, b, width) modulo 2^width."""

    def of(t: Term) -> Function:
        width, mask = t.sort.width, t.sort.mask
        return lambda a, b: f(a, b, width) & mask

    return of


def _masked(f: Callable[[int], Function]) -> Meaning:
    """`f` of the result's mask."""
    return lambda t: f(t.sort.mask)


def _signed(f: Callable[[int], Function]) -> Meaning:
    """`f` of the arguments' sign bit; flipping it turns the signed order into the unsigned one."""
    return lambda t: f(1 << (t.args[0].sort.width - 1))


def _bvadd(t: Term) -> Function:
    mask = t.sort.mask
    return (lambda a, b: (a + b) & mask) if len(t.args) == 2 else lambda *v: sum(v) & mask


def _bvmul(t: Term) -> Function:
    mask = t.sort.mask
    return (lambda a, b: a * b & mask) if len(t.args) == 2 else lambda *v: prod(v) & mask


def _concat(t: Term) -> Function:
    widths = [a.sort.width for a in t.args]
    return lambda *v: reduce(
        lambda high, low: high << low[0] | low[1], zip(widths, v, strict=True), 0
    )


def _extract(t: Term) -> Function:
    low, mask = t.data[1], t.sort.mask  # type: ignore[index]
    return lambda a: a >> low & mask


def _sign_ext(t: Term) -> Function:
    width, mask = t.args[0].sort.width, t.sort.mask
    return lambda a: to_signed(a, width) & mask


def _comparable(t: Term) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """From values to values such that equal ones are equal in Python."""
    sort = t.args[0].sort
    return (lambda v: [settled(x, sort) for x in v]) if sort.kind is Kind.ARRAY else lambda v: v


def _eq(t: Term) -> Function:
    if t.args[0].sort.kind is not Kind.ARRAY:
        return operator.eq
    comparable = _comparable(t)
    return lambda a, b: a == b or operator.eq(*comparable((a, b)))


def _distinct(t: Term) -> Function:
    comparable = _comparable(t)
    return lambda *v: len(set(comparable(v))) == len(v)


def _store(t: Term) -> Function:
    sort = t.sort
    return lambda array, index, value: settled(array.set(index, value), sort)


MEANINGS: dict[Op, Meaning] = {
    Op.NOT: _always(operator.not_),
    Op.AND: _always(lambda *v: all(v)),
    Op.OR: _always(lambda *v: any(v)),
    Op.XOR: _always(operator.ne),
    Op.IMPLIES: _always(lambda a, b: not a or b),
    Op.EQ: _eq,
    Op.DISTINCT: _distinct,
    Op.ITE: _always(lambda c, a, b: a if c else b),
    Op.ADD: _nary(operator.add, sum),
    Op.MUL: _nary(operator.mul, prod),
    Op.SUB: _always(operator.sub),
    Op.NEG: _always(operator.neg),
    Op.ABS: _always(abs),
    Op.LT: _always(operator.lt),
    Op.LE: _always(operator.le),
    Op.GT: _always(operator.gt),
    Op.GE: _always(operator.ge),
    Op.IDIV: _always(euclid_div),
    Op.MOD: _always(euclid_mod),
    Op.RDIV: _always(lambda a, b: a / b if b else Fraction(0)),
    Op.TO_REAL: _always(Fraction),
    Op.TO_INT: _always(lambda a: a.numerator // a.denominator),
    Op.IS_INT: _always(lambda a: a.denominator == 1),
    Op.BVADD: _bvadd,
    Op.BVMUL: _bvmul,
    Op.BVSUB: _masked(lambda mask: lambda a, b: (a - b) & mask),
    Op.BVNEG: _masked(lambda mask: lambda a: -a & mask),
    Op.BVNOT: _masked(lambda mask: lambda a: a ^ mask),
    Op.BVAND: _nary(operator.and_, lambda v: reduce(operator.and_, v)),
    Op.BVOR: _nary(operator.or_, lambda v: reduce(operator.or_, v)),
    Op.BVXOR: _nary(operator.xor, lambda v: reduce(operator.xor, v)),
    Op.BVUDIV: _word(_udiv),
    Op.BVUREM: _word(_urem),
    Op.BVSDIV: _word(_sdiv),
    Op.BVSREM: _word(_srem),
    Op.BVSMOD: _word(_smod),
    Op.BVSHL: _word(_shl),
    Op.BVLSHR: _word(_lshr),
    Op.BVASHR: _word(_ashr),
    Op.BVULT: _always(operator.lt),
    Op.BVULE: _always(operator.le),
    Op.BVUGT: _always(operator.gt),
    Op.BVUGE: _always(operator.ge),
    Op.BVSLT: _signed(lambda sign: lambda a, b: a ^ sign < b ^ sign),
    Op.BVSLE: _signed(lambda sign: lambda a, b: a ^ sign <= b ^ sign),
    Op.BVSGT: _signed(lambda sign: lambda a, b: a ^ sign > b ^ sign),
    Op.BVSGE: _signed(lambda sign: lambda a, b: a ^ sign >= b ^ sign),
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.SIGN_EXT: _sign_ext,
    Op.ZERO_EXT: _always(lambda a: a),
    Op.SELECT: _always(ArrayValue.get),
    Op.STORE: _store,
    Op.CONST_ARRAY: _always(ArrayValue),
    **FLOAT_MEANINGS,
}


def meaning(t: Term) -> Function:
    """What the application `t` does with the values of its arguments."""
    return MEANINGS[t.op](t)


def apply(t: Term, values: Sequence[Any]) -> Any:
    """The value of the application `t` when its arguments have `values`."""
    return MEANINGS[t.op](t)(*values)
