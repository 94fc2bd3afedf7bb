"""What a user calls places in memory that a program models as elements of arrays.
For the eye only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"}


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the values of a type are written:
    the constants of an enumeration by their names, characters as such."""

    constants: Mapping[int, str] = field(default_factory=dict)
    is_character: bool = False

    def text(self, value: int, width: int) -> str | None:
        """The word for a value of so many bits; None if it has none."""
        if self.is_character:
            return (
                f"'{_ESCAPES.get(value, chr(value))}'"
                if value in _ESCAPES or 32 <= value < 127
                else None
            )
        return self.constants.get(value, self.constants.get(value - (1 << width)))


PLAIN = Spelling()
CHARACTER = Spelling(is_character=True)


@dataclass(frozen=True, slots=True)
class Part:
    """A scalar in memory: its name, whether it is a pointer, how its values are written,
    and whether they have a sign."""

    name: str
    is_pointer: bool = False
    spelling: Spelling = PLAIN
    is_signed: bool = True


@dataclass(frozen=True, slots=True)
class Pointee:
    """What a pointer points to: its size in bytes, and its scalars by offset,
    as in ``.next`` (empty for itself)."""

    size: int
    parts: dict[int, Part]

    def part(self, pointer: str, offset: int) -> Part | None:
        """The scalar that begins so many bytes after what `pointer` points to,
        with the name that it has from there."""
        number, rest = divmod(offset, self.size)
        if number < 0 or rest not in self.parts:
            return None
        part = self.parts[rest]
        if number:
            return replace(part, name=f"{pointer}[{number}]{part.name}")
        if part.name.startswith("."):
            return replace(part, name=f"{pointer}->{part.name[1:]}")
        return replace(part, name=f"{pointer}[0]{part.name}" if part.name else f"*{pointer}")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is visible behind a declaration: its `name`, and what is visible in the scope `around`
    it. The name means what opens the scope `means`; a global if that is empty. All of it is empty
    for the scope of a whole function.
    """

    around: str = ""
    name: str = ""
    means: str = ""


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """`cells`: the places in each array, by index. `wide`: in arrays of bytes, the place that a
    byte belongs to, with its first byte and its size. `addresses`: what is at an address, as a
    pointer. `pointers`: the variables that hold addresses, by their names before inlining.
    `unsigned`: variables whose declared type is an integer without sign, by their names before
    inlining; empty where the language of the input has no such types. `spelled`: the function
    (empty for a global) and the source text of a variable, by its name before inlining, where the
    text means no other one there. `pointees`: what pointer variables point to, `spellings`: how the
    values of variables are written, both by their names before inlining. `internal`: the functions
    that are not the user's, but definitions of library functions. `written`: how parts of variables
    are written, by the names of what they are before inlining. `declared`: the variables that are
    parts of what the program declares, by their names before inlining; others are temporary.
    `copied`: functions of which there are copies, where the same text may be about other memory.
    `scopes`: the scopes that a `Span` may name; `homes`: the scope that the declaration of a
    variable of a function opens, by its name before inlining.
    """

    cells: dict[str, dict[int, Part]] = field(default_factory=dict)
    wide: dict[str, dict[int, tuple[int, int, Part]]] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)
    pointers: frozenset[str] = frozenset()
    unsigned: frozenset[str] = frozenset()
    spelled: dict[str, tuple[str, str]] = field(default_factory=dict)
    pointees: dict[str, Pointee] = field(default_factory=dict)
    spellings: dict[str, Spelling] = field(default_factory=dict)
    internal: frozenset[str] = frozenset()
    copied: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    written: dict[str, str] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)

    def meaning(self, name: str, scope: str) -> str:
        """The scope that was opened by what `name` means in a scope; empty for a global."""
        while scope in self.scopes:
            here = self.scopes[scope]
            if here.name == name:
                return here.means
            scope = here.around
        return ""


NOWHERE = PlaceNames()


def head(text: str) -> str:
    """The variable that the text of a part of it begins with: ``r`` of ``r.items[2]``."""
    return text.partition(".")[0].partition("[")[0]
