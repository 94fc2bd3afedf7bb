"""What a user calls places in memory that a program models as elements of arrays. For the eye only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """`cells`: the places in each array, by index. `addresses`: what is at an address, as a pointer. `pointers`: the variables
    that hold addresses, by their names before inlining."""

    cells: dict[str, dict[int, str]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    pointers: frozenset[str] = frozenset()


NOWHERE = PlaceNames()
