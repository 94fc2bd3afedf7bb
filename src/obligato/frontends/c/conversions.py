"""What conversions of pointers, and initial values, show of memory."""

from __future__ import annotations

from obligato.frontends.c import catalogue
from obligato.frontends.c import kinds as k
from obligato.frontends.c.keys import pointer_key, pointer_keys
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.observations import Observations
from obligato.frontends.c.patterns import direct_callee, strip_parentheses
from obligato.frontends.c.types import (
    CType,
    FunctionType,
    PointerType,
    RecordType,
    VoidType,
    element_type,
    holds_pointer,
    same_layout,
)


class Conversions(Observations):
    """The types under which conversions show memory."""

    def _check_view(self, source: CType, target: PointerType, location: int) -> None:
        to = element_type(target.to)
        source = element_type(source)
        if (
            isinstance(to, VoidType | FunctionType)
            or isinstance(source, FunctionType)
            or source is to
        ):
            return
        if isinstance(source, VoidType):
            self.see_again(location, to)
            return
        if same_layout(source, to):
            self.recasts.append(location)
            if not holds_pointer(to):
                return
        self.see(location, source)
        if isinstance(source, RecordType) and isinstance(to, RecordType):
            self.record_casts[source, to] = None
        self.see(location, to)

    def _allocates(self, n: Node, target: PointerType) -> bool:
        """Is memory allocated and becomes memory of a type at once? Then that is its type."""
        n = strip_parentheses(n)
        name = direct_callee(n.operands[0]) if n.kind == k.CALL else None
        to = element_type(target.to)
        if (
            name not in catalogue.ALLOCATIONS
            or name in self.definitions
            or isinstance(to, VoidType | FunctionType)
        ):
            return False
        self.site(n, "heap", self.tree.types.void).allocated = to
        return True

    def _initialised(self, location: int, start: Node, t: CType) -> int:
        """The class that a member, or an element, of an object points to which `start` is the
        initial value of: its type is the member's (initialisers.py makes sure of that).
        """
        contents = self.points.pointee(location)
        if isinstance(start.type, RecordType):
            return contents
        keys, own = pointer_keys(t), pointer_key(start.type)
        if isinstance(start.type, PointerType) and own in keys:
            return self.points.part(contents, own)
        if len(keys) != 1:
            self.points.collapse(contents)
        return self.points.part(contents, next(iter(keys), None))
