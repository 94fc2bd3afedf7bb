"""Keys that keep the pointers in one record apart for the points-to analysis: what they are
declared to point to.
"""

from __future__ import annotations

from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FunctionType,
    PointerType,
    RecordType,
    element_type,
)


def pointer_key(t: CType) -> tuple[int, str]:
    """What a pointer type points to: through how many pointers, to the elements of which type,
    without qualifiers.
    """
    depth = 0
    while isinstance(t, PointerType | ArrayType):
        depth += isinstance(t, PointerType)
        t = t.to if isinstance(t, PointerType) else t.element
    return depth, "" if isinstance(t, FunctionType) else t.name


def pointer_keys(t: CType) -> dict[tuple[int, str], None]:
    """The keys of the pointers in a type."""
    t = element_type(t)
    if isinstance(t, RecordType):
        return {key: None for f in t.fields for key in pointer_keys(f.type)}
    return {pointer_key(t): None} if isinstance(t, PointerType) else {}
