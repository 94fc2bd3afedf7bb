"""What a program is made of after parsing: functions, objects (variables and allocations) and
memory regions.

An object is *split* (each scalar part is a variable of its own; arrays inside are SMT arrays) or
lives *in memory*: at an address of a region.  `slots` computes the parts of a split object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from obligato.frontends.c.nodes import Declaration, Node
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    Field,
    FunctionType,
    RecordType,
    VoidType,
    element_type,
    overlaps,
    punned,
    scalar_leaves,
    scalar_sort,
)
from obligato.terms import Kind, Sort, Term, array, bitvec

Way = tuple[str | int, ...]  # members and elements that lead to a part of an object
MAX_BLOB = 64  # bytes of a union that is kept in one bit-vector
MAX_SPREAD = (
    16  # elements of an array that has one variable per element though it is indexed by anything
)
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
    arguments: int = -1  # the points-to class of its variable arguments


def mark_recursive(functions: dict[str, Function]) -> None:
    """A function is recursive if it reaches itself."""
    for f in functions.values():
        seen: dict[str, None] = {}
        stack = list(f.calls)
        while stack:
            name = stack.pop()
            if name == f.name:
                f.recursive = True
                break
            if name not in seen and name in functions:
                seen[name] = None
                stack.extend(functions[name].calls)


@dataclass(eq=False)
class Object:
    """A variable, string literal, compound literal or allocation site."""

    name: str
    type: CType
    kind: str  # global, local, parameter, string, literal, arguments, heap, function
    location: int  # its points-to class
    owner: Function | None = None
    node: Node | None = None
    address_taken: bool = False
    dynamic_index: bool = False
    region: Region | None = None
    address: int | None = None  # if it is static
    slots: dict[Way, Slot] = field(default_factory=dict)
    base: Term | None = None  # the variable that holds a dynamic address
    dimensions: list[Term] = field(default_factory=list)  # of a variable-length array
    dynamic_size: Term | None = None  # of a variable-length array
    has_body: bool = True  # a global that this file defines
    automatic: bool = False  # memory from alloca
    allocated: CType | None = None  # what the result of an allocation is converted to at once

    @property
    def split(self) -> bool:
        """Is it made of variables?"""
        return bool(self.slots) or self.region is None

    @property
    def static_storage(self) -> bool:
        """Does it exist during the whole run?"""
        return self.kind in ("global", "string", "function") or (
            self.kind == "literal" and self.owner is None
        )

    @property
    def is_constant(self) -> bool:
        """Is it a string literal, or a constant variable of static storage?"""
        return self.kind == "string" or (
            self.kind == "global" and self.node is not None and self.node.is_constant
        )


def declared_types(o: Object) -> list[CType]:
    """The type of the elements that an object is made of, as it was declared or allocated; none of
    functions, and of memory that is given a type later.
    """
    t = o.type if o.allocated is None else o.allocated
    return [] if isinstance(t, VoidType | FunctionType) else [element_type(t)]


@dataclass(frozen=True, eq=False)
class Slot:
    """A part of a split object; `count` is the number of elements if it is an array, else None.  An
    array is one variable, or *spread*: a variable for each element.
    """

    variables: tuple[Term, ...]
    type: CType
    bits: int | None
    count: int | None
    offset: int  # in bits, of the first element
    # bytes from one element to the next, where all arrays on the way are of one kind (cells.py)
    stride: int = 0

    @property
    def variable(self) -> Term:
        """The variable of a part that is no spread array."""
        assert not self.is_spread
        return self.variables[0]

    @property
    def is_spread(self) -> bool:
        """Has each element of the array its own variable?"""
        return self.count is not None and self.variables[0].sort.kind is not Kind.ARRAY

    @property
    def element(self) -> Sort:
        """The sort of the part, or of one element of the array."""
        sort = self.variables[0].sort
        return sort if self.count is None or self.is_spread else sort.element


@dataclass(eq=False)
class Region:
    """A points-to class that is kept in memory. Kinds: cells (split objects with addresses), typed,
    bytes.
    """

    number: int
    location: int  # the points-to class
    kind: str = "typed"
    objects: list[Object] = field(default_factory=list)
    views: list[CType] = field(default_factory=list)
    arrays: dict[Sort, Term] = field(default_factory=dict)
    sorts: dict[Sort, None] | None = None  # of the scalars inside, where memory is kept by type
    # the types of elements over which pointers go
    strides: dict[CType, None] = field(default_factory=dict)
    walked: bool = False  # bytes only because pointers go from part to part of records (regions.py)
    recast: bool = False  # seen as another record with the same layout
    apart: bool = False  # each object is accessed as what it was declared as (views.py)
    checked: bool = False  # ... which is asserted
    untyped: bool = False  # only stretches without a type are copied or set there
    unknown: bool = False  # may be reached through invented pointers
    zeroed: bool = False  # its arrays start as zero
    heap: Term | None = None  # the next free address
    heap_range: tuple[int, int] = (0, 0)
    allocation_size: int | None = None  # of all its allocations, if they have the same

    @property
    def exact(self) -> bool:
        """Does a pointer to a record point to a record of that type?"""
        return (self.apart or len(self.views) == 1) and not (self.recast or self.checked)

    @property
    def punned(self) -> bool:
        """May scalars of different kinds be accessed at one place?"""
        return any(map(overlaps, self.views)) if self.apart else punned(self.views)


@dataclass(frozen=True)
class Single:
    """The variables of an allocation that is made once (singles.py); before that
    it starts at 0, has no bytes and does not live.
    """

    start: Term
    room: Term
    live: Term


@dataclass(frozen=True)
class SlotShape:
    """A slot before it has a variable."""

    way: Way
    type: CType
    bits: int | None
    count: int | None
    offset: int
    stride: int = 0
    fixed: bool = True  # no variable-length array

    def variables(self, base: str, index: Sort) -> list[tuple[str, Sort]]:
        """Names and sorts of the variables, in an object of the name `base`; `index` is the sort of
        indices.
        """
        name, element = base + "".join(f".{p}" for p in self.way), slot_sort(self.type, self.bits)
        if self.count is None:
            return [(name, element)]
        if self.fixed and 0 < self.count <= MAX_SPREAD:
            return [(f"{name}[{i}]", element) for i in range(self.count)]
        return [(name, array(index, element))]

    def slot(self, variables: Iterable[Term]) -> Slot:
        """The slot of these variables."""
        return Slot(tuple(variables), self.type, self.bits, self.count, self.offset, self.stride)


def slot_sort(t: CType, bits: int | None) -> Sort:
    """The sort of one element: a scalar's, a bit-field's, or a union's bits."""
    if bits is not None:
        return bitvec(bits)
    return bitvec(8 * t.size) if isinstance(t, RecordType) else scalar_sort(t)


