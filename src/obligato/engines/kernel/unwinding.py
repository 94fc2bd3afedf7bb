"""Nodes of an unwinding of a program:
each has a location and is led to by one step from its parent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from obligato.engines.kernel.block_edge import BlockEdge
from obligato.models.cfa import CFA
from obligato.results.outcome import Certificate
from obligato.terms import Term


@dataclass(slots=True, eq=False, kw_only=True)
class UnwoundNode:
    """A node; the root has neither parent nor step. Nodes are numbered as they are made."""

    number: int
    location: int
    parent: Self | None
    step: BlockEdge | None
    depth: int = 0
    children: list[Self] = field(default_factory=list)
    removed: bool = False

    def __post_init__(self: Self) -> None:
        if self.parent is not None:
            self.depth = self.parent.depth + 1
            self.parent.children.append(self)

    def chain(self) -> list[Self]:
        """The nodes from the root to this one."""
        out: list[Self] = []
        here: Self | None = self
        while here is not None:
            out.append(here)
            here = here.parent
        return out[::-1]

    def below(self) -> Iterator[Self]:
        """This node and all that its steps lead to."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children)


def certificate_of(
    cfa: CFA, known: Mapping[int, Sequence[Term]], invariant: Callable[[int], Term]
) -> Certificate:
    """What the nodes of each location say together, with what was known there from the start."""
    return Certificate(
        {loc: cfa.store.and_(*known.get(loc, ()), invariant(loc)) for loc in cfa.inner}
    )
