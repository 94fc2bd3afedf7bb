"""Memory as blocks: loops over them (unrolled where short), allocation, contents that are zero or any.

Allocation hands out increasing addresses and never fails (as the competition assumes); an address is never used again.
Running out of addresses is impossible for a program that frees nothing (there is no more memory than addresses), and
a bound of the model, hence a limit, for one that does, if only by leaving the scope of variable-length arrays.  So is
one block that is larger than all addresses, since programs ask for it by mistake and then go on.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.frontends.c.initialisers import Initialisers
from obligato.frontends.c.objects import Object, Region, slot_sort
from obligato.frontends.c.places import Captured, MemoryPlace, Place, Value
from obligato.frontends.c.types import ArrayType, CType, RecordType, is_scalar
from obligato.program.syntax import LIMIT, Assert, Assume, Havoc, While
from obligato.terms import Op, Term

UNROLL = 64


class Blocks(Initialisers):
    """Operations on blocks of memory."""

    # -- loops

    def times_do(self, count: Value, body: Callable[[Value], None]) -> None:
        """``for (i = 0; i < count; i++) body(i)``, unrolled if short; one run of the body does not change i."""
        if count.is_const and isinstance(count.data, int) and count.data <= UNROLL:
            for position in range(count.data):
                body(self.address(position))
            return
        i = Value(self.local("i", self.address_sort))
        self.assign(i, self.address(0))
        with self.block() as inner:
            body(i)
            self.assign(i, self.plus(i, self.address(1)))
        self.emit(While(self.store.mk(Op.BVULT, (i, count)), tuple(inner), self.span))

    # -- allocation

    def allocate(self, o: Object, size: Term, zero: bool, automatic: bool = True) -> Value:
        """A fresh block of `size` bytes; an automatic one ends with its scope or function."""
        region, s = o.region, self.store
        assert region is not None and region.heap is not None
        if self.guards:
            start = self.new_block(o, region, size)
            if zero or region.zeroed:
                self._fill_block(region, start, size, zero)
            return start
        first, end = region.heap_range
        room = s.mk(Op.BVSUB, (self.address(end - 64), region.heap))
        fits = s.mk(Op.BVULE, (size, room))
        if self.usage.frees or (automatic and not self.runs_once):
            self.emit(Assert(fits, "the memory model has no address left", LIMIT, self.span))
        else:
            most = end - 64 - first
            if not (size.is_const and isinstance(size.data, int) and size.data <= most):
                possible = s.mk(Op.BVULE, (size, self.address(most)))
                self.emit(Assert(possible, "a block is larger than the memory model allows", LIMIT, self.span))
            self.emit(Assume(fits, self.span))
        start = self.captured(region.heap, "block")
        advance = s.mk(Op.BVAND, (self.plus(size, self.address(31)), self.address(-16)))
        if size.is_const and isinstance(size.data, int):
            advance = self.address((size.data + 31) & -16)
        self.assign(region.heap, self.plus(region.heap, advance))
        if zero or region.zeroed:
            self._fill_block(region, start, size, zero)
        return start

    def new_block(self, o: Object, region: Region, size: Term) -> Value:
        """A fresh block where memory safety is asked for."""
        raise NotImplementedError

    def unit(self, region: Region) -> CType:
        """The type of the elements that a region is made of."""
        if region.kind == "bytes":
            return self.types.char
        return region.views[0] if region.views else self.types.char

    def _fill_block(self, region: Region, start: Value, size: Term, zero: bool) -> None:
        """Zero (or any) contents."""
        t = self.unit(region)
        if isinstance(t, RecordType):
            self.whole_elements(size, t)
        count = self.captured(self.quotient(size, t.size, round_up=True), "count")

        def fill(i: Value) -> None:
            place = MemoryPlace(region, self.plus(start, self.times(i, t.size)), t)
            for p in self.parts(place):
                self.store_at(p, self._zero_of(p.type) if zero else self._anything(p))

        with self.unchecked():
            self.times_do(count, fill)

    def whole_elements(self, size: Term, t: CType) -> Term:
        """size / sizeof (t); a part of an element is beyond the model."""
        if not _divides(size, t.size):
            rest = self.store.mk(Op.BVUREM, (size, self.address(t.size)))
            self.emit(Assert(self.store.eq(rest, self.address(0)), "a block ends inside an element", LIMIT, self.span))
        return self.quotient(size, t.size)

    def quotient(self, size: Term, by: int, round_up: bool = False) -> Term:
        """size / by."""
        if size.is_const and isinstance(size.data, int):
            return self.address((size.data + (by - 1 if round_up else 0)) // by)
        if round_up and by > 1:
            size = self.plus(size, self.address(by - 1))
        return size if by == 1 else self.store.mk(Op.BVUDIV, (size, self.address(by)))

    def _anything(self, p: Place, approximates: str | None = None) -> Term:
        sort = slot_sort(p.type, None)
        t = self.local("any", sort)
        self.emit(Havoc((t,), approximates, self.span))
        return t

    def forget(self, o: Object, once: bool) -> None:
        """A variable without initialiser comes into existence: any contents."""
        if o.slots:
            if not once or o.region is not None:
                self.emit(Havoc(tuple(slot.variable for slot in o.slots.values()), span=self.span))
        elif o.region is not None and (o.region.zeroed or not once):
            self._fill_block(o.region, self.object_address(o), self.address(o.type.size), zero=False)

    def zero_block(self, place: Captured) -> bool:
        """Zero a large place in memory by a loop; is it one?"""
        t = place.type
        if not isinstance(place, MemoryPlace) or not isinstance(t, ArrayType) or (t.count or 0) <= UNROLL:
            return False
        self.times_do(self.address(t.count or 0), lambda i: self.zero_element(place, i))
        return True

    def zero_element(self, place: Captured, i: Value) -> None:
        """Zero one element of an array."""
        element = self.element(place, i)
        if is_scalar(element.type):
            self.store_at(element, self._zero_of(element.type))
        else:
            self.zero(element)


def _divides(size: Term, by: int) -> bool:
    """Is `size` a multiple of `by`, obviously (and without a wrap that `by` does not divide)?"""
    if size.is_const and isinstance(size.data, int):
        return size.data % by == 0
    if size.op is Op.BVMUL and by & (by - 1) == 0:
        return any(isinstance(f.data, int) and f.is_const and f.data % by == 0 for f in size.args)
    return by == 1
