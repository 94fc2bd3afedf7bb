"""What a program can learn about the layout of memory.

Objects have fixed addresses here (regions.py); in a real run they lie elsewhere.  A verdict must
not rest on that: where the value of an expression depends on the layout, an assertion of class
`limit` fails.
- *The number of an address*: a pointer converted to an integer, unless it is converted back,
  compared with the number of another address or subtracted from it, or compared with what is no
  object's address (null, error codes in the last page).
- *The order and the distance* of pointers into different static objects [undefined in C11, 6.5.6p9
  and 6.5.8p5]. Allocations are taken to be one object: which of them a pointer is in is known for
  `memsafety` only. The numbers of addresses in several allocations have an order that C does not
  tell, so they are never taken to be in one.
- *Equality* of pointers, where lifetimes decide it: an address may be used again after ``free``, a
  variable may have another one when its block is entered again [undefined, 6.2.4p2]; or where
  adjacency decides it: the end of one array may be the start of another object [unspecified,
  6.5.9p6]; or of pointers into string literals, which may share memory [6.4.5p7]. Ends of
  allocations of dynamic memory are taken to be nobody's.
- *Bytes of a pointer*, stored where numbers are read too: through a pointer to numbers, from a
  union, or as a member of another record.  Where numbers become pointers, by a cast or so, no
  pointer of unknown origin is compared with another one.

layout_dependent.py marks the expressions (``Node.learns``) once all objects are known;
`learn_number`, `learn_order` and `learn_equality` emit the assertions.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c.code import Part
from obligato.frontends.c.layout_dependent import mergeable, orders_allocations, pointees
from obligato.frontends.c.loads import is_read
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region
from obligato.frontends.c.patterns import PAGE
from obligato.frontends.c.places import BlobPlace, MemoryPlace, Place, distance
from obligato.frontends.c.room import fills_memory, some_freed
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import RecordType, overlaps
from obligato.program.syntax import LAYOUT, LIMIT, Variable
from obligato.terms import Op, Term

RELEASED = "released$"  # where the next allocation would have been when the first one was freed


@dataclass(eq=False, repr=False)
class Layout(Part):
    """Assertions that the layout of memory does not matter, and the conditions they are made of."""

    safety: Safety

    def is_read_as_number(self, p: Place) -> bool:
        """May a pointer that is stored there be read byte by byte, or as an integer?"""
        # unions are copied bit by bit: which one is read does not matter
        if isinstance(p, BlobPlace):
            return self.usage.reads_unions
        if not isinstance(p, MemoryPlace) or p.region.kind != "bytes" or p.region.walked:
            return False
        if any(
            self.usage.points.find(o.location) in self.usage.numbers for o in p.region.objects
        ) or (self.usage.reads_unions and any(overlaps(v) for v in p.region.views)):
            return True
        # no number is read in a union
        records = [v for v in p.region.views if isinstance(v, RecordType) and not v.is_union]
        loads = self.usage.loads.get(self.usage.points.find(p.region.location), {})
        return any(is_read(v, self._offset(p, v), self.width, loads) for v in records)

    def _offset(self, p: MemoryPlace[Term], record: RecordType) -> int | None:
        """How many bytes after the start of what a pointer points to, or of such a record in an
        array, a place begins.
        """
        start = (
            self.code.object_address(p.origin)
            if isinstance(p.origin, Object)
            else p.origin or p.address
        )
        known = distance(p.address, start)
        if known is None and p.start is not None and p.step == record.size:
            first = distance(p.start, start)
            return None if first is None else first % p.step
        return known

    def learn_number(self, a: Term) -> None:
        """The number of an address is used: none of an object."""
        self._needs(self._is_nowhere(a))

    def learn_order(self, n: Node, a: Term, b: Term) -> None:
        """Pointers are ordered, or subtracted: they are into one object."""
        self._learn_invented(n, a, b)
        objects = pointees(n, self.usage)
        options = [self.store.eq(a, b)]
        options += [
            self.code.both_of(self._spans(o, a), self._spans(o, b))
            for o in objects
            if o.address is not None
        ]
        if any(o.address is None for o in objects) and not orders_allocations(n, self.usage):
            options.append(self.code.both_of(self._is_dynamic(a), self._is_dynamic(b)))
        self._needs(self.code.either_of(options))

    def learn_equality(self, n: Node, a: Term, b: Term) -> None:
        """Pointers are compared: both, or one, are null, or they are of living objects and no end
        touches a start.
        """
        self._learn_invented(n, a, b)
        s, objects = self.store, pointees(n, self.usage)
        null = [s.eq(a, self.code.address(0)), s.eq(b, self.code.address(0))]
        for o in objects:
            if o in self.usage.ended:
                self.code.require(self.code.either_of([*null, self._lives(o, a, b)]), LAYOUT, LIMIT)
            elif o.address is not None and o.kind != "function" and len(objects) > 1:
                self._needs(self.code.both_of(self._apart(o, a, b), self._apart(o, b, a)))
        if merged := mergeable(objects):
            self._needs(self._not_merged(merged, a, b))
        heap = (
            self._dynamic().heap
            if self.usage.compares_freed and any(o.kind == "heap" for o in objects)
            else None
        )
        if heap is not None:
            live = [self._both_live(a, b)] if self.guards else []
            # no address that was freed has been used again
            unused = s.mk(Op.BVULE, (heap, self._released()))
            self.code.require(
                self.code.either_of([s.eq(a, b), *null, *live, unused]), LAYOUT, LIMIT
            )

    def _learn_invented(self, n: Node, a: Term, b: Term) -> None:
        """One pointer may have been made of a number: it, or the other, is no object's address."""
        if n in self.usage.invented:
            self._needs(self.code.either_of([self._is_nowhere(a), self._is_nowhere(b)]))

    def note_release(self) -> None:
        """An allocation is freed: those that are made from now on may have its address."""
        if fills_memory(self.code):
            self.code.assign(some_freed(self.code), self.store.true)
        self.note_reuse()

    def note_reuse(self) -> None:
        """The next allocation may have the address of one that is there: of the one that realloc is
        given, or that was freed.
        """
        if self.usage.compares_freed:
            heap, released, s = self._dynamic().heap, self._released(), self.store
            assert heap is not None
            self.code.assign(released, s.ite(s.mk(Op.BVULT, (heap, released)), heap, released))

    def _released(self) -> Term:
        self.context.globals.setdefault(
            RELEASED, Variable(RELEASED, self.address_sort, self.code.address(-1))
        )
        return self.store.var(RELEASED, self.address_sort)

    def _dynamic(self) -> Region:
        """A region with dynamic memory; they share the counter of addresses."""
        return next(r for r in self.regions.by_class.values() if r.heap is not None)

    def _needs(self, c: Term) -> None:
        """The layout of static objects does not matter; in a given layout (regions.py) nothing
        needs to hold.
        """
        if self.regions.addresses == "any":
            self.code.require(c, LAYOUT, LIMIT)

    def _is_nowhere(self, a: Term) -> Term:
        """The condition that an address is in the first or the last page, where no object can be."""
        return self.code.between(self.code.plus(a, self.code.address(PAGE)), 0, 2 * PAGE - 1)

    def _spans(self, o: Object, a: Term) -> Term:
        """The condition that the address `a` is inside of the static object `o`, or just behind its
        end.
        """
        assert o.address is not None
        return self.code.between(a, o.address, o.address + max(o.type.size, 0))

    def _lives(self, o: Object, a: Term, b: Term) -> Term:
        """No pointer is to `o`, which has had the same address before, or another one in dynamic
        memory.
        """
        s = self.store
        if o.address is not None:
            return self.code.negated(s.or_(self._spans(o, a), self._spans(o, b)))
        if self.guards:
            return s.or_(s.eq(a, b), self._both_live(a, b))
        return s.or_(s.eq(a, b), self.code.negated(s.or_(self._is_dynamic(a), self._is_dynamic(b))))

    def _both_live(self, a: Term, b: Term) -> Term:
        """No pointer is to an allocation that has died (which only memory safety
        knows).
        """
        parts = [
            self.code.either_of([self.code.negated(self._is_dynamic(p)), self.safety.is_live(p)])
            for p in (a, b)
        ]
        return self.code.both_of(*parts)

    def _not_merged(self, objects: list[Object], a: Term, b: Term) -> Term:
        """The pointers are not into two of these, of which one is a string literal."""
        named = [o for o in objects if o.kind != "string"]
        inside = [self.code.either_of([self._spans(o, p) for o in objects]) for p in (a, b)]
        apart = [self.code.either_of([self._spans(o, p) for o in named]) for p in (a, b)]
        same = [self.code.both_of(self._spans(o, a), self._spans(o, b)) for o in objects]
        outside = [self.code.negated(c) for c in inside]
        return self.code.either_of([*outside, *same, self.code.both_of(*apart)])

    def _apart(self, o: Object, a: Term, b: Term) -> Term:
        """If `a` is the end of `o`, `b` is in it too."""
        assert o.address is not None
        ends = self.code.between(a, o.address + o.type.size, o.address + o.type.size)
        return self.code.either_of([self.code.negated(ends), self._spans(o, b)])

    def _is_dynamic(self, a: Term) -> Term:
        """Is it an address of dynamic memory?"""
        return self.store.mk(Op.BVULE, (self.code.address(self._dynamic().heap_range[0]), a))
