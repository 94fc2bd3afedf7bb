"""Values and types as IVL text: ``5bv8``, ``-3``, ``0.25``, ``1.5f32``, ``float32.nan``,
``array[int]bool{false; 3: true}``.

The text of a value determines it and its sort exactly:
floats print the shortest decimal that rounds back to them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from obligato.program.names import quote
from obligato.program.syntax import RecordArray, RecordType, Type
from obligato.terms import Kind, Sort
from obligato.terms.numerals import int_text
from obligato.terms.softfloat import (
    FloatFormat,
    RoundingMode,
    from_real,
    is_inf,
    is_nan,
    to_fraction,
)

_PLAIN = {Kind.BOOL: "bool", Kind.INT: "int", Kind.REAL: "real", Kind.RM: "rounding"}
_NAMED_FORMATS = {(5, 11): "16", (8, 24): "32", (11, 53): "64", (15, 113): "128"}


def float_suffix(sort: Sort) -> str:
    """``32`` for float32, else ``eb_sb``."""
    return _NAMED_FORMATS.get((sort.eb, sort.sb), f"{sort.eb}_{sort.sb}")


def type_text(type_: Type) -> str:
    """A type as IVL text."""
    text = ""
    while True:
        if isinstance(type_, RecordType):
            return text + quote(type_.name)
        if isinstance(type_, RecordArray) or type_.kind is Kind.ARRAY:
            text, type_ = f"{text}array[{type_text(type_.index)}]", type_.element
        elif type_.kind is Kind.BITVEC:
            return f"{text}bv{type_.width}"
        else:
            return text + (
                f"float{float_suffix(type_)}" if type_.kind is Kind.FLOAT else _PLAIN[type_.kind]
            )


def value_text(value: Any, sort: Sort) -> str:
    """A value as IVL text; negative numbers start with a minus sign."""
    match sort.kind:
        case Kind.BOOL:
            return "true" if value else "false"
        case Kind.INT:
            return int_text(value)
        case Kind.REAL:
            return (
                _decimal(value)
                or f"rat({int_text(value.numerator)}, {int_text(value.denominator)})"
            )
        case Kind.BITVEC:
            return f"{int_text(_readable(value, sort.width))}bv{sort.width}"
        case Kind.FLOAT:
            return _float_text(value, sort)
        case Kind.RM:
            return str(value.name)
        case _:
            return _array_text(value, sort)


def _readable(value: int, width: int) -> int:
    """Small negative numbers read better with their sign; the rest as unsigned."""
    negative = (1 << width) - value
    return -negative if width >= 8 and negative <= 1 << (width - 2) else value


def _array_text(value: Any, sort: Sort) -> str:
    entries = ", ".join(
        f"{value_text(k, sort.index)}: {value_text(v, sort.element)}"
        for k, v in value.entries.items()
    )
    default = value_text(value.default, sort.element)
    return f"{type_text(sort)}{{{default}{'; ' if entries else ''}{entries}}}"


def _decimal(value: Fraction) -> str | None:
    """The exact decimal with a point, if there is a short one."""
    digits = 0
    d = value.denominator
    while d % 10 == 0:
        d, digits = d // 10, digits + 1
    for p in (2, 5):
        while d % p == 0:
            d, digits = d // p, digits + 1
    if d != 1 or digits > 40:
        return None
    scaled = abs(value) * 10**digits
    text = int_text(scaled.numerator).rjust(digits + 1, "0")
    whole, part = (text[:-digits], text[-digits:]) if digits else (text, "0")
    return f"{'-' if value < 0 else ''}{whole}.{part}"


def _float_text(value: int, sort: Sort) -> str:
    fmt = FloatFormat(sort.eb, sort.sb)
    suffix = float_suffix(sort)
    if is_nan(fmt, value):
        return f"float{suffix}.nan"
    minus = "-" if value & fmt.sign_bit else ""
    if is_inf(fmt, value):
        return f"{minus}float{suffix}.inf"
    exact = to_fraction(fmt, value)
    assert exact is not None
    return f"{minus}{_shortest(fmt, abs(exact))}f{suffix}"


def _shortest(fmt: FloatFormat, exact: Fraction) -> str:
    """The shortest decimal that rounds (RNE) to `exact`."""
    target = from_real(fmt, RoundingMode.RNE, exact)
    exponent = len(str(exact.numerator)) - len(str(exact.denominator))
    digits = 0
    while True:
        digits += 1
        scale = Fraction(10) ** (exponent - digits + 1)
        mantissa = round(exact / scale)
        if from_real(fmt, RoundingMode.RNE, mantissa * scale) == target:
            return _scientific(mantissa, exponent - digits + 1)


def _scientific(mantissa: int, exponent: int) -> str:
    """mantissa * 10^exponent, always with a point; in exponent form where the plain one is long."""
    digits = str(mantissa).rstrip("0") or "0"
    exponent += len(str(mantissa)) - len(digits)
    leading = exponent + len(digits) - 1
    if digits != "0" and not -6 <= leading <= 15:
        return f"{digits[0]}.{digits[1:] or '0'}e{leading}"
    if exponent >= 0:
        return f"{digits}{'0' * exponent if digits != '0' else ''}.0"
    padded = digits.rjust(1 - exponent, "0")
    return f"{padded[:exponent]}.{padded[exponent:]}"
