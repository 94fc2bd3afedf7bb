"""Decimal numerals of any length, by chunks that Python converts.

Python refuses to convert numbers beyond 4,300 digits, a limit of the whole process that somebody
may set as low as 640; we leave it alone (it is not ours to change in a program that uses us) and
stay below it.
"""

from __future__ import annotations

from fractions import Fraction

_DIGITS = 600
_CHUNK = 10**_DIGITS
_BITS = _CHUNK.bit_length() - 1  # a number of fewer bits has no more digits than a chunk


def parse_int(text: str) -> int:
    """The value of a string of decimal digits, with or without a minus sign."""
    if len(text) <= _DIGITS:
        return int(text)
    if text.startswith("-"):
        return -parse_int(text[1:])
    value = 0
    head = len(text) % _DIGITS
    for start in range(head - _DIGITS if head else 0, len(text), _DIGITS):
        value = value * _CHUNK + int(text[max(start, 0) : start + _DIGITS])
    return value


def int_text(value: int) -> str:
    """A number in decimal."""
    if value.bit_length() <= _BITS:
        return str(int(value))
    if value < 0:
        return f"-{int_text(-value)}"
    chunks: list[str] = []
    while value >= _CHUNK:
        value, low = divmod(value, _CHUNK)
        chunks.append(f"{low:0{_DIGITS}}")
    return "".join([str(value), *reversed(chunks)])


def number_text(value: int | Fraction) -> str:
    """A rational number as n or n/d."""
    return int_text(value.numerator) + (
        f"/{int_text(value.denominator)}" if value.denominator != 1 else ""
    )


def parse_rational(text: str) -> Fraction:
    """The value of n or n/d."""
    numerator, _, denominator = text.partition("/")
    return Fraction(parse_int(numerator), parse_int(denominator or "1"))
