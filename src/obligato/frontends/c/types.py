"""C types with the layout of the chosen data model, and questions about them.

A type is interned (type_table.py), so identity is type equality up to qualifiers of array elements;
`same_layout` compares what memory sees.  Records and pointees are resolved on demand, because types
are recursive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from obligato.errors import Unsupported
from obligato.frontends.c.libclang import CXCursor
from obligato.terms import Kind, Sort, bitvec, floating

X87 = floating(15, 64)  # long double on x86: 64 significand bits, all explicit in memory
QUAD = floating(15, 113)


class CType:
    """Any C type; `size` in bytes, -1 if unknown."""

    size: int = -1
    sort: Sort | None = None  # of scalars
    name: str = "type"
    layout: tuple[tuple[int, Sort, bool], ...] | None = None  # a memo of `layout`

    def __repr__(self) -> str:
        return self.name


class VoidType(CType):
    """void."""

    name = "void"
    size = 1  # as GNU C counts


class UnknownType(CType):
    """A type outside the supported language (complex, vector, ...): refused where it is used."""

    def __init__(self, name: str) -> None:
        self.name = name


class IntType(CType):
    """An integer type, enumeration or _Bool."""

    def __init__(
        self, name: str, size: int, signed: bool, rank: int, is_bool: bool = False
    ) -> None:
        self.name, self.size, self.signed, self.rank, self.is_bool = (
            name,
            size,
            signed,
            rank,
            is_bool,
        )
        self.width = 8 * size
        self.sort: Sort = bitvec(self.width)


class FloatType(CType):
    """float, double, long double."""

    def __init__(self, name: str, size: int, sort: Sort) -> None:
        self.name, self.size = name, size
        self.sort: Sort = sort


class PointerType(CType):
    """A pointer; `to` is resolved when asked for."""

    def __init__(self, name: str, size: int, resolve: Callable[[], CType]) -> None:
        self.name, self.size, self._resolve = name, size, resolve
        self.width = 8 * size
        self.sort: Sort = bitvec(self.width)
        self._to: CType | None = None

    @property
    def to(self) -> CType:
        """What it points to."""
        if self._to is None:
            self._to = self._resolve()
        return self._to


class ArrayType(CType):
    """An array; `count` is None for incomplete and variable-length ones."""

    def __init__(
        self, name: str, size: int, element: CType, count: int | None, variable: bool
    ) -> None:
        self.name, self.size, self.element, self.count, self.variable = (
            name,
            size,
            element,
            count,
            variable,
        )


class FunctionType(CType):
    """A function type; `prototype` is False for ``f()``."""

    size = 1

    def __init__(
        self, name: str, result: CType, parameters: list[CType], variadic: bool, prototype: bool
    ) -> None:
        self.name, self.result, self.parameters, self.variadic, self.prototype = (
            name,
            result,
            parameters,
            variadic,
            prototype,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A member. `offset` is in bits from the record's start; `bits` the width of a bit-field."""

    name: str
    type: CType
    offset: int
    bits: int | None
    key: int  # identifies the declaration
    cursor: CXCursor

    @property
    def anonymous(self) -> bool:
        """An unnamed struct or union, whose members are members of the outer one."""
        return not self.name


class RecordType(CType):
    """A struct or union."""

    def __init__(
        self, name: str, size: int, is_union: bool, resolve: Callable[[], list[Field]]
    ) -> None:
        self.name, self.size, self.is_union, self._resolve = name, size, is_union, resolve
        self._fields: list[Field] | None = None

    @property
    def fields(self) -> list[Field]:
        """Its members in order; unnamed bit-fields left out."""
        if self._fields is None:
            self._fields = self._resolve()
        return self._fields

    def way_to(self, key: int) -> list[Field] | None:
        """The members to go through (anonymous ones first) to the member with that key."""
        for f in self.fields:
            if f.key == key:
                return [f]
            if f.anonymous and isinstance(f.type, RecordType):
                inner = f.type.way_to(key)
                if inner is not None:
                    return [f, *inner]
        return None


