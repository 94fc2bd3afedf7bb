"""What a user calls the places in memory: `r.count` for an element of the array that models a region, `&r` for an address.

Only objects with constant addresses have names; nothing else depends on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from obligato.frontends.c.context import ArrayKey
from obligato.frontends.c.objects import Object
from obligato.frontends.c.types import ArrayType, CType, FloatType, IntType, PointerType, RecordType, is_scalar, scalar_sort
from obligato.program.places import PlaceNames, Pointee, Reading
from obligato.terms import Sort, Term, bitvec

MAX_PLACES = 10_000
MAX_PARTS = 100  # of what a pointer points to
_KINDS = ("global", "local", "parameter")


def place_names(
    objects: Sequence[Object], arrays: Mapping[tuple[int, ArrayKey], Term], width: int, unsigned: Iterable[str],
) -> PlaceNames:
    """The names of the places of all objects that lie somewhere, as far as they are not too many; `unsigned` are variables of
    calls whose results have no sign."""
    placed = [o for o in objects if o.region is not None and o.address is not None and o.kind in _KINDS]
    count = Counter(o.name for o in placed)
    slots = [slot for o in objects for slot in o.slots.values()]
    found = PlaceNames(
        pointers=frozenset(v.name for s in slots if isinstance(s.type, PointerType) for v in s.variables),
        unsigned=frozenset((*unsigned, *(v.name for s in slots if _reading(s.type) == "unsigned" for v in s.variables))),
        spelled=dict(_spelled(objects)), pointees=dict(_pointees(objects)))
    for o in placed:
        assert o.region is not None and o.address is not None
        name = o.name if count[o.name] == 1 or o.owner is None else f"{o.owner.name}::{o.name}"
        found.addresses.setdefault(o.address, f"&{name}")
        for offset, t, place in _parts(o.type, name, 0):
            array = arrays.get((o.region.number, _sort(t, width))) if t is not None else None
            found.addresses.setdefault(o.address + offset, f"&{place}")
            if t is not None and _reading(t) == "unsigned":
                found.unsigned_cells.add(place)
            if array is not None:
                found.cells.setdefault(array.name, {}).setdefault(o.address + offset, place)
            if len(found.addresses) > MAX_PLACES:
                return found
    return found


def _pointees(objects: Sequence[Object]) -> Iterator[tuple[str, Pointee]]:
    """What the pointers among the user's variables point to, as far as that is not too large."""
    for slot in (slot for o in objects if o.kind in _KINDS for slot in o.slots.values()):
        to = slot.type.to if isinstance(slot.type, PointerType) else None
        if to is not None and to.size > 0 and slot.count is None:
            parts = islice(_parts(to, "", 0), MAX_PARTS + 1)
            found = {offset: (name, _reading(t)) for offset, t, name in parts if t is not None}
            if 0 < len(found) <= MAX_PARTS:
                yield slot.variable.name, Pointee(to.size, found)


def _reading(t: CType) -> Reading:
    """How a value of a type is read."""
    if isinstance(t, PointerType):
        return "pointer"
    return "unsigned" if isinstance(t, IntType) and not t.signed else "signed"


def _sort(t: CType, width: int) -> Sort:
    return bitvec(width) if isinstance(t, PointerType) else scalar_sort(t)


def _spelled(objects: Sequence[Object]) -> Iterator[tuple[str, tuple[str, str]]]:
    """How scalar variables, and scalar parts of variables, are written in C; bit-fields and pointers are left out."""
    named = [o for o in objects if o.kind in _KINDS and o.name]
    count = Counter((o.owner.name if o.owner is not None else "", o.name) for o in named)
    for o in named:
        owner = o.owner.name if o.owner is not None else ""
        for path, slot in o.slots.items() if count[owner, o.name] == 1 else ():
            text = o.name + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
            if slot.count is None and slot.bits is None and "$" not in text and isinstance(slot.type, IntType | FloatType):
                yield slot.variable.name, (owner, text)


def _parts(t: CType, name: str, offset: int) -> Iterator[tuple[int, CType | None, str]]:
    """The scalars inside of a type with their offsets in bytes, records (without a type) before what is in them.

    Bit-fields have no place of their own.
    """
    if isinstance(t, RecordType):
        yield offset, None, name
        for f in t.fields:
            if f.bits is None:
                inner = name if f.anonymous else f"{name}.{f.name}"
                yield from _parts(f.type, inner, offset + f.offset // 8)
    elif isinstance(t, ArrayType):
        for i in range(t.count or 0):
            yield from _parts(t.element, f"{name}[{i}]", offset + i * t.element.size)
    elif is_scalar(t):
        yield offset, t, name
