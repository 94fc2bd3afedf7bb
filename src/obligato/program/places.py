"""What a user calls places in memory that a program models as elements of arrays. For the eye only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Pointee:
    """What a pointer points to: its size in bytes, and its scalars by offset, as in ``.next`` (empty for itself), and whether
    they are pointers."""

    size: int
    parts: dict[int, tuple[str, bool]]

    def name(self, pointer: str, offset: int) -> tuple[str, bool] | None:
        """How the scalar that begins so many bytes after what `pointer` points to is written, and whether it is a pointer."""
        number, rest = divmod(offset, self.size)
        if number < 0 or rest not in self.parts:
            return None
        part, is_pointer = self.parts[rest]
        if number:
            return f"{pointer}[{number}]{part}", is_pointer
        if part.startswith("."):
            return f"{pointer}->{part[1:]}", is_pointer
        return f"{pointer}[0]{part}" if part else f"*{pointer}", is_pointer


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """`cells`: the places in each array, by index. `addresses`: what is at an address, as a pointer. `pointers`: the variables
    that hold addresses, by their names before inlining. `unsigned`: variables whose declared type is an integer without sign,
    by their names before inlining; empty where the language of the input has no such types. `spelled`: the function (empty
    for a global) and the source text of a variable, by its name before inlining, where the text means no other one there.
    `pointees`: what pointer variables point to, by their names before inlining."""

    cells: dict[str, dict[int, str]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    pointers: frozenset[str] = frozenset()
    unsigned: frozenset[str] = frozenset()
    spelled: dict[str, tuple[str, str]] = field(default_factory=dict)
    pointees: dict[str, Pointee] = field(default_factory=dict)


NOWHERE = PlaceNames()
