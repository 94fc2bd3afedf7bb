"""Where a program may look at addresses: collected by the first pass, judged by layout.py when all
objects are known.

`observe` finds operators on pointers, and marks conversions of pointers to integers that give
nothing away; the others are marked by `Flow` (``Node.learns``).  `is_in_union` and
`is_among_numbers` find numbers that share their memory with pointers.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.closure import Closure
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import address_inside, decayed_array, is_nowhere, is_null
from obligato.frontends.c.types import (
    CType,
    IntType,
    PointerType,
    RecordType,
    element_type,
    holds_pointer,
    is_number,
)


class Observations(Closure):
    """What may depend on the layout of memory."""

    def observe(self, n: Node) -> None:
        """A binary operator may tell where objects lie; what is asked of numbers may be asked of
        pointers.
        """
        if n.operator not in k.COMPARISONS and n.operator != k.B_SUB:
            return
        pointers = compared_pointers(n)
        if pointers == [None, None]:
            return
        if not all(isinstance(c.type, PointerType) for c in n.operands):
            if not _is_about_pointers(n, pointers):
                return
            for c, p in zip(n.operands, pointers, strict=True):
                if p is not None:
                    keep_secret(c)
        if None not in pointers and not any(is_null(c) for c in n.operands):
            self.observations.append(n)

    def move(self, c: int | None, t: CType) -> None:
        """A pointer of type `t` into this class is added to."""
        if c is not None:
            self.moved.append(c)
            self.steps.append((c, element_type(t.to if isinstance(t, PointerType) else t)))
            self.stride(c, t)

    def stride(self, c: int, t: CType) -> None:
        """A pointer of type `t` may lead to any element near the one that it points to."""
        if isinstance(t, PointerType) and (t.to.sort is not None or isinstance(t.to, RecordType)):
            self.strides.append((c, t.to))


def compared_pointers(n: Node) -> list[Node | None]:
    """The pointers that the operands of a binary operator are, or are the numbers of; None for an
    operand that is neither.
    """
    return [c if isinstance(c.type, PointerType) else address_inside(c) for c in n.operands]


def keep_secret(n: Node) -> None:
    """Note that a number which is that of an address (`address_inside`) tells the program nothing
    about where objects lie.
    """
    while not isinstance(n.type, PointerType):
        n.learns, n = False, n.operands[0]


def _is_about_pointers(n: Node, pointers: list[Node | None]) -> bool:
    """Does the result depend on where the pointers lead only, not on their numbers: are two of them
    compared or subtracted, or is one compared with what is no address?
    """
    t = n.operands[0].type
    if n.operator == k.B_SUB:
        return None not in pointers
    if isinstance(t, IntType) and t.signed and n.operator not in (k.B_EQ, k.B_NE):
        return False
    return all(p is not None or is_nowhere(c) for c, p in zip(n.operands, pointers, strict=True))


def is_in_union(n: Node) -> bool:
    """Is an lvalue a number in a union that holds pointers too?"""
    return is_number(n.type) and any(
        isinstance(t, RecordType) and t.is_union and holds_pointer(t) for t in _path(n)[1]
    )


def is_among_numbers(n: Node) -> bool:
    """Is an lvalue a number that is reached through a pointer to numbers?"""
    if not is_number(n.type):
        return False
    root = _path(n)[0]
    through = root.kind == k.SUBSCRIPT or (root.kind == k.UNARY and root.operator == k.U_DEREF)
    return through and is_number(element_type(root.type))


def _path(n: Node) -> tuple[Node, list[CType]]:
    """The variable, or the access through a pointer, of which an lvalue is a part, and the records
    on the way.
    """
    records: list[CType] = []
    while True:
        if n.kind == k.MEMBER:
            base = n.operands[0]
            records.append(base.type.to if isinstance(base.type, PointerType) else base.type)
            if isinstance(base.type, PointerType):
                return n, records
            n = base
        elif (
            n.kind == k.SUBSCRIPT
            and (array := decayed_array(n.operands[0]) or decayed_array(n.operands[1])) is not None
        ):
            n = array
        elif n.kind == k.PAREN:
            n = n.operands[0]
        else:
            return n, records