Scalar = IntType | FloatType | PointerType


def is_scalar(t: CType) -> bool:
    """Does a value of this type fit one term?"""
    return isinstance(t, IntType | FloatType | PointerType)


def scalar_sort(t: CType) -> Sort:
    """The sort of a scalar's values."""
    if t.sort is None:
        raise Unsupported(f"type {t.name}", construct=f"type {t.name}")
    return t.sort


def element_type(t: CType) -> CType:
    """The type under all array dimensions."""
    while isinstance(t, ArrayType):
        t = t.element
    return t


def is_variable(t: CType) -> bool:
    """Is it an array of variable length, or made of one? Only such a type has expressions that are
    evaluated.
    """
    while isinstance(t, ArrayType | PointerType):
        if isinstance(t, ArrayType) and t.variable:
            return True
        t = t.to if isinstance(t, PointerType) else t.element
    return isinstance(t, FunctionType) and is_variable(t.result)


def is_number(t: CType) -> bool:
    """Is it a scalar type other than a pointer?"""
    return isinstance(t, IntType | FloatType)


def holds_pointer(t: CType) -> bool:
    t = element_type(t)
    return isinstance(t, PointerType) or (
        isinstance(t, RecordType) and any(holds_pointer(f.type) for f in t.fields)
    )


def scalar_leaves(t: CType, limit: int = 1 << 16) -> Iterator[tuple[int, Sort, int | None]]:
    """(bit offset, sort, bit-field width) of every scalar inside, arrays unrolled; union members
    overlap.
    """
    for at, leaf, bits in leaves(t, limit):
        yield at, bitvec(bits) if bits is not None else scalar_sort(leaf), bits


def leaves(t: CType, limit: int = 1 << 16) -> Iterator[tuple[int, CType, int | None]]:
    """(bit offset, type, bit-field width) of every scalar inside, as `scalar_leaves`; at most
    `limit` parts are looked at.
    """
    stack: list[tuple[CType, int]] = [(t, 0)]
    while stack and limit:
        limit -= 1
        t, offset = stack.pop()
        if isinstance(t, ArrayType):
            stack.extend(
                (t.element, offset + 8 * t.element.size * i)
                for i in reversed(range(min(t.count or 0, limit)))
            )
        elif isinstance(t, RecordType):
            for f in reversed(t.fields):
                if f.bits is None:
                    stack.append((f.type, offset + f.offset))
                else:
                    yield offset + f.offset, f.type, f.bits
        elif t.sort is not None:
            yield offset, t, None


def ends_inside(t: CType, end: int) -> bool:
    """Does a stretch of `end` bytes, whose contents are laid out like `t`, end in the middle of a
    scalar?
    """
    inside = list(leaves(t, 2 * MAX_LEAVES)) if end else []
    ends = ((at, at + (8 * leaf.size if bits is None else bits)) for at, leaf, bits in inside)
    return len(inside) > MAX_LEAVES or any(start < 8 * end < stop for start, stop in ends)


def padding(t: CType, width: int | None = None) -> list[tuple[int, int]]:
    """The bytes of a type (of `width` bits, if it is a bit-field) with bits that are no part of a
    member (of any member of a union), and which bits these are.
    """
    used = 0
    for at, leaf, bits in leaves(t) if width is None else ((0, t, width),):
        used |= ((1 << (8 * leaf.size if bits is None else bits)) - 1) << at
    free = [(i, 0xFF & ~(used >> 8 * i)) for i in range(max(t.size, 0))]
    return [(i, mask) for i, mask in free if mask]


MAX_LEAVES = 4096  # larger types are compared by identity only


Layout = tuple[tuple[int, Sort, bool], ...]


