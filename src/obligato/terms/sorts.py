"""Sorts: Bool, Int, Real, BitVec(n), Float(eb, sb), RoundingMode, Array(index, element).

Sorts are immutable and unique: the constructors are memoised, so sorts are compared with ``is``.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any


class Kind(Enum):
    """What family a sort belongs to."""

    BOOL = "Bool"
    INT = "Int"
    REAL = "Real"
    BITVEC = "BitVec"
    FLOAT = "Float"
    RM = "RoundingMode"
    ARRAY = "Array"


class Sort:
    """One sort. `params` is (width,) for BitVec, (eb, sb) for Float, (index, element) for Array.

    The other attributes exist only where they make sense: `width` and `mask` = 2^width - 1 of a
    BitVec or of a Float's IEEE pattern, `eb` and `sb` (hidden bit included) of a Float, `index` and
    `element` of an Array.
    """

    __slots__ = ("_text", "eb", "element", "index", "kind", "mask", "params", "sb", "width")

    kind: Kind
    params: tuple[int, ...] | tuple[Sort, Sort]
    width: int
    mask: int
    eb: int
    sb: int
    index: Sort
    element: Sort

    def __init__(self, kind: Kind, params: tuple[Any, ...] = ()) -> None:
        self.kind = kind
        self.params = params
        self._text = _spell(kind, params)
        if kind is Kind.ARRAY:
            self.index, self.element = params
        elif params:
            self.width = sum(params)
            self.mask = (1 << self.width) - 1
        if kind is Kind.FLOAT:
            self.eb, self.sb = params

    def __str__(self) -> str:
        """The sort in SMT-LIB syntax."""
        return self._text

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Callable[..., Sort], tuple[object, ...]]:
        return _rebuild, (self.kind, self.params)


def _spell(kind: Kind, params: tuple[object, ...]) -> str:
    if kind is Kind.BITVEC:
        return f"(_ BitVec {params[0]})"
    if kind is Kind.FLOAT:
        return f"(_ FloatingPoint {params[0]} {params[1]})"
    if kind is Kind.ARRAY:
        return f"(Array {params[0]} {params[1]})"
    return str(kind.value)


BOOL = Sort(Kind.BOOL)
INT = Sort(Kind.INT)
REAL = Sort(Kind.REAL)
RM = Sort(Kind.RM)
_ATOMIC = {s.kind: s for s in (BOOL, INT, REAL, RM)}


_UNIQUE: dict[tuple[Kind, tuple[Any, ...]], Sort] = {}


def _unique(kind: Kind, params: tuple[Any, ...]) -> Sort:
    """The one sort with these parameters, also where several threads ask for it at once."""
    return _UNIQUE.setdefault((kind, params), Sort(kind, params))


@cache
def bitvec(width: int) -> Sort:
    """The sort of bit-vectors of `width` >= 1 bits."""
    if width < 1:
        raise ValueError(f"bit-vector width must be positive, not {width}")
    return _unique(Kind.BITVEC, (width,))


@cache
def floating(eb: int, sb: int) -> Sort:
    """The sort of binary floats with `eb` exponent and `sb` significand bits (hidden bit
    included)."""
    if eb < 2 or sb < 2:
        raise ValueError(f"floating-point format ({eb}, {sb}) is too small")
    return _unique(Kind.FLOAT, (eb, sb))


@cache
def array(index: Sort, element: Sort) -> Sort:
    """The sort of total functions from `index` to `element`."""
    return _unique(Kind.ARRAY, (index, element))


FLOAT32 = floating(8, 24)
FLOAT64 = floating(11, 53)


def _rebuild(kind: Kind, params: tuple[Any, ...]) -> Sort:
    if kind is Kind.BITVEC:
        return bitvec(*params)
    if kind is Kind.FLOAT:
        return floating(*params)
    if kind is Kind.ARRAY:
        return array(*params)
    return _ATOMIC[kind]
