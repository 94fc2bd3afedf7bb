"""Maps from variables to facts that share what they have in common: what a data-flow state is made
of.

A map is a tree with 16 children per node whose leaves are the facts, by the number of their
variable. A change copies the nodes on the way to it and shares all others. Where two maps meet,
nodes that are the same object need no look, and the result for two nodes is remembered (`Meeting`):
the states of neighbouring locations consist of the same nodes. So a step of an analysis costs what
it changes, not what is known, and the states of all locations together take space for the changes
only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from obligato.terms import Term

V = TypeVar("V")
BITS = 4
WIDTH = 1 << BITS
REMEMBERED = 1_000_000  # pairs of nodes
WORD = (1 << 64) - 1
# [the set of variables below, as bits from the first one on; then WIDTH children or facts, or None]
Node = list[Any]
_EMPTY: Node = [0, *[None] * WIDTH]


class Keys:
    """The variables that maps of one analysis are about, numbered in the given order."""

    def __init__(self, variables: Iterable[Term]) -> None:
        self.variables = tuple(dict.fromkeys(variables))
        self.number = {v: i for i, v in enumerate(self.variables)}
        levels = 1
        while WIDTH**levels < len(self.variables):
            levels += 1
        self.shifts = tuple(BITS * level for level in reversed(range(levels)))


class FactMap(Generic[V]):
    """An immutable map; facts are never None. It iterates in the order of its keys."""

    __slots__ = ("keys", "root")

    def __init__(self, keys: Keys, root: Node = _EMPTY) -> None:
        self.keys = keys
        self.root = root

    @property
    def known(self) -> int:
        """The set of variables about which there is a fact, by bits."""
        known: int = self.root[0]
        return known

    def get(self, variable: Term, default: V | None = None) -> V | None:
        """The fact about a variable, if there is one."""
        i = self.keys.number.get(variable)
        if i is None:
            return default
        node = self.root
        for shift in self.keys.shifts:
            node = node[1 + (i >> shift & WIDTH - 1)]
            if node is None:
                return default
        return node  # type: ignore[return-value]

    def __getitem__(self, variable: Term) -> V:
        fact = self.get(variable)
        if fact is None:
            raise KeyError(variable)
        return fact

    def __contains__(self, variable: Term) -> bool:
        return self.get(variable) is not None

    def __bool__(self) -> bool:
        return bool(self.root[0])

    def __len__(self) -> int:
        return self.known.bit_count()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FactMap) and (self.root is other.root or self.root == other.root)

    __hash__ = None  # type: ignore[assignment]

    def items(self) -> Iterator[tuple[Term, V]]:
        """All facts."""
        for i in bits(self.known):
            yield self.keys.variables[i], self[self.keys.variables[i]]

    def with_fact(self, variable: Term, fact: V | None) -> FactMap[V]:
        """The map in which this is what is known of a variable; None: nothing. Of a variable
        without a number nothing is.
        """
        number = self.keys.number.get(variable)
        if number is None:
            return self
        root = _changed(self.root, number, self.keys.shifts, 0, fact)
        return self if root is self.root else FactMap(self.keys, root)

    def only(self, variables: int) -> FactMap[V]:
        """What is known of the variables in a set."""
        if not self.known & ~variables:
            return self
        return FactMap(self.keys, _only(self.root, variables, self.keys.shifts, 0) or _EMPTY)


def _only(node: Node, variables: int, shifts: tuple[int, ...], level: int) -> Node | None:
    """The part of a node that is about some variables; their bits are counted from the first
    variable of the node. None if there is no such part.
    """
    mask = node[0] & variables
    if mask == node[0] or not mask:
        return node if mask else None
    out, shift = node.copy(), shifts[level]
    out[0] = mask
    if level == len(shifts) - 1:
        for i in bits(node[0] & ~mask):
            out[1 + i] = None
        return out
    for slot in range(1, 1 + WIDTH):
        if node[slot] is not None:
            out[slot] = _only(node[slot], variables >> ((slot - 1) << shift), shifts, level + 1)
    return out


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, in order."""
    at = 0
    while mask:
        low = mask & WORD
        while low:
            bit = low & -low
            yield at + bit.bit_length() - 1
            low ^= bit
        mask >>= 64
        at += 64


def _changed(node: Node, i: int, shifts: tuple[int, ...], level: int, fact: Any) -> Node:
    """`node` with another fact about variable i; itself if it is the same fact."""
    shift = shifts[level]
    slot = 1 + (i >> shift & WIDTH - 1)
    old = node[slot]
    if level == len(shifts) - 1:
        if old is fact or old == fact:
            return node
        new, present = fact, fact is not None
        mask = node[0] | 1 << slot - 1 if present else node[0] & ~(1 << slot - 1)
    else:
        if old is None and fact is None:
            return node
        new = _changed(_EMPTY if old is None else old, i, shifts, level + 1, fact)
        if new is old:
            return node
        below = (1 << (1 << shift)) - 1
        mask = node[0] & ~(below << ((slot - 1) << shift)) | new[0] << ((slot - 1) << shift)
        new = new if new[0] else None
    out = node.copy()
    out[0], out[slot] = mask, new
    return out


class Meeting(Generic[V]):
    """Two maps variable by variable: a fact that only one of them has is lost, different ones are
    combined by `combine`.
    """

    def __init__(self, keys: Keys, combine: Callable[[Term, V, V], V | None]) -> None:
        self.keys, self.combine = keys, combine
        # the nodes are kept, so that no id is used again
        self._seen: dict[tuple[int, int], tuple[Node, Node, Node]] = {}

    def __call__(self, a: FactMap[V], b: FactMap[V]) -> FactMap[V]:
        """The map in which they meet; `a` itself iff it is the same."""
        root = self._nodes(a.root, b.root, 0, 0)
        return a if root is a.root else FactMap(self.keys, root)

    def _nodes(self, a: Node, b: Node, level: int, first: int) -> Node:
        if a is b:
            return a
        seen = self._seen.get((id(a), id(b)))
        if seen is not None:
            return seen[2]
        out = (
            self._leaves(a, b, first)
            if level == len(self.keys.shifts) - 1
            else self._inner(a, b, level, first)
        )
        # one object for what is equal: at the next location it is met again
        out = b if out is not a and out == b else out
        if len(self._seen) >= REMEMBERED:
            self._seen.clear()
        self._seen[id(a), id(b)] = (a, b, out)
        return out

    def _leaves(self, a: Node, b: Node, first: int) -> Node:
        out = None
        for i in bits(a[0]):
            old, other = a[1 + i], b[1 + i]
            if old is other:
                continue
            new = (
                None
                if other is None
                else (
                    old
                    if old == other
                    else self.combine(self.keys.variables[first + i], old, other)
                )
            )
            if new is not old and new != old:
                out = a.copy() if out is None else out
                out[1 + i] = new
                if new is None:
                    out[0] &= ~(1 << i)
        return a if out is None else out

    def _inner(self, a: Node, b: Node, level: int, first: int) -> Node:
        shift, out = self.keys.shifts[level], None
        for slot in range(1, 1 + WIDTH):
            old, other = a[slot], b[slot]
            if old is None or old is other:
                continue
            at = (slot - 1) << shift
            new = self._nodes(old, _EMPTY if other is None else other, level + 1, first + at)
            if new is not old:
                out = a.copy() if out is None else out
                out[slot] = new if new[0] else None
                out[0] = out[0] & ~(((1 << (1 << shift)) - 1) << at) | new[0] << at
        return a if out is None else out


def same(variable: Term, a: V, b: V) -> V | None:
    """A join that keeps a fact only where both sides have the same one."""
    return None
