"""Where objects live: split into variables, or at addresses of memory regions.

Idea: an object whose address is never taken is split.  The others are grouped by points-to class;
each class is a region:
- *cells*: static objects of few parts, all seen under one type: still split; a pointer access
  chooses among them (cells.py);
- *typed*: seen under one type: one SMT array per scalar sort, indexed by byte address;
- *bytes*: seen under different types (unions, char access, casts), or under none, or walked over by
  pointers that may leave the part of a record which they were made for: one SMT array of bytes.
Addresses of static objects are constants, 16 bytes apart or more; null is 0.  Allocation hands out
increasing addresses from one counter for all regions, so no address is used twice.
"""

from __future__ import annotations

from math import prod

from obligato.errors import ConfigError, Span, Unsupported
from obligato.frontends.c.catalogue import REALLOCATIONS
from obligato.frontends.c.lifetimes import dangling
from obligato.frontends.c.objects import Function, Object, Region, expandable, shapes, splittable
from obligato.frontends.c.once import all_once
from obligato.frontends.c.patterns import PAGE, direct_callee
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    RecordType,
    UnknownType,
    element_type,
    is_part,
    same_layout,
    scalar_leaves,
)
from obligato.frontends.c.usage import Usage
from obligato.program.names import source_name
from obligato.terms import TermStore, bitvec

MAX_CELLS = 24  # variables of a region of cells without arrays
MAX_PARTS = 64  # of one of records with arrays, which is seen under one type
HEAP_MARGIN = 16  # bytes before an allocation that belong to its slot, for memory safety
MAX_SMALL = 1024  # bytes of an allocation of constant size that has a slot of about its own size
MODES = ("auto", "plain", "regions", "bytes")
ADDRESSES = (
    "any",
    "apart",
    "reversed",
)  # the layout must not matter (layout.py); a page for each object; quite different
GHOSTS = (
    "heap$",
    "heap$room",
    "heap$sizes",
    "freed$",
    "automatic$",
    "released$",
    "released$some",
    "live$",
    "left$",
    "witness$segment",
)  # of the model


