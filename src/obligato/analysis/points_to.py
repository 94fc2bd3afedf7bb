"""Points-to analysis by unification (Steensgaard, POPL 1996): near-linear, flow- and
context-insensitive.

A *class* stands for a set of memory locations, or for the contents of such a set: `pointee(c)` is
the class of the contents of `c`.  Contents are kept apart by keys (the types of the pointers there,
say): `part(k, key)` is the class that the pointers with this key in the contents `k` may point to.
Where the keys cannot be trusted, contents are made one by `collapse`; then they are the class that
all pointers there may point to.  `unify` merges two classes and, recursively, their contents;
contents that are unified with something else are made one, so whoever does not know about keys
loses precision only.  What clients attach to a class (objects, functions, types under which it is
seen) is merged with it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Fact = TypeVar("Fact")


class PointsTo(Generic[Fact]):
    """Union-find over classes with contents and attached facts each."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._pointee: list[int | None] = []
        self._facts: list[dict[Fact, None]] = []
        self._parts: list[dict[Hashable, int] | None] = []  # of contents that are kept apart
        self._mixed: list[bool] = []

    def new(self) -> int:
        """A class of its own."""
        self._parent.append(len(self._parent))
        self._pointee.append(None)
        self._facts.append({})
        self._parts.append(None)
        self._mixed.append(False)
        return len(self._parent) - 1

    def find(self, c: int) -> int:
        """The representative of a class."""
        parent = self._parent
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    def pointee(self, c: int) -> int:
        """The contents of `c`."""
        c = self.find(c)
        target = self._pointee[c]
        if target is None:
            target = self._pointee[c] = self.new()
            self._parts[target] = {}
        return self.find(target)

    def part(self, contents: int, key: Hashable) -> int:
        """The class that the pointers with this key in some contents point to."""
        contents = self.find(contents)
        parts = self._parts[contents]
        if parts is None:
            return contents
        if key not in parts:
            parts[key] = self.new()
        return self.find(parts[key])

    def collapse(self, contents: int) -> bool:
        """From now on there is one class for what all keys lead to from here. True if there were
        several classes until now.
        """
        contents = self.find(contents)
        parts, self._parts[contents] = self._parts[contents], None
        for c in (parts or {}).values():
            self.unify(contents, c)
        self._mixed[self.find(contents)] = True
        return parts is not None

    def is_mixed(self, c: int) -> bool:
        """May pointers with several keys lead to this class, from one place?"""
        return self._mixed[self.find(c)]

    def targets(self, c: int) -> list[int]:
        """The classes that contents of `c` may point to, as far as there are any."""
        contents = self._pointee[self.find(c)]
        return [] if contents is None else self.inside(contents)

    def inside(self, contents: int) -> list[int]:
        """The classes that some contents may point to, as far as there are any."""
        contents = self.find(contents)
        parts = self._parts[contents]
        return (
            [contents]
            if parts is None
            else list(dict.fromkeys(self.find(p) for p in parts.values()))
        )

    def classes(self) -> Iterator[int]:
        """The representatives of all classes."""
        return (c for c in range(len(self._parent)) if self._parent[c] == c)

    def attach(self, c: int, fact: Fact) -> None:
        """Remember a fact about a class."""
        self._facts[self.find(c)][fact] = None

    def facts(self, c: int) -> list[Fact]:
        """The facts that were attached to a class, in their order."""
        return list(self._facts[self.find(c)])

    def unify(self, a: int, b: int) -> bool:
        """Merge two classes (and their contents); was there anything to merge?"""
        changed = False
        pending = [(a, b)]
        while pending:
            a, b = (self.find(x) for x in pending.pop())
            if a == b:
                continue
            changed = True
            a, b = min(a, b), max(a, b)
            self._parent[b] = a
            self._facts[a].update(self._facts[b])
            self._facts[b] = {}
            pending += self._merge_parts(a, b)
            x, y = self._pointee[a], self._pointee[b]
            if x is None:
                self._pointee[a] = y
            elif y is not None:
                pending.append((x, y))
        return changed

    def _merge_parts(self, a: int, b: int) -> list[tuple[int, int]]:
        """Move the parts of `b` to `a`, of which it is a part from now on; what is to be merged in
        turn.
        """
        mine, other = self._parts[a], self._parts[b]
        self._mixed[a] |= self._mixed[b] or (mine is None) is not (other is None)
        self._parts[b] = None
        if mine is None or other is None:
            self._parts[a] = None
            return [(a, c) for c in (*(mine or {}).values(), *(other or {}).values())]
        return [(mine.setdefault(key, c), c) for key, c in other.items()]
