"""Assertions of `memsafety`: valid-deref and valid-free (nothing for the other properties).

A pointer is an address.  Each object owns a *slot* of addresses, itself and a margin on both sides,
so that the address of a pointer tells its object as long as arithmetic stays inside the slot.  C
demands nearly that [C11, 6.5.6p8], yet to leave it is no invalid dereference: it is an assertion of
class `limit`.  An access ``p[i].f`` is asserted to lie inside the object whose slot has ``p``; an
index of a declared array is asserted to be less than its length.

Allocations (heap, variable-length arrays, variables that a pointer may outlive: lifetimes.py) start
at MARGIN in a slot of 2^(w/2) addresses, or as few as hold the largest if all sizes are constants.
By the first address of its slot, ``heap$room`` has the end of an allocation (if the allocations of
its region have different sizes), ``freed$`` tells which have died, ``automatic$`` which may not be
freed; no address is used twice, all slots below ``heap$`` have been allocated. Where each
allocation is made once, there are none of these arrays (singles.py).

`check_access` carries the accesses, `check_pointer` the arithmetic, `release` the end of an
allocation. String literals and constant variables of static storage may not be written: compilers
put them where that is a fault. Limitation: a pointer of unknown origin to no object of the program
is a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from obligato.frontends.c.code import Part
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region, level
from obligato.frontends.c.output import texts_read
from obligato.frontends.c.patterns import string_literal
from obligato.frontends.c.places import (
    BlobPlace,
    MemoryPlace,
    Place,
    SplitPlace,
    V,
    Value,
    constant,
    distance,
)
from obligato.frontends.c.purity import changes_state
from obligato.frontends.c.regions import HEAP_MARGIN
from obligato.frontends.c.room import take
from obligato.frontends.c.singles import Singles
from obligato.frontends.c.types import ArrayType, IntType, PointerType
from obligato.program.syntax import LIMIT, Variable
from obligato.terms import Op, Term, array

# bytes around static objects that belong to their slots; regions.py leaves 16 between objects
MARGIN = 8
NULL_SLOT = 0xFF0  # the first object is at 0x1000
MAX_OBJECTS = 64
INVENTED = "a pointer of unknown origin is to no object of the program"
LIVE = (
    "live$"  # allocations that were made and not freed, where memory is to be tracked (tracking.py)
)
STREAMS = ("FILE", "_IO_FILE")


@dataclass(eq=False, repr=False)
class Safety(Part):
    """The assertions of memory safety."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._quiet = 0
        self.singles = Singles(self.code)

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Accesses of our own, which are right by construction."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    # -- accesses

    def check_access(self, place: Place, write: bool = False) -> None:
        """Assert that an access is inside a live object; one of no bytes (an empty record) is
        none.
        """
        if not self.guards or self._quiet or place.type.size == 0:
            return
        if isinstance(place, BlobPlace):
            place = place.base
        for c in place.bounds:
            self.code.require(c, "valid-deref")
        o = place.object if isinstance(place, SplitPlace) else place.origin
        if write and isinstance(o, Object) and o.is_constant:
            self.code.require(self.store.false, "valid-deref")
        if isinstance(place, MemoryPlace) and not isinstance(place.origin, Object):
            origin = place.address if place.origin is None else place.origin
            self._check_origin(place.region, origin)
            self.code.require(self._inside_object(place, origin, write), "valid-deref")

    def _check_origin(self, region: Region, origin: Term) -> None:
        """A pointer of unknown origin is null, or to an object of the program: what else there may
        be is beyond the model.
        """
        if region.unknown and self.usage.has_other_memory:
            options = [
                self._in_slot(o, origin) for o in self._objects(region) if o.address is not None
            ]
            if self._has_allocations(region):
                options += self._known(region, origin)
            self.code.require(
                self.code.either_of([*options, self.code.between(origin, 0, NULL_SLOT)]),
                INVENTED,
                LIMIT,
            )

    def _inside_object(self, p: MemoryPlace[Term], origin: Term, write: bool) -> Term:
        """Is the access inside the object that has `origin` in its slot?"""
        size = max(1, p.type.size if p.bits is None else (p.bit_offset + p.bits + 7) // 8)
        options = []
        for o in self._objects(p.region):
            if o.address is None or (write and o.is_constant) or o.type.size < size:
                continue
            options.append(self._inside_static(o, o.address, p.address, origin, size))
        if self.regions.once:
            options += self.singles.inside(p.region, p.address, origin, size)
        elif self._has_allocations(p.region):
            options.append(self._inside_allocation(p.region, p.address, origin, size))
        return self.code.either_of(options)

    def _objects(self, region: Region) -> list[Object]:
        if len(region.objects) > MAX_OBJECTS:
            raise self.code.refuse("memory safety of many objects")
        return region.objects

    def _inside_static(self, o: Object, start: int, address: Term, origin: Term, size: int) -> Term:
        low, high, offset = start, start + o.type.size - size, distance(address, origin)
        if offset is not None:
            low, high = (
                max(low - offset, start - MARGIN),
                min(high - offset, start + o.type.size + MARGIN - 1),
            )
            return self.code.between(origin, low, high) if low <= high else self.store.false
        return self.code.both_of(self._in_slot(o, origin), self.code.between(address, low, high))

    def _in_slot(self, o: Object, a: Term) -> Term:
        assert o.address is not None
        return self.code.between(
            a, o.address - MARGIN, o.address + max(o.type.size, 0) + MARGIN - 1
        )

    # -- indices

    def bounds(
        self, p: SplitPlace[V] | MemoryPlace[V], t: ArrayType, index: V | Value
    ) -> tuple[V, ...]:
        """The conditions of `p`, and that the index of its array is in range (for memory
        safety).
        """
        if not self.guards or self._quiet:
            return ()
        count = self._count(p, t)
        if count is None:
            return (*p.bounds, *cast("tuple[V, ...]", self.no_wrap(index, t.element.size)))
        if index.is_const and count.is_const and constant(index) < constant(count):
            return p.bounds
        fails = index.is_const and count.is_const
        return (
            *p.bounds,
            cast("V", self.store.false if fails else self.store.mk(Op.BVULT, (index, count))),
        )

    def no_wrap(self, index: Term, size: int) -> tuple[Term, ...]:
        """index * size is a distance in memory; obvious if the index was extended."""
        extended = (
            index.op in (Op.SIGN_EXT, Op.ZERO_EXT)
            and isinstance(index.data, int)
            and size <= 1 << index.data
        )
        if index.is_const or size <= 1 or extended:
            return ()
        half = (1 << (self.width - 1)) // size
        return (
            self.store.mk(
                Op.BVULT,
                (self.code.plus(index, self.code.address(half)), self.code.address(2 * half)),
            ),
        )

    def _count(self, p: SplitPlace[Term] | MemoryPlace[Term], t: ArrayType) -> Term | None:
        """The declared length of an array; None where only the object around it is known."""
        o = p.object if isinstance(p, SplitPlace) else p.origin
        # through a pointer; an array at the end of a record may be longer than declared
        if not isinstance(o, Object):
            last = isinstance(p, MemoryPlace) and p.record is not None and not p.inner
            return None if t.count is None or last else self.code.address(t.count)
        if t.variable:
            depth = level(o, t)
            return o.dimensions[depth] if depth < len(o.dimensions) else None
        if t.count is None:
            raise self.code.refuse("memory safety of an array of open length")
        return self.code.address(t.count)

    # -- allocations

    def _has_allocations(self, region: Region) -> bool:
        return any(o.address is None for o in region.objects)

    @property
    def _bits(self) -> int:
        return self.regions.slot_bits

    def _slot_of(self, a: Term) -> Term:
        """The first address of its slot."""
        return self.store.concat(
            self.store.extract(a, self.width - 1, self._bits), self.store.bv(0, self._bits)
        )

    def _ghost(self, name: str, sort_of_element: Term) -> Term:
        """A ghost array over slots that starts with the same value everywhere."""
        sort = array(self.address_sort, sort_of_element.sort)
        self.context.globals.setdefault(
            name, Variable(name, sort, self.store.const_array(sort, sort_of_element))
        )
        return self.store.var(name, sort)

    @property
    def _room(self) -> Term:
        return self._ghost("heap$room", self.code.address(0))

    @property
    def _freed(self) -> Term:
        return self._ghost("freed$", self.store.false)

    @property
    def _automatic(self) -> Term:
        return self._ghost("automatic$", self.store.false)

    def _inside_allocation(self, region: Region, address: Term, origin: Term, size: int) -> Term:
        s, slot = self.store, self._slot_of(address)
        place = s.zero_ext(s.extract(address, self._bits - 1, 0), self.width - self._bits)
        if region.allocation_size is None:
            end = s.mk(
                Op.BVULT,
                (self.code.plus(place, self.code.address(size)), s.select(self._room, slot)),
            )
            parts = [s.mk(Op.BVULE, (self.code.address(HEAP_MARGIN), place)), end]
        elif region.allocation_size < size:
            return s.false
        else:
            within = self.code.between(
                place, HEAP_MARGIN, HEAP_MARGIN + region.allocation_size - size
            )
            parts = [within, self._is_allocated(address)]
        if address is not origin:
            parts.append(self._same_slot(address, origin))
        if self.context.releases:
            parts.append(s.not_(s.select(self._freed, slot)))
        return self.code.both_of(*parts)

    def _known(self, region: Region, a: Term) -> list[Term]:
        """The conditions that an address is in the slot of an allocation that was made."""
        return self.singles.known(region, a) if self.regions.once else [self._is_allocated(a)]

    def _shared(self) -> Region | None:
        """A region with the counter of addresses, which all share."""
        return next((r for r in self.regions.by_class.values() if r.heap is not None), None)

    def _is_allocated(self, a: Term) -> Term:
        """Is, or was, there an allocation in the slot of an address?"""
        shared = self._shared()
        if shared is None or shared.heap is None:
            return self.store.false
        first = self.code.address(shared.heap_range[0])
        return self.store.and_(
            self.store.mk(Op.BVULE, (first, a)), self.store.mk(Op.BVULT, (a, shared.heap))
        )

    def new_allocation(self, o: Object, region: Region, size: Term) -> Value:
        """A fresh slot with an allocation of `size` bytes; its start."""
        s, heap, slot_size = self.store, region.heap, 1 << self._bits
        assert heap is not None
        if self.regions.once:
            start = self.singles.new(o, region, size)
            self._track(o, size)
            return start
        if not self.code.runs_once:
            take(
                self.code,
                s.mk(Op.BVULT, (heap, self.code.address(region.heap_range[1] - slot_size))),
                size,
            )
        self._check_size(region, size, slot_size)
        start = self.code.captured(self.code.plus(heap, self.code.address(HEAP_MARGIN)), "block")
        if region.allocation_size is None:
            end = self.code.plus(size, self.code.address(HEAP_MARGIN + 1))
            self.code.assign(self._room, s.store(self._room, heap, end))
        if is_automatic(o) and self.usage.frees:
            self.code.assign(self._automatic, s.store(self._automatic, heap, s.true))
        self.code.assign(heap, self.code.plus(heap, self.code.address(slot_size)))
        self._track(o, size)
        return start

    def _check_size(self, region: Region, size: Term, slot_size: int) -> None:
        """An allocation fits into its slot, and is as large as all of its region are, if they are."""
        s, most = self.store, slot_size - HEAP_MARGIN - 1
        if region.allocation_size is not None:
            expected = self.code.address(region.allocation_size)
            same = s.true if size is expected else s.eq(size, expected)
            self.code.require(
                same, "an allocation has another size than it is taken to have", LIMIT
            )
        elif not (size.is_const and isinstance(size.data, int) and size.data <= most):
            fits = s.mk(Op.BVULE, (size, self.code.address(most)))
            self.code.require(fits, "an allocation is larger than the memory model allows", LIMIT)

    def _track(self, o: Object, size: Term) -> None:
        """Count an allocation that is to be freed."""
        if self.context.tracked and not is_automatic(o):
            some = self.store.ne(size, self.code.address(0))
            self.code.require(
                some, "whether an allocation of no bytes is memory is not decided", LIMIT
            )
            self._count_allocations(self.code.address(1))

    def _count_allocations(self, more: Term) -> None:
        self.code.assign(self.live, self.store.mk(Op.BVADD, (self.live, more)))

    @property
    def live(self) -> Term:
        """How many allocations were made and not freed."""
        self.context.globals.setdefault(
            LIVE, Variable(LIVE, self.address_sort, self.code.address(0))
        )
        return self.store.var(LIVE, self.address_sort)

    def is_live(self, a: Term) -> Term:
        """Is an address in an allocation that has not died?"""
        if self.regions.once:
            return self.code.either_of(self.singles.leads_to(a))
        freed = self.store.select(self._freed, self._slot_of(a))
        return self.code.both_of(self._is_allocated(a), self.store.not_(freed))

    def slot_before(self, count: Term) -> Term:
        """An address in the slot of the allocation before the last `count` ones."""
        s, shared = self.store, self._shared()
        assert shared is not None and shared.heap is not None
        newest = self.code.plus(shared.heap, self.code.address(HEAP_MARGIN - (1 << self._bits)))
        return s.mk(Op.BVSUB, (newest, s.concat(count, s.bv(0, self._bits))))

    def release(self, o: Object) -> None:
        """The allocation of a variable, or of memory from alloca, dies."""
        if self.regions.once:
            self.singles.release(o)
            return
        slot = self._slot_of(self.code.object_address(o))
        self.code.assign(self._freed, self.store.store(self._freed, slot, self.store.true))

    def check_free(self, pointer: Node, address: Term) -> None:
        """free: of nothing, or of a live allocation, by the address that was returned for it."""
        region, s = self.regions.region(self.usage.target(pointer)), self.store
        objects = self._objects(region)
        address = self.code.captured(address, "freed")
        self._check_origin(region, address)
        null = s.eq(address, self.code.address(0))
        if self.regions.once:
            self.code.require(
                self.code.either_of([null, *self.singles.freeable(region, address)]), "valid-free"
            )
            self.singles.free(region, address)
            self._untrack(null)
            return
        allocation = s.eq(s.extract(address, self._bits - 1, 0), s.bv(HEAP_MARGIN, self._bits))
        slot = self._slot_of(address)
        live = s.and_(allocation, self._is_allocated(address), s.not_(s.select(self._freed, slot)))
        if any(is_automatic(o) for o in objects):
            live = s.and_(live, s.not_(s.select(self._automatic, slot)))
        self.code.require(
            s.or_(null, live) if self._has_allocations(region) else null, "valid-free"
        )
        if self._has_allocations(region):
            self.code.assign(
                self._freed, s.ite(null, self._freed, s.store(self._freed, slot, s.true))
            )
            self._untrack(null)

    def _untrack(self, null: Term) -> None:
        """Something is freed, if it is not null."""
        if self.context.tracked:
            self._count_allocations(
                self.store.ite(null, self.code.address(0), self.code.address(-1))
            )

    # -- arithmetic

    def check_pointer(self, n: Node, origin: Term | Object, result: Term) -> None:
        """The result of pointer arithmetic (the expression `n`) stays in the slot of its object."""
        if not self.guards or self._quiet or result is origin:
            return
        if not isinstance(origin, Object):
            region = self.regions.region(self.usage.target(n))
            c = self._stays(region, origin, result) if region.objects else self.store.true
        elif origin.address is not None:
            c = self._in_slot(origin, result)
        elif self.regions.once:
            c = self.singles.in_slot(self.singles.of(origin), result)
        else:
            c = self._same_slot(self.code.object_address(origin), result)
        self.code.require(c, "a pointer leaves its object", LIMIT)

    def check_distance(self, pointer: Node, index: Node, number: Term) -> None:
        """A number that is added to a pointer is a distance in memory."""
        t = index.type
        if not self.guards or not isinstance(pointer.type, PointerType):
            return
        wide = self.scalars.resize(number, self.width, isinstance(t, IntType) and t.signed)
        for c in self.no_wrap(wide, self.code.step(pointer.type)):
            self.code.require(c, "a pointer leaves its object", LIMIT)

    def _stays(self, region: Region, origin: Term, result: Term) -> Term:
        static = [o for o in self._objects(region) if o.address is not None]
        if not static and not self.regions.once:
            return self._same_slot(origin, result)
        options = [
            self.code.both_of(self._in_slot(o, origin), self._in_slot(o, result)) for o in static
        ]
        if self.regions.once:
            options += self.singles.stays(region, origin, result)
        elif self._has_allocations(region):
            options.append(
                self.code.both_of(self._is_allocated(origin), self._same_slot(origin, result))
            )
        options.append(
            self.code.both_of(
                self.code.between(origin, 0, NULL_SLOT), self.code.between(result, 0, NULL_SLOT)
            )
        )
        return self.code.either_of(options)

    def _same_slot(self, a: Term, b: Term) -> Term:
        slots = [self.store.extract(x, self.width - 1, self._bits) for x in (a, b)]
        return self.store.true if a is b else self.store.eq(*slots)

    # -- library

    def check_library(self, name: str, n: Node, arguments: list[Node]) -> list[Node]:
        """The arguments whose texts a library function without a model reads (output.py). Others may
        be read in any way: they are refused. So are effects, because texts are read after them.
        """
        if not self.guards:
            return []
        texts = texts_read(name, arguments)
        if texts is not None and not any(map(changes_state, arguments)):
            return texts
        if texts or (texts is None and any(map(gives_memory, arguments))):
            raise self.code.refuse(f"memory safety of {name} with a pointer", n)
        return []


def gives_memory(a: Node) -> bool:
    """Is an argument a pointer into memory of the program, as far as we know?"""
    t = a.type
    return (
        isinstance(t, PointerType)
        and string_literal(a) is None
        and not any(w in t.to.name for w in STREAMS)
    )


def is_automatic(o: Object) -> bool:
    """An allocation that ends with its scope: a variable, or memory from alloca."""
    return o.address is None and (o.kind != "heap" or o.automatic)
