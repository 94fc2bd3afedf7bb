"""Lvalues: a part of a split object, bits of a union that is kept in one variable, or an address in
a region.

A place is made of terms, and a term is read where it is used: after a store it may mean something
else.  So the type says whether that can happen.  In a `Place`, which is what an lvalue expression
gives, address and index are expressions: it serves for loads and for one store, after which nothing
of it is used (`Memory.store_once`).  In a `Captured` place they are values: whatever stores more
than once, or in a loop, takes such a place, and `Memory.capture` makes one of the other.  A part of
a captured place is captured, and every captured place is a place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NewType, TypeVar

from obligato.frontends.c.objects import Object, Region, Way
from obligato.frontends.c.types import CType, RecordType
from obligato.terms import Op, Term

# a constant, or made of variables that nothing assigns before the operation at hand is done
Value = NewType("Value", Term)
V = TypeVar("V", bound=Term)
V_co = TypeVar("V_co", bound=Term, covariant=True)


@dataclass(frozen=True, eq=False)
class SplitPlace(Generic[V_co]):
    """The part of a split object at `way`; `index` counts elements of the arrays passed on the
    way.
    """

    object: Object
    way: Way
    index: V_co | None
    type: CType
    bits: int | None = None
    bounds: tuple[V_co, ...] = ()


@dataclass(frozen=True, eq=False)
class BlobPlace(Generic[V_co]):
    """Bits of a union's variable, from bit `offset`."""

    base: SplitPlace[V_co]
    offset: int
    type: CType
    bits: int | None = None


@dataclass(frozen=True, eq=False)
class MemoryPlace(Generic[V_co]):
    """An address in a region. A member access remembers its record and offset (`record`, `offset`
    in bytes), which narrows what it may denote; a bit-field has `bits` at `bit_offset` from the
    address.

    An element of an array, or a part of one, remembers that its address is `start` + `step` *
    `index` (in bytes), and whether the array that starts there is `declared` as a member of a
    record.

    For memory safety: `origin` is the pointer from which the address was computed (None: the
    address itself) or the variable of which it is a part, `bounds` are the conditions on the
    indices of declared arrays on the way, and `inner` says that it is in a member of a record that
    has others behind it.
    """

    region: Region
    address: V_co
    type: CType
    record: RecordType | None = None
    offset: int = 0
    bits: int | None = None
    bit_offset: int = 0
    origin: V_co | Object | None = None
    bounds: tuple[V_co, ...] = ()
    start: V_co | None = None
    index: V_co | None = None
    step: int = 0
    declared: bool = False
    inner: bool = False


AnyPlace = SplitPlace[V] | BlobPlace[V] | MemoryPlace[V]
Place = AnyPlace[Term]
Captured = AnyPlace[Value]


def place_terms(p: Place) -> list[Term]:
    """The terms that a place depends on."""
    if isinstance(p, MemoryPlace):
        return [p.address, *([p.origin] if isinstance(p.origin, Term) else ())]
    index = p.base.index if isinstance(p, BlobPlace) else p.index
    return [] if index is None else [index]


def distance(address: Term, origin: Term) -> int | None:
    """address - origin, if it is obvious."""
    (a, by), (b, back) = split_index(address), split_index(origin)
    return by - back if a is b else None


def split_index(t: Term) -> tuple[Term, int]:
    """An index or address as a variable part (zero if there is none) and a number."""
    if t.is_const:
        return t.store.bv(0, t.sort.width), constant(t)
    if t.op is Op.BVADD and len(t.args) == 2 and t.args[1].is_const:
        by, width = constant(t.args[1]), t.sort.width
        return t.args[0], by - (1 << width) if by >> (width - 1) else by
    return t, 0


def constant(t: Term) -> int:
    """The value of a constant address."""
    assert isinstance(t.data, int)
    return t.data
