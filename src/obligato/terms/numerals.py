"""Decimal numerals of any length; Python's own conversion refuses numbers beyond 4,300 digits."""

from __future__ import annotations

_DIGITS = 4000
_CHUNK = 10**_DIGITS


def parse_int(text: str) -> int:
    """The value of a string of decimal digits."""
    if len(text) <= _DIGITS:
        return int(text)
    value = 0
    head = len(text) % _DIGITS
    for start in range(head - _DIGITS if head else 0, len(text), _DIGITS):
        value = value * _CHUNK + int(text[max(start, 0):start + _DIGITS])
    return value


def int_text(value: int) -> str:
    """A non-negative number in decimal."""
    chunks: list[str] = []
    while value >= _CHUNK:
        value, low = divmod(value, _CHUNK)
        chunks.append(f"{low:0{_DIGITS}}")
    return "".join([str(value), *reversed(chunks)])
