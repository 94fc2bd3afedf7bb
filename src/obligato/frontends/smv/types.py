"""Types of SMV and how their values are encoded.

Numbers of a range are words just wide enough: unsigned where no value is negative, else in two's
complement; an expression is as wide as its least and greatest value need, so nothing ever wraps.
Where a model has `integer` or `real` variables (`wide`), numbers are mathematical integers instead.
A value of an enumeration with symbols is its place in the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.errors import Span, Unsupported
from obligato.terms import BOOL, INT, REAL, Sort, array, bitvec

Constant = str | int
MAX_BITS = 4096  # of a number
MAX_VALUES = 4096  # of an enumeration with symbols


@dataclass(frozen=True, slots=True)
class Boolean:
    """TRUE and FALSE."""

    def __str__(self) -> str:
        return "boolean"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Integers between two bounds; None: there is none. `values`: only these."""

    low: int | None
    high: int | None
    values: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.values:
            return "{" + ", ".join(map(str, self.values)) + "}"
        return "integer" if self.low is None or self.high is None else f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Symbols:
    """An enumeration; at least one of its values is a symbol."""

    values: tuple[Constant, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.values)) + "}"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of bits."""

    signed: bool
    width: int

    def __str__(self) -> str:
        return f"{'signed' if self.signed else 'unsigned'} word[{self.width}]"


@dataclass(frozen=True, slots=True)
class Real:
    """Real numbers."""

    def __str__(self) -> str:
        return "real"


@dataclass(frozen=True, slots=True)
class Map:
    """A total function from words (or integers) to values: nuXmv's array with an index type."""

    index: Word | Numbers
    element: Word | Numbers | Real

    def __str__(self) -> str:
        return f"array {self.index} of {self.element}"


Type = Boolean | Numbers | Symbols | Word | Real | Map
BOOLEAN, REALS, INTEGER = Boolean(), Real(), Numbers(None, None)


def bits(low: int, high: int, span: Span) -> int:
    """How many bits the numbers between two bounds need, in two's complement if one is negative."""
    width = (
        max(1, high.bit_length())
        if low >= 0
        else max(high.bit_length() if high > 0 else 0, (-low - 1).bit_length()) + 1
    )
    if width > MAX_BITS:
        raise Unsupported(
            f"numbers of more than {MAX_BITS} bits are not supported", span, "large numbers"
        )
    return width


def sort_of(t: Type, wide: bool, span: Span) -> Sort:
    """The sort of the encoded values."""
    match t:
        case Boolean():
            return BOOL
        case Real():
            return REAL
        case Word():
            return bitvec(t.width)
        case Symbols():
            return bitvec(max(1, (len(t.values) - 1).bit_length()))
        case Map():
            return array(sort_of(t.index, wide, span), sort_of(t.element, wide, span))
    if wide or t.low is None or t.high is None:
        return INT
    return bitvec(bits(t.low, t.high, span))


def hull(a: Numbers, b: Numbers) -> Numbers:
    """The numbers between the bounds of both."""
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    high = None if a.high is None or b.high is None else max(a.high, b.high)
    return Numbers(low, high)


def constants_of(t: Numbers | Symbols, span: Span) -> tuple[Constant, ...]:
    """All values."""
    if isinstance(t, Symbols) or t.values:
        return t.values
    if t.low is None or t.high is None or t.high - t.low >= MAX_VALUES:
        raise Unsupported(
            "symbols and that many numbers in one value are not supported",
            span,
            "large enumeration",
        )
    return tuple(range(t.low, t.high + 1))


def enumeration(values: tuple[str | int | bool, ...], span: Span) -> Type:
    """The type of a list of constants."""
    if len(values) > MAX_VALUES:
        raise Unsupported(
            f"an enumeration of more than {MAX_VALUES} values is not supported",
            span,
            "large enumeration",
        )
    if all(isinstance(v, bool) for v in values):
        return BOOLEAN
    if any(isinstance(v, bool) for v in values):
        raise Unsupported(
            "truth values and other constants in one enumeration are not supported",
            span,
            "mixed enumeration",
        )
    if any(isinstance(v, str) for v in values):
        return Symbols(values)
    numbers = tuple(sorted(int(v) for v in values))
    low, high = numbers[0], numbers[-1]
    return Numbers(low, high, () if high - low == len(numbers) - 1 else numbers)


def covers(t: Type, other: Type) -> bool:
    """Is every value of `other` one of `t`, as far as the types tell?"""
    match t, other:
        case Numbers(), Numbers():
            if t.values:
                return bool(other.values or other.low == other.high) and set(
                    other.values or (other.low,)
                ) <= set(t.values)
            below = t.low is None or (other.low is not None and t.low <= other.low)
            return below and (t.high is None or (other.high is not None and other.high <= t.high))
        case Symbols(), Symbols():
            return set(other.values) <= set(t.values)
        case Symbols(), Numbers():
            return other.low is not None and other.low == other.high and other.low in t.values
    return t == other
