"""Loops with few rounds, as their headers say: ``for (i = 0; i < 4; i++)``.

`rounds` is only a guess that decides how often a loop is written out before the loop itself, whose
condition is tested each time: a wrong one costs code, never a run.  Where it is right, constants
fold and the loop behind is never entered, so that no invariant has to be found for it.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import direct_callee, inside_conversions
from obligato.frontends.c.usage import Usage

MAX_ROUNDS = 8
# nodes of the syntax tree that are written out for one loop, with those of called functions
MAX_WEIGHT = 800
_HOLDS = {
    k.B_LT: lambda a, b: a < b,
    k.B_LE: lambda a, b: a <= b,
    k.B_GT: lambda a, b: a > b,
    k.B_GE: lambda a, b: a >= b,
    k.B_NE: lambda a, b: a != b,
}
_STEPS = {k.U_POST_INC: 1, k.U_PRE_INC: 1, k.U_POST_DEC: -1, k.U_PRE_DEC: -1}


def rounds(
    usage: Usage, start: Node | None, condition: Node | None, step: Node | None, body: Node
) -> int:
    """How often to write out the body of a ``for`` loop; 0 if it has, or may have, many rounds, or
    a large body.
    """
    if start is None or condition is None or step is None:
        return 0
    (name, at), by = _start(start), _step(step)
    known = _bound(condition)
    if name is None or by is None or known is None or by[0] != name or known[0] != name:
        return 0
    _, operator, bound = known
    count = 0
    while _HOLDS[operator](at, bound):
        at, count = at + by[1], count + 1
        if count > MAX_ROUNDS:
            return 0
    return count if count * _weight(usage, body, ()) <= MAX_WEIGHT and not _has_case(body) else 0


def _start(n: Node) -> tuple[str | None, int]:
    """``i = 0`` or ``int i = 0``."""
    value: object = None
    name = None
    if n.kind == k.DECL_STMT and len(n.children) == 1 and n.children[0].kind == k.VAR_DECL:
        declared = n.children[0]
        first = n.tree.initialiser(declared)
        name, value = declared.spelling, first.evaluate() if first is not None else None
    elif n.kind == k.BINARY and n.operator == k.B_ASSIGN:
        name, value = _variable(n.operands[0]), n.operands[1].evaluate()
    return (name, value) if isinstance(value, int) else (None, 0)


def _step(n: Node) -> tuple[str | None, int] | None:
    if n.kind == k.UNARY and n.operator in _STEPS:
        return _variable(n.operands[0]), _STEPS[n.operator]
    return None


def _bound(n: Node) -> tuple[str | None, int, int] | None:
    if n.kind != k.BINARY or n.operator not in _HOLDS:
        return None
    bound = n.operands[1].evaluate()
    return (_variable(n.operands[0]), n.operator, bound) if isinstance(bound, int) else None


def _variable(n: Node) -> str | None:
    n = inside_conversions(n)
    return n.reference.name if n.kind == k.DECL_REF else None


def _weight(usage: Usage, body: Node, inside: tuple[str, ...]) -> int:
    """The size of a piece of code with the functions that it calls; more than allowed where these
    call each other.
    """
    total, stack = 0, [body]
    while stack and total <= MAX_WEIGHT:
        n = stack.pop()
        total += 1
        stack.extend(n.operands)
        name = direct_callee(n.operands[0]) if n.kind == k.CALL else None
        if n.kind == k.FOR:  # it may be written out, too
            total += (MAX_ROUNDS - 1) * _weight(usage, n.operands[-1], inside)
        if name in inside:
            return MAX_WEIGHT + 1
        if name is not None and name in usage.definitions:
            total += _weight(usage, usage.function(name).body, (*inside, name))
    return total


def _has_case(body: Node) -> bool:
    """Is there a case, or default, of a ``switch`` around the loop?"""
    stack = [body]
    while stack:
        n = stack.pop()
        if n.kind in (k.CASE, k.DEFAULT):
            return True
        if n.kind != k.SWITCH:
            stack.extend(n.operands)
    return False
