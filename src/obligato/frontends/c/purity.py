"""Has an expression side effects?  Pure operands of ``&&``, ``||`` and ``?:`` stay expressions; the
others become branches.
"""

from __future__ import annotations

from obligato.frontends.c import catalogue
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import direct_callee, is_elvis
from obligato.frontends.c.types import IntType, PointerType


def has_effects(n: Node, prop: str) -> bool:
    """May evaluating `n` change the state, or fail an assertion of the property?"""
    if n.effects is None:
        _mark(n, prop)
    assert n.effects is not None
    return n.effects


def changes_state(root: Node) -> bool:
    """May evaluating `root` change the state, whatever the property is? What is inside of
    ``sizeof`` counts, too.
    """
    stack = [root]
    while stack:
        n = stack.pop()
        if _own_effect(n, "unreach-call"):
            return True
        stack.extend(n.operands)
    return False


def _mark(root: Node, prop: str) -> None:
    """Fill the memo bottom-up; left-deep chains may be long, so without recursion."""
    stack = [root]
    while stack:
        n = stack[-1]
        if n.effects is not None:
            stack.pop()
            continue
        own = True if n.learns else _own_effect(n, prop)
        below = [] if own is not None else n.operands
        pending = [c for c in below if c.effects is None]
        if pending:
            stack.extend(pending)
            continue
        n.effects = own if own is not None else any(c.effects for c in below)
        stack.pop()


def _own_effect(n: Node, prop: str) -> bool | None:
    """True or False if the node itself decides it, None if its operands do."""
    if n.kind in (k.SIZEOF, k.INTEGER, k.FLOATING, k.CHARACTER, k.STRING, k.DECL_REF):
        return False
    if n.kind in (k.COMPOUND_ASSIGN, k.STMT_EXPR, k.COMPOUND_LITERAL):
        return True
    if n.kind == k.BINARY:
        return True if n.operator == k.B_ASSIGN or _checked(n, prop) else None
    if n.kind == k.UNARY:
        return True if n.operator in k.STEPS or _checked(n, prop) else None
    if n.kind == k.SUBSCRIPT:
        return True if prop == "memsafety" else None
    if n.kind == k.MEMBER:
        return True if prop == "memsafety" and isinstance(n.operands[0].type, PointerType) else None
    if n.kind == k.CALL:
        return None if _is_pure_call(n, prop) else True
    if n.kind == k.UNEXPOSED_EXPR and len(n.operands) > 1 and not is_elvis(n):
        return n.evaluate() is None  # an operation of the compiler, such as an atomic one
    return None


_OPERATORS = {"div-by-zero": (k.B_DIV, k.B_REM), "shifts": (k.B_SHL, k.B_SHR)}


def _checked(n: Node, prop: str) -> bool:
    if prop == "undefined":
        return any(_checked(n, part) for part in ("div-by-zero", "shifts", "no-overflow"))
    if prop == "memsafety":
        return n.operator == k.U_DEREF if n.kind == k.UNARY else isinstance(n.type, PointerType)
    if prop in ("div-by-zero", "shifts"):
        return n.kind == k.BINARY and n.operator in _OPERATORS[prop] and isinstance(n.type, IntType)
    arithmetic = k.B_MUL <= n.operator <= k.B_SHR if n.kind == k.BINARY else n.operator == k.U_MINUS
    return prop == "no-overflow" and arithmetic and isinstance(n.type, IntType) and n.type.signed


def _is_pure_call(n: Node, prop: str) -> bool:
    """A library function without effects, unless the program defines a function of that name? abs
    may overflow.
    """
    callee = n.operands[0]
    name = direct_callee(callee)
    if name is None or n.tree.is_defined(callee):
        return False
    return catalogue.is_pure(name) and not (
        name in catalogue.INTEGERS and prop in ("no-overflow", "undefined")
    )
