"""What a user calls the places in memory: `r.count` for an element of the array that models a region, `&r` for an address.

Only objects with constant addresses have names; nothing else depends on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from obligato.frontends.c.context import ArrayKey
from obligato.frontends.c.objects import Object
from obligato.frontends.c.types import ArrayType, CType, PointerType, RecordType, is_scalar, scalar_sort
from obligato.program.places import PlaceNames
from obligato.terms import Sort, Term, bitvec

MAX_PLACES = 10_000
_KINDS = ("global", "local", "parameter")


def place_names(objects: Sequence[Object], arrays: Mapping[tuple[int, ArrayKey], Term], width: int) -> PlaceNames:
    """The names of the places of all objects that lie somewhere, as far as they are not too many."""
    placed = [o for o in objects if o.region is not None and o.address is not None and o.kind in _KINDS]
    count = Counter(o.name for o in placed)
    found = PlaceNames(pointers=frozenset(
        slot.variable.name for o in objects for slot in o.slots.values() if isinstance(slot.type, PointerType)))
    for o in placed:
        assert o.region is not None and o.address is not None
        name = o.name if count[o.name] == 1 or o.owner is None else f"{o.owner.name}::{o.name}"
        found.addresses.setdefault(o.address, f"&{name}")
        for offset, sort, place in _parts(o.type, name, 0, bitvec(width)):
            array = arrays.get((o.region.number, sort)) if sort is not None else None
            found.addresses.setdefault(o.address + offset, f"&{place}")
            if array is not None:
                found.cells.setdefault(array.name, {}).setdefault(o.address + offset, place)
            if len(found.addresses) > MAX_PLACES:
                return found
    return found


def _parts(t: CType, name: str, offset: int, pointer: Sort) -> Iterator[tuple[int, Sort | None, str]]:
    """The scalars inside of a type with their offsets in bytes, records (without a sort) before what is in them.

    Bit-fields have no place of their own.
    """
    if isinstance(t, RecordType):
        yield offset, None, name
        for f in t.fields:
            if f.bits is None:
                inner = name if f.anonymous else f"{name}.{f.name}"
                yield from _parts(f.type, inner, offset + f.offset // 8, pointer)
    elif isinstance(t, ArrayType):
        for i in range(t.count or 0):
            yield from _parts(t.element, f"{name}[{i}]", offset + i * t.element.size, pointer)
    elif is_scalar(t):
        yield offset, pointer if isinstance(t, PointerType) else scalar_sort(t), name
