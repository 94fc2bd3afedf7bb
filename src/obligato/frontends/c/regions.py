"""Where objects live: split into variables, or at addresses of memory regions.

Idea: an object whose address is never taken is split.  The others are grouped by points-to class; each class is a region:
- *cells*: few static objects without arrays, all seen under one type: still split; a pointer access chooses among them;
- *typed*: seen under one type: one SMT array per scalar sort, indexed by byte address;
- *bytes*: seen under different types (unions, char access, casts): one SMT array of bytes.
Addresses of static objects are constants, 16 bytes apart or more; null is 0.  Allocation hands out increasing addresses
from one counter for all regions, so no address is used twice.
"""

from __future__ import annotations

from obligato.errors import ConfigError, Span, Unsupported
from obligato.frontends.c.lifetimes import dangling
from obligato.frontends.c.objects import (
    Function,
    Object,
    Region,
    Slot,
    expandable,
    name_of,
    shapes,
    splittable,
)
from obligato.frontends.c.patterns import PAGE, punned
from obligato.frontends.c.types import ArrayType, CType, RecordType, element_type, scalar_leaves
from obligato.frontends.c.usage import Usage
from obligato.terms import TermStore, bitvec

MODES = ("auto", "regions", "bytes")
ADDRESSES = ("any", "apart", "reversed")  # the layout must not matter (layout.py); a page for each object; quite different
MAX_CELLS = 24
GHOSTS = ("heap$", "heap$room", "freed$", "automatic$", "released$")  # variables of the model itself


class Regions:
    """The decision for every object of a program."""

    def __init__(
        self, usage: Usage, store: TermStore, width: int, mode: str, guards: bool = False, addresses: str = "any"
    ) -> None:
        if mode not in MODES:
            raise ConfigError(f"memory model {mode!r} is none of {', '.join(MODES)}")
        self.usage, self.store, self.width, self.mode, self.guards = usage, store, width, mode, guards
        self.addresses = addresses
        self._dangling: dict[Object, None] = {}
        self.by_class: dict[int, Region] = {}
        self._next = PAGE
        self._names: dict[str, None] = dict.fromkeys(GHOSTS)
        self.objects: list[Object] = []

    def assign(self) -> None:
        """Decide storage, addresses and region kinds."""
        self.objects = self.usage.everything()
        if self.guards:
            self._dangling = dangling(self.usage)
        static: list[Object] = []
        for o in self.objects:
            if o.kind == "function" or ((o.address_taken or not splittable(o.type)) and self._join(o)):
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
            views = [t for t in self.usage.points.facts(c) if isinstance(t, CType)]
            known = self.by_class[c] = Region(len(self.by_class), views=views)
            known.unknown = c == self.usage.points.find(self.usage.unknown)
            known.recast = any(self.usage.points.find(x) == c for x in self.usage.recasts)
            self._choose(known)
        return known

    def _join(self, o: Object) -> bool:
        """Put an object into its region; is its address constant?"""
        r = self.region(o.location)
        o.region = r
        r.objects.append(o)
        dynamic = o.kind == "heap" or (o.owner is not None and o.owner.recursive and not o.static_storage)
        if o in self._dangling:
            if o.kind == "literal":
                assert o.node is not None
                raise Unsupported("memory safety of a compound literal", o.node.span, "memory safety of a compound literal")
            dynamic = True
        return not dynamic and not (isinstance(o.type, ArrayType) and o.type.variable)

    def _place_static(self, o: Object) -> None:
        unit = PAGE if self.addresses == "apart" else 16
        o.address = self._next + (_alignment(o.type) if self.addresses == "reversed" else 0)
        self._next += (max(o.type.size, 1) + 2 * unit - 1) // unit * unit
        if self._next > 1 << (self.width - 2):
            span = o.node.span if o.node is not None else Span()
            raise Unsupported("the objects of the program fill the address space", span, "huge objects")

    def _choose(self, r: Region) -> None:
        if self.mode == "bytes" or (r.views and punned(r.views)):
            r.kind = "bytes"
        elif self.mode == "auto" and not r.unknown and self._small(r):
            r.kind = "cells"
        else:
            r.kind = "typed"
        r.zeroed = any(o.static_storage for o in r.objects)

    def _small(self, r: Region) -> bool:
        if not r.objects or any(o.address is None or has_array(o.type) for o in r.objects):
            return False
        return sum(1 for o in r.objects for _ in scalar_leaves(o.type, limit=MAX_CELLS + 1)) <= MAX_CELLS

    def _heaps(self) -> None:
        heaps = [r for r in self.by_class.values() if any(o.address is None for o in r.objects)]
        for r in heaps:
            slot = 1 << (self.width // 2 if self.guards else 16)
            end = 1 << (self.width - 1) if self.guards else (1 << self.width) - PAGE
            r.heap_range = ((self._next | (slot - 1)) + 1, end)
            r.heap = self.store.var("heap$", bitvec(self.width))

    def _split(self, o: Object) -> None:
        base = self.variable_name(o)
        expand = expandable(o) and o.kind != "parameter"
        if not splittable(o.type):
            span = o.node.span if o.node is not None else Span()
            raise Unsupported(f"an object of type {o.type}", span, f"type {element_type(o.type)}")
        for s in shapes(o.type, expand):
            variable = self.store.var(name_of(base, s.path), s.sort(bitvec(self.width)))
            o.slots[s.path] = Slot(variable, s.type, s.bits, s.count, s.offset)

    def variable_name(self, o: Object) -> str:
        """A readable full name that nothing else has."""
        return self.unique(qualified(o))

    def unique(self, name: str) -> str:
        """`name`, or the first free variation of it."""
        candidate, n = name, 1
        while candidate in self._names:
            n += 1
            candidate = f"{name}${n}"
        self._names[candidate] = None
        return candidate


def qualified(o: Object) -> str:
    """``x``, ``f::x`` for locals, ``f.x`` for static locals and locals that pointers reach (globals of the program)."""
    if o.static_storage or o.region is not None:
        inner = not o.static_storage or (o.kind == "global" and o.owner is not None and not _is_top_level(o))
        return f"{owner_name(o.owner)}.{o.name}" if inner else o.name
    return f"{owner_name(o.owner)}::{o.name}"


def owner_name(f: Function | None) -> str:
    """The procedure of a local."""
    return f.name if f is not None else "main"


def _is_top_level(o: Object) -> bool:
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
    return max((min(sort.width // 8, 8) for _, sort, bits in scalar_leaves(t, limit=4096) if bits is None), default=1) or 1


def has_array(t: CType) -> bool:
    """Is it an array, or has it one inside?"""
    return any(isinstance(x, ArrayType) for x in _parts(t))


def _parts(t: CType) -> list[CType]:
    found, stack = [], [t]
    while stack:
        x = stack.pop()
        found.append(x)
        if isinstance(x, RecordType):
            stack.extend(f.type for f in x.fields)
        elif isinstance(x, ArrayType):
            stack.append(element_type(x))
    return found