def shapes(
    t: CType,
    expand: bool,
    way: Way = (),
    count: int | None = None,
    offset: int = 0,
    stride: int = 0,
    fixed: bool = True,
) -> Iterator[SlotShape]:
    """The slots of a split object of type `t`."""
    if isinstance(t, ArrayType):
        if expand:
            for i in range(t.count or 0):
                yield from shapes(
                    t.element,
                    expand,
                    (*way, i),
                    count,
                    offset + 8 * i * t.element.size,
                    stride,
                    fixed,
                )
        else:
            # the number of elements of a variable-length array is not known here
            own = 1 if t.variable else t.count or 0
            total, fixed = (1 if count is None else count) * own, fixed and not t.variable
            yield from shapes(t.element, expand, way, total, offset, t.element.size, fixed)
    elif isinstance(t, RecordType) and not t.is_union:
        for i, f in enumerate(t.fields):
            inner = (*way, component(f, i))
            if f.bits is not None:
                yield SlotShape(inner, f.type, f.bits, count, offset + f.offset, stride, fixed)
            else:
                yield from shapes(f.type, expand, inner, count, offset + f.offset, stride, fixed)
    elif t.size > 0 or not isinstance(t, RecordType):
        yield SlotShape(way, t, None, count, offset, stride, fixed)


def component(f: Field, position: int) -> str:
    """The component of a way that stands for a member."""
    return f.name or f"${position}"


def splittable(t: CType) -> bool:
    """Can an object of this type be split (no large or dynamically indexed union, known size, not
    too many parts)?
    """
    if isinstance(t, ArrayType):
        return (t.count is not None or t.variable) and splittable(t.element)
    if isinstance(t, RecordType):
        if t.is_union:
            return 0 <= t.size <= MAX_BLOB and not _has_array(t)
        return t.size >= 0 and all(splittable(f.type) for f in t.fields)
    return t.sort is not None


def _has_array(t: CType) -> bool:
    return isinstance(t, ArrayType) or (
        isinstance(t, RecordType) and any(_has_array(f.type) for f in t.fields)
    )


def expandable(o: Object) -> bool:
    """Is it a small array that is only indexed by constants?"""
    return (
        not o.dynamic_index
        and sum(1 for _ in scalar_leaves(o.type, limit=2 * MAX_EXPANDED)) <= MAX_EXPANDED
    )


def slots_below(o: Object, way: Way) -> list[Slot]:
    """The slots of the part at `way`."""
    n = len(way)
    return [slot for p, slot in o.slots.items() if p[:n] == way]


def level(o: Object, t: ArrayType) -> int:
    """How deep inside the variable-length array `o` is the array type `t`?"""
    depth, outer = 0, o.type
    while outer is not t:
        assert isinstance(outer, ArrayType)
        depth, outer = depth + 1, outer.element
    return depth


def record_starts(t: CType, way: Way, record: RecordType) -> list[int]:
    """The bit offsets, in an object of type `t`, of the records of type `record` around the part at
    `way` (first elements).
    """
    found: list[int] = []
    offset, rest = 0, list(way)
    while True:
        while isinstance(t, ArrayType):
            t = t.element
        if not isinstance(t, RecordType):
            return found
        if t is record:
            found.append(offset)
        if not rest:
            return found
        name = rest.pop(0)
        f = next(f for i, f in enumerate(t.fields) if component(f, i) == name)
        t, offset = f.type, offset + f.offset


def offset_of(t: CType, way: Way) -> int:
    """The bit offset of the part at `way` (first elements) of an object of type `t`."""
    offset = 0
    for name in way:
        while isinstance(t, ArrayType):
            t = t.element
        assert isinstance(t, RecordType)
        f = next(f for i, f in enumerate(t.fields) if component(f, i) == name)
        t, offset = f.type, offset + f.offset
    return offset
