"""What a user calls places in memory that a program models as elements of arrays. For the eye only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Reading = Literal["pointer", "unsigned", "signed"]  # of a word of bits


@dataclass(frozen=True, slots=True)
class Pointee:
    """What a pointer points to: its size in bytes, and its scalars by offset, as in ``.next`` (empty for itself), and how they
    are read."""

    size: int
    parts: dict[int, tuple[str, Reading]]

    def name(self, pointer: str, offset: int) -> tuple[str, Reading] | None:
        """How the scalar that begins so many bytes after what `pointer` points to is written, and how it is read."""
        number, rest = divmod(offset, self.size)
        if number < 0 or rest not in self.parts:
            return None
        part, reading = self.parts[rest]
        if number:
            return f"{pointer}[{number}]{part}", reading
        if part.startswith("."):
            return f"{pointer}->{part[1:]}", reading
        return f"{pointer}[0]{part}" if part else f"*{pointer}", reading


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """`cells`: the places in each array, by index. `addresses`: what is at an address, as a pointer. `pointers`: the variables
    that hold addresses, by their names before inlining. `unsigned`: variables whose declared type is an integer without sign,
    by their names before inlining; empty where the language of the input has no such types. `unsigned_cells`: likewise the
    places in `cells`. `spelled`: the function (empty for a global) and the source text of a variable, by its name before
    inlining, where the text means no other one there. `pointees`: what pointer variables point to, by their names
    before inlining."""

    cells: dict[str, dict[int, str]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    pointers: frozenset[str] = frozenset()
    unsigned: frozenset[str] = frozenset()
    unsigned_cells: set[str] = field(default_factory=set)
    spelled: dict[str, tuple[str, str]] = field(default_factory=dict)
    pointees: dict[str, Pointee] = field(default_factory=dict)


NOWHERE = PlaceNames()
