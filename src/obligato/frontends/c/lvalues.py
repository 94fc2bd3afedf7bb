"""Lvalue expressions to places, and the addresses of places."""

from __future__ import annotations

from collections.abc import Callable

from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.places import BlobPlace, Captured, MemoryPlace, Place
from obligato.frontends.c.purity import has_effects
from obligato.frontends.c.sequencing import Effects, effects_of
from obligato.frontends.c.types import ArrayType, FunctionType, IntType, PointerType, RecordType, VoidType
from obligato.program.syntax import If
from obligato.terms import Term


class Places(Aggregates):
    """`place` and what it needs."""

    def place(self, n: Node) -> Place:
        """The place of an lvalue, or of the temporary object of an aggregate value."""
        if n.kind == k.DECL_REF:
            return self.object_place(self.usage.object(n.reference))
        if n.kind in (k.PAREN, k.UNEXPOSED_EXPR, k.CAST) and len(n.operands) == 1:
            return self.place(n.operands[0])
        if n.kind == k.MEMBER:
            return self._member_place(n)
        if n.kind == k.SUBSCRIPT:
            return self._subscript_place(n)
        if n.kind == k.UNARY and n.operator == k.U_DEREF:
            return self.target(n.operands[0], self.address(0))
        if n.kind == k.UNARY and n.operator == k.U_EXTENSION:
            return self.place(n.operands[0])
        if n.kind == k.STRING:
            return self.object_place(self.usage.site(n, "string", n.type))
        if n.kind == k.COMPOUND_LITERAL:
            return self._literal_place(n)
        return self._aggregate_value(n)

    def _member_place(self, n: Node) -> Place:
        base = n.operands[0]
        if isinstance(base.type, PointerType):
            p = self.target(base, self.address(0))
        else:
            p = self.place(base)
        key = self.usage.tree.lib.getCursorReferenced(n.cursor).data[0] or 0
        assert isinstance(p.type, RecordType)
        path = p.type.path_to(key)
        if path is None:
            raise self.refuse("unknown member", n)
        for f in path:
            assert isinstance(p.type, RecordType)
            p = self.member(p, f, p.type.fields.index(f))
        return p

    def _subscript_place(self, n: Node) -> Place:
        a, b = n.operands
        base, index = (a, b) if isinstance(a.type, PointerType) else (b, a)
        if not has_effects(n, self.context.prop):
            return self.target(base, self.index(index))
        places: list[Place] = []

        def lower() -> list[Term]:
            places.append(self._pointer_base(base))
            return place_terms(places[0])

        _, (i,) = self.unsequenced([lower, lambda: [self.index(index)]])
        return self.element(places[0], i)

    def index(self, n: Node) -> Term:
        """An index expression in the width of addresses."""
        t = n.type
        return self.scalars.resize(self.value(n), self.width, isinstance(t, IntType) and t.signed)

    def target(self, pointer: Node, index: Term) -> Place:
        """The place ``pointer[index]``."""
        return self.element(self._pointer_base(pointer), index)

    def _pointer_base(self, pointer: Node) -> Place:
        """The array that a pointer expression points into: one that decays, or memory of unknown length."""
        while pointer.kind == k.PAREN:
            pointer = pointer.operands[0]
        if pointer.kind == k.UNEXPOSED_EXPR and len(pointer.operands) == 1 and isinstance(pointer.operands[0].type, ArrayType):
            return self.place(pointer.operands[0])
        t = pointer.type
        assert isinstance(t, PointerType)
        region, open_end = self.regions.region(self.usage.target(pointer)), ArrayType("[]", -1, t.to, None, False)
        if self.guards and pointer.kind == k.BINARY and pointer.operator in (k.B_ADD, k.B_SUB):  # *(p + i) is p[i]
            origin, address = self.sum_of(pointer)
            return MemoryPlace(region, address, open_end, origin=origin)
        return MemoryPlace(region, self.value(pointer), open_end)

    def step(self, t: PointerType) -> int:
        """The size of what a pointer points to."""
        if isinstance(t.to, VoidType | FunctionType):
            return 1
        if t.to.size < 0:
            raise self.refuse("arithmetic on a pointer to an incomplete type")
        return t.to.size

    def sum_of(self, n: Node) -> tuple[Term, Term]:
        """A pointer plus or minus an integer: the pointer and the result."""
        raise NotImplementedError

    def pointer_to(self, p: Place, n: Node) -> Term:
        """The address of a place as the value of the expression `n`."""
        address = self.address_of(p)
        if isinstance(p, MemoryPlace) and p.origin is not None:
            self.check_pointer(n, p.origin, address)
        return address

    def address_of(self, p: Place) -> Term:
        """The address of a place in memory."""
        if isinstance(p, MemoryPlace):
            return p.address
        o = p.base.object if isinstance(p, BlobPlace) else p.object
        if o.address is None:
            raise self.refuse(f"address of {o.name}")
        if isinstance(p, BlobPlace):
            return self.plus(self.address_of(p.base), self.address(p.offset // 8))
        n = len(p.path)
        offset = next((slot.offset for path, slot in o.slots.items() if path[:n] == p.path), 0)
        return self.address(o.address + offset // 8)

    def _literal_place(self, n: Node) -> Captured:
        p = self.object_place(self.usage.site(n, "literal", n.type))
        self.initialise(p, n.operands[-1])
        return p

    def _aggregate_value(self, n: Node) -> Place:
        """The place that holds the value of an expression of record type."""
        if n.kind == k.CALL:
            result = self.call(n, wanted=True)
        elif n.kind == k.STMT_EXPR:
            result = self.statement_expression(n, wanted=True)
        elif n.kind == k.CONDITIONAL:
            result = self._conditional_aggregate(n)
        elif n.kind == k.BINARY and n.operator == k.B_ASSIGN:
            result = self.assign_record(*n.operands)
        elif n.kind == k.BINARY and n.operator == k.B_COMMA:
            self.discard(n.operands[0])
            result = self.place(n.operands[1])
        else:
            raise self.refuse("unknown lvalue", n, f"an lvalue of kind {n.kind} is not supported")
        if result is None or isinstance(result, Term):
            raise self.refuse("unknown aggregate value", n)
        return result

    def _conditional_aggregate(self, n: Node) -> Place:
        c, a, b = n.operands
        fresh = self.temporary(n.type)
        test = self.condition(c)
        with self.block() as then:
            self.copy(fresh, self.capture(self.place(a)))
        with self.block() as otherwise:
            self.copy(fresh, self.capture(self.place(b)))
        self.emit(If(test, tuple(then), tuple(otherwise), self.span))
        return fresh

    def assign_record(self, left: Node, right: Node) -> Captured:
        """Assign a record; the left side."""
        places: list[Place] = []

        def lower(n: Node) -> list[Term]:
            places.append(self.place(n))
            return place_terms(places[-1])

        self.unsequenced([lambda: lower(left), lambda: lower(right)])
        target, source = self.capture(places[0]), self.capture(places[1])
        self.copy(target, source)
        return target

    # -- unsequenced operands

    def discard_all(self, operands: list[Node]) -> None:
        """The effects of operands whose values do not matter, but whose order does where their effects meet."""
        def lower(n: Node) -> list[Term]:
            self.discard(n)
            return []

        self.unsequenced([lambda n=n: lower(n) for n in operands])  # type: ignore[misc]

    def unsequenced(self, operands: list[Callable[[], list[Term]]]) -> list[list[Term]]:
        """Lower operands one after the other; record that C leaves their order open.

        Each operand is a function that lowers it and returns the terms that stand for it.
        """
        parts: list[Effects] = []
        results: list[list[Term]] = []
        for lower in operands:
            with self.block() as mine:
                terms = lower()
            e = effects_of(mine)
            e.read(terms)
            parts.append(e)
            results.append(terms)
            self.out.extend(mine)
        self.context.sequencing.unsequenced(self.span, parts)
        return results


def place_terms(p: Place) -> list[Term]:
    """The terms that a place depends on."""
    if isinstance(p, MemoryPlace):
        return [p.address, *([p.origin] if isinstance(p.origin, Term) else ())]
    index = p.base.index if isinstance(p, BlobPlace) else p.index
    return [] if index is None else [index]
