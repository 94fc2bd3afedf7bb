"""Regions of cells: objects with addresses whose parts are variables of their own, so that a
pointer access chooses a variable.

An access at address A denotes a cell at address a if A = a, and the element (A - a) / s of an array
of n elements that are s bytes apart if 0 <= A - a < n s. Where A is known as start + s * index, the
element is (start - a) / s + index, without a division where the start is known. A member of a
record is looked for in records of its type only, as long as memory is seen under one type. The last
candidate needs no condition, since an access to something else is undefined [C11, 6.5p7, 6.5.6p8].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from obligato.frontends.c.code import Part
from obligato.frontends.c.objects import Slot, record_starts
from obligato.frontends.c.places import MemoryPlace
from obligato.program.syntax import Assign, Havoc
from obligato.terms import Op, Sort, Term


@dataclass(frozen=True)
class Cell:
    """A variable, or an array of `slot.count` elements `slot.stride` bytes apart, and its
    address.
    """

    address: int
    slot: Slot
    alone: bool = True  # does no other cell that is asked about lie between its elements?

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.address + (1 if self.slot.count is None else self.slot.count * self.slot.stride)

    def has(self, address: int) -> bool:
        """Does the place belong to this cell, or to one of its elements?"""
        inside = address - self.address
        if self.slot.count is None:
            return inside == 0
        return 0 <= inside < self.slot.count * self.slot.stride and inside % self.slot.stride == 0


class Cells(Part):
    """`load` and `store` at places in regions of cells."""

    def load(self, p: MemoryPlace[Term], sort: Sort) -> Term:
        """The value at a place; any value if there is no cell that it can denote."""
        cells = self._candidates(p, sort)
        if not cells:
            t = self.code.local("invalid", sort)
            self.code.emit(Havoc((t,), span=self.code.span))
            return t
        value = self._value(p, cells[-1])
        for cell in reversed(cells[:-1]):
            value = self.store.ite(self._denotes(p, cell), self._value(p, cell), value)
        return value

    def store_at(self, p: MemoryPlace[Term], sort: Sort, value: Term) -> None:
        """Assign to the cell that a place denotes."""
        cells, s = self._candidates(p, sort), self.store
        changed = [
            (x, e if len(cells) == 1 else s.ite(self._denotes(p, c), e, x))
            for c in cells
            for x, e in slot_changes(c.slot, self._index(p, c), value)
        ]
        if changed:
            self.code.emit(
                Assign(tuple(x for x, _ in changed), tuple(e for _, e in changed), self.code.span)
            )

    def _candidates(self, p: MemoryPlace[Term], sort: Sort) -> list[Cell]:
        found: list[Cell] = []
        record = p.record if p.region.exact else None
        for o in p.region.objects:
            assert o.address is not None
            for way, slot in o.slots.items():
                if slot.bits != p.bits or slot.element is not sort:
                    continue
                start = slot.offset - (8 * p.offset if p.bits is None else p.bit_offset)
                if record is None or start in record_starts(o.type, way, record):
                    address = o.address + (slot.offset if p.bits is None else start) // 8
                    found.append(Cell(address, slot))
        exact = [
            c
            for c in found
            if p.address.is_const and isinstance(p.address.data, int) and c.has(p.address.data)
        ]
        return exact[:1] or [replace(c, alone=_is_alone(c, found)) for c in found]

    def _denotes(self, p: MemoryPlace[Term], c: Cell) -> Term:
        """The condition that the place is this cell, or one of its elements."""
        s, start = self.store, self.code.address(c.address)
        if c.slot.count is None:
            return s.eq(p.address, start)
        distance = s.mk(Op.BVSUB, (p.address, start))
        inside = s.mk(Op.BVULT, (distance, self.code.address(c.slot.count * c.slot.stride)))
        if c.alone:
            return inside
        low = s.mk(Op.BVAND, (distance, self.code.address(c.slot.stride - 1)))
        return s.and_(inside, s.eq(low, self.code.address(0)))

    def _index(self, p: MemoryPlace[Term], c: Cell) -> Term | None:
        if c.slot.count is None:
            return None
        if p.declared and p.index is not None and p.step == c.slot.stride:
            return p.index  # the array starts where the cell does
        if p.start is not None and p.index is not None and p.step == c.slot.stride:
            return self.code.moved(p.index, self._elements(p.start, c))
        return self._elements(p.address, c)

    def _elements(self, address: Term, c: Cell) -> Term:
        """The number of elements before an address."""
        if address.is_const and isinstance(address.data, int):
            return self.code.address((address.data - c.address) // c.slot.stride)
        distance = self.store.mk(Op.BVSUB, (address, self.code.address(c.address)))
        shift = c.slot.stride.bit_length() - 1
        return self.store.mk(Op.BVLSHR, (distance, self.code.address(shift))) if shift else distance

    def _value(self, p: MemoryPlace[Term], c: Cell) -> Term:
        return slot_value(c.slot, self._index(p, c))


def _is_alone(cell: Cell, cells: list[Cell]) -> bool:
    """Does no other one lie inside of it? Records may have several parts of one kind, and these
    come in turns in an array.
    """
    return not any(c.address < cell.end and cell.address < c.end for c in cells if c is not cell)


def slot_value(slot: Slot, index: Term | None) -> Term:
    """The value of a part of a split object; what is behind the end of a spread array is its last
    element (undefined).
    """
    if slot.count is None or index is None:
        return slot.variable
    if not slot.is_spread:
        return index.store.select(slot.variable, index)
    if index.is_const and isinstance(index.data, int):
        return slot.variables[min(index.data, slot.count - 1)]
    value = slot.variables[-1]
    for i, x in reversed(list(enumerate(slot.variables[:-1]))):
        value = index.store.ite(_is(index, i), x, value)
    return value


def slot_changes(slot: Slot, index: Term | None, value: Term) -> list[tuple[Term, Term]]:
    """What to assign, and to which variables, so that the part has the value; nothing behind the
    end of a spread array.
    """
    if slot.count is None or index is None:
        return [(slot.variable, value)]
    if not slot.is_spread:
        return [(slot.variable, index.store.store(slot.variable, index, value))]
    if index.is_const and isinstance(index.data, int):
        return [(slot.variables[index.data], value)] if index.data < slot.count else []
    return [(x, index.store.ite(_is(index, i), value, x)) for i, x in enumerate(slot.variables)]


def _is(index: Term, i: int) -> Term:
    return index.store.eq(index, index.store.bv(i, index.sort.width))
