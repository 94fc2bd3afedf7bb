"""Small questions about syntax trees that several passes ask."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    element_type,
    places_of,
)

PAGE = 0x1000  # no object lies in the first or last so many bytes of memory


def strip_parentheses(n: Node) -> Node:
    """The expression inside parentheses."""
    while n.kind == k.PAREN:
        n = n.operands[0]
    return n


def decayed_array(n: Node) -> Node | None:
    """The array whose first element a pointer expression is, if it is written so."""
    n = strip_parentheses(n)
    decays = n.kind == k.UNEXPOSED_EXPR and n.operands and isinstance(n.operands[0].type, ArrayType)
    return n.operands[0] if decays and isinstance(n.type, PointerType) else None


def is_indexed(n: Node) -> bool:
    """Is an lvalue an element, or a part of one?"""
    while n.kind == k.PAREN or (
        n.kind == k.MEMBER and not isinstance(n.operands[0].type, PointerType)
    ):
        n = n.operands[0]
    return n.kind == k.SUBSCRIPT


def direct_callee(n: Node) -> str | None:
    """The name of a function that is called directly."""
    while n.kind in (k.UNEXPOSED_EXPR, k.PAREN) and len(n.operands) == 1:
        n = n.operands[0]
    return (
        n.reference.name if n.kind == k.DECL_REF and n.reference.kind == k.FUNCTION_DECL else None
    )


def inside_pointer(n: Node) -> Node:
    """A pointer expression before conversions to ``void *``."""
    while (
        n.kind in (k.UNEXPOSED_EXPR, k.CAST, k.PAREN)
        and len(n.operands) == 1
        and isinstance(n.type, PointerType)
    ):
        if not isinstance(n.type.to, VoidType):
            return n
        n = n.operands[0]
    return n


def bare_pointer_type(n: Node) -> PointerType | None:
    """The pointer type of an expression before conversions to ``void *``."""
    t = inside_pointer(n).type
    return t if isinstance(t, PointerType) else None


def address_inside(n: Node) -> Node | None:
    """The pointer whose address an integer is, if there is nothing but conversions between that
    keep all bits.
    """
    while (
        n.kind in (k.UNEXPOSED_EXPR, k.CAST, k.PAREN)
        and len(n.operands) == 1
        and _is_number(n.type)
    ):
        child = n.operands[0]
        if child.type.size != n.type.size:
            return None
        if isinstance(child.type, PointerType):
            return child
        n = child
    return None


def is_nowhere(n: Node) -> bool:
    """A constant that is no object's address: in the first page, where null is, or in the last?"""
    value = n.evaluate()
    return isinstance(value, int) and (
        -PAGE <= value < PAGE or value >= (1 << 8 * n.type.size) - PAGE
    )


def _is_number(t: CType) -> bool:
    return isinstance(t, IntType) and not t.is_bool


def inside_conversions(n: Node) -> Node:
    """The expression under parentheses and conversions."""
    while n.kind in (k.UNEXPOSED_EXPR, k.CAST, k.PAREN) and len(n.operands) == 1:
        n = n.operands[0]
    return n


def inside_implicit(n: Node) -> Node:
    """The expression under parentheses, and under conversions that are not written."""
    while n.kind in (k.UNEXPOSED_EXPR, k.PAREN) and len(n.operands) == 1:
        n = n.operands[0]
    return n


def is_null(n: Node) -> bool:
    """Is it the literal zero, with any conversions around it?"""
    n = inside_conversions(n)
    return n.kind == k.INTEGER and n.evaluate() == 0


def mentions_variable(n: Node) -> bool:
    """Is a variable named in an expression?"""
    stack = [n]
    while stack:
        n = stack.pop()
        if n.kind == k.DECL_REF and n.reference.kind in (k.VAR_DECL, k.PARM_DECL):
            return True
        stack.extend(n.operands if n.kind != k.SIZEOF else ())
    return False


def is_varying(start: Node) -> bool:
    """Does an initialiser name a variable or function, so that it may be no constant?"""
    stack = [start]
    while stack:
        n = stack.pop()
        if n.kind == k.DECL_REF and n.reference.kind != k.ENUM_CONSTANT_DECL:
            return True
        stack.extend(n.operands)
    return False


def string_literal(n: Node) -> str | None:
    """The text of a string literal."""
    n = inside_conversions(n)
    return n.spelling if n.kind == k.STRING else None


def is_about_literals(*numbers: Node) -> bool:
    """Are these made of nothing but constants and addresses of string literals, of which there is
    one at least? So macros of old libraries ask whether an argument is an array."""
    stack, found = list(numbers), False
    while stack:
        n = stack.pop()
        found = found or n.kind == k.STRING
        sums = n.kind == k.BINARY and n.operator in (k.B_ADD, k.B_SUB)
        signs = n.kind == k.UNARY and n.operator in (k.U_PLUS, k.U_MINUS)
        wraps = not (isinstance(n.type, IntType) and n.type.signed)
        if (wraps and (sums or signs)) or n.kind in (k.PAREN, k.CAST, k.UNEXPOSED_EXPR):
            stack += n.operands
        elif n.kind not in (k.STRING, k.INTEGER, k.CHARACTER):
            return False
    return found and all(isinstance(n.type, IntType) for n in numbers)


def is_constant_index(n: Node) -> bool:
    """A literal index (behind parentheses and conversions)?"""
    while n.kind in (k.UNEXPOSED_EXPR, k.PAREN) and len(n.operands) == 1:
        n = n.operands[0]
    return n.kind in (k.INTEGER, k.CHARACTER)


def is_elvis(n: Node) -> bool:
    """Is an expression that libclang does not expose GNU's ``a ?: b``? Its operands are a, a twice
    more, and b.
    """
    return (
        n.kind == k.UNEXPOSED_EXPR
        and len(n.operands) == 4
        and n.tree.same_extent(n.operands[0], n.operands[1])
    )


@dataclass(frozen=True)
class Inside:
    """``(T *)((char *)pointer - offset)``, where T has a member of the type that `pointer` points
    to there; `way` is what is between.
    """

    pointer: Node
    member: CType
    offset: int
    distance: Node
    way: list[Node]


def member_of(n: Node) -> Inside | None:
    """Does a cast make a pointer to a member one to the record around it?"""
    way: list[Node] = []
    difference = _inside_bytes(n.operands[0], way)
    if difference.kind != k.BINARY or difference.operator != k.B_SUB or not _to_bytes(difference):
        return None
    left, distance = difference.operands
    way.append(difference)
    pointer, offset, t = _inside_bytes(left, way), distance.evaluate(), n.type
    member = element_type(pointer.type.to) if isinstance(pointer.type, PointerType) else None
    if member is None or not isinstance(offset, int) or not isinstance(t, PointerType):
        return None
    is_member = isinstance(t.to, RecordType) and offset in places_of(member, t.to)
    return Inside(pointer, member, offset, distance, way) if is_member else None


def _to_bytes(n: Node) -> bool:
    """Is the type a pointer to a type of one byte?"""
    return isinstance(n.type, PointerType) and n.type.to.size == 1


def _inside_bytes(n: Node, way: list[Node]) -> Node:
    """The expression under parentheses, and under conversions to pointers to bytes."""
    while n.kind == k.PAREN or (
        n.kind in (k.UNEXPOSED_EXPR, k.CAST) and len(n.operands) == 1 and _to_bytes(n)
    ):
        way.append(n)
        n = n.operands[0]
    return n
