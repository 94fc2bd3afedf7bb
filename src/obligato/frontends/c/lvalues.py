"""Lvalue expressions to places, and the addresses of places."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, offset_of, slots_below
from obligato.frontends.c.places import BlobPlace, Captured, MemoryPlace, Place, place_terms
from obligato.frontends.c.purity import has_effects
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.sequencing import effects_of
from obligato.frontends.c.types import ArrayType, IntType, PointerType, RecordType
from obligato.program.syntax import Statement
from obligato.terms import Term


@dataclass(eq=False, repr=False)
class Places(Part):
    """The places that lvalue expressions denote (`place`)."""

    memory: Memory
    allocations: Allocations
    safety: Safety
    evaluator: Evaluator

    def place(self, n: Node) -> Place:
        """The place of an lvalue, or of the temporary object of an aggregate value."""
        if n.kind == k.DECL_REF:
            return self.memory.object_place(self.usage.object(n.reference))
        if n.kind in (k.PAREN, k.UNEXPOSED_EXPR, k.CAST) and len(n.operands) == 1:
            if isinstance(n.type, RecordType) and n.operands[0].type is not n.type:
                raise self.code.refuse("a cast to a union", n)
            return self.place(n.operands[0])
        if n.kind == k.MEMBER:
            return self._member_place(n)
        if n.kind == k.SUBSCRIPT:
            return self._subscript_place(n)
        if n.kind == k.UNARY and n.operator == k.U_DEREF:
            return self.target(n.operands[0], self.code.address(0))
        if n.kind == k.UNARY and n.operator == k.U_EXTENSION:
            return self.place(n.operands[0])
        if n.kind == k.STRING:
            return self.memory.object_place(self.usage.site(n, "string", n.type))
        if n.kind == k.COMPOUND_LITERAL:
            return self._literal_place(n)
        return self.evaluator.record(n)

    def _member_place(self, n: Node) -> Place:
        base = n.operands[0]
        if isinstance(base.type, PointerType):
            p = self.target(base, self.code.address(0))
        else:
            p = self.place(base)
        key = self.usage.tree.lib.getCursorReferenced(n.cursor).data[0] or 0
        assert isinstance(p.type, RecordType)
        way = p.type.way_to(key)
        if way is None:
            raise self.code.refuse("unknown member", n)
        for f in way:
            assert isinstance(p.type, RecordType)
            p = self.memory.member(p, f, p.type.fields.index(f))
        return p

    def _subscript_place(self, n: Node) -> Place:
        a, b = n.operands
        base, index = (a, b) if isinstance(a.type, PointerType) else (b, a)
        if not has_effects(n, self.context.prop):
            return self.target(base, self.index(index))
        places: list[Place] = []

        def lower() -> list[Term]:
            places.append(self.pointer_base(base))
            return place_terms(places[0])

        _, (i,) = self.code.unsequenced([lower, lambda: [self.index(index)]])
        return self.memory.element(places[0], i)

    def index(self, n: Node) -> Term:
        """An index expression in the width of addresses."""
        t = n.type
        return self.scalars.resize(
            self.evaluator.value(n), self.width, isinstance(t, IntType) and t.signed
        )

    def target(self, pointer: Node, index: Term) -> Place:
        """The place ``pointer[index]``."""
        return self.memory.element(self.pointer_base(pointer), index)

    def pointer_base(self, pointer: Node) -> Place:
        """The array that a pointer expression points into: one that decays, or memory of unknown
        length.
        """
        while pointer.kind == k.PAREN:
            pointer = pointer.operands[0]
        if (
            pointer.kind == k.UNEXPOSED_EXPR
            and len(pointer.operands) == 1
            and isinstance(pointer.operands[0].type, ArrayType)
        ):
            return self.place(pointer.operands[0])
        t = pointer.type
        assert isinstance(t, PointerType)
        region, open_end = (
            self.regions.region(self.usage.target(pointer)),
            ArrayType("[]", -1, t.to, None, False),
        )
        # *(p + i) is p[i]
        if self.guards and pointer.kind == k.BINARY and pointer.operator in (k.B_ADD, k.B_SUB):
            origin, address = self.evaluator.sum_of(pointer)
            return MemoryPlace(region, address, open_end, origin=origin)
        return MemoryPlace(region, self.evaluator.value(pointer), open_end)

    def pointer_to(self, p: Place, n: Node) -> Term:
        """The address of a place as the value of the expression `n`."""
        address = self.address_of(p)
        if isinstance(p, MemoryPlace) and p.origin is not None:
            self.safety.check_pointer(n, p.origin, address)
        return address

    def address_of(self, p: Place) -> Term:
        """The address of a place in memory."""
        if isinstance(p, MemoryPlace):
            return p.address
        o = p.base.object if isinstance(p, BlobPlace) else p.object
        if o.address is None:
            raise self.code.refuse(f"address of {o.name}")
        if isinstance(p, BlobPlace):
            return self.code.plus(self.address_of(p.base), self.code.address(p.offset // 8))
        start = self.code.address(o.address + offset_of(o.type, p.way) // 8)
        if p.index is None:
            return start
        size = p.type.size if isinstance(p.type, ArrayType) else slots_below(o, p.way)[0].stride
        return self.code.plus(start, self.code.times(p.index, size))

    def _literal_place(self, n: Node) -> Captured:
        """A compound literal; one object per execution of its block, which jumps and loops may
        enter again.
        """
        o, again = (
            self.usage.site(n, "literal", n.type),
            self.code.loops > 0 or self.code.has_labels,
        )
        if o.region is not None and o.address is None:
            if again:
                raise self.code.refuse("a compound literal in a loop of a recursive function", n)
            o.base = o.base or self.code.local("literal$address", self.address_sort)
            self.code.assign(
                o.base,
                self.allocations.allocate(o, self.code.address(max(o.type.size, 0)), zero=False),
            )
        p = self.memory.object_place(o)
        with self.code.block() as setting:
            self.allocations.aggregates.begin_padding(p)
            self.evaluator.initialise(p, n.operands[-1])
        if again and o.region is not None and self._is_read(o, setting):
            raise self.code.refuse("a compound literal whose initialiser may read it", n)
        self.code.out.extend(setting)
        return p

    def _is_read(self, o: Object, code: list[Statement]) -> bool:
        """May an object in memory be read?"""
        own = {v: None for slot in o.slots.values() for v in slot.variables}
        if o.region is not None and not own:
            number = o.region.number
            own = {
                x: None for (region, _), x in self.context.region_arrays.items() if region == number
            }
        effects = effects_of(code, with_loops=True)
        return any(x in own for x in (*(x for x, _ in effects.reads), *effects.sums))
