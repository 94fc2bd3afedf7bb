"""Lvalues: a part of a split object, bits of a union that is kept in one variable, or an address in a region."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c.objects import Object, Path, Region
from obligato.frontends.c.types import CType, RecordType
from obligato.terms import Term


@dataclass(frozen=True, eq=False)
class SplitPlace:
    """The part of a split object at `path`; `index` counts elements of the arrays passed on the way."""

    object: Object
    path: Path
    index: Term | None
    type: CType
    bits: int | None = None
    bounds: tuple[Term, ...] = ()


@dataclass(frozen=True, eq=False)
class BlobPlace:
    """Bits of a union's variable, from bit `offset`."""

    base: SplitPlace
    offset: int
    type: CType
    bits: int | None = None


@dataclass(frozen=True, eq=False)
class MemoryPlace:
    """An address in a region. A member access remembers its record and offset (`record`, `offset` in bytes), which
    narrows what it may denote; a bit-field has `bits` at `bit_offset` from the address.

    For memory safety: `origin` is the pointer from which the address was computed (None: the address itself) or the
    variable of which it is a part, and `bounds` are the conditions on the indices of declared arrays on the way."""

    region: Region
    address: Term
    type: CType
    record: RecordType | None = None
    offset: int = 0
    bits: int | None = None
    bit_offset: int = 0
    origin: Term | Object | None = None
    bounds: tuple[Term, ...] = ()


Place = SplitPlace | BlobPlace | MemoryPlace
