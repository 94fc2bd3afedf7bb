"""`infer` finds the type of an expression in a scope, or says what was expected where; the rules
are in `lustre.typing`.

`expected` is a hint from outside, needed only by constructors whose type arguments their fields do
not tell. Results are kept in the scope.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from obligato.errors import InputError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.scopes import NOTHING, Bound, Scope
from obligato.frontends.lustre.types import Type, items

Rule = Callable[[Scope, Any, Bound, Type | None], Type]
RULES: dict[type[s.Expr], Rule] = {}


def infer(scope: Scope, e: s.Expr, bound: Bound = NOTHING, expected: Type | None = None) -> Type:
    """The type of `e`, where the names in `bound` have the types given there."""
    known = scope.types.get(e)
    if known is None:
        known = scope.types[e] = RULES[type(e)](scope, e, bound, expected)
    return known


def expect(scope: Scope, e: s.Expr, wanted: Type, bound: Bound = NOTHING) -> None:
    """Raises InputError unless `e` has the type `wanted`."""
    found = infer(scope, e, bound, wanted)
    if found != wanted and items(found) != items(wanted):
        raise InputError(f"expected {wanted}, not {found}", e.span)


def temporal(scope: Scope, e: s.Expr, what: str) -> None:
    """Raises InputError in a function, which has no memory."""
    if scope.node is not None and scope.node.kind == "function":
        raise InputError(f"the function {scope.node.name} cannot use {what}", e.span)
