"""What a user calls the places in memory, and values: `r.count` for an element of the array that
models a region, `&r` for an address, `RUNNING` for a value of an enumeration.

Only objects with constant addresses have names; nothing else depends on them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from obligato.frontends.c.context import Context
from obligato.frontends.c.enumerations import Enumerations
from obligato.frontends.c.libclang import Library
from obligato.frontends.c.objects import Object, Region, Slot, Way, component
from obligato.frontends.c.regions import is_top_level
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FloatType,
    IntType,
    PointerType,
    RecordType,
    is_scalar,
    scalar_sort,
)
from obligato.frontends.preprocessing import OWN
from obligato.program.names import source_name, without_copy
from obligato.program.places import CHARACTER, PLAIN, Part, PlaceNames, Pointee, Spelling
from obligato.terms import Kind, Sort, bitvec

MAX_PLACES = 10_000
MAX_PARTS = 100  # of what a pointer points to
MAX_TEXT = 40  # characters of a text that a pointer points to
_INDEX = re.compile(r"\[[0-9]+\]")
_KINDS = ("global", "local", "parameter")


class Naming:
    """The names of the places of a program that was lowered in a context."""

    def __init__(self, lib: Library, context: Context) -> None:
        self.enumerations, self.pointer, self.arrays = (
            Enumerations(lib),
            bitvec(context.width),
            context.region_arrays,
        )
        self.unsigned, self.pointers = context.unsigned, context.pointers
        self.scopes = context.scopes

    def places(self, objects: Sequence[Object], functions: Iterable[str] = ()) -> PlaceNames:
        """The names of the places of all objects that lie somewhere, as far as they are not too
        many, in a program with these functions.
        """
        slots = [slot for o in objects for slot in o.slots.values()]
        found = PlaceNames(
            pointers=frozenset(self.pointers).union(
                v.name for s in slots if _is_pointer(s.type) for v in s.variables
            ),
            unsigned=frozenset(self.unsigned).union(
                v.name for s in slots if not _is_signed(s.type) for v in s.variables
            ),
            spelled=dict(_spelled(objects)),
            pointees=dict(self._pointees(objects)),
            spellings=dict(self._spellings(objects)),
            declared=frozenset(
                v.name
                for o in objects
                if o.kind in _KINDS
                for s in o.slots.values()
                for v in s.variables
            ),
            written={
                name: text
                for o in objects
                if o.kind in _KINDS and o.name
                for name, text in self._written(o)
            },
            internal=frozenset(
                o.owner.name for o in objects if _is_internal(o) and o.owner is not None
            ),
            scopes=self.scopes.known,
            homes=dict(self._homes(objects)),
        )
        found = _of_sources(found)
        copied = frozenset(source_name(f) for f in functions if source_name(f) != f)
        found = replace(found, copied=copied)
        self._placed(objects, found)
        return found

    def _placed(self, objects: Sequence[Object], found: PlaceNames) -> None:
        placed = [
            o
            for o in objects
            if o.region is not None and o.address is not None and o.kind in _KINDS
        ]
        count = Counter(o.name for o in placed)
        for o in placed:
            assert o.region is not None and o.address is not None
            full = o.owner is not None and (count[o.name] > 1 or _is_internal(o))
            owner = "" if o.owner is None else source_name(o.owner.name)
            name = f"{owner}::{self._label(o, placed)}" if full else o.name
            found.addresses.setdefault(o.address, f"&{name}")
            for offset, sort, part in self._parts(
                o.type, Part(name, spelling=self._spelling(o, ())), 0
            ):
                array = self.arrays.get((o.region.number, sort)) if sort is not None else None
                found.addresses.setdefault(o.address + offset, f"&{part.name}")
                if array is not None:
                    found.cells.setdefault(array.name, {}).setdefault(o.address + offset, part)
                elif sort is not None and sort.kind is Kind.BITVEC:
                    self._in_bytes(o.region, o.address + offset, sort.width // 8, part, found)
                if len(found.addresses) > MAX_PLACES:
                    return
        for o in objects:
            if o.kind == "function" and o.address is not None:
                found.addresses.setdefault(o.address, o.name)
            if o.kind == "string" and o.address is not None and o.node is not None:
                _text(o.address, o.node.spelling, max(o.type.size, 1), found.addresses)
        for o in placed:  # the ends of arrays, as far as no other object begins there
            if isinstance(o.type, ArrayType) and o.type.count and o.address is not None:
                found.addresses.setdefault(
                    o.address + o.type.size, f"{found.addresses[o.address]}[{o.type.count}]"
                )

    def _label(self, o: Object, placed: Sequence[Object]) -> str:
        """The name of an object; with the line of its declaration if its function has several."""
        same = [x for x in placed if x.name == o.name and x.owner is o.owner]
        home = self.scopes.opened(o.node) if o.node is not None and len(same) > 1 else None
        return o.name if home is None else home.partition("/")[2]

    def _in_bytes(
        self, region: Region, start: int, size: int, part: Part, found: PlaceNames
    ) -> None:
        """A scalar of several bytes in a region of bytes."""
        array = self.arrays.get((region.number, bitvec(8))) if region.kind == "bytes" else None
        if array is not None:
            found.wide.setdefault(array.name, {}).update(
                (start + i, (start, size, part)) for i in range(size)
            )

    def _homes(self, objects: Sequence[Object]) -> Iterator[tuple[str, str]]:
        """The scopes that the declarations of variables open."""
        for o in objects:
            home = (
                self.scopes.opened(o.node) if o.node is not None and not is_top_level(o) else None
            )
            if home is not None:
                yield from ((v.name, home) for s in o.slots.values() for v in s.variables)

    def _spellings(self, objects: Sequence[Object]) -> Iterator[tuple[str, Spelling]]:
        """How the values of variables are written, as far as they are not numbers."""
        for o in objects:
            for way, slot in o.slots.items() if o.kind in _KINDS else ():
                spelling = _of_scalar(slot.type, self._spelling(o, way))
                if spelling is not PLAIN:
                    yield from ((v.name, spelling) for v in slot.variables)

    def _written(self, o: Object) -> Iterator[tuple[str, str]]:
        """The scalar parts of an object as they are written in C: ``table[1].id``."""
        spread: dict[str, list[str]] = {}
        if any(s.is_spread for s in o.slots.values()):
            for _, sort, part in islice(self._parts(o.type, Part(o.name), 0), MAX_PLACES):
                if sort is not None:
                    spread.setdefault(_INDEX.sub("", part.name), []).append(part.name)
        for way, slot in o.slots.items():
            text = o.name + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in way)
            texts = spread.get(text, []) if slot.is_spread else [text]
            if "$" not in text and len(texts) == len(slot.variables):
                yield from zip((v.name for v in slot.variables), texts, strict=True)

    def _spelling(self, o: Object, way: Way) -> Spelling:
        """How the enumeration is written that the part at `way` of an object holds, or
        points to.
        """
        t, declaration = o.type, None if o.node is None else o.node.cursor
        for name in way:
            while isinstance(t, ArrayType):
                t = t.element
            if isinstance(t, RecordType) and isinstance(name, str):
                f = next(f for i, f in enumerate(t.fields) if component(f, i) == name)
                t, declaration = f.type, f.cursor
        constants = {} if declaration is None else self.enumerations.constants(declaration)
        return Spelling(constants) if constants else PLAIN

    def _pointees(self, objects: Sequence[Object]) -> Iterator[tuple[str, Pointee]]:
        """What the pointers among the user's variables point to, as far as that is not too
        large.
        """
        for o in objects:
            for way, slot in o.slots.items() if o.kind in _KINDS else ():
                pointee = self._pointee(o, way, slot)
                if pointee is not None:
                    yield slot.variable.name, pointee

    def _pointee(self, o: Object, way: Way, slot: Slot) -> Pointee | None:
        to = slot.type.to if isinstance(slot.type, PointerType) else None
        if to is None or to.size <= 0 or slot.count is not None:
            return None
        parts = islice(self._parts(to, Part("", spelling=self._spelling(o, way)), 0), MAX_PARTS + 1)
        found = {offset: part for offset, sort, part in parts if sort is not None}
        return Pointee(to.size, found) if 0 < len(found) <= MAX_PARTS else None

    def _parts(self, t: CType, whole: Part, offset: int) -> Iterator[tuple[int, Sort | None, Part]]:
        """The scalars inside of a type with their offsets in bytes, records (without a sort) before
        what is in them.

        Bit-fields have no place of their own.
        """
        if isinstance(t, RecordType):
            yield offset, None, whole
            for f in t.fields:
                if f.bits is None:
                    inner = whole.name if f.anonymous else f"{whole.name}.{f.name}"
                    constants = self.enumerations.constants(f.cursor)
                    part = Part(inner, spelling=Spelling(constants) if constants else PLAIN)
                    yield from self._parts(f.type, part, offset + f.offset // 8)
        elif isinstance(t, ArrayType):
            for i in range(t.count or 0):
                element = Part(f"{whole.name}[{i}]", spelling=whole.spelling)
                yield from self._parts(t.element, element, offset + i * t.element.size)
        elif is_scalar(t):
            part = Part(whole.name, _is_pointer(t), _of_scalar(t, whole.spelling), _is_signed(t))
            yield offset, self.pointer if part.is_pointer else scalar_sort(t), part


def _of_sources(found: PlaceNames) -> PlaceNames:
    """The names of variables of copied functions as inlining makes them (function_copies.py)."""
    return replace(
        found,
        pointers=frozenset(map(without_copy, found.pointers)),
        unsigned=frozenset(map(without_copy, found.unsigned)),
        spelled={
            without_copy(name): (source_name(owner), text)
            for name, (owner, text) in found.spelled.items()
        },
        pointees={without_copy(name): p for name, p in found.pointees.items()},
        spellings={without_copy(name): s for name, s in found.spellings.items()},
        declared=frozenset(map(without_copy, found.declared)),
        homes={without_copy(name): home for name, home in found.homes.items()},
        written={without_copy(name): text for name, text in found.written.items()},
        internal=frozenset(map(source_name, found.internal)),
    )


def _is_internal(o: Object) -> bool:
    """Is it a variable of one of our definitions of library functions?"""
    return o.owner is not None and o.owner.node.span.file.startswith(OWN)


def _is_pointer(t: CType) -> bool:
    return isinstance(t, PointerType)


def _is_signed(t: CType) -> bool:
    return not isinstance(t, IntType) or t.signed


def _of_scalar(t: CType, enumeration: Spelling) -> Spelling:
    """How values of a scalar type are written; `enumeration` if it is one."""
    if not isinstance(t, IntType):
        return PLAIN
    return CHARACTER if t.name == "char" else enumeration


def _text(address: int, text: str, size: int, addresses: dict[int, str]) -> None:
    """The names of the addresses inside of a text."""
    if len(text) > MAX_TEXT:
        text = f'{text[:MAX_TEXT]}..."'
    for i in range(size if len(addresses) + size <= MAX_PLACES else 0):
        addresses.setdefault(address + i, f"&{text}[{i}]" if i else text)


def _spelled(objects: Sequence[Object]) -> Iterator[tuple[str, tuple[str, str]]]:
    """How scalar variables, and scalar parts of variables, are written in C; bit-fields and
    pointers are left out.
    """
    for o in objects:
        owner = "" if o.owner is None or is_top_level(o) else o.owner.name
        for way, slot in o.slots.items() if o.kind in _KINDS and o.name else ():
            text = o.name + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in way)
            if (
                slot.count is None
                and slot.bits is None
                and "$" not in text
                and isinstance(slot.type, IntType | FloatType)
            ):
                yield slot.variable.name, (owner, text)
