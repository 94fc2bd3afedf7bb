"""Points-to analysis by unification (Steensgaard, POPL 1996): near-linear, flow- and context-insensitive.

A *class* stands for a set of memory locations; `pointee(c)` is the class that the contents of those locations may point
to.  `unify` merges two classes and, recursively, their pointees.  What clients attach to a class (objects, functions,
types under which it is seen) is merged with it.  Fields are not distinguished: an aggregate is one location.
"""

from __future__ import annotations

from typing import Generic, TypeVar

Fact = TypeVar("Fact")


class PointsTo(Generic[Fact]):
    """Union-find over classes with a pointee and attached facts each."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._pointee: list[int | None] = []
        self._facts: list[dict[Fact, None]] = []

    def new(self) -> int:
        """A class of its own."""
        self._parent.append(len(self._parent))
        self._pointee.append(None)
        self._facts.append({})
        return len(self._parent) - 1

    def find(self, c: int) -> int:
        """The representative of a class."""
        parent = self._parent
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    def pointee(self, c: int) -> int:
        """The class that contents of `c` point to."""
        c = self.find(c)
        target = self._pointee[c]
        if target is None:
            target = self._pointee[c] = self.new()
        return self.find(target)

    def attach(self, c: int, fact: Fact) -> None:
        """Remember a fact about a class."""
        self._facts[self.find(c)][fact] = None

    def facts(self, c: int) -> list[Fact]:
        """What was attached to a class, in order."""
        return list(self._facts[self.find(c)])

    def unify(self, a: int, b: int) -> bool:
        """Merge two classes (and what they point to); was there anything to merge?"""
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
            x, y = self._pointee[a], self._pointee[b]
            if x is None:
                self._pointee[a] = y
            elif y is not None:
                pending.append((x, y))
        return changed
