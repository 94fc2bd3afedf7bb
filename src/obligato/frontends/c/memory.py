"""Loads and stores: split objects, union bits, regions of cells, typed arrays or bytes (little
endian).

`load` and `store_once` work on scalar places; aggregates.py does the rest.  A float written as bits
has its IEEE pattern; which pattern a NaN has is not known, so writing one is marked as an
approximation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from obligato.frontends.c.cells import Cells, slot_changes, slot_value
from obligato.frontends.c.code import Part
from obligato.frontends.c.keys import pointer_key
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.objects import Object, Region, Slot, component, level, slot_sort
from obligato.frontends.c.places import (
    AnyPlace,
    BlobPlace,
    Captured,
    MemoryPlace,
    Place,
    SplitPlace,
    V,
    Value,
)
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    Field,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    is_number,
    leaves,
    scalar_leaves,
    scalar_sort,
)
from obligato.program.syntax import LIMIT, TYPED, Assign, Assume, Havoc, If, Statement
from obligato.terms import Kind, Op, Sort, Term, bitvec


@dataclass(eq=False, repr=False)
class Memory(Part):
    """Loads and stores of scalars at places."""

    layout: Layout
    safety: Safety

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cells = Cells(self.code)

    def object_place(self, o: Object) -> Captured:
        """The place of a whole object."""
        if o.slots or (o.region is None):
            return SplitPlace(o, (), None, o.type)
        assert o.region is not None
        return MemoryPlace(o.region, self.code.object_address(o), o.type, origin=o)

    def member(self, p: AnyPlace[V], f: Field, position: int) -> AnyPlace[V]:
        """The member `f` of a record."""
        if isinstance(p, BlobPlace):
            return BlobPlace(p.base, p.offset + f.offset, f.type, f.bits)
        assert isinstance(p.type, RecordType)
        if isinstance(p, SplitPlace):
            if p.type.is_union:
                return BlobPlace(p, f.offset, f.type, f.bits)
            return SplitPlace(
                p.object, (*p.way, component(f, position)), p.index, f.type, f.bits, p.bounds
            )
        origin = p.origin or p.address
        if f.bits is not None:
            whole = replace(p, type=f.type, record=p.type, offset=0, origin=origin)
            return replace(whole, bits=f.bits, bit_offset=f.offset)
        offset = f.offset // 8
        by = self.code.address(offset)
        address = self.code.moved(p.address, by)
        start = None if p.start is None else self.code.moved(p.start, by)
        return MemoryPlace(
            p.region,
            address,
            f.type,
            p.type,
            offset,
            origin=origin,
            bounds=p.bounds,
            start=start,
            index=p.index,
            step=p.step,
            declared=p.declared,
            inner=p.inner or p.type.fields[-1].offset != f.offset,
        )

    def element(self, p: AnyPlace[V], index: V | Value) -> AnyPlace[V]:
        """The element `index` (of pointer width) of an array."""
        t = p.type
        assert isinstance(t, ArrayType)
        if isinstance(p, BlobPlace):
            assert isinstance(index.data, int)
            return BlobPlace(p.base, p.offset + 8 * index.data * t.element.size, t.element)
        if isinstance(p, MemoryPlace):
            return self._element_in_memory(p, t, index)
        bounds = self.safety.bounds(p, t, index)
        if self._is_expanded(p):
            if not isinstance(index.data, int) or not index.is_const:
                raise self.code.refuse("constant index out of bounds")
            if index.data >= (t.count or 0):
                if not self.guards or not t.count:
                    raise self.code.refuse("constant index out of bounds")
                index = self.code.address(0)  # the access fails
            return SplitPlace(
                p.object, (*p.way, int(str(index.data))), p.index, t.element, None, bounds
            )
        flat = (
            cast("V", index)
            if p.index is None
            else self.code.moved(self._scaled(p, t, p.index), index)
        )
        return SplitPlace(p.object, p.way, flat, t.element, None, bounds)

    def _element_in_memory(
        self, p: MemoryPlace[V], t: ArrayType, index: V | Value
    ) -> MemoryPlace[V]:
        size = 1 if isinstance(t.element, VoidType | FunctionType) else t.element.size
        address = self.code.moved(p.address, self._distance(t.element, size, index))
        bounds = self.safety.bounds(p, t, index)
        start, count = self._elements_from(p, t, index)
        return MemoryPlace(
            p.region,
            address,
            t.element,
            p.record,
            p.offset,
            origin=p.origin or p.address,
            bounds=bounds,
            start=start,
            index=count,
            step=max(size, 0),
            declared=p.declared or p.record is not None,
            inner=p.inner,
        )

    def _distance(self, t: CType, size: int, index: V) -> V:
        """The distance of so many elements of type `t`, in bytes."""
        if size >= 0 or (index.is_const and index.data == 0):
            return self.code.times(index, max(size, 0))
        by = self.code.dynamic_size(t)
        if by is None:
            raise self.code.refuse("index of an array of an incomplete type")
        if self.guards:
            raise self.code.refuse("memory safety of a pointer to a variable-length array")
        return cast("V", self.store.mk(Op.BVMUL, (index, by)))

    def _elements_from(self, p: MemoryPlace[V], t: ArrayType, index: V | Value) -> tuple[V, V]:
        """Where the elements start of which one is accessed, and its number; rows of rows are
        counted in elements.
        """
        if (
            p.start is None
            or p.index is None
            or p.step != t.size
            or not t.count
            or not (p.declared or p.record is None)
        ):
            return p.address, cast("V", index)
        return p.start, self.code.moved(self.code.times(p.index, t.count), index)

    def _scaled(self, p: SplitPlace[V], t: ArrayType, index: V) -> V:
        """The index of an array `t` of arrays, in elements."""
        if not t.variable:
            return self.code.times(index, t.count or 0)
        depth = level(p.object, t)
        if depth >= len(p.object.dimensions):
            raise self.code.refuse("use of a variable-length array before its declaration")
        return cast("V", self.store.mk(Op.BVMUL, (index, p.object.dimensions[depth])))

    def _is_expanded(self, p: SplitPlace[Term]) -> bool:
        n = len(p.way)
        return any(
            len(way) > n and way[:n] == p.way and isinstance(way[n], int) for way in p.object.slots
        )

    # -- captured places

    def capture(self, p: Place) -> Captured:
        """The same place; address, index and conditions have the values that they have now."""
        if isinstance(p, SplitPlace):
            return self._capture_part(p)
        if isinstance(p, BlobPlace):
            return BlobPlace(self._capture_part(p.base), p.offset, p.type, p.bits)
        pointers: dict[Term, Value] = {}
        origin = self._capture_sum(p.origin, pointers) if isinstance(p.origin, Term) else p.origin
        address, bounds = (
            self._capture_sum(p.address, pointers),
            tuple(self.code.captured(c) for c in p.bounds),
        )
        known = p.region.kind == "cells" and p.start is not None and p.index is not None
        start = self._capture_sum(p.start, pointers) if known and p.start is not None else None
        index = self.code.captured(p.index, "index") if known and p.index is not None else None
        return MemoryPlace(
            p.region,
            address,
            p.type,
            p.record,
            p.offset,
            p.bits,
            p.bit_offset,
            origin,
            bounds,
            start,
            index,
            p.step,
            p.declared,
            p.inner,
        )

    def _capture_part(self, p: SplitPlace[Term]) -> SplitPlace[Value]:
        index = None if p.index is None else self.code.captured(p.index, "index")
        return SplitPlace(
            p.object, p.way, index, p.type, p.bits, tuple(self.code.captured(c) for c in p.bounds)
        )

    def _capture_sum(self, a: Term, pointers: dict[Term, Value]) -> Value:
        """A pointer plus a constant: the pointer is captured, once, so that distances remain
        obvious.
        """
        shifted = a.op is Op.BVADD and len(a.args) == 2 and a.args[1].is_const
        base = a.args[0] if shifted else a
        if base not in pointers:
            pointers[base] = self.code.captured(base, "p")
        return self.code.plus(pointers[base], Value(a.args[1])) if shifted else pointers[base]

    # -- scalars

    def load(self, p: Place) -> Term:
        """The value at a scalar place, with the sort of its type."""
        self.safety.check_access(p)
        raw = self._load(p)
        if p.bits is None:
            return raw
        assert isinstance(p.type, IntType)
        return self.scalars.resize(raw, p.type.width, p.type.signed)

    def store_at(self, p: Captured, value: Term) -> None:
        """Assign to a scalar place; a bit-field keeps the low bits."""
        self.store_once(p, value)

    def store_once(self, p: Place, value: Term) -> None:
        """The same, as the one store of a C operation: neither the place nor a term made before is
        used afterwards.
        """
        if isinstance(p.type, PointerType) and self.layout.is_read_as_number(p):
            self.layout.learn_number(value)
        self.safety.check_access(p, write=True)
        if p.bits is not None:
            value = self.scalars.resize(value, p.bits, False)
        if isinstance(p, SplitPlace):
            self._store_slot(self.slot(p), p.index, value)
        elif isinstance(p, BlobPlace):
            self._store_blob(p, value)
        else:
            self._store_in_region(p, value)

    def _store_in_region(self, p: MemoryPlace[Term], value: Term) -> None:
        self._check_type(p)
        if p.region.kind == "cells":
            self.cells.store_at(p, self._cell_sort(p), value)
        elif p.region.kind == "bytes":
            self._store_bytes(p, value)
        else:
            array = self.context.region_array(p.region, self._key(p))
            self.code.assign(array, self.store.store(array, p.address, value))

    def slot(self, p: SplitPlace[Term]) -> Slot:
        slot = p.object.slots.get(p.way)
        if slot is None:
            raise self.code.refuse("access to an incomplete object")
        return slot

    def _load(self, p: Place) -> Term:
        if isinstance(p, SplitPlace):
            return self._load_slot(self.slot(p), p.index)
        if isinstance(p, BlobPlace):
            return self._load_blob(p)
        self._check_type(p)
        if p.region.kind == "cells":
            return self.cells.load(p, self._cell_sort(p))
        if p.region.kind == "bytes":
            return self._load_bytes(p)
        return self.store.select(self.context.region_array(p.region, self._key(p)), p.address)

    def _key(self, p: MemoryPlace[Term]) -> Sort | tuple[int, int]:
        self._expected(p)
        if p.bits is not None:
            return p.bit_offset, p.bits
        return slot_sort(p.type, None) if isinstance(p.type, RecordType) else scalar_sort(p.type)

    def _load_slot(self, slot: Slot, index: Term | None) -> Term:
        return slot_value(slot, index)

    def _store_slot(self, slot: Slot, index: Term | None, value: Term) -> None:
        changed = slot_changes(slot, index, value)
        if changed:
            self.code.emit(
                Assign(tuple(x for x, _ in changed), tuple(e for _, e in changed), self.code.span)
            )

    # -- unions in one variable

    def _load_blob(self, p: BlobPlace[Term]) -> Term:
        whole = self._load(p.base)
        width = p.bits or 8 * p.type.size
        part = (
            whole
            if width == whole.sort.width
            else self.store.extract(whole, p.offset + width - 1, p.offset)
        )
        return self.from_bits(part, p.type, p.bits)

    def _store_blob(self, p: BlobPlace[Term], value: Term) -> None:
        whole, s = self._load(p.base), self.store
        bits = self._to_bits(value, p.type)
        low, high = p.offset, p.offset + bits.sort.width
        parts = [] if high == whole.sort.width else [s.extract(whole, whole.sort.width - 1, high)]
        parts += [bits] + ([s.extract(whole, low - 1, 0)] if low else [])
        self._store_slot(self.slot(p.base), p.base.index, s.concat(*parts))

    def from_bits(self, bits: Term, t: CType, field_bits: int | None) -> Term:
        if not isinstance(t, FloatType) or field_bits is not None:
            return bits
        self._plain_float(t)
        return self.store.fp_from_bits(bits, t.sort)

    def _to_bits(self, value: Term, t: CType) -> Term:
        """The memory image of a scalar."""
        if value.sort.kind is not Kind.FLOAT:
            return value
        assert isinstance(t, FloatType)
        self._plain_float(t)
        s = self.store
        if value.is_const and value is not s.fp_nan(t.sort):
            return s.bv(value.data, t.sort.width)  # type: ignore[arg-type]
        bits = self.code.local("bits", bitvec(t.sort.width))
        nan: tuple[Statement, ...] = (
            Havoc((bits,), "the bit pattern of a NaN", self.code.span),
            Assume(s.fp_is_nan(s.fp_from_bits(bits, t.sort)), self.code.span),
        )
        self.code.emit(
            If(
                s.fp_is_nan(value),
                nan,
                (Assign((bits,), (s.fp_to_bits(value),), self.code.span),),
                self.code.span,
            )
        )
        return bits

    def _plain_float(self, t: FloatType) -> None:
        if t.sort.width != 8 * t.size:
            raise self.code.refuse("bytes of a long double")

    def _check_type(self, p: MemoryPlace[Term]) -> None:
        """Checked memory (views.py) is accessed by the types of what is there."""
        if not p.region.checked or isinstance(p.origin, Object):
            return
        parts = [self._is_typed(o, p) for o in p.region.objects if o.kind != "heap"]
        self.code.require(self.code.both_of(*parts), TYPED, LIMIT)

    def _is_typed(self, o: Object, p: MemoryPlace[Term]) -> Term:
        """The condition that a place is outside of an object, or is one of its scalars."""
        if o.address is None or p.bits is not None:
            return self.store.false
        first, last = o.address - p.type.size + 1, o.address + o.type.size - 1
        outside = self.code.negated(self.code.between(p.address, first, last))
        own = [
            self.code.between(p.address, o.address + at // 8, o.address + at // 8)
            for at, t, _ in leaves(o.type)
            if _are_alike(t, p.type)
        ]
        return self.code.either_of([outside, *own])

    def _expected(self, p: MemoryPlace[Term]) -> None:
        """A guard: memory that is kept by type is only accessed by the types it was seen under."""
        sort, r = slot_sort(p.type, p.bits), p.region
        if r.sorts is None:
            r.sorts = {s: None for t in r.views for _, s, _ in scalar_leaves(t, limit=4096)}
        if r.sorts and sort not in r.sorts and not r.checked:
            raise self.code.refuse("access by an unexpected type")

    def _cell_sort(self, p: MemoryPlace[Term]) -> Sort:
        self._expected(p)
        return slot_sort(p.type, p.bits)

    # -- bytes

    def byte_array(self, region: Region) -> Term:
        """The array of a region of bytes."""
        return self.context.region_array(region, bitvec(8))

    def _read(self, region: Region, address: Term, count: int) -> Term:
        memory, s = self.byte_array(region), self.store
        return s.concat(
            *(
                s.select(memory, self.code.plus(address, self.code.address(i)))
                for i in reversed(range(count))
            )
        )

    def _write(self, region: Region, address: Term, bits: Term) -> None:
        memory = value = self.byte_array(region)
        for i in range(bits.sort.width // 8):
            part = bits if bits.sort.width == 8 else self.store.extract(bits, 8 * i + 7, 8 * i)
            value = self.store.store(value, self.code.plus(address, self.code.address(i)), part)
        self.code.assign(memory, value)

    def _field_bytes(self, p: MemoryPlace[Term]) -> tuple[Term, int, int]:
        """Address, number of bytes and bit position of the bytes that hold a bit-field."""
        assert p.bits is not None
        first, last = p.bit_offset // 8, (p.bit_offset + p.bits - 1) // 8
        return (
            self.code.plus(p.address, self.code.address(first)),
            last - first + 1,
            p.bit_offset - 8 * first,
        )

    def _load_bytes(self, p: MemoryPlace[Term]) -> Term:
        if p.bits is not None:
            address, count, low = self._field_bytes(p)
            return self.store.extract(self._read(p.region, address, count), low + p.bits - 1, low)
        return self.from_bits(self._read(p.region, p.address, p.type.size), p.type, None)

    def _store_bytes(self, p: MemoryPlace[Term], value: Term) -> None:
        if p.bits is None:
            self._write(p.region, p.address, self._to_bits(value, p.type))
            return
        s = self.store
        address, count, low = self._field_bytes(p)
        old, high = self._read(p.region, address, count), low + p.bits
        parts = [] if high == 8 * count else [s.extract(old, 8 * count - 1, high)]
        parts += [value] + ([s.extract(old, low - 1, 0)] if low else [])
        self._write(p.region, address, s.concat(*parts))


def _are_alike(a: CType, b: CType) -> bool:
    """Are scalars of these types the same in memory, and pointers to the same type?"""
    if isinstance(a, PointerType) and isinstance(b, PointerType):
        return pointer_key(a) == pointer_key(b)
    return is_number(a) and is_number(b) and a.sort is b.sort
