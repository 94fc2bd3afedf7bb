"""What a program can learn about the layout of memory.

Objects have fixed addresses here (regions.py); in a real run they lie elsewhere.  A verdict must not rest on that: where
the value of an expression depends on the layout, an assertion of class `limit` fails.
- *The number of an address*: a pointer converted to an integer, unless it is converted back, compared with the number of
  another address or subtracted from it, or compared with what is no object's address (null, error codes in the last page).
- *The order and the distance* of pointers into different static objects [undefined in C11, 6.5.6p9 and 6.5.8p5].  Blocks
  of dynamic memory are taken to be one object: which of them a pointer is in is known for `memsafety` only.
- *Equality* of pointers, where lifetimes decide it: an address may be used again after ``free``, a variable may have
  another one when its block is entered again [undefined, 6.2.4p2]; or where adjacency decides it: the end of one array
  may be the start of another object [unspecified, 6.5.9p6]; or of pointers into string literals, which may share memory
  [6.4.5p7].  Ends of blocks of dynamic memory are taken to be nobody's.
- *Bytes of a pointer*, stored where integers are read too: through a pointer to integers, from a union, or as a member of
  another record.

`decide` marks the expressions (``Node.learns``) once all objects are known; `learn_number`, `learn_order` and
`learn_equality` emit the assertions.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.lifetimes import dangling
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region
from obligato.frontends.c.patterns import PAGE, address_inside
from obligato.frontends.c.places import BlobPlace, MemoryPlace, Place
from obligato.frontends.c.regions import Regions
from obligato.frontends.c.types import CType, IntType, PointerType, RecordType, layout
from obligato.frontends.c.usage import Usage
from obligato.program.syntax import LIMIT, Assert, Variable
from obligato.terms import Kind, Op, Term

RELEASED = "released$"  # where the next block would have been when the first one was freed
LEARNT = "the result depends on where objects lie in memory"


def decide(usage: Usage, regions: Regions) -> None:
    """Mark the operators whose results depend on the layout."""
    usage.ended = dangling(usage) if usage.observations else {}
    moved = {usage.points.find(c) for c in usage.moved}
    usage.numbers = _read_as_numbers(usage)
    for n in usage.observations:
        objects = pointees(n, usage, regions)
        static = [o for o in objects if o.address is not None]
        if n.operator in (k.B_EQ, k.B_NE):
            reused = usage.frees and any(o.kind == "heap" for o in objects)
            adjacent = len(objects) > 1 and any(usage.points.find(o.location) in moved for o in static)
            merged = sum(o.kind == "string" for o in objects) > 1
            n.learns = reused or adjacent or merged or any(o in usage.ended for o in objects)
            usage.compares_freed |= reused
        else:
            n.learns = len(static) > 1 or 0 < len(static) < len(objects)


def _read_as_numbers(usage: Usage) -> dict[int, None]:
    """The classes from which integers are read that may be bytes of a pointer; those they are copied from included."""
    find = usage.points.find
    found = {find(c): None for c in usage.read_as_numbers}
    size = -1
    while size < len(found):
        size = len(found)
        found |= {find(source): None for target, source in usage.copies if find(target) in found}
    return found


def pointees(n: Node, usage: Usage, regions: Regions) -> list[Object]:
    """What the operands of a binary operator may point to."""
    found: dict[Object, None] = {}
    for c in n.operands:
        pointer = c if isinstance(c.type, PointerType) else address_inside(c)
        location = usage.value(pointer) if pointer is not None else None
        region = regions.by_class.get(usage.points.find(location)) if location is not None else None
        if region is not None:
            found |= dict.fromkeys(region.objects)
    return list(found)


def _has_number(t: RecordType, offset: int | None, width: int) -> bool:
    """May an integer of the record lie where a pointer is stored, `offset` bytes after the start of a record?"""
    leaves = layout(t)
    if leaves is None or offset is None:
        return True
    numbers = [(at, sort.width) for at, sort, is_pointer in leaves if not is_pointer and sort.kind is Kind.BITVEC]
    return any(at < 8 * offset + width and 8 * offset < at + size for at, size in numbers)


class Layout(Assignments):
    """Assertions that the layout of memory does not matter, and the conditions they are made of."""

    def convert(self, a: Term, source: CType, target: CType) -> Term:
        """A scalar conversion."""
        if isinstance(source, PointerType) and isinstance(target, IntType) and not target.is_bool:
            self.learn_number(a)
        return super().convert(a, source, target)

    def store_at(self, p: Place, value: Term) -> None:
        """Assign to a scalar place."""
        if isinstance(p.type, PointerType) and self._is_read_as_number(p):
            self.learn_number(value)
        super().store_at(p, value)

    def _is_read_as_number(self, p: Place) -> bool:
        """May a pointer that is stored there be read byte by byte, or as an integer?"""
        if isinstance(p, BlobPlace):
            return self.usage.points.find(p.base.object.location) in self.usage.numbers
        if not isinstance(p, MemoryPlace) or p.region.kind != "bytes":
            return False
        if any(self.usage.points.find(o.location) in self.usage.numbers for o in p.region.objects):
            return True
        start = self.object_address(p.origin) if isinstance(p.origin, Object) else p.origin or p.address
        return any(_has_number(v, distance(p.address, start), self.width) for v in p.region.views if isinstance(v, RecordType))

    def learn_number(self, a: Term) -> None:
        """The number of an address is used: none of an object."""
        self._needs(self.between(self.plus(a, self.address(PAGE)), 0, 2 * PAGE - 1))

    def learn_order(self, n: Node, a: Term, b: Term) -> None:
        """Pointers are ordered, or subtracted: they are into one object."""
        objects = pointees(n, self.usage, self.regions)
        options = [self.store.eq(a, b)]
        options += [self.both_of(self._spans(o, a), self._spans(o, b)) for o in objects if o.address is not None]
        if any(o.address is None for o in objects):
            options.append(self.both_of(self._is_dynamic(a), self._is_dynamic(b)))
        self._needs(self.either_of(options))

    def learn_equality(self, n: Node, a: Term, b: Term) -> None:
        """Pointers are compared: both, or one, are null, or they are of living objects and no end touches a start."""
        s, objects = self.store, pointees(n, self.usage, self.regions)
        null = [s.eq(a, self.address(0)), s.eq(b, self.address(0))]
        for o in objects:
            if o in self.usage.ended:
                self._needs(self.either_of([*null, self._lives(o, a, b)]))
            elif o.address is not None and len(objects) > 1:
                self._needs(self.both_of(self._apart(o, a, b), self._apart(o, b, a)))
        strings = [o for o in objects if o.kind == "string"]
        if len(strings) > 1:
            self._needs(self._not_merged(strings, a, b))
        heap = self._dynamic().heap if self.usage.compares_freed and any(o.kind == "heap" for o in objects) else None
        if heap is not None:
            self._needs(self.either_of([s.eq(a, b), *null, s.mk(Op.BVULE, (heap, self._released()))]))

    def note_release(self) -> None:
        """A block is freed: the blocks that are allocated from now on may have its address."""
        if self.usage.compares_freed:
            heap, released, s = self._dynamic().heap, self._released(), self.store
            assert heap is not None
            self.assign(released, s.ite(s.mk(Op.BVULT, (heap, released)), heap, released))

    def _released(self) -> Term:
        self.context.globals.setdefault(RELEASED, Variable(RELEASED, self.address_sort, self.address(-1)))
        return self.store.var(RELEASED, self.address_sort)

    def _dynamic(self) -> Region:
        """A region with dynamic memory; they share the counter of addresses."""
        return next(r for r in self.regions.by_class.values() if r.heap is not None)

    def _needs(self, c: Term) -> None:
        self.require(c, LEARNT, LIMIT)

    def _spans(self, o: Object, a: Term) -> Term:
        """Is `a` in the static object `o`, or its end?"""
        assert o.address is not None
        return self.between(a, o.address, o.address + max(o.type.size, 0))

    def _lives(self, o: Object, a: Term, b: Term) -> Term:
        """No pointer is to `o`, which has had the same address before, or another one in dynamic memory."""
        s = self.store
        if o.address is not None:
            return self.negated(s.or_(self._spans(o, a), self._spans(o, b)))
        return s.or_(s.eq(a, b), self.negated(s.or_(self._is_dynamic(a), self._is_dynamic(b))))

    def _not_merged(self, strings: list[Object], a: Term, b: Term) -> Term:
        """The pointers are not into two string literals."""
        inside = [self.either_of([self._spans(o, p) for o in strings]) for p in (a, b)]
        same = [self.both_of(self._spans(o, a), self._spans(o, b)) for o in strings]
        return self.either_of([*(self.negated(c) for c in inside), *same])

    def _apart(self, o: Object, a: Term, b: Term) -> Term:
        """If `a` is the end of `o`, `b` is in it too."""
        assert o.address is not None
        ends = self.between(a, o.address + o.type.size, o.address + o.type.size)
        return self.either_of([self.negated(ends), self._spans(o, b)])

    def _is_dynamic(self, a: Term) -> Term:
        """Is it an address of dynamic memory?"""
        return self.store.mk(Op.BVULE, (self.address(self._dynamic().heap_range[0]), a))

    # -- conditions

    def require(self, c: Term, label: str, kind: str | None = None) -> None:
        """Assert `c`, unless it is obvious."""
        if c is not self.store.true:
            self.emit(Assert(c, label, span=self.span) if kind is None else Assert(c, label, kind, self.span))

    def between(self, a: Term, low: int, high: int) -> Term:
        """low <= a <= high."""
        s = self.store
        if a.is_const and isinstance(a.data, int):
            return s.bool_(low <= a.data <= high)
        if low == high:
            return s.eq(a, self.address(low))
        return s.mk(Op.BVULE, (self.plus(a, self.address(-low)), self.address(high - low)))

    def either_of(self, options: list[Term]) -> Term:
        """One of them, without the obvious ones."""
        options = [c for c in options if c is not self.store.false]
        if any(c is self.store.true for c in options):
            return self.store.true
        return self.store.or_(*options) if len(options) > 1 else options[0] if options else self.store.false

    def both_of(self, *parts: Term) -> Term:
        """All of them, without the obvious ones."""
        parts = tuple(c for c in parts if c is not self.store.true)
        if any(c is self.store.false for c in parts):
            return self.store.false
        return self.store.and_(*parts) if len(parts) > 1 else parts[0] if parts else self.store.true

    def negated(self, c: Term) -> Term:
        """Not c, without double negation."""
        if c.is_const:
            return self.store.bool_(not c.data)
        return c.args[0] if c.op is Op.NOT else self.store.not_(c)


def distance(address: Term, origin: Term) -> int | None:
    """address - origin, if it is obvious."""
    if address is origin:
        return 0
    if address.is_const and origin.is_const:
        return constant(address) - constant(origin)
    if address.op is Op.BVADD and len(address.args) == 2 and address.args[1].is_const:
        inner, by, width = address.args[0], constant(address.args[1]), address.sort.width
        by = by - (1 << width) if by >> (width - 1) else by
        if inner is origin:
            return by
        if origin.op is Op.BVADD and len(origin.args) == 2 and origin.args[1].is_const and origin.args[0] is inner:
            before = constant(origin.args[1])
            return by - (before - (1 << width) if before >> (width - 1) else before)
    return None


def constant(t: Term) -> int:
    """The value of a constant address."""
    assert isinstance(t.data, int)
    return t.data
