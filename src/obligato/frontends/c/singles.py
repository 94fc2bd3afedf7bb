"""Allocations in programs that make each of them once (for `memsafety`).

Where every call that allocates, and every declaration of a variable that needs an allocation, is
executed at most once (once.py), an allocation needs no slot of fixed size (safety.py): it has three
variables, its start, its size, and whether it lives. An access is compared with these; allocations
of any size fit, as long as all of them fit into memory, and proofs need no arrays of ghosts. Around
each allocation there are MARGIN addresses that belong to it, as for static objects.
"""

from __future__ import annotations

from obligato.frontends.c.code import Part
from obligato.frontends.c.objects import Object, Region, Single
from obligato.frontends.c.places import Value
from obligato.frontends.c.room import NONE_LEFT, is_large
from obligato.program.syntax import LIMIT, Assume, Variable
from obligato.terms import Op, Term

MARGIN = 16


class Singles(Part):
    """Allocations that are made once."""

    def of(self, o: Object) -> Single:
        """The allocation of an object."""
        known = self.context.singles.get(o)
        if known is None:
            zero = self.code.address(0)
            initial = {
                self.regions.unique(f"{o.name}${part}"): value
                for part, value in (("start", zero), ("room", zero), ("live", self.store.false))
            }
            self.context.globals.update(
                {name: Variable(name, value.sort, value) for name, value in initial.items()}
            )
            known = self.context.singles[o] = Single(
                *(self.store.var(name, value.sort) for name, value in initial.items())
            )
        return known

    def new(self, o: Object, region: Region, size: Term) -> Value:
        """The allocation is made; its start."""
        s, heap, allocation = self.store, region.heap, self.of(o)
        assert heap is not None
        self._check_size(region, size)
        start = self.code.captured(self.code.plus(heap, self.code.address(MARGIN)), "block")
        for variable, value in (
            (allocation.start, start),
            (allocation.room, size),
            (allocation.live, s.true),
        ):
            self.code.assign(variable, value)
        advance = s.mk(
            Op.BVAND,
            (self.code.plus(size, self.code.address(2 * MARGIN + 15)), self.code.address(-16)),
        )
        if size.is_const and isinstance(size.data, int):
            advance = self.code.address((size.data + 2 * MARGIN + 15) & -16)
        self.code.assign(heap, self.code.plus(heap, advance))
        return start

    def _check_size(self, region: Region, size: Term) -> None:
        """As long as no allocation has died, and this one is not large, runs in which it does not
        fit into memory are left out: no machine has an address for it. Other such runs reach a
        limit.
        """
        assert region.heap is not None
        s, (first, end) = self.store, region.heap_range
        fits = s.mk(
            Op.BVULE, (size, s.mk(Op.BVSUB, (self.code.address(end - 4 * MARGIN), region.heap)))
        )
        if self.context.tracked or is_large(size):
            self.code.require(fits, NONE_LEFT, LIMIT)
            return
        if self.context.releases:
            self.code.require(self.code.either_of([fits, self._none_died()]), NONE_LEFT, LIMIT)
        most = end - 4 * MARGIN - first
        if not (size.is_const and isinstance(size.data, int) and size.data <= most):
            possible = s.mk(Op.BVULE, (size, self.code.address(most)))
            self.code.require(
                possible, "an allocation is larger than the memory model allows", LIMIT
            )
        self.code.emit(Assume(fits, self.code.span))

    def _none_died(self) -> Term:
        """Do all allocations live that were made so far?"""
        zero = self.code.address(0)
        known = [self.of(o) for o in self._allocations()]
        return self.code.both_of(
            *(self.code.either_of([b.live, self.store.eq(b.start, zero)]) for b in known)
        )

    def _allocations(self) -> list[Object]:
        """All objects that are allocations."""
        return [o for r in self.regions.by_class.values() for o in dynamic(r)]

    def inside(self, region: Region, address: Term, origin: Term, size: int) -> list[Term]:
        """The conditions that an access is inside a live allocation of the region, which has
        `origin` in its slot.
        """
        return [self._inside(self.of(o), address, origin, size) for o in dynamic(region)]

    def _inside(self, b: Single, address: Term, origin: Term, size: int) -> Term:
        s, width = self.store, self.code.address(size)
        offset = s.mk(Op.BVSUB, (address, b.start))
        parts = [b.live]
        if size == 1:
            parts.append(s.mk(Op.BVULT, (offset, b.room)))
        else:
            parts += [
                s.mk(Op.BVULE, (width, b.room)),
                s.mk(Op.BVULE, (offset, s.mk(Op.BVSUB, (b.room, width)))),
            ]
        return self.code.both_of(*parts, *([] if address is origin else [self.in_slot(b, origin)]))

    def in_slot(self, b: Single, a: Term) -> Term:
        """Is an address in an allocation, or in its margins?"""
        s = self.store
        offset = self.code.plus(s.mk(Op.BVSUB, (a, b.start)), self.code.address(MARGIN))
        return s.mk(Op.BVULT, (offset, self.code.plus(b.room, self.code.address(2 * MARGIN))))

    def known(self, region: Region, a: Term) -> list[Term]:
        """The conditions that an address is in the slot of an allocation of the region that was
        allocated.
        """
        return [self._was_in(self.of(o), a) for o in dynamic(region)]

    def _was_in(self, b: Single, a: Term) -> Term:
        return self.code.both_of(self.store.ne(b.start, self.code.address(0)), self.in_slot(b, a))

    def stays(self, region: Region, origin: Term, result: Term) -> list[Term]:
        """The conditions that arithmetic stays in the slot of an allocation of the region."""
        allocations = [self.of(o) for o in dynamic(region)]
        return [
            self.code.both_of(self._was_in(b, origin), self.in_slot(b, result)) for b in allocations
        ]

    def freeable(self, region: Region, address: Term) -> list[Term]:
        """The conditions that an address is what an allocation returned that lives."""
        allocations = [self.of(o) for o in dynamic(region) if o.kind == "heap" and not o.automatic]
        return [self.code.both_of(b.live, self.store.eq(address, b.start)) for b in allocations]

    def free(self, region: Region, address: Term) -> None:
        """The allocation that starts there dies."""
        for b in (self.of(o) for o in dynamic(region) if o.kind == "heap" and not o.automatic):
            self.code.assign(b.live, self.code.both_of(b.live, self.store.ne(address, b.start)))

    def release(self, o: Object) -> None:
        """A variable's allocation dies."""
        self.code.assign(self.of(o).live, self.store.false)

    def leads_to(self, a: Term) -> list[Term]:
        """The conditions that an address is in a live allocation."""
        allocations = [self.of(o) for o in self._allocations()]
        return [self.code.both_of(b.live, self.in_slot(b, a)) for b in allocations]


def dynamic(region: Region) -> list[Object]:
    """The objects of a region that are allocations."""
    return [o for o in region.objects if o.address is None]
