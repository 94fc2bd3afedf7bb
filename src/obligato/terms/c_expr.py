"""C expressions as text with just enough type information to put parentheses and casts where they
are needed.

A bit-vector of width w is carried by a C integer whose *reading* says how its value relates to the
bits: SIGNED or UNSIGNED, or BOTH where the two agree (a value below 2^(w-1)).  Widths of 8, 16, 32
and 64 bits have C types; narrower ones are promoted to int by C, so results are cast or masked
back.  Signed arithmetic is meant to wrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Inexpressible(Exception):
    """The term has no C expression; caught by `to_c`."""


class Reading(Enum):
    """How the C value relates to the bits;
    Bool, Int, Real and floats have no choice and use BOTH."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"
    BOTH = "both"


SIGNED, UNSIGNED, BOTH = Reading.SIGNED, Reading.UNSIGNED, Reading.BOTH

# precedence of C's operators, higher binds tighter
(
    PRIMARY,
    UNARY,
    PRODUCT,
    SUM,
    SHIFT,
    RELATION,
    EQUALITY,
    BITAND,
    BITXOR,
    BITOR,
    AND,
    OR,
    CONDITIONAL,
) = range(15, 2, -1)

_SIGNED_TYPES = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
_UNSIGNED_TYPES = {
    8: "unsigned char",
    16: "unsigned short",
    32: "unsigned",
    64: "unsigned long long",
}


@dataclass(frozen=True, slots=True)
class Expr:
    """Text with the precedence of its outermost operator.

    `negation` and `minus` are nicer forms of !e and -e;
    `zero_test` is a shorter one that is 0 in the same cases.
    """

    text: str
    level: int = PRIMARY
    reading: Reading = BOTH
    value: int | None = None  # of a bit-vector constant
    negation: Expr | None = None
    minus: Expr | None = None
    zero_test: Expr | None = None

    def at(self, level: int) -> str:
        """The text, in parentheses unless it binds at least as tightly as `level`."""
        return self.text if self.level >= level else f"({self.text})"


def infix(op: str, level: int, parts: list[str], reading: Reading = BOTH) -> Expr:
    """parts joined by a left-associative operator."""
    return Expr(f" {op} ".join(parts), level, reading)


def cast(e: Expr, width: int, signed: bool) -> Expr:
    """`e` converted to the C type of that width."""
    name = (_SIGNED_TYPES if signed else _UNSIGNED_TYPES).get(width)
    if name is None:
        raise Inexpressible(f"no C type of {width} bits")
    return Expr(f"({name}){e.at(UNARY)}", UNARY, SIGNED if signed else UNSIGNED)


def literal(value: int, width: int, signed: bool, exact_type: bool = False) -> Expr:
    """The bit-vector constant, read as asked;
    with `exact_type` the suffix fixes the type to `width` bits."""
    if value >> 64:
        raise Inexpressible(f"no C type of {width} bits")
    if not signed:
        wide = value >= 1 << 32 or (exact_type and width > 32)
        suffix = "ull" if wide else "u" if width >= 32 else ""
        return Expr(f"{value}{suffix}", PRIMARY, UNSIGNED, value)
    number = value - (1 << width) if value >> (width - 1) else value
    if number in (-(1 << 31), -(1 << 63)):
        return Expr(f"{number + 1}{'ll' if number < -(1 << 31) else ''} - 1", SUM, SIGNED, value)
    suffix = "ll" if not -(1 << 31) < number < 1 << 31 or (exact_type and width > 32) else ""
    positive = Expr(f"{abs(number)}{suffix}", PRIMARY, SIGNED, value)
    return (
        positive if number >= 0 else Expr(f"-{positive.text}", UNARY, SIGNED, value, minus=positive)
    )


def as_signed(e: Expr, width: int) -> Expr:
    """`e` with its signed value."""
    if e.value is not None:
        return literal(e.value, width, True)
    return cast(e, width, True) if e.reading is UNSIGNED else e


def as_unsigned(e: Expr, width: int) -> Expr:
    """`e` with its unsigned value."""
    if e.value is not None:
        return literal(e.value, width, False)
    return cast(e, width, False) if e.reading is SIGNED else e


def conditional(c: Expr, a: Expr, b: Expr, reading: Reading = BOTH) -> Expr:
    """c ? a : b."""
    return Expr(f"{c.at(OR)} ? {a.at(OR)} : {b.at(CONDITIONAL)}", CONDITIONAL, reading)


def negative(e: Expr, reading: Reading = BOTH) -> Expr:
    """-e."""
    text = f"-({e.text})" if e.text.startswith("-") else f"-{e.at(UNARY)}"
    return Expr(text, UNARY, reading, minus=e)


def summed(parts: list[Expr], reading: Reading) -> Expr:
    """A sum; negative summands are subtracted, and a positive one comes first if there is one."""
    first = next((i for i, p in enumerate(parts) if p.minus is None), 0)
    parts = [parts[first], *parts[:first], *parts[first + 1 :]]
    text = parts[0].at(SUM)
    for p in parts[1:]:
        text += f" - {p.minus.at(PRODUCT)}" if p.minus is not None else f" + {p.at(PRODUCT)}"
    return Expr(text, SUM, reading)


def compared(op: str, a: Expr, b: Expr) -> Expr:
    """A comparison, which knows its negation."""
    opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
    level = EQUALITY if op in ("==", "!=") else RELATION
    text = f"{a.at(level + 1)} {op} {b.at(level + 1)}"
    negation = Expr(f"{a.at(level + 1)} {opposite[op]} {b.at(level + 1)}", level)
    return Expr(text, level, negation=Expr(negation.text, level, negation=Expr(text, level)))
