"""Names that occur in an expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from obligato.frontends.lustre import syntax as s


def free_names(e: s.Expr) -> frozenset[str]:
    """All names in an expression, bound ones included: more than are free."""
    return frozenset(x.name for x in parts_of(e) if isinstance(x, s.Name | s.Last))


def parts_of(e: s.Expr) -> Iterator[s.Expr]:
    """The expression and all expressions in it."""
    todo: list[object] = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, s.Expr):
            yield x
            todo.extend(getattr(x, f.name) for f in fields(x) if f.name != "span")
        elif isinstance(x, tuple):
            todo.extend(x)
