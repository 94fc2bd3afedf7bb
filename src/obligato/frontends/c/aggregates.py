"""Aggregates: their scalar parts, copies part by part, temporary objects, records as lists of
terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from obligato.frontends.c.code import Part
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Way, shapes, slots_below
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
    IntType,
    RecordType,
    VoidType,
    element_type,
    is_scalar,
    overlaps,
    padding,
    same_layout,
    scalar_sort,
)
from obligato.program.syntax import Assign, Choice, Havoc, Statement, Variable
from obligato.terms import Op, Sort, Term

MAX_PARTS = 4096


@dataclass(eq=False, repr=False)
class Aggregates(Part):
    """Records, unions and arrays: their scalar parts (`parts`), and copies of them (`copy`)."""

    memory: Memory
    safety: Safety

    def parts(self, p: AnyPlace[V], budget: int = MAX_PARTS) -> Iterator[AnyPlace[V]]:
        """The scalar places inside an aggregate, in order; a union is one of its raw bits unless
        memory is typed.
        """
        stack: list[AnyPlace[V]] = [p]
        while stack:
            p = stack.pop()
            budget -= 1
            if budget < 0:
                raise self.code.refuse("copy of a large aggregate")
            t = p.type
            if isinstance(t, ArrayType):
                count = min(t.count or 0, budget + 1)
                stack.extend(
                    self.memory.element(p, self.code.address(i)) for i in reversed(range(count))
                )
            elif (
                isinstance(t, RecordType)
                and t.is_union
                and isinstance(p, MemoryPlace)
                and p.region.kind != "bytes"
            ):
                stack.extend(self.memory.member(p, f, 0) for f in t.fields[:1])
            elif isinstance(t, RecordType) and not t.is_union:
                stack.extend(
                    self.memory.member(p, f, i) for i, f in reversed(list(enumerate(t.fields)))
                )
            elif t.size > 0:
                yield p

    def copy(self, target: Captured, source: Captured) -> None:
        """Assign an aggregate of the same type; all of it is accessed, padding too."""
        self.safety.check_access(source)
        self.safety.check_access(target, write=True)
        new, old = self.whole_slots(target), self.whole_slots(source)
        if new is not None and old is not None and _parts_of(target) == _parts_of(source):
            if new:
                self.code.emit(Assign(tuple(new), tuple(old), self.code.span))
            return
        with self.safety.unchecked():
            for a, b in zip(self.parts(target), self.parts(source), strict=True):
                self.memory.store_at(a, self.memory.load(b))
        self._copy_padding(target, source)

    def _copy_padding(self, target: Captured, source: Captured) -> None:
        """Compilers may copy padding or leave it as it is, C says that it gets any value
        [6.2.6.1p6].
        """
        if not _has_bytes(source):
            self.open_padding(target)
            return
        with self.code.block() as copied:
            self._fill_bits(target, _seen_padding(target), lambda i: self._loaded(source, i))
        self.open_padding(target, copied)

    def _loaded(self, p: Captured, i: int) -> Term:
        return self.memory.load(self._byte(p, i))

    def begin_padding(self, p: Captured) -> None:
        """The padding of an object that gets its initial value: any value, which refutes nothing,
        or zero.
        """
        with self.code.block() as cleared:
            zero = self.store.bv(0, 8)
            self._fill_bits(p, _seen_padding(p), lambda i: zero)
        self.open_padding(p, cleared)

    def open_padding(self, p: Captured, usual: list[Statement] | None = None) -> None:
        """Any value, which refutes nothing, for the bits of an aggregate in memory that no member
        has, if they can be seen. Instead of that `usual` may happen, which refutes.
        """
        self._open(p, _seen_padding(p), usual)

    def open_others(self, p: Captured, f: Field) -> None:
        """The same for the bits of a union that its member `f` does not have; they may also stay
        as they are.
        """
        if not isinstance(p, MemoryPlace) or _has_bytes(p):
            inside = padding(f.type, f.bits)
            behind = [(i, 0xFF) for i in range(f.type.size, p.type.size)]
            self._open(p, [*inside, *behind], [])

    def _open(
        self, p: Captured, free: list[tuple[int, int]], usual: list[Statement] | None
    ) -> None:
        with self.code.block() as opened:
            self._fill_bits(p, free, lambda i: self._any_byte())
        if opened and usual is not None:
            self.code.emit(Choice((tuple(usual), tuple(opened)), self.code.span))
        else:
            self.code.out.extend(opened)

    def _any_byte(self) -> Term:
        byte = self.code.local("padding", self.types.char.sort)
        self.code.emit(Havoc((byte,), "padding of a record", self.code.span))
        return byte

    def _fill_bits(
        self, p: Captured, free: list[tuple[int, int]], value: Callable[[int], Term]
    ) -> None:
        """Set some bits of some bytes of an aggregate."""
        s = self.store
        with self.safety.unchecked():
            for i, mask in free:
                place, new = self._byte(p, i), value(i)
                if mask != 0xFF:
                    kept = s.mk(Op.BVAND, (self.memory.load(place), s.bv(0xFF & ~mask, 8)))
                    new = s.mk(Op.BVOR, (kept, s.mk(Op.BVAND, (new, s.bv(mask, 8)))))
                self.memory.store_at(place, new)

    def _byte(self, p: Captured, i: int) -> Captured:
        if isinstance(p, BlobPlace):
            return BlobPlace(p.base, p.offset + 8 * i, self.types.char)
        if isinstance(p, SplitPlace):  # a union in one variable
            return BlobPlace(p, 8 * i, self.types.char)
        return MemoryPlace(
            p.region, self.code.plus(p.address, self.code.address(i)), self.types.char
        )

    def copy_or_store(self, target: Captured, source: Captured) -> None:
        """Assign a value of any type."""
        if is_scalar(target.type):
            self.memory.store_at(target, self.memory.load(source))
        else:
            self.copy(target, source)

    def whole_slots(self, p: Place) -> list[Term] | None:
        """The variables that make up a split place, unless it is an element of an array."""
        if not isinstance(p, SplitPlace) or p.index is not None:
            return None
        return [v for slot in slots_below(p.object, p.way) for v in slot.variables]

    def values_of(self, p: Place) -> list[Term]:
        """The terms that stand for an aggregate when it is passed by value: one per slot of a split
        object.
        """
        if isinstance(p, SplitPlace):
            self.safety.check_access(p)
        whole = self.whole_slots(p)
        if whole is not None and all(
            not isinstance(c, int)
            for way in p.object.slots  # type: ignore[union-attr]
            for c in way
        ):
            return whole
        return self.whole_slots(self.split_copy(p)) or []

    def split_copy(self, p: Place) -> SplitPlace[Value]:
        """A fresh split object with the same contents."""
        fresh = self.temporary(p.type)
        self.copy(fresh, self.memory.capture(p))
        return fresh

    def temporary(self, t: CType, hint: str = "t") -> SplitPlace[Value]:
        """A nameless split object."""
        o = Object(hint, t, "local", -1, self.code.function)
        self.declare_slots(o, self.regions.unique(f"{self.code.function.name}::{hint}"))
        return SplitPlace(o, (), None, t)

    def declare_slots(self, o: Object, base: str) -> None:
        """Split `o` into local variables of this function."""
        for shape in shapes(o.type, expand=False):
            variables = shape.variables(base, self.address_sort)
            self.code.locals.update(
                {name: Variable(name, sort, span=self.code.span) for name, sort in variables}
            )
            o.slots[shape.way] = shape.slot(self.store.var(*v) for v in variables)

    def fresh_result(self, n: Node, into: Term | None) -> Term | Place | None:
        """Where the value of a call goes: `into` if it fits, else a fresh variable or object; None
        if there is no value.
        """
        if isinstance(n.type, VoidType):
            return None
        if isinstance(n.type, RecordType):
            return self.temporary(n.type)
        if into is not None and into.sort is n.type.sort:
            return into
        fresh = self.code.local("t", scalar_sort(n.type))
        if isinstance(n.type, IntType) and not n.type.signed:
            self.code.context.unsigned[fresh.name] = None
        return fresh


def _has_bytes(p: Captured) -> bool:
    """Has an aggregate its padding, too?"""
    return isinstance(p, BlobPlace) or (isinstance(p, MemoryPlace) and p.region.kind == "bytes")


def _seen_padding(p: Captured) -> list[tuple[int, int]]:
    """The bits between the members of an aggregate, if they may be read: under another type, by
    memcmp, by a pointer that leaves its member.
    """
    if not _has_bytes(p):
        return []
    t = element_type(p.type)
    shown = not isinstance(p, MemoryPlace) or (
        p.region.walked
        or any(overlaps(v) or not _has_part(element_type(v), t) for v in p.region.views)
    )
    return padding(p.type) if shown else []


def _has_part(whole: CType, t: CType) -> bool:
    """Is a record of the same layout as `t`, or one of its members?"""
    if not isinstance(whole, RecordType):
        return False
    return same_layout(whole, t) or any(_has_part(element_type(f.type), t) for f in whole.fields)


def _parts_of(p: Place) -> list[tuple[Way, int | None, tuple[Sort, ...]]]:
    """Where the variables of a split place belong: equal for places that can be copied variable by
    variable.
    """
    assert isinstance(p, SplitPlace)
    n = len(p.way)
    return [
        (way[n:], slot.count, tuple(v.sort for v in slot.variables))
        for way, slot in p.object.slots.items()
        if way[:n] == p.way
    ]
