"""Types of expressions: a sort, and for words of bits how they are read as numbers.

A word is declared as `signed(8)` or `unsigned(8)`, and that decides what `<`, `>>` and a constant
such as -1 mean; there is no third kind whose comparisons one would have to look up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from obligato.errors import ModelError
from obligato.terms import sorts
from obligato.terms.sorts import Kind, Sort


@dataclass(frozen=True, slots=True)
class Type:
    """The type of an expression: BOOL, INT, REAL, or made by `signed`, `unsigned` or `array`."""

    name: str
    sort: Sort
    is_signed: bool = False
    index: Type | None = None  # of an array
    element: Type | None = None  # of an array

    def __repr__(self) -> str:
        return self.name

    @property
    def kind(self) -> Kind:
        """The family of the sort."""
        return self.sort.kind

    @property
    def is_word(self) -> bool:
        """Is it a word of bits?"""
        return self.kind is Kind.BITVEC

    @property
    def is_number(self) -> bool:
        """Is it a type of numbers?"""
        return self.kind in (Kind.INT, Kind.REAL, Kind.BITVEC)

    def value(self, given: Any) -> Any:
        """A Python value as one of this type: bool, int, and for REAL Fraction, too;
        what does not fit is refused."""
        if self.kind is Kind.BOOL and isinstance(given, bool):
            return given
        if (
            self.kind in (Kind.INT, Kind.REAL)
            and isinstance(given, int)
            and not isinstance(given, bool)
        ):
            return Fraction(given) if self.kind is Kind.REAL else given
        if self.kind is Kind.REAL and isinstance(given, Fraction):
            return given
        if self.kind is Kind.REAL and isinstance(given, float):
            raise ModelError(
                f"{given} is a binary float; write Fraction({str(given)!r}), which is exact"
            )
        if self.is_word and isinstance(given, int) and not isinstance(given, bool):
            return self._word(given)
        raise ModelError(f"{given!r} is no value of type {self.name}")

    def _word(self, given: int) -> int:
        low, high = self.bounds
        if not low <= given <= high:
            raise ModelError(f"{given} does not fit {self.name}, which holds {low} to {high}")
        return given

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value of a word."""
        width = self.sort.width
        return (
            (-(1 << (width - 1)), (1 << (width - 1)) - 1)
            if self.is_signed
            else (0, (1 << width) - 1)
        )


BOOL = Type("BOOL", sorts.BOOL)
INT = Type("INT", sorts.INT)
REAL = Type("REAL", sorts.REAL)


def signed(width: int) -> Type:
    """Words of so many bits, read as numbers in two's complement."""
    return Type(f"signed({width})", _word_sort(width), True)


def unsigned(width: int) -> Type:
    """Words of so many bits, read as numbers from 0 on."""
    return Type(f"unsigned({width})", _word_sort(width))


def array(index: Type, element: Type) -> Type:
    """Total functions from `index` to `element`."""
    for part in (index, element):
        if not isinstance(part, Type):
            raise ModelError(f"array(index, element) needs types, not {part!r}")
    if index.sort.kind is Kind.ARRAY:
        raise ModelError("an array is not indexed by arrays")
    return Type(
        f"array({index}, {element})",
        sorts.array(index.sort, element.sort),
        index=index,
        element=element,
    )


def _word_sort(width: int) -> Sort:
    if not isinstance(width, int) or isinstance(width, bool) or width < 1:
        raise ModelError(f"a word has a positive number of bits, not {width!r}")
    return sorts.bitvec(width)
