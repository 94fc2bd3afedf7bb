"""Library functions that read or write many bytes: memcpy, memset, strlen and friends, as exact loops (unrolled where short).

Pointers, sizes and values are captured before the first store: C evaluates arguments once.
Where memory is kept by type, blocks are made of elements and of scalars at the end of the last one; usage.py has made bytes
of memory where a constant size cuts a scalar.
"""

from __future__ import annotations

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.blocks import Blocks
from obligato.frontends.c.code import Code, Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Region
from obligato.frontends.c.patterns import bare_pointer_type
from obligato.frontends.c.places import Captured, MemoryPlace, Place, Value, distance
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import ArrayType, CType, IntType, PointerType, VoidType, ends_inside, is_scalar
from obligato.program.syntax import Assign, Assume, Goto, Havoc, If, Label, While
from obligato.terms import Op, Term, bitvec


class Copying(Part):
    """`block_function` and `scan`."""

    def __init__(
        self, code: Code, memory: Memory, aggregates: Aggregates, blocks: Blocks,
        layout: Layout, safety: Safety, places: Places, evaluator: Evaluator,
    ) -> None:
        super().__init__(code)
        self.memory, self.aggregates, self.blocks, self.layout = memory, aggregates, blocks, layout
        self.safety, self.places, self.evaluator = safety, places, evaluator

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
        count, rest = self._elements(size, t, arguments[0])
        d, s = self.code.captured(to, "p"), self.code.captured(out_of, "p")

        def move(i: Value, end: int = 0) -> None:
            offset = self.code.times(i, t.size)
            new = MemoryPlace(target, self.code.plus(d, offset), t, origin=d)
            self._copy_element(new, MemoryPlace(source, self.code.plus(s, offset), t, origin=s), end)

        def forward() -> None:
            self.blocks.times_do(count, move)
            if rest:
                move(count, rest)

        if not overlap or target is not source:
            forward()
            return d
        with self.code.block() as upwards:
            forward()
        with self.code.block() as downwards:
            if rest:
                move(count, rest)
            last = self.code.plus(count, self.code.address(-1))
            self.blocks.times_do(count, lambda i: move(Value(self.store.mk(Op.BVSUB, (last, i)))))
        self.code.emit(If(self.store.mk(Op.BVULE, (d, s)), tuple(upwards), tuple(downwards), self.code.span))
        return d

    def _copy_element(self, target: MemoryPlace[Value], source: MemoryPlace[Value], end: int) -> None:
        """Assign an element, or what it has in its first `end` bytes."""
        if not end:
            self.aggregates.copy_or_store(target, source)
            return
        self._check_end(source, end)
        self._check_end(target, end, write=True)
        for a, b in zip(self._first_parts(target, end), self._first_parts(source, end), strict=True):
            self.memory.store_at(a, self.memory.load(b))

    def _check_end(self, p: MemoryPlace[Value], end: int, write: bool = False) -> None:
        """The last of the first `end` bytes is accessed, even if it is padding."""
        last = self.code.plus(p.address, self.code.address(end - 1))
        self.safety.check_access(MemoryPlace(p.region, last, self.types.char, origin=p.origin), write)

    def _first_parts(self, p: MemoryPlace[Value], end: int) -> list[Captured]:
        """The scalar places in the first `end` bytes of an element, or in all of it."""
        parts = list(self.aggregates.parts(p))
        return [q for q in parts if isinstance(q, MemoryPlace) and _end(q, p) <= 8 * end] if end else parts

    def _copied_type(self, pointers: list[Node], *regions: Region) -> CType:
        """The type whose elements are copied: bytes if all memory is bytes, else the type of the pointers."""
        if all(r.kind == "bytes" for r in regions):
            return self.types.char
        declared = [t.to for t in map(bare_pointer_type, pointers) if t is not None and not isinstance(t.to, VoidType)]
        for t in [*declared, *(r.views[0] for r in regions if r.views)]:
            if t.size > 0:
                return t
        raise self.code.refuse("copy of untyped memory", pointers[0])

    def _elements(self, size: Term, t: CType, n: Node) -> tuple[Value, int]:
        """How many elements a block of `size` bytes has, and the bytes of one more that it has, too."""
        if size.is_const and isinstance(size.data, int):
            rest = size.data % t.size
            if ends_inside(t, rest):
                raise self.code.refuse("copy of a part of an element", n)
            return self.code.address(size.data // t.size), rest
        return self.code.captured(self.blocks.whole_elements(size, t), "count"), 0

    def _memset(self, name: str, arguments: list[Node]) -> Term:
        region, to = self._pointer(arguments[0])
        byte = self.evaluator.value(arguments[1]) if name == "memset" else self.store.bv(0, 32)
        size = self._size(arguments[-1])
        t = self._copied_type(arguments[:1], region)
        count, rest = self._elements(size, t, arguments[0])
        d, low = self.code.captured(to, "p"), self.code.captured(self.scalars.resize(byte, 8, False), "byte")

        def fill(i: Value, end: int = 0) -> None:
            element = MemoryPlace(region, self.code.plus(d, self.code.times(i, t.size)), t, origin=d)
            self._check_end(element, end or t.size, write=True)
            for p in self._first_parts(element, end):
                value = self._repeated(low, p)
                if isinstance(p.type, PointerType):
                    self.layout.learn_number(value)
                self.memory.store_at(p, value)

        self.blocks.times_do(count, fill)
        if rest:
            fill(count, rest)
        return d

    def _repeated(self, byte: Value, p: Place) -> Term:
        """The value of a scalar place whose bytes are all `byte`."""
        t = p.type
        if byte.is_const and byte.data == 0:
            return self.blocks.zero_of(t)
        shift = p.bit_offset % 8 if isinstance(p, MemoryPlace) and p.bits is not None else 0
        bits = self.store.concat(*[byte] * (t.size + 1))
        return self.memory.from_bits(self.store.extract(bits, shift + 8 * t.size - 1, shift), t, None)

    # -- strings

    def _chars(self, a: Node) -> MemoryPlace[Value]:
        region, p = self._pointer(a)
        return MemoryPlace(region, self.code.captured(p, "p"), ArrayType("char[]", -1, self.types.char, None, False))

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

    def _check_last(self, size: Value, *places: MemoryPlace[Value]) -> None:
        """memcmp may read all bytes, whatever the first ones are."""
        with self.code.block() as last:
            for p in places:
                self.safety.check_access(self.memory.element(p, self.code.plus(size, self.code.address(-1))))
        if last:
            self.code.emit(If(self.store.ne(size, self.code.address(0)), tuple(last), (), self.code.span))

    def _compare(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """The first difference, or any number of its sign: C promises no more, but no run is refuted by such a number."""
        a, b = self._chars(arguments[0]), self._chars(arguments[1])
        s, i, result = self.store, Value(self.code.local("i", self.address_sort)), self.code.local("order", bitvec(32))
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
        self.code.emit(While(s.true if size is None else s.mk(Op.BVULT, (i, size)), tuple(body), self.code.span))
        self.code.emit(Label(end, self.code.span))
        with self.code.block() as other:
            number, zero = self.code.local("order", bitvec(32)), s.bv(0, 32)
            self.code.emit(Havoc((number,), f"library function {name}", self.code.span))
            signs = [s.eq(s.mk(op, (number, zero)), s.mk(op, (result, zero))) for op in (Op.EQ, Op.BVSLT)]
            self.code.emit(Assume(s.and_(*signs), self.code.span))
            self.code.assign(result, number)
        self.code.emit(If(None, (), tuple(other), self.code.span))
        return result

    def _string_copy(self, name: str, arguments: list[Node]) -> Term:
        d, source = self._chars(arguments[0]), self._chars(arguments[1])
        start = self._length(d) if name == "strcat" else self.code.address(0)
        s, i, c = self.store, Value(self.code.local("i", self.address_sort)), self.code.local("ch", bitvec(8))
        self.code.assign(i, self.code.address(0))
        self.code.assign(c, s.bv(1, 8))
        with self.code.block() as body:
            self.code.assign(c, self.memory.load(self.memory.element(source, i)))
            self.memory.store_at(self.memory.element(d, self.code.plus(start, i)), c)
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        self.code.emit(While(s.ne(c, s.bv(0, 8)), tuple(body), self.code.span))
        return d.address

    def _bounded_copy(self, arguments: list[Node]) -> Term:
        """strncpy: exactly so many characters are written, and zeros behind the end of the source, which is not read there."""
        d, source = self._chars(arguments[0]), self._chars(arguments[1])
        size = self.code.captured(self._size(arguments[2]), "size")
        s, i, c = self.store, Value(self.code.local("i", self.address_sort)), self.code.local("ch", bitvec(8))
        self.code.assign(i, self.code.address(0))
        self.code.assign(c, s.bv(1, 8))
        with self.code.block() as reading:
            self.code.assign(c, self.memory.load(self.memory.element(source, i)))
        with self.code.block() as body:
            self.code.emit(If(s.ne(c, s.bv(0, 8)), tuple(reading), (), self.code.span))
            self.memory.store_at(self.memory.element(d, i), c)
            self.code.assign(i, self.code.plus(i, self.code.address(1)))
        self.code.emit(While(s.mk(Op.BVULT, (i, size)), tuple(body), self.code.span))
        return d.address

    def scan(self, arguments: list[Node], count: Term, approximates: str | None) -> None:
        """scanf: the first `count` of its targets, all known before, get any value."""
        for position, place in enumerate([self._scan_target(a) for a in arguments]):
            with self.code.block() as body:
                self.memory.store_at(place, self.blocks.anything(place, approximates))
            converted = self.store.mk(Op.BVSLT, (self.store.bv(position, count.sort.width), count))
            self.code.emit(If(converted, tuple(body), (), self.code.span))

    def _scan_target(self, a: Node) -> Captured:
        t = bare_pointer_type(a)
        if t is None or not is_scalar(t.to) or (isinstance(t.to, IntType) and t.to.width == 8):
            raise self.code.refuse("scanf into a string", a)
        return self.memory.capture(self.memory.element(self.places.pointer_base(a), self.code.address(0)))


def _end(part: MemoryPlace[Value], whole: MemoryPlace[Value]) -> int:
    """The first bit of `whole` behind one of its parts."""
    start = distance(part.address, whole.address)
    assert start is not None
    return 8 * start + (8 * part.type.size if part.bits is None else part.bit_offset + part.bits)
