"""Integer promotions and the usual arithmetic conversions."""

from __future__ import annotations

from obligato.frontends.c.type_table import TypeTable
from obligato.frontends.c.types import IntType


def common_type(a: IntType, b: IntType, table: TypeTable) -> IntType:
    """The usual arithmetic conversions of two (unpromoted) integer types [C11, 6.3.1.8]."""
    a, b = promote(a, table), promote(b, table)
    if a is b:
        return a
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    unsigned, signed = (b, a) if a.signed else (a, b)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.width > unsigned.width:
        return signed
    return table.unsigned_of(signed)


def promote(t: IntType, table: TypeTable, bits: int | None = None) -> IntType:
    """Integer promotion [C11, 6.3.1.1]; `bits` is the width of a bit-field."""
    if bits is not None and bits < table.int.width:
        return table.int
    if bits == table.int.width:
        return table.int if t.signed else table.unsigned
    if t.rank >= table.int.rank:
        return t
    return table.int