class Regions:
    """The decision for every object of a program."""

    def __init__(
        self,
        usage: Usage,
        store: TermStore,
        width: int,
        mode: str,
        guards: bool = False,
        addresses: str = "any",
    ) -> None:
        if mode not in MODES:
            raise ConfigError(f"memory model {mode!r} is none of {', '.join(MODES)}")
        self.usage, self.store, self.width, self.mode, self.guards = (
            usage,
            store,
            width,
            mode,
            guards,
        )
        self.addresses = addresses
        self._dangling: dict[Object, None] = {}
        self.by_class: dict[int, Region] = {}
        # the types of elements over which pointers go, by class
        self._strides: dict[int, dict[CType, None]] = {}
        self._next = PAGE
        self._names: dict[str, None] = dict.fromkeys(GHOSTS)
        self.objects: list[Object] = []
        self.once = False  # memory safety: is each allocation made once (singles.py)?
        self.slot_bits = (
            width // 2
        )  # memory safety: the slot of an allocation has 2^slot_bits addresses
        # are addresses used up only by as many allocations as fill memory?
        self.counts_memory = not guards

    def assign(self) -> None:
        """Decide storage, addresses and region kinds."""
        for c, t in self.usage.strides:
            self._strides.setdefault(self.usage.points.find(c), {})[t] = None
        self.objects = self.usage.everything()
        if self.guards:
            self._dangling = dangling(self.usage, hidden=True)
        static: list[Object] = []
        for o in self.objects:
            if o.kind == "function" or (
                (o.address_taken or not splittable(o.type)) and self._join(o)
            ):
                static.append(o)
        for o in reversed(static) if self.addresses == "reversed" else static:
            self._place_static(o)
        if self.addresses == "reversed":
            _merge_strings(static)
        for r in self.by_class.values():
            self._choose(r)
        self._heaps()
        for o in self.objects:
            if o.kind == "heap" or o.kind == "function":
                continue
            if o.region is None or o.region.kind == "cells":
                self._split(o)

    def region(self, location: int) -> Region:
        """The region of a points-to class."""
        c = self.usage.points.find(location)
        known = self.by_class.get(c)
        if known is None:
            known = self.by_class[c] = Region(len(self.by_class), c, views=self.usage.views(c))
            known.apart, known.checked = self.usage.is_apart(c), self.usage.is_checked(c)
            known.untyped = self.usage.is_untyped(c)
            known.unknown = c == self.usage.points.find(self.usage.unknown)
            known.recast = any(self.usage.points.find(x) == c for x in self.usage.recasts)
            known.strides = self._strides.get(c, {})
            self._choose(known)
        return known

    def _join(self, o: Object) -> bool:
        """Put an object into its region; is its address constant?"""
        if isinstance(element_type(o.type), UnknownType):
            raise _unsupported(o)
        r = self.region(o.location)
        o.region = r
        r.objects.append(o)
        dynamic = o.kind == "heap" or (
            o.owner is not None and o.owner.recursive and not o.static_storage
        )
        if o in self._dangling:
            if o.kind in ("literal", "arguments"):
                assert o.node is not None
                what = "a compound literal" if o.kind == "literal" else "variable arguments"
                raise Unsupported(
                    f"memory safety of {what}", o.node.span, f"memory safety of {what}"
                )
            dynamic = True
        return not dynamic and not (isinstance(o.type, ArrayType) and o.type.variable)

    def _place_static(self, o: Object) -> None:
        unit = PAGE if self.addresses == "apart" else 16
        o.address = self._next + (_alignment(o.type) if self.addresses == "reversed" else 0)
        self._next += (max(o.type.size, 1) + 2 * unit - 1) // unit * unit
        if self._next > 1 << (self.width - 2):
            span = o.node.span if o.node is not None else Span()
            raise Unsupported(
                "the objects of the program fill the address space", span, "huge objects"
            )

    def _choose(self, r: Region) -> None:
        r.walked = not r.punned and self._is_walked(r)
        if self.mode == "bytes" or r.punned or r.walked or r.untyped:
            r.kind = "bytes"
        elif self.mode in ("auto", "plain") and not r.unknown and _fits(r):
            r.kind = "cells"
        else:
            r.kind = "typed"
        r.zeroed = any(o.static_storage for o in r.objects)

    def _is_walked(self, r: Region) -> bool:
        """Do pointers go from part to part of records that have parts of other types, too? They may
        come to these.  Where objects are only accessed as what they are, a pointer is to records that
        have its type.
        """
        records = [
            t
            for t in map(element_type, [*r.views, *(o.type for o in r.objects)])
            if isinstance(t, RecordType)
        ]
        return any(
            not _is_made_of(t, part) and (is_part(part, t) or not r.apart)
            for t in records
            for part in r.strides
        )

    def _heaps(self) -> None:
        heaps = [r for r in self.by_class.values() if any(o.address is None for o in r.objects)]
        self.once = self.guards and all_once(
            self.usage, [o for r in heaps for o in r.objects if o.address is None]
        )
        sizes = {r: {allocation_size(o) for o in r.objects if o.address is None} for r in heaps}
        known = [size for r in heaps for size in sizes[r]]
        largest = max((MAX_SMALL + 1 if size is None else size for size in known), default=0)
        if self.guards and not self.once and largest <= MAX_SMALL:
            self.slot_bits = (largest + HEAP_MARGIN).bit_length()
            least = min((size for size in known if size is not None), default=0)
            # small allocations leave much of large slots free
            self.counts_memory = 1 << self.slot_bits <= 4 * (least + HEAP_MARGIN)
        for r in heaps:
            slotted = self.guards and not self.once
            slot = 1 << (self.slot_bits if slotted else 16)
            end = (
                1 << (self.width - 1)
                if slotted and not self.counts_memory
                else (1 << self.width) - PAGE
            )
            r.heap_range = ((self._next | (slot - 1)) + 1, end)
            r.heap = self.store.var("heap$", bitvec(self.width))
            r.allocation_size = next(iter(sizes[r])) if len(sizes[r]) == 1 else None

    def _split(self, o: Object) -> None:
        base = self.variable_name(o)
        expand = expandable(o) and o.kind != "parameter" and o.region is None
        if not splittable(o.type):
            raise _unsupported(o)
        for s in shapes(o.type, expand):
            o.slots[s.way] = s.slot(
                self.store.var(*v) for v in s.variables(base, bitvec(self.width))
            )

    def variable_name(self, o: Object) -> str:
        """A readable full name that nothing else has."""
        return self.unique(qualified(o))

    def local_name(self, function: str, name: str) -> str:
        """A free name of a local variable, which copies of the function do not use either."""
        owner = source_name(function)
        return f"{function}{self.unique(f'{owner}::{name}').removeprefix(owner)}"

    def unique(self, name: str) -> str:
        """`name`, or the first free variation of it."""
        candidate, n = name, 1
        while candidate in self._names:
            n += 1
            candidate = f"{name}${n}"
        self._names[candidate] = None
        return candidate


