"""Sets and maps of the interpreter: what is in them, and what reading a map gives at a key that is
not there.

Two of them are equal if the same keys with the same values are in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Absent = Callable[[Any], Any]


class Contents:
    """A map, or (all values None) a set; `absent` says what is read at other keys."""

    def __init__(self, entries: Mapping[Any, Any], absent: Absent) -> None:
        self.entries, self.absent = dict(entries), absent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contents) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))

    def __repr__(self) -> str:
        return f"Contents({self.entries})"

    def read(self, key: Any) -> Any:
        """The value of a key."""
        return self.entries[key] if key in self.entries else self.absent(key)

    def updated(self, key: Any, value: Any) -> Contents:
        """The contents with one more key."""
        return Contents({**self.entries, key: value}, self.absent)

    def combined(self, op: str, other: Contents) -> Contents:
        """Union (+), intersection (*), difference (-)."""
        if op == "+":
            return Contents({**self.entries, **other.entries}, self.absent)
        kept = {k: v for k, v in self.entries.items() if (k in other.entries) == (op == "*")}
        return Contents(kept, self.read)
