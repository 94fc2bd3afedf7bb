"""Stores that are not finished when an expression has its value [C11, 6.5.16p3, 6.5p2].

In ``x = x++`` both the assignment and the increment store, and C does not say which is first: the
behaviour is undefined.  A call, ``,``, ``&&``, ``||`` and ``?:`` finish what is before them, so ``x
= (x++, 2)`` and ``x = f(x++)`` are fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import decayed_array, is_elvis, strip_parentheses
from obligato.frontends.c.types import PointerType, RecordType

Step = int | None  # an index, the position of a member in bits, or an index that is not constant


def pending(*operands: Node) -> Iterator[Node]:
    """The assignments, ``++`` and ``--`` in operands whose stores may come after their values."""
    stack = list(operands)
    while stack:
        n = stack.pop()
        below = n.operands
        if n.kind in (k.CALL, k.STMT_EXPR, k.SIZEOF, k.GENERIC):
            continue
        stores = n.kind == k.COMPOUND_ASSIGN or (n.kind == k.BINARY and n.operator == k.B_ASSIGN)
        if stores or (n.kind == k.UNARY and n.operator in k.STEPS):
            yield n
        if n.kind == k.CONDITIONAL or (
            n.kind == k.BINARY and n.operator in (k.B_COMMA, k.B_LAND, k.B_LOR)
        ):
            below = below[1:]
        elif is_elvis(n):
            below = below[-1:]
        stack.extend(below)


def is_chain(n: Node, inner: Node) -> bool:
    """``a = (b = c)`` with one type: both store the same value, so their order does not matter."""
    if not all(x.kind == k.BINARY and x.operator == k.B_ASSIGN for x in (n, inner)):
        return False
    left, right = n.operands
    return strip_parentheses(right) is inner and inner.operands[0].type is left.type


def meet(a: Node, b: Node) -> bool | None:
    """Do two lvalues denote the same, or overlap? None if that is not obvious."""
    (root, here), (other, way) = _way(a), _way(b)
    if root.kind != k.DECL_REF or other.kind != k.DECL_REF:
        return None
    if root.reference is not other.reference:
        return False
    for x, y in zip(here, way, strict=False):
        if x is None or y is None:
            return None
        if x != y:
            return False
    return True


def _way(n: Node) -> tuple[Node, list[Step]]:
    """The variable (or pointer access) of which an lvalue is a part, and the way from there, up to
    the first union.
    """
    way: list[Step] = []
    while True:
        n = strip_parentheses(n)
        base = n.operands[0] if n.operands else None
        if n.kind == k.MEMBER and base is not None and not isinstance(base.type, PointerType):
            members, ends = _members(n, base)
            way, n = members if ends else [*members, *way], base
        elif n.kind == k.SUBSCRIPT and (array := decayed_array(n.operands[0])) is not None:
            index = n.operands[1].evaluate()
            way.insert(0, index if isinstance(index, int) else None)
            n = array
        else:
            return n, way


def _members(n: Node, base: Node) -> tuple[list[Step], bool]:
    """The way of a member access, through anonymous records; does it end at a union?"""
    t, way = base.type, list[Step]()
    assert isinstance(t, RecordType)
    for f in t.way_to(n.tree.lib.getCursorReferenced(n.cursor).data[0] or 0) or ():
        if isinstance(t, RecordType) and t.is_union:
            return way, True
        way.append(f.offset)
        t = f.type
    return way, False
