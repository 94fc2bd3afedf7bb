"""Allocations: how they are made, loops over them (unrolled where short), contents that are zero
or any.

They get increasing addresses and never fail (as the competition assumes); an address is never used
again. Running out of addresses is impossible as long as nothing was freed, and a limit then
(room.py). So is one allocation that is larger than all addresses, since programs ask for it by
mistake and then go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.code import Part
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region, declared_types, slot_sort
from obligato.frontends.c.places import Captured, MemoryPlace, Place, Value
from obligato.frontends.c.room import take
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.sequencing import SIZES
from obligato.frontends.c.types import ArrayType, CType, IntType, RecordType, is_scalar
from obligato.program.syntax import LIMIT, Assert, Assume, Havoc, Variable, While
from obligato.terms import Kind, Op, Sort, Term, TermStore, array

UNROLL = 64


@dataclass(eq=False, repr=False)
class Allocations(Part):
    """Operations on allocations."""

    memory: Memory
    aggregates: Aggregates
    safety: Safety

    # -- loops

    def times_do(self, count: Value, body: Callable[[Value], None]) -> None:
        """``for (i = 0; i < count; i++) body(i)``, unrolled if short; one run of the body does not
        change i.
        """
        if count.is_const and isinstance(count.data, int) and count.data <= UNROLL:
            for position in range(count.data):
                body(self.code.address(position))
            return
        i = Value(self.code.local("i", self.address_sort))
        self.code.assign(i, self.code.address(0))
        with self.code.block() as inner:
            body(i)
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        self.code.emit(While(self.store.mk(Op.BVULT, (i, count)), tuple(inner), self.code.span))

    # -- allocation

    @property
    def sizes(self) -> Term:
        """The sizes of allocations by their addresses, for realloc."""
        sort = array(self.address_sort, self.address_sort)
        start = self.store.const_array(sort, self.code.address(0))
        self.context.globals.setdefault(SIZES, Variable(SIZES, sort, start))
        return self.store.var(SIZES, sort)

    def allocate(self, o: Object, size: Term, zero: bool, automatic: bool = True) -> Value:
        """A fresh allocation of `size` bytes; an automatic one ends with its scope or function."""
        start = self._allocate(o, size, zero, automatic)
        if self.usage.reallocates:
            self.code.assign(self.sizes, self.store.store(self.sizes, start, size))
        return start

    def _allocate(self, o: Object, size: Term, zero: bool, automatic: bool) -> Value:
        region, s = o.region, self.store
        assert region is not None and region.heap is not None
        if self.guards:
            start = self.safety.new_allocation(o, region, size)
            if zero or region.zeroed:
                self._fill_allocation(o, region, start, size, zero)
            return start
        first, end = region.heap_range
        most = end - 64 - first
        if not (size.is_const and isinstance(size.data, int) and size.data <= most):
            possible = s.mk(Op.BVULE, (size, self.code.address(most)))
            self.code.emit(
                Assert(
                    possible,
                    "an allocation is larger than the memory model allows",
                    LIMIT,
                    self.code.span,
                )
            )
        take(
            self.code,
            s.mk(Op.BVULE, (size, s.mk(Op.BVSUB, (self.code.address(end - 64), region.heap)))),
            size,
        )
        start = self.code.captured(region.heap, "block")
        advance = s.mk(
            Op.BVAND, (self.code.plus(size, self.code.address(31)), self.code.address(-16))
        )
        if size.is_const and isinstance(size.data, int):
            advance = self.code.address(_spaced(size.data))
        self.code.assign(region.heap, self.code.plus(region.heap, advance))
        if zero or region.zeroed:
            self._fill_allocation(o, region, start, size, zero)
        return start

    def unit(self, o: Object, region: Region) -> CType:
        """The type of the elements that an object in a region is made of."""
        if region.kind == "bytes":
            return self.types.char
        return next(iter([*declared_types(o), *region.views]), self.types.char)

    def _fill_allocation(
        self, o: Object, region: Region, start: Value, size: Term, zero: bool
    ) -> None:
        """Zero (or any) contents."""
        t = self.unit(o, region)
        if isinstance(t, RecordType):
            self.whole_elements(size, t)
        count = self.code.captured(self.quotient(size, t.size, round_up=True), "count")

        def fill(i: Value) -> None:
            place = MemoryPlace(region, self.code.plus(start, self.code.times(i, t.size)), t)
            for p in self.aggregates.parts(place):
                self.memory.store_at(p, self.zero_of(p.type) if zero else self.anything(p))

        with self.safety.unchecked():
            self.times_do(count, fill)

    def whole_elements(self, size: Term, t: CType) -> Term:
        """size / sizeof (t); a part of an element is beyond the model."""
        if not _divides(size, t.size):
            rest = self.store.mk(Op.BVUREM, (size, self.code.address(t.size)))
            self.code.require(
                self.store.eq(rest, self.code.address(0)),
                "a part of memory ends inside an element",
                LIMIT,
            )
        return self.quotient(size, t.size)

    def quotient(self, size: Term, by: int, round_up: bool = False) -> Term:
        """size / by."""
        if size.is_const and isinstance(size.data, int):
            return self.code.address((size.data + (by - 1 if round_up else 0)) // by)
        if round_up and by > 1:
            size = self.code.plus(size, self.code.address(by - 1))
        return size if by == 1 else self.store.mk(Op.BVUDIV, (size, self.code.address(by)))

    def anything(self, p: Place, approximates: str | None = None) -> Term:
        """Any value for a scalar place."""
        sort = slot_sort(p.type, None)
        t = self.code.local("any", sort)
        self.code.emit(Havoc((t,), approximates, self.code.span))
        return t

    def forget(self, o: Object, once: bool) -> None:
        """A variable without initialiser comes into existence: any contents."""
        if o.slots:
            if not once or o.region is not None:
                self.code.emit(
                    Havoc(
                        tuple(v for slot in o.slots.values() for v in slot.variables),
                        span=self.code.span,
                    )
                )
        elif o.region is not None and (o.region.zeroed or not once):
            self._fill_allocation(
                o, o.region, self.code.object_address(o), self.code.address(o.type.size), zero=False
            )

    def zero_allocation(self, place: Captured) -> bool:
        """Zero a large place in memory by a loop; is it one?"""
        t = place.type
        if (
            not isinstance(place, MemoryPlace)
            or not isinstance(t, ArrayType)
            or (t.count or 0) <= UNROLL
        ):
            return False
        self.times_do(self.code.address(t.count or 0), lambda i: self.zero_element(place, i))
        return True

    def zero_element(self, place: Captured, i: Value) -> None:
        """Zero one element of an array."""
        element = self.memory.element(place, i)
        if is_scalar(element.type):
            self.memory.store_at(element, self.zero_of(element.type))
        else:
            self.zero(element)

    def zero(self, place: Captured) -> None:
        """All bytes zero."""
        whole = self.aggregates.whole_slots(place)
        if whole is not None:
            for v in whole:
                self.code.assign(v, zero_term(self.store, v.sort))
            return
        with self.safety.unchecked():
            if self.zero_allocation(place):
                return
            for p in self.aggregates.parts(place):
                self.memory.store_at(p, self.zero_of(p.type))

    def zero_of(self, t: CType) -> Term:
        """The zero of a scalar, or of a union's bits."""
        if isinstance(t, RecordType):
            return self.store.bv(0, 8 * t.size)
        return self.scalars.constant(0, t)

    def any_value(
        self, result: Term | Place | None, n: Node, approximates: str | None, source: str
    ) -> None:
        """Any value of the type of the call `n`, given by the function `source`; a _Bool is
        0 or 1.
        """
        t, span = n.type, self.code.place_of(n)
        if isinstance(result, Term):
            self.code.emit(Havoc((result,), approximates, span, source))
            if isinstance(t, IntType) and t.is_bool:
                self.code.emit(
                    Assume(self.store.mk(Op.BVULE, (result, self.store.bv(1, t.width))), span)
                )
        elif result is not None:
            targets = tuple(self.aggregates.whole_slots(result) or ())
            if targets:
                self.code.emit(Havoc(targets, approximates, span, source))


def _spaced(size: int) -> int:
    """How far behind the start of an allocation the next one may start: a power of two for small
    ones (`analysis.heap_cells`).
    """
    least = (size + 31) & -16
    return 1 << (least - 1).bit_length() if least <= 64 else least


def _divides(size: Term, by: int) -> bool:
    """Is `size` a multiple of `by`, obviously (and without a wrap that `by` does not divide)?"""
    if size.is_const and isinstance(size.data, int):
        return size.data % by == 0
    if size.op is Op.BVMUL and by & (by - 1) == 0:
        return any(isinstance(f.data, int) and f.is_const and f.data % by == 0 for f in size.args)
    return by == 1


def zero_term(store: TermStore, sort: Sort) -> Term:
    """Zero of any sort, arrays included."""
    if sort.kind is Kind.ARRAY:
        return store.const_array(sort, zero_term(store, sort.element))
    return store.fp_zero(sort) if sort.kind is Kind.FLOAT else store.bv(0, sort.width)
