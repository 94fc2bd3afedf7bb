"""Patterns on the values of the interpreter."""

from __future__ import annotations

from typing import Any

from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.types import Enum, Type
from obligato.frontends.lustre.typing import constructor_fields


def fits(p: s.Pattern, t: Type, value: Any) -> bool:
    """Does a pattern match a value of the type?"""
    fields = constructor_fields(p, t)
    if fields is None:
        return True
    if isinstance(t, Enum):
        return bool(t.values[value] == p.name)
    return value[0] == p.name and all(
        fits(i, ft, v) for i, (_, ft), v in zip(p.items or (), fields, value[1], strict=True)
    )


def bindings(p: s.Pattern, t: Type, value: Any) -> dict[str, tuple[Type, Any]]:
    """What the variables of a pattern that matches stand for, with their types."""
    fields = constructor_fields(p, t)
    if fields is None:
        return {} if p.name == "_" else {p.name: (t, value)}
    out: dict[str, tuple[Type, Any]] = {}
    for i, (_, ft), v in zip(
        p.items or (), fields, () if isinstance(t, Enum) else value[1], strict=True
    ):
        out |= bindings(i, ft, v)
    return out
