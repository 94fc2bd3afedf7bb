"""Library functions that read or write many bytes: memcpy, memset, strlen and friends, as exact
loops (unrolled where short).

Pointers, sizes and values are captured before the first store: C evaluates arguments once. Where
memory is kept by type, stretches of it are made of elements and of scalars at the end of the last
one; usage.py has made bytes of memory where a constant size cuts a scalar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Region
from obligato.frontends.c.patterns import bare_pointer_type
from obligato.frontends.c.places import Captured, MemoryPlace, Place, Value, distance
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    IntType,
    PointerType,
    VoidType,
    ends_inside,
    is_scalar,
)
from obligato.program.syntax import LIMIT, Assign, Assume, Goto, Havoc, If, Label, While
from obligato.terms import Op, Term, bitvec


@dataclass(eq=False, repr=False)
class Copying(Part):
    """Functions that copy, fill or compare memory (`memory_function`) and search in it (`scan`)."""

    memory: Memory
    aggregates: Aggregates
    allocations: Allocations
    layout: Layout
    safety: Safety
    places: Places
    evaluator: Evaluator

    def memory_function(self, name: str, n: Node, arguments: list[Node]) -> Term | None:
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
        if name in ("strcpy", "strcat"):
            return self._string_copy(name, arguments)
        if name == "strncpy":
            return self._bounded_copy(arguments)
        raise self.code.refuse(name, n)

    def _pointer(self, a: Node) -> tuple[Region, Term]:
        """Region and address of a pointer argument."""
        return self.regions.region(self.usage.target(a)), self.evaluator.value(a)

    def _size(self, a: Node) -> Term:
        known = None if self.code.effectful(a) else a.evaluate()
        if isinstance(known, int):
            return self.code.address(known)
        return self.scalars.resize(self.evaluator.value(a), self.width, False)

    def _memcpy(self, arguments: list[Node], overlap: bool) -> Term:
        (target, to), (source, out_of) = self._pointer(arguments[0]), self._pointer(arguments[1])
        size = self._size(arguments[2])
        t = self._copied_type(arguments[:2], target, source)
        d, s = self.code.captured(to, "p"), self.code.captured(out_of, "p")
        self._check_stretch(source, s, size)
        self._check_stretch(target, d, size, write=True)
        count, rest = self._elements(size, t)
        if not overlap and target is source and _is_one_object(target):
            self._require_apart(d, s, size)

        def move(i: Value, end: int) -> None:
            offset = self.code.times(i, t.size)
            new = MemoryPlace(target, self.code.plus(d, offset), t, origin=d)
            self._copy_element(
                new, MemoryPlace(source, self.code.plus(s, offset), t, origin=s), end
            )

        with self.safety.unchecked():
            if overlap and target is source:
                self._move_overlapping(self.store.mk(Op.BVULE, (d, s)), count, rest, move)
            else:
                self._forward(count, rest, move)
        return d

    def _require_apart(self, d: Value, s: Value, size: Term) -> None:
        """Parts of one object that overlap are copied in an order that C leaves open."""
        store = self.store
        ways = (store.mk(Op.BVSUB, (d, s)), store.mk(Op.BVSUB, (s, d)))
        apart = store.and_(*(store.mk(Op.BVULE, (size, way)) for way in ways))
        same = store.eq(d, s)
        self.code.require(
            self.code.either_of([same, apart]), "memcpy of parts of memory that overlap", LIMIT
        )

    def _forward(self, count: Value, rest: int, move: Callable[[Value, int], None]) -> None:
        """Elements from the first to the last, then the first `rest` bytes of one more."""
        self.allocations.times_do(count, lambda i: move(i, 0))
        if rest:
            move(count, rest)

    def _move_overlapping(
        self, up: Term, count: Value, rest: int, move: Callable[[Value, int], None]
    ) -> None:
        """The same, or from the last to the first if the target is behind the source."""
        with self.code.block() as upwards:
            self._forward(count, rest, move)
        with self.code.block() as downwards:
            if rest:
                move(count, rest)
            last = self.code.plus(count, self.code.address(-1))
            self.allocations.times_do(
                count, lambda i: move(Value(self.store.mk(Op.BVSUB, (last, i))), 0)
            )
        self.code.emit(If(up, tuple(upwards), tuple(downwards), self.code.span))

    def _copy_element(
        self, target: MemoryPlace[Value], source: MemoryPlace[Value], end: int
    ) -> None:
        """Assign an element, or what it has in its first `end` bytes."""
        if not end:
            self.aggregates.copy_or_store(target, source)
            return
        for a, b in zip(
            self._first_parts(target, end), self._first_parts(source, end), strict=True
        ):
            self.memory.store_at(a, self.memory.load(b))

    def _check_stretch(self, region: Region, start: Value, size: Term, write: bool = False) -> None:
        """All of `size` bytes are accessed, padding included: the first and the last one are in one
        object, in this order.
        """
        if size.is_const and size.data == 0:
            return
        last = self.code.captured(
            self.code.plus(start, self.code.plus(size, self.code.address(-1))), "last"
        )
        with self.code.block() as checks:
            for byte in (start, last):
                self.safety.check_access(
                    MemoryPlace(region, byte, self.types.char, origin=start), write
                )
            if self.guards:
                self.code.require(self.store.mk(Op.BVULE, (start, last)), "valid-deref")
        if not checks or size.is_const:
            self.code.out.extend(checks)
        else:
            self.code.emit(
                If(self.store.ne(size, self.code.address(0)), tuple(checks), (), self.code.span)
            )

    def _first_parts(self, p: MemoryPlace[Value], end: int) -> list[Captured]:
        """The scalar places in the first `end` bytes of an element, or in all of it."""
        parts = list(self.aggregates.parts(p))
        return (
            [q for q in parts if isinstance(q, MemoryPlace) and _end(q, p) <= 8 * end]
            if end
            else parts
        )

    def _copied_type(self, pointers: list[Node], *regions: Region) -> CType:
        """The type whose elements are copied: bytes if all memory is bytes, else the type of the
        pointers.
        """
        if all(r.kind == "bytes" for r in regions):
            return self.types.char
        declared = [
            t.to
            for t in map(bare_pointer_type, pointers)
            if t is not None and not isinstance(t.to, VoidType)
        ]
        for t in [*declared, *(r.views[0] for r in regions if r.views)]:
            if t.size > 0:
                return t
        raise self.code.refuse("copy of untyped memory", pointers[0])

    def _elements(self, size: Term, t: CType) -> tuple[Value, int]:
        """How many elements a stretch of `size` bytes has, and the bytes of one more that it has,
        too; a stretch that ends inside a scalar is beyond the model.
        """
        if size.is_const and isinstance(size.data, int):
            rest = size.data % t.size
            if ends_inside(t, rest):
                self.code.require(
                    self.store.false, "a part of memory ends inside an element", LIMIT
                )
                return self.code.address(0), 0
            return self.code.address(size.data // t.size), rest
        return self.code.captured(self.allocations.whole_elements(size, t), "count"), 0

    def _memset(self, name: str, arguments: list[Node]) -> Term:
        region, to = self._pointer(arguments[0])
        byte = self.evaluator.value(arguments[1]) if name == "memset" else self.store.bv(0, 32)
        size = self._size(arguments[-1])
        t = self._copied_type(arguments[:1], region)
        d, low = (
            self.code.captured(to, "p"),
            self.code.captured(self.scalars.resize(byte, 8, False), "byte"),
        )
        self._check_stretch(region, d, size, write=True)
        count, rest = self._elements(size, t)

        def fill(i: Value, end: int) -> None:
            element = MemoryPlace(
                region, self.code.plus(d, self.code.times(i, t.size)), t, origin=d
            )
            for p in self._first_parts(element, end):
                value = self._repeated(low, p)
                if isinstance(p.type, PointerType):
                    self.layout.learn_number(value)
                self.memory.store_at(p, value)

        with self.safety.unchecked():
            self._forward(count, rest, fill)
        return d

    def _repeated(self, byte: Value, p: Place) -> Term:
        """The value of a scalar place whose bytes are all `byte`."""
        t = p.type
        if byte.is_const and byte.data == 0:
            return self.allocations.zero_of(t)
        shift = p.bit_offset % 8 if isinstance(p, MemoryPlace) and p.bits is not None else 0
        bits = self.store.concat(*[byte] * (t.size + 1))
        return self.memory.from_bits(
            self.store.extract(bits, shift + 8 * t.size - 1, shift), t, None
        )

    # -- strings

    def _chars(self, a: Node) -> MemoryPlace[Value]:
        region, p = self._pointer(a)
        return MemoryPlace(
            region,
            self.code.captured(p, "p"),
            ArrayType("char[]", -1, self.types.char, None, False),
        )

    def _length(self, p: MemoryPlace[Value]) -> Value:
        i, end = Value(self.code.local("length", self.address_sort)), self.regions.unique("end")
        self.code.assign(i, self.code.address(0))
        with self.code.block() as reading:
            c = self.memory.load(self.memory.element(p, i))
        more = self.store.ne(c, self.store.bv(0, 8))
        step = Assign((i,), (self.code.plus(i, self.code.address(1)),), self.code.span)
        if not reading:
            self.code.emit(While(more, (step,), self.code.span))
            return i
        leave = If(more, (), (Goto((end,), self.code.span),), self.code.span)
        self.code.emit(While(self.store.true, (*reading, leave, step), self.code.span))
        self.code.emit(Label(end, self.code.span))
        return i

    def read_text(self, a: Node, null: bool) -> None:
        """A text is read up to its zero. If `null`, a library may print something for a null
        pointer, which C leaves undefined: that decides nothing.
        """
        p = self._chars(a)
        if null:
            self.code.require(
                self.store.ne(p.address, self.code.address(0)), "a null pointer is printed", LIMIT
            )
        self._length(p)

    def _check_last(self, size: Value, *places: MemoryPlace[Value]) -> None:
        """memcmp may read all bytes, whatever the first ones are."""
        with self.code.block() as last:
            for p in places:
                self.safety.check_access(
                    self.memory.element(p, self.code.plus(size, self.code.address(-1)))
                )
        if last:
            self.code.emit(
                If(self.store.ne(size, self.code.address(0)), tuple(last), (), self.code.span)
            )

    def _compare(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """What glibc returns (the first difference, for i386 its sign), or any number of its sign:
        C promises no more, but no run is refuted by such a number.
        """
        a, b = self._chars(arguments[0]), self._chars(arguments[1])
        s, i, result = (
            self.store,
            Value(self.code.local("i", self.address_sort)),
            self.code.local("order", bitvec(32)),
        )
        size = self.code.captured(self._size(arguments[2]), "size") if len(arguments) > 2 else None
        end = self.regions.unique("compared")
        if name == "memcmp" and size is not None:
            self._check_last(size, a, b)
        self.code.assign(i, self.code.address(0))
        self.code.assign(result, s.bv(0, 32))
        with self.code.block() as body:
            x, y = (s.zero_ext(self.memory.load(self.memory.element(p, i)), 24) for p in (a, b))
            self.code.assign(result, s.mk(Op.BVSUB, (x, y)))
            stop = s.ne(x, y) if name == "memcmp" else s.or_(s.ne(x, y), s.eq(x, s.bv(0, 32)))
            self.code.emit(If(stop, (Goto((end,), self.code.span),), (), self.code.span))
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        self.code.emit(
            While(
                s.true if size is None else s.mk(Op.BVULT, (i, size)), tuple(body), self.code.span
            )
        )
        self.code.emit(Label(end, self.code.span))
        if not n.only_sign:
            self._keep_the_sign(name, result)
        return result

    def _keep_the_sign(self, name: str, result: Term) -> None:
        """Of what a comparison has returned only the sign is known."""
        s, zero = self.store, self.store.bv(0, 32)
        if self.width == 32:  # glibc for i386 returns -1, 0 or 1
            sign = s.ite(s.mk(Op.BVSLT, (result, zero)), s.bv(-1, 32), s.bv(1, 32))
            self.code.assign(result, s.ite(s.eq(result, zero), zero, sign))
        with self.code.block() as other:
            number = self.code.local("order", bitvec(32))
            self.code.emit(Havoc((number,), f"library function {name}", self.code.span))
            signs = [
                s.eq(s.mk(op, (number, zero)), s.mk(op, (result, zero))) for op in (Op.EQ, Op.BVSLT)
            ]
            self.code.emit(Assume(s.and_(*signs), self.code.span))
            self.code.assign(result, number)
        self.code.emit(If(None, (), tuple(other), self.code.span))

    def _string_copy(self, name: str, arguments: list[Node]) -> Term:
        d, source = self._chars(arguments[0]), self._chars(arguments[1])
        start = self._length(d) if name == "strcat" else self.code.address(0)
        i, c, more = self._walk()
        with self.code.block() as body:
            self.code.assign(c, self.memory.load(self.memory.element(source, i)))
            self.memory.store_at(self.memory.element(d, self.code.plus(start, i)), c)
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        self.code.emit(While(more, tuple(body), self.code.span))
        return d.address

    def _walk(self) -> tuple[Value, Term, Term]:
        """Variables for a place in a text, from its start on, and for the character there, and the
        condition that this is not its end.
        """
        i, c = Value(self.code.local("i", self.address_sort)), self.code.local("ch", bitvec(8))
        self.code.assign(i, self.code.address(0))
        self.code.assign(c, self.store.bv(1, 8))
        return i, c, self.store.ne(c, self.store.bv(0, 8))

    def _bounded_copy(self, arguments: list[Node]) -> Term:
        """strncpy: exactly so many characters are written, and zeros behind the end of the source,
        which is not read there.
        """
        d, source = self._chars(arguments[0]), self._chars(arguments[1])
        size = self.code.captured(self._size(arguments[2]), "size")
        i, c, more = self._walk()
        with self.code.block() as reading:
            self.code.assign(c, self.memory.load(self.memory.element(source, i)))
        with self.code.block() as body:
            self.code.emit(If(more, tuple(reading), (), self.code.span))
            self.memory.store_at(self.memory.element(d, i), c)
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        inside = self.store.mk(Op.BVULT, (i, size))
        self.code.emit(While(inside, tuple(body), self.code.span))
        return d.address

    def scan(
        self, arguments: list[Node], count: Term, approximates: str | None, widths: list[int | None]
    ) -> None:
        """scanf: the first `count` of its targets, all known before, get any value, or any word of
        at most a width.
        """
        most = [*widths, *[None] * (len(arguments) - len(widths))]
        places = [
            self._scan_target(a) if w is None else self._chars(a)
            for a, w in zip(arguments, most, strict=True)
        ]
        for position, (place, width) in enumerate(zip(places, most, strict=True)):
            with self.code.block() as body:
                if width is None:
                    self.memory.store_at(place, self.allocations.anything(place, approximates))
                else:
                    self._any_word(place, width)
            converted = self.store.mk(Op.BVSLT, (self.store.bv(position, count.sort.width), count))
            self.code.emit(If(converted, tuple(body), (), self.code.span))

    def _any_word(self, p: Captured, width: int) -> None:
        """From 1 to `width` characters that are no spaces, and a zero behind them."""
        s, length = self.store, Value(self.code.local("length", self.address_sort))
        self.code.emit(Havoc((length,), span=self.code.span))
        self.code.emit(Assume(self.code.between(length, 1, width), self.code.span))

        def put(i: Value) -> None:
            c = self.code.local("ch", bitvec(8))
            self.code.emit(Havoc((c,), span=self.code.span))
            tabs = s.and_(s.mk(Op.BVULE, (s.bv(9, 8), c)), s.mk(Op.BVULE, (c, s.bv(13, 8))))
            self.code.emit(
                Assume(
                    s.not_(s.or_(tabs, s.eq(c, s.bv(32, 8)), s.eq(c, s.bv(0, 8)))), self.code.span
                )
            )
            self.memory.store_at(self.memory.element(p, i), c)

        self.allocations.times_do(length, put)
        self.memory.store_at(self.memory.element(p, length), s.bv(0, 8))

    def _scan_target(self, a: Node) -> Captured:
        t = bare_pointer_type(a)
        if t is None or not is_scalar(t.to) or (isinstance(t.to, IntType) and t.to.width == 8):
            raise self.code.refuse("scanf into a string", a)
        return self.memory.capture(
            self.memory.element(self.places.pointer_base(a), self.code.address(0))
        )


def _is_one_object(region: Region) -> bool:
    """Is a region one variable, so that stretches of it are parts of the same object?"""
    return len(region.objects) == 1 and region.objects[0].kind != "heap"


def _end(part: MemoryPlace[Value], whole: MemoryPlace[Value]) -> int:
    """The first bit of `whole` behind one of its parts."""
    start = distance(part.address, whole.address)
    assert start is not None
    return 8 * start + (8 * part.type.size if part.bits is None else part.bit_offset + part.bits)