def layout(t: CType) -> Layout | None:
    """All scalars inside: place, sort, pointer or not.  None if that does not tell how memory is
    accessed: too many of them, bit-fields (found by way of their record), or an array of open
    length at the end.
    """
    if t.layout is None:
        inside = list(leaves(t, 2 * MAX_LEAVES))
        plain = (
            len(inside) <= MAX_LEAVES
            and all(bits is None for _, _, bits in inside)
            and not _open_ended(t)
        )
        known = (
            sorted(
                ((at, scalar_sort(x), isinstance(x, PointerType)) for at, x, _ in inside), key=str
            )
            if plain
            else ()
        )
        t.layout = tuple(known)
    return t.layout or None


def _open_ended(t: CType) -> bool:
    if isinstance(t, ArrayType):
        return not t.count or _open_ended(t.element)
    return isinstance(t, RecordType) and any(_open_ended(f.type) for f in t.fields)


def overlaps(t: CType) -> bool:
    """Must memory of this type be bytes?  A union does (unless it is one integer under several
    names), and a record that ends with an array of open length.
    """
    if isinstance(t, ArrayType):
        return overlaps(t.element)
    if not isinstance(t, RecordType):
        return False
    if t.is_union:
        kinds = {(f.type.sort, isinstance(f.type, PointerType)) for f in t.fields}
        integer = all(
            isinstance(f.type, IntType | PointerType) and f.bits is None for f in t.fields
        )
        return not integer or len(kinds) > 1
    return any(_open_ended(f.type) or overlaps(f.type) for f in t.fields)


def is_part(t: CType, whole: CType) -> bool:
    """Is `t` the type of an object of type `whole`, or of something inside of one, or has the same
    layout as that?
    """
    stack = [whole]
    while stack:
        x = stack.pop()
        if same_layout(x, t):
            return True
        if isinstance(x, ArrayType):
            stack.append(x.element)
        elif isinstance(x, RecordType):
            stack.extend(f.type for f in x.fields)
    return False


def places_of(t: CType, whole: CType) -> list[int]:
    """The offsets, in bytes, of the parts of `whole` that are of just this type."""
    found: list[int] = []
    stack = [(whole, 0)]
    while stack:
        x, at = stack.pop()
        if x is t:
            found.append(at)
        if isinstance(x, ArrayType) and (x.element is t or x.element.sort is None):
            stack.extend((x.element, at + i * x.element.size) for i in range(x.count or 0))
        elif isinstance(x, RecordType):
            stack.extend((f.type, at + f.offset // 8) for f in x.fields if f.bits is None)
    return found


def has_union(t: CType) -> bool:
    """Is it a union, or has it one inside?"""
    t = element_type(t)
    return isinstance(t, RecordType) and (t.is_union or any(has_union(f.type) for f in t.fields))


def conflicting_targets(views: list[CType]) -> list[list[CType]]:
    """What pointers at the same place point to, where views of memory do not agree about that."""
    if len(views) < 2 and not any(isinstance(t, RecordType) for t in views):
        return []
    found: dict[int, dict[CType, None]] = {}
    for t in views:
        for at, leaf, _ in leaves(t, 2 * MAX_LEAVES):
            if isinstance(leaf, PointerType):
                found.setdefault(at, {})[element_type(leaf.to)] = None
    return [list(targets) for targets in found.values() if len(targets) > 1]


def same_layout(a: CType, b: CType) -> bool:
    """Do two types put the same kinds of scalars at the same places?"""
    if a is b:
        return True
    if a.sort is not None or b.sort is not None:
        return a.sort is b.sort and isinstance(a, PointerType) == isinstance(b, PointerType)
    return a.size == b.size >= 0 and layout(a) is not None and layout(a) == layout(b)


def punned(views: list[CType]) -> bool:
    """Do the types under which memory is seen disagree about its scalars?"""
    return any(overlaps(t) for t in views) or any(not same_layout(views[0], t) for t in views[1:])


def is_float(t: CType) -> bool:
    """Is it a floating-point type?"""
    return t.sort is not None and t.sort.kind is Kind.FLOAT
