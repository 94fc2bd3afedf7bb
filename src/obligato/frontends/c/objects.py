"""What a program is made of after parsing: functions, objects (variables and allocations) and memory regions.

An object is *split* (each scalar part is a variable of its own; arrays inside are SMT arrays) or lives *in memory*: at an
address of a region.  `slots` computes the parts of a split object.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from obligato.frontends.c.nodes import Declaration, Node
from obligato.frontends.c.types import ArrayType, CType, Field, FunctionType, RecordType, scalar_leaves, scalar_sort
from obligato.terms import Sort, Term, array, bitvec

Path = tuple[str | int, ...]
MAX_BLOB = 64  # bytes of a union that is kept in one bit-vector
MAX_EXPANDED = 64  # elements of an array that is split into one variable per element


@dataclass(eq=False)
class Function:
    """A function definition that may be called."""

    name: str
    node: Node
    type: FunctionType
    parameters: list[Declaration]
    body: Node
    result_class: int = -1
    calls: dict[str, None] = field(default_factory=dict)
    recursive: bool = False


@dataclass(eq=False)
class Object:
    """A variable, string literal, compound literal or allocation site."""

    name: str
    type: CType
    kind: str  # global, local, parameter, string, literal, heap, function
    location: int  # its points-to class
    owner: Function | None = None
    node: Node | None = None
    address_taken: bool = False
    dynamic_index: bool = False
    region: Region | None = None
    address: int | None = None  # if it is static
    slots: dict[Path, Slot] = field(default_factory=dict)
    base: Term | None = None  # the variable that holds a dynamic address
    dimensions: list[Term] = field(default_factory=list)  # of a variable-length array
    dynamic_size: Term | None = None  # of a variable-length array
    has_body: bool = True  # a global that this file defines
    automatic: bool = False  # memory from alloca

    @property
    def split(self) -> bool:
        """Is it made of variables?"""
        return bool(self.slots) or self.region is None

    @property
    def static_storage(self) -> bool:
        """Does it exist during the whole run?"""
        return self.kind in ("global", "string", "function") or (self.kind == "literal" and self.owner is None)


@dataclass(frozen=True, eq=False)
class Slot:
    """One variable of a split object; `count` is the number of elements if it is an array, else None."""

    variable: Term
    type: CType
    bits: int | None
    count: int | None
    offset: int  # in bits, of the first element


@dataclass(eq=False)
class Region:
    """A points-to class that is kept in memory. Kinds: cells (split objects with addresses), typed, bytes."""

    number: int
    kind: str = "typed"
    objects: list[Object] = field(default_factory=list)
    views: list[CType] = field(default_factory=list)
    arrays: dict[Sort, Term] = field(default_factory=dict)
    sorts: dict[Sort, None] | None = None  # of the scalars inside, where memory is kept by type
    recast: bool = False  # seen as another record with the same layout
    unknown: bool = False  # may be reached through invented pointers
    zeroed: bool = False  # its arrays start as zero
    heap: Term | None = None  # the next free address
    heap_range: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class SlotShape:
    """A slot before it has a variable."""

    path: Path
    type: CType
    bits: int | None
    count: int | None
    offset: int

    def sort(self, index: Sort) -> Sort:
        """The sort of the variable."""
        element = slot_sort(self.type, self.bits)
        return element if self.count is None else array(index, element)


def slot_sort(t: CType, bits: int | None) -> Sort:
    """The sort of one element: a scalar's, a bit-field's, or a union's bits."""
    if bits is not None:
        return bitvec(bits)
    return bitvec(8 * t.size) if isinstance(t, RecordType) else scalar_sort(t)


def shapes(t: CType, expand: bool, path: Path = (), count: int | None = None, offset: int = 0) -> Iterator[SlotShape]:
    """The slots of a split object of type `t`."""
    if isinstance(t, ArrayType):
        if expand:
            for i in range(t.count or 0):
                yield from shapes(t.element, expand, (*path, i), count, offset + 8 * i * t.element.size)
        else:
            own = 1 if t.variable else t.count or 0  # the number of elements of a variable-length array is not known here
            yield from shapes(t.element, expand, path, (1 if count is None else count) * own, offset)
    elif isinstance(t, RecordType) and not t.is_union:
        for i, f in enumerate(t.fields):
            inner = (*path, component(f, i))
            if f.bits is not None:
                yield SlotShape(inner, f.type, f.bits, count, offset + f.offset)
            else:
                yield from shapes(f.type, expand, inner, count, offset + f.offset)
    elif t.size > 0 or not isinstance(t, RecordType):
        yield SlotShape(path, t, None, count, offset)


def component(f: Field, position: int) -> str:
    """The path component of a member."""
    return f.name or f"${position}"


def splittable(t: CType) -> bool:
    """Can an object of this type be split (no large or dynamically indexed union, known size, not too many parts)?"""
    if isinstance(t, ArrayType):
        return (t.count is not None or t.variable) and splittable(t.element)
    if isinstance(t, RecordType):
        if t.is_union:
            return 0 <= t.size <= MAX_BLOB and not _has_array(t)
        return t.size >= 0 and all(splittable(f.type) for f in t.fields)
    return t.sort is not None


def _has_array(t: CType) -> bool:
    return isinstance(t, ArrayType) or (isinstance(t, RecordType) and any(_has_array(f.type) for f in t.fields))


def expandable(o: Object) -> bool:
    """Is it a small array that is only indexed by constants?"""
    return not o.dynamic_index and sum(1 for _ in scalar_leaves(o.type, limit=2 * MAX_EXPANDED)) <= MAX_EXPANDED


def name_of(base: str, path: Path) -> str:
    """The variable's name."""
    return base + "".join(f".{p}" for p in path)


def slots_below(o: Object, path: Path) -> list[Slot]:
    """The slots of the part at `path`."""
    n = len(path)
    return [slot for p, slot in o.slots.items() if p[:n] == path]


def level(o: Object, t: ArrayType) -> int:
    """How deep inside the variable-length array `o` is the array type `t`?"""
    depth, outer = 0, o.type
    while outer is not t:
        assert isinstance(outer, ArrayType)
        depth, outer = depth + 1, outer.element
    return depth


def subobject_offsets(t: CType, record: CType, base: int = 0) -> list[int]:
    """The bit offsets at which an object of type `t` has a part of type `record` (no arrays inside)."""
    found = [base] if t is record else []
    if isinstance(t, RecordType):
        for f in t.fields:
            found += subobject_offsets(f.type, record, base + f.offset)
    return found
