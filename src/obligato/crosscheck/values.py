"""Sorts and constants of the printed C: what a variable is declared as, and how a value is written.

Words of up to 64 bits are ``uint64_t``, wider ones ``wide``;
an array is a memory whose name tells its elements.
"""

from __future__ import annotations

from typing import Any

from obligato.errors import Unsupported
from obligato.terms import FLOAT32, FLOAT64, Kind, Sort, floating
from obligato.terms.float_semantics import format_of
from obligato.terms.softfloat import RoundingMode, is_inf, is_nan, to_fraction

X87 = floating(15, 64)
FLOAT_NAMES = {FLOAT32: "f32", FLOAT64: "f64", X87: "f80"}
_FLOAT_TYPES = {FLOAT32: "float", FLOAT64: "double", X87: "long double"}
ROUNDING = {
    RoundingMode.RNE: "FE_TONEAREST",
    RoundingMode.RTP: "FE_UPWARD",
    RoundingMode.RTN: "FE_DOWNWARD",
    RoundingMode.RTZ: "FE_TOWARDZERO",
}
MEMORIES = {
    "uint64_t": "memory",
    "wide": "wide_memory",
    "float": "f32_memory",
    "double": "f64_memory",
    "long double": "f80_memory",
    "bool": "bool_memory",
}


def inexpressible(what: object) -> Unsupported:
    """What the printed C has no words for."""
    return Unsupported(f"{what} cannot be printed as C", construct="printing as C")


def is_wide(sort: Sort) -> bool:
    """Does a bit-vector need more than a word?"""
    return sort.kind is Kind.BITVEC and sort.width > 64


def type_name(sort: Sort) -> str:
    """The C type of a sort."""
    match sort.kind:
        case Kind.BOOL:
            return "bool"
        case Kind.BITVEC:
            return "wide" if is_wide(sort) else "uint64_t"
        case Kind.FLOAT if sort in _FLOAT_TYPES:
            return _FLOAT_TYPES[sort]
        case Kind.RM:
            return "int"
        case Kind.ARRAY if _is_word(sort.index) and type_name(sort.element) in MEMORIES:
            return MEMORIES[type_name(sort.element)]
    raise inexpressible(f"the sort {sort}")


def _is_word(sort: Sort) -> bool:
    return sort.kind is Kind.BITVEC and not is_wide(sort)


def constant(value: Any, sort: Sort) -> str:
    """A scalar value as a C expression."""
    match sort.kind:
        case Kind.BOOL:
            return "true" if value else "false"
        case Kind.BITVEC:
            return _wide(value, sort.width) if is_wide(sort) else word(value)
        case Kind.FLOAT if sort in FLOAT_NAMES:
            return _float(value, sort)
        case Kind.RM if value in ROUNDING:
            return ROUNDING[value]
    raise inexpressible(f"a value of {sort}")


def word(value: int) -> str:
    """A literal of 64 bits."""
    return f"UINT64_C({value})" if value < 1 << 32 else f"UINT64_C({value:#x})"


def _wide(value: int, width: int) -> str:
    words = [hex(value >> 32 * i & 0xFFFFFFFF) for i in range((width + 31) // 32)]
    while len(words) > 1 and words[-1] == "0x0":
        words.pop()
    return f"(wide){{{{{', '.join(words)}}}}}"


def _float(pattern: int, sort: Sort) -> str:
    if sort is not X87:
        return f"{FLOAT_NAMES[sort]}_bits({word(pattern)})"
    fmt = format_of(sort)
    sign = "-" if pattern & fmt.sign_bit else ""
    if is_nan(fmt, pattern):
        return "(long double)NAN"
    if is_inf(fmt, pattern):
        return f"{sign}(long double)INFINITY"
    exact = to_fraction(fmt, pattern)
    assert exact is not None
    exponent = 1 - exact.denominator.bit_length()
    numerator = abs(exact.numerator)
    while numerator and numerator >> 64:
        numerator, exponent = numerator >> 1, exponent + 1
    return f"{sign}ldexpl({word(numerator)}, {exponent})"


def junk(number: int, sort: Sort) -> str:
    """Some value of a sort, for what the program leaves open; different for each `number`."""
    match sort.kind:
        case Kind.BITVEC:
            return (
                f"w_of(junk({number}))" if is_wide(sort) else f"cut(junk({number}), {sort.width})"
            )
        case Kind.ARRAY:
            return f"{type_name(sort)}_all({junk(number, sort.element)})"
        case Kind.FLOAT:
            return f"({type_name(sort)})0.7"
        case _:
            return "0"
