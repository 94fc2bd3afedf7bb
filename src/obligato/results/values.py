"""Values as JSON and as text, and back: what outcomes, traces and `obligato check` exchange.

Bool is true/false; Int and bit-vectors are numbers (bit-vectors by their signed reading unless said
otherwise, read back by either); Real is "n/d"; a float is "decimal (0xpattern)", and the decimal
must be that of the pattern; every pattern of NaN is read as the one NaN; an array is an object with
`default` and `entries`; a rounding mode is its SMT-LIB name. What does not fit the sort is refused.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from typing import Any

from obligato.errors import InputError
from obligato.terms import FLOAT32, FLOAT64, ArrayValue, Kind, Sort, Value, to_signed
from obligato.terms.float_semantics import canonical
from obligato.terms.numerals import int_text, number_text, parse_rational
from obligato.terms.printer import value_text
from obligato.terms.softfloat import RoundingMode

_FORMATS = {FLOAT32: ("<I", "<f"), FLOAT64: ("<Q", "<d")}
_RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?\Z")
_PATTERN = re.compile(r"0x([0-9a-fA-F]+)\)?\Z")


def to_json(value: Value, sort: Sort, signed: bool = True) -> Any:
    """The JSON form of a value."""
    match sort.kind:
        case Kind.BITVEC:
            assert isinstance(value, int)
            return to_signed(value, sort.width) if signed and sort.width > 1 else value
        case Kind.REAL:
            assert isinstance(value, Fraction)
            return number_text(value)
        case Kind.FLOAT:
            assert isinstance(value, int)
            return _float_text(value, sort)
        case Kind.RM:
            assert isinstance(value, RoundingMode)
            return value.name
        case Kind.ARRAY:
            assert isinstance(value, ArrayValue)
            return _array(value, sort, signed)
    return value


def _float_text(pattern: int, sort: Sort) -> str:
    bits = f"0x{pattern:0{(sort.width + 3) // 4}x}"
    if sort not in _FORMATS:
        return f"({bits})"
    whole, real = _FORMATS[sort]
    return f"{struct.unpack(real, struct.pack(whole, pattern))[0]!r} ({bits})"


def _array(value: ArrayValue, sort: Sort, signed: bool) -> dict[str, Any]:
    index, element = sort.index, sort.element
    entries = [
        [to_json(i, index, False), to_json(value.entries[i], element, signed)]
        for i in in_order(value, sort)
    ]
    return {"default": to_json(value.default, element, signed), "entries": entries}


def in_order(value: ArrayValue, sort: Sort) -> list[Value]:
    """The indices of an array's entries in an order of their own."""
    texts = {i: value_text(i, sort.index) for i in value.entries}
    return sorted(texts, key=lambda i: (len(texts[i]), texts[i]))


def from_json(data: Any, sort: Sort) -> Value:
    """The value of `sort` that `data` stands for."""
    try:
        return _read(data, sort)
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as problem:
        told = "this" if isinstance(data, dict | list) else to_text(data)[:60]
        raise InputError(f"{told} is not a value of sort {sort}") from problem


def _read(data: Any, sort: Sort) -> Value:
    match sort.kind:
        case Kind.BOOL:
            return bool(_expect(data, bool))
        case Kind.INT:
            return _integer(data)
        case Kind.BITVEC:
            number = _integer(data)
            if number < -(1 << (sort.width - 1)):
                raise ValueError(number)
            return _below(number, 1 << sort.width) % (1 << sort.width)
        case Kind.REAL:
            return _rational(data)
        case Kind.RM:
            return RoundingMode[data]
        case Kind.FLOAT:
            match = _PATTERN.search(data)
            if match is None:
                raise ValueError(data)
            pattern = _below(int(match[1], 16), 1 << sort.width)
            if data not in (_float_text(pattern, sort), match[0]):
                raise ValueError(data)
            return canonical(sort, pattern)
    entries = {_read(i, sort.index): _read(v, sort.element) for i, v in data["entries"]}
    if len(entries) != len(data["entries"]) or data.keys() != {"default", "entries"}:
        raise ValueError(data)
    return ArrayValue(_read(data["default"], sort.element), entries)


def whole(data: Any, most: int = 10_000_000) -> int:
    """A whole number that somebody may mean: a location, an edge, the k of an induction."""
    if _integer(data) not in range(most + 1):
        raise ValueError(f"a whole number up to {most} is needed")
    return _integer(data)


def _rational(data: Any) -> Fraction:
    """A number as it is written here,
    without the exponents and decimals that `Fraction` also reads (1e999999999)."""
    if isinstance(data, str) and not _RATIONAL.match(data):
        raise ValueError(data)
    return parse_rational(data) if isinstance(data, str) else Fraction(_integer(data))


def _below(number: int, limit: int) -> int:
    if number >= limit:
        raise ValueError(number)
    return number


def _integer(data: Any) -> int:
    if isinstance(data, bool):
        raise ValueError(data)
    number: int = _expect(data, int)
    return number


def _expect(data: Any, kind: type) -> Any:
    if not isinstance(data, kind):
        raise ValueError(data)
    return data


def to_text(data: Any) -> str:
    """A JSON value for a person."""
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, dict):
        cells = ", ".join(f"[{to_text(i)}] = {to_text(v)}" for i, v in data["entries"])
        return f"{{{cells + ', ' if cells else ''}else {to_text(data['default'])}}}"
    return int_text(data) if isinstance(data, int) else str(data)
