"""Operators on plain values, for the interpreter: bool, int, str (a symbol), Fraction, `Bits` (a
word), `Table` (an array).

Written from the language's definition, apart from `operators`: the two must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


class Impossible(Exception):
    """The expression has no value, or the run is none of the model."""


@dataclass(frozen=True, slots=True)
class Bits:
    """A word by its bits read as an unsigned number."""

    signed: bool
    width: int
    pattern: int

    @property
    def number(self) -> int:
        """The value of the word as a number."""
        negative = self.signed and self.pattern >> (self.width - 1)
        return self.pattern - (1 << self.width) if negative else self.pattern


@dataclass(frozen=True)
class Table:
    """An array: the value at each index where it is not the default."""

    default: Any
    entries: Mapping[Any, Any]

    def at(self, index: Any) -> Any:
        """The value at an index."""
        return self.entries.get(index, self.default)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.default == other.default and all(
            self.at(i) == other.at(i) for i in (*self.entries, *other.entries)
        )

    def __hash__(self) -> int:
        return hash(self.default)


def bits(signed: bool, width: int, number: int) -> Bits:
    """The word that a number is modulo 2^width."""
    return Bits(signed, width, number % (1 << width))


def truncated(a: int, b: int) -> int:
    """The quotient, towards zero."""
    if b == 0:
        raise Impossible("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def binary(op: str, a: Any, b: Any) -> Any:
    """The value of an operation that is no comparison of sets."""
    if op in ("=", "!="):
        return (_key(a) == _key(b)) is (op == "=")
    if op in ("<", ">", "<=", ">="):
        x, y = _number(a), _number(b)
        return {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[op]
    if isinstance(a, bool) and isinstance(b, bool):
        return {
            "&": a and b,
            "|": a or b,
            "xor": a is not b,
            "xnor": a is b,
            "<->": a is b,
            "->": b or not a,
        }[op]
    if op == "::":
        return Bits(False, a.width + b.width, (a.pattern << b.width) | b.pattern)
    if op in ("<<", ">>"):
        return _shifted(op, a, _number(b))
    if isinstance(a, Bits):
        return _words(op, a, b)
    return _numbers(op, a, b)


def _key(a: Any) -> Any:
    """A key that is the same for equal values; TRUE is not 1."""
    return (bool, a) if isinstance(a, bool) else a


def _number(a: Any) -> int | Fraction:
    if isinstance(a, Bits):
        return a.number
    if isinstance(a, bool) or not isinstance(a, int | Fraction):
        raise Impossible(f"{a} is no number")
    return a


def _shifted(op: str, a: Bits, n: int | Fraction) -> Bits:
    if n < 0:
        raise Impossible("a shift by a negative number")
    places = min(int(n), a.width)
    return bits(a.signed, a.width, a.number << places if op == "<<" else a.number >> places)


def _words(op: str, a: Bits, b: Bits) -> Bits:
    x, y, ones = a.number, b.number, (1 << a.width) - 1
    match op:
        case "+" | "-" | "*":
            value = x + y if op == "+" else x - y if op == "-" else x * y
        case "/":
            value = truncated(x, y) if y else (1 if x < 0 else -1)
        case "mod":
            value = x - y * truncated(x, y) if y else x
        case "&":
            value = a.pattern & b.pattern
        case "|":
            value = a.pattern | b.pattern
        case "xor":
            value = a.pattern ^ b.pattern
        case "->":
            value = (a.pattern ^ ones) | b.pattern
        case _:
            value = a.pattern ^ b.pattern ^ ones
    return bits(a.signed, a.width, value)


def _numbers(op: str, a: Any, b: Any) -> int | Fraction:
    x, y = _number(a), _number(b)
    if op in ("/", "mod") and isinstance(x, int) and isinstance(y, int):
        quotient = truncated(x, y)
        return quotient if op == "/" else x - y * quotient
    if op == "/":
        if y == 0:
            raise Impossible("division by zero")
        return Fraction(x) / Fraction(y)
    return x + y if op == "+" else x - y if op == "-" else x * y


def resized(a: Bits, width: int) -> Bits:
    """resize(w, n)"""
    if not a.signed or width >= a.width:
        return bits(a.signed, width, a.number)
    sign = a.pattern >> (a.width - 1)
    return Bits(True, width, (sign << (width - 1)) | (a.pattern & ((1 << (width - 1)) - 1)))


def call(name: str, args: list[Any]) -> Any:
    """The value of a function."""
    a = args[0]
    match name:
        case "signed" | "unsigned":
            return Bits(name == "signed", a.width, a.pattern)
        case "extend":
            return bits(a.signed, a.width + args[1], a.number)
        case "resize":
            return resized(a, args[1])
        case "word1":
            return Bits(False, 1, int(a))
        case "bool":
            return a if isinstance(a, bool) else _number(a) != 0
        case "toint":
            return int(a) if isinstance(a, bool) else _number(a)
        case "uwconst" | "swconst":
            return bits(name == "swconst", args[1], a)
        case "sizeof":
            return a.width
        case "count":
            return sum(map(int, args))
        case "abs":
            return abs(_number(a))
        case "max" | "min":
            first = _number(a) >= _number(args[1])
            return a if first is (name == "max") else args[1]
        case "floor":
            return a.numerator // a.denominator
        case "READ":
            return a.at(args[1])
        case "WRITE":
            return Table(a.default, {**a.entries, args[1]: args[2]})
        case "CONSTARRAY":
            return Table(args[1], {})
    raise Impossible(f"{name} is not defined")
