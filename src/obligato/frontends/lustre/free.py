"""Names that occur in an expression."""

from __future__ import annotations

from dataclasses import fields

from obligato.frontends.lustre import syntax as s


def free_names(e: s.Expr) -> frozenset[str]:
    """All names in an expression, bound ones included: more than are free."""
    out: set[str] = set()
    todo: list[object] = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, s.Name | s.Last):
            out.add(x.name)
        if isinstance(x, s.Expr):
            todo.extend(getattr(x, f.name) for f in fields(x) if f.name != "span")
        elif isinstance(x, tuple):
            todo.extend(x)
    return frozenset(out)