def allocation_size(o: Object) -> int | None:
    """How many bytes an allocation has, if that is always the same."""
    if o.kind != "heap":
        return None if isinstance(o.type, ArrayType) and o.type.variable else max(o.type.size, 0)
    assert o.node is not None
    name = direct_callee(o.node.operands[0])
    values = [a.evaluate() for a in o.node.operands[1 : 3 if name == "calloc" else 2]]
    numbers = [v for v in values if isinstance(v, int) and v >= 0]
    return (
        prod(numbers)
        if values and len(numbers) == len(values) and name not in REALLOCATIONS
        else None
    )


def qualified(o: Object) -> str:
    """``x``, ``f::x`` for locals, ``f.x`` for static locals and locals that pointers reach (globals
    of the program).
    """
    if o.static_storage or o.region is not None:
        inner = not o.static_storage or (
            o.kind == "global" and o.owner is not None and not is_top_level(o)
        )
        return f"{owner_name(o.owner)}.{o.name}" if inner else o.name
    return f"{owner_name(o.owner)}::{o.name}"


def owner_name(f: Function | None) -> str:
    """The procedure of a local."""
    return f.name if f is not None else "main"


def is_top_level(o: Object) -> bool:
    """Is it a variable of the whole program, declared outside of functions or as extern?"""
    assert o.node is not None
    return o.node.tree.declaration(o.node.cursor).is_global


def _merge_strings(objects: list[Object]) -> None:
    """Equal string literals at one address [C11, 6.4.5p7]."""
    first: dict[str, Object] = {}
    for o in objects:
        if o.kind == "string" and o.node is not None:
            o.address = first.setdefault(f"{o.type} {o.node.spelling}", o).address


def _alignment(t: CType) -> int:
    """The alignment that a type needs, at most 8."""
    return (
        max(
            (
                min(sort.width // 8, 8)
                for _, sort, bits in scalar_leaves(t, limit=4096)
                if bits is None
            ),
            default=1,
        )
        or 1
    )


def _unsupported(o: Object) -> Unsupported:
    span = o.node.span if o.node is not None else Span()
    return Unsupported(f"an object of type {o.type}", span, f"type {element_type(o.type)}")


def _is_made_of(record: RecordType, part: CType) -> bool:
    """Are all scalar parts of a record of this type?"""
    if part.sort is not None:
        return all(sort is part.sort and bits is None for _, sort, bits in scalar_leaves(record))
    return same_layout(record, part)


def _fits(region: Region) -> bool:
    """Can the objects of a region be cells: at known places, of few parts, of which an address
    tells the element?
    """
    if not region.objects or any(o.address is None for o in region.objects):
        return False
    arrays = any(_strides(o) for o in region.objects)
    most = MAX_PARTS if arrays else MAX_CELLS
    if arrays and not (region.exact and all(_is_plain(o) for o in region.objects)):
        return False
    return sum(_count(o.type, most + 1) for o in region.objects) <= most


def _is_plain(o: Object) -> bool:
    """A record (or variable arguments) whose arrays have no arrays inside of records, and elements
    a power of two apart?
    """
    return (isinstance(o.type, RecordType) or o.kind == "arguments") and all(
        s > 0 and s & (s - 1) == 0 for s in _strides(o)
    )


def _strides(o: Object) -> list[int]:
    """The distances of elements of the arrays in an object; 0 for those that one distance does not
    describe.
    """
    found: list[int] = []
    stack: list[tuple[CType, int]] = [(o.type, -1)]
    while stack:
        t, around = stack.pop()
        if isinstance(t, ArrayType):
            inner = t
            while isinstance(inner.element, ArrayType) and not inner.variable and inner.count:
                inner = inner.element
            found.append(
                inner.element.size if around < 0 and inner.count and not inner.variable else 0
            )
            stack.append((inner.element, found[-1]))
        elif isinstance(t, RecordType):
            stack.extend((f.type, around) for f in t.fields)
    return found


def _count(t: CType, most: int) -> int:
    """The number of variables of an object, as far as it is not more than `most`."""
    if isinstance(t, ArrayType):
        return _count(t.element, most)
    if isinstance(t, RecordType) and not t.is_union:
        total = 0
        for f in t.fields:
            total += _count(f.type, most - total)
            if total >= most:
                return most
        return total
    return 1
