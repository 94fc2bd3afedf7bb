"""Memory as blocks: allocation, memcpy, memset, strlen and friends, as exact loops (unrolled where short).

Allocation hands out increasing addresses and never fails (as the competition assumes); an address is never used again.
Running out of addresses is impossible for a program that frees nothing (there is no more memory than addresses), and
a bound of the model, hence a limit, for one that does, if only by leaving the scope of variable-length arrays.  So is
one block that is larger than all addresses, since programs ask for it by mistake and then go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obligato.frontends.c.initialisers import Initialisers
from obligato.frontends.c.mathematics import Mathematics
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region, slot_sort
from obligato.frontends.c.patterns import bare_pointer_type
from obligato.frontends.c.places import MemoryPlace, Place, SplitPlace
from obligato.frontends.c.types import ArrayType, CType, IntType, PointerType, RecordType, VoidType, is_scalar
from obligato.program.syntax import LIMIT, Assert, Assign, Assume, Goto, Havoc, If, Label, While
from obligato.terms import Op, Term, bitvec

UNROLL = 64


class Blocks(Mathematics, Initialisers):
    """Operations on blocks of memory."""

    # -- loops

    def times_do(self, count: Term, body: Callable[[Term], None]) -> None:
        """``for (i = 0; i < count; i++) body(i)``, unrolled if short."""
        if count.is_const and isinstance(count.data, int) and count.data <= UNROLL:
            for position in range(count.data):
                body(self.address(position))
            return
        i = self.local("i", self.address_sort)
        self.assign(i, self.address(0))
        with self.block() as inner:
            body(i)
            self.assign(i, self.plus(i, self.address(1)))
        self.emit(While(self.store.mk(Op.BVULT, (i, count)), tuple(inner), self.span))

    # -- allocation

    def allocate(self, o: Object, size: Term, zero: bool, automatic: bool = True) -> Term:
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

    def new_block(self, o: Object, region: Region, size: Term) -> Term:
        """A fresh block where memory safety is asked for."""
        raise NotImplementedError

    def unit(self, region: Region) -> CType:
        """The type of the elements that a region is made of."""
        if region.kind == "bytes":
            return self.types.char
        return region.views[0] if region.views else self.types.char

    def _fill_block(self, region: Region, start: Term, size: Term, zero: bool) -> None:
        """Zero (or any) contents."""
        t = self.unit(region)
        if isinstance(t, RecordType):
            self._elements(size, t)

        def fill(i: Term) -> None:
            place = MemoryPlace(region, self.plus(start, self.times(i, t.size)), t)
            for p in self.parts(place):
                self.store_at(p, self._zero_of(p.type) if zero else self._anything(p))

        with self.unchecked():
            self.times_do(self.quotient(size, t.size, round_up=True), fill)

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

    def zero_block(self, place: Place) -> bool:
        """Zero a large place in memory by a loop; is it one?"""
        t = place.type
        if not isinstance(place, MemoryPlace) or not isinstance(t, ArrayType) or (t.count or 0) <= UNROLL:
            return False
        self.times_do(self.address(t.count or 0), lambda i: self.zero_element(place, i))
        return True

    def zero_element(self, place: Place, i: Term) -> None:
        """Zero one element of an array."""
        element = self.element(place, i)
        if is_scalar(element.type):
            self.store_at(element, self._zero_of(element.type))
        else:
            self.zero(element)

    # -- library

    def block_function(self, name: str, n: Node, arguments: list[Node]) -> Term | None:
        """memcpy, memset, strlen, ..."""
        name = name.removeprefix("__builtin_")
        if name in ("memcpy", "memmove"):
            return self._memcpy(arguments, overlap=name == "memmove")
        if name in ("memset", "bzero"):
            return self._memset(name, arguments)
        if name == "strlen":
            p = self._chars(arguments[0])
            return self.scalars.resize(self._length(p), n.type.size * 8, False)
        if name in ("strcmp", "strncmp", "memcmp"):
            return self._compare(name, n, arguments)
        if name in ("strcpy", "strncpy", "strcat"):
            return self._string_copy(name, arguments)
        raise self.refuse(name, n)

    def _pointer(self, a: Node) -> tuple[Region, Term]:
        """Region and address of a pointer argument."""
        return self.regions.region(self.usage.target(a)), self.value(a)

    def _memcpy(self, arguments: list[Node], overlap: bool) -> Term:
        (target, d), (source, s) = self._pointer(arguments[0]), self._pointer(arguments[1])
        size = self.scalars.resize(self.value(arguments[2]), self.width, False)
        t = self._copied_type(arguments, size, target, source)
        d, s = self._steady(d), self._steady(s)
        count = self._elements(size, t)

        def move(i: Term) -> None:
            offset = self.times(i, t.size)
            new = MemoryPlace(target, self.plus(d, offset), t, origin=d)
            self.copy_or_store(new, MemoryPlace(source, self.plus(s, offset), t, origin=s))

        if not overlap or target is not source:
            self.times_do(count, move)
            return d
        last = self.plus(self._steady(count), self.address(-1))
        with self.block() as forward:
            self.times_do(count, move)
        with self.block() as backward:
            self.times_do(count, lambda i: move(self.store.mk(Op.BVSUB, (last, i))))
        self.emit(If(self.store.mk(Op.BVULE, (d, s)), tuple(forward), tuple(backward), self.span))
        return d

    def copy_or_store(self, target: Place, source: Place) -> None:
        """Assign a value of any type."""
        if is_scalar(target.type):
            self.store_at(target, self.load(source))
        else:
            self.copy(target, source)

    def _steady(self, a: Term) -> Term:
        return self.captured(a, "p")

    def _copied_type(self, arguments: list[Node], size: Term, *regions: Region) -> CType:
        """The type whose elements are copied: bytes if both are bytes, else the type of the pointers."""
        if all(r.kind == "bytes" for r in regions):
            return self.types.char
        for a in arguments[:2]:
            t = bare_pointer_type(a)
            if t is not None and not isinstance(t.to, VoidType) and t.to.size > 0:
                return self._dividing(t.to, size, arguments[0])
        for r in regions:
            if r.views:
                return self._dividing(r.views[0], size, arguments[0])
        raise self.refuse("copy of untyped memory", arguments[0])

    def _dividing(self, t: CType, size: Term, n: Node) -> CType:
        while size.is_const and isinstance(size.data, int) and size.data % t.size:
            if isinstance(t, RecordType) and t.fields:
                t = t.fields[0].type
            elif isinstance(t, ArrayType):
                t = t.element
            else:
                raise self.refuse("copy of a part of an element", n)
        return t

    def _memset(self, name: str, arguments: list[Node]) -> Term:
        region, d = self._pointer(arguments[0])
        byte = self.value(arguments[1]) if name == "memset" else self.store.bv(0, 32)
        size = self.scalars.resize(self.value(arguments[-1]), self.width, False)
        t = self._copied_type(arguments[:1], size, region)
        d, low = self._steady(d), self.scalars.resize(byte, 8, False)

        def fill(i: Term) -> None:
            for p in self.parts(MemoryPlace(region, self.plus(d, self.times(i, t.size)), t, origin=d)):
                value = self._repeated(low, p)
                if isinstance(p.type, PointerType):
                    self.learn_number(value)
                self.store_at(p, value)

        self.times_do(self._elements(size, t), fill)
        return d

    def _elements(self, size: Term, t: CType) -> Term:
        """size / sizeof (t); a part of an element is beyond the model."""
        if not self._divides(size, t.size):
            rest = self.store.mk(Op.BVUREM, (size, self.address(t.size)))
            self.emit(Assert(self.store.eq(rest, self.address(0)), "a block ends inside an element", LIMIT, self.span))
        return self.quotient(size, t.size)

    def _divides(self, size: Term, by: int) -> bool:
        """Is `size` a multiple of `by`, obviously (and without a wrap that `by` does not divide)?"""
        if size.is_const and isinstance(size.data, int):
            return size.data % by == 0
        if size.op is Op.BVMUL and by & (by - 1) == 0:
            return any(isinstance(f.data, int) and f.is_const and f.data % by == 0 for f in size.args)
        return by == 1

    def _repeated(self, byte: Term, p: Place) -> Term:
        """The value of a scalar place whose bytes are all `byte`."""
        t = p.type
        if byte.is_const and byte.data == 0:
            return self._zero_of(t)
        shift = p.bit_offset % 8 if isinstance(p, MemoryPlace) and p.bits is not None else 0
        bits = self.store.concat(*[byte] * (t.size + 1))
        return self._from_bits(self.store.extract(bits, shift + 8 * t.size - 1, shift), t, None)

    # -- strings

    def _chars(self, a: Node) -> MemoryPlace:
        region, p = self._pointer(a)
        return MemoryPlace(region, self._steady(p), ArrayType("char[]", -1, self.types.char, None, False))

    def _length(self, p: MemoryPlace) -> Term:
        i, end = self.local("length", self.address_sort), self.regions.unique("end")
        self.assign(i, self.address(0))
        with self.block() as reading:
            c = self.load(self.element(p, i))
        more, step = self.store.ne(c, self.store.bv(0, 8)), Assign((i,), (self.plus(i, self.address(1)),), self.span)
        if not reading:
            self.emit(While(more, (step,), self.span))
            return i
        leave = If(more, (), (Goto((end,), self.span),), self.span)
        self.emit(While(self.store.true, (*reading, leave, step), self.span))
        self.emit(Label(end, self.span))
        return i

    def _check_last(self, size: Term, *places: MemoryPlace) -> None:
        """memcmp may read all bytes, whatever the first ones are."""
        with self.block() as last:
            for p in places:
                self.check_access(self.element(p, self.plus(size, self.address(-1))))
        if last:
            self.emit(If(self.store.ne(size, self.address(0)), tuple(last), (), self.span))

    def _compare(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """The first difference, or any number of its sign: C promises no more, but no run is refuted by such a number."""
        a, b = self._chars(arguments[0]), self._chars(arguments[1])
        s, i, result = self.store, self.local("i", self.address_sort), self.local("order", bitvec(32))
        size = self.scalars.resize(self.value(arguments[2]), self.width, False) if len(arguments) > 2 else None
        end = self.regions.unique("compared")
        if name == "memcmp" and size is not None:
            size = self._steady(size)
            self._check_last(size, a, b)
        self.assign(i, self.address(0))
        self.assign(result, s.bv(0, 32))
        with self.block() as body:
            x, y = (s.zero_ext(self.load(self.element(p, i)), 24) for p in (a, b))
            self.assign(result, s.mk(Op.BVSUB, (x, y)))
            stop = s.ne(x, y) if name == "memcmp" else s.or_(s.ne(x, y), s.eq(x, s.bv(0, 32)))
            self.emit(If(stop, (Goto((end,), self.span),), (), self.span))
            self.assign(i, self.plus(i, self.address(1)))
        self.emit(While(s.true if size is None else s.mk(Op.BVULT, (i, size)), tuple(body), self.span))
        self.emit(Label(end, self.span))
        with self.block() as other:
            number, zero = self.local("order", bitvec(32)), s.bv(0, 32)
            self.emit(Havoc((number,), f"library function {name}", self.span))
            signs = [s.eq(s.mk(op, (number, zero)), s.mk(op, (result, zero))) for op in (Op.EQ, Op.BVSLT)]
            self.emit(Assume(s.and_(*signs), self.span))
            self.assign(result, number)
        self.emit(If(None, (), tuple(other), self.span))
        return result

    def _string_copy(self, name: str, arguments: list[Node]) -> Term:
        if name == "strncpy":
            raise self.refuse("strncpy", arguments[0])
        d, source = self._chars(arguments[0]), self._chars(arguments[1])
        start = self._length(d) if name == "strcat" else self.address(0)
        s, i, c = self.store, self.local("i", self.address_sort), self.local("ch", bitvec(8))
        self.assign(i, self.address(0))
        self.assign(c, s.bv(1, 8))
        with self.block() as body:
            self.assign(c, self.load(self.element(source, i)))
            self.store_at(self.element(d, self.plus(start, i)), c)
            self.assign(i, self.plus(i, self.address(1)))
        self.emit(While(s.ne(c, s.bv(0, 8)), tuple(body), self.span))
        return d.address

    def scan(self, arguments: list[Node], count: Term, approximates: str | None) -> None:
        """scanf: the first `count` of its targets, all known before, get any value."""
        for position, place in enumerate([self._scan_target(a) for a in arguments]):
            with self.block() as body:
                self.store_at(place, self._anything(place, approximates))
            converted = self.store.mk(Op.BVSLT, (self.store.bv(position, count.sort.width), count))
            self.emit(If(converted, tuple(body), (), self.span))

    def _scan_target(self, a: Node) -> Place:
        t = bare_pointer_type(a)
        if t is None or not is_scalar(t.to) or (isinstance(t.to, IntType) and t.to.width == 8):
            raise self.refuse("scanf into a string", a)
        place = self.element(self._pointer_base(a), self.address(0))
        if isinstance(place, MemoryPlace):
            return replace(place, address=self.captured(place.address))
        if isinstance(place, SplitPlace) and place.index is not None:
            return replace(place, index=self.captured(place.index))
        return place

