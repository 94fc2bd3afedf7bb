"""Large-block encoding [BCGKS09; LNNK19, 6.2]: error sink, sequence and choice rules until a
complexity measure stops them.

`cut_points` (targets of back edges of a depth-first search, so every cycle has one) survive, with
the initial and the error location. Every other location is removed by the sequence rule if the
commands that arise stay within the limit of a measure (leaves: statements; paths: what eager
splitting multiplies out); parallel edges are joined by the choice rule. Leaves are `Tagged` with
the original edge, so a path through a block is a path of original edges; `lift` of certificates is
the identity, because surviving locations keep their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from operator import add, mul

from obligato.errors import NO_SPAN
from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Choice, Command, Seq, Tagged
from obligato.program.graphs import depth_first

# of a sequence, from those of its parts
MEASURES: dict[str, Callable[[int, int], int]] = {"leaves": add, "paths": mul}


def cut_points(cfa: CFA) -> dict[int, None]:
    """Targets of back edges of one depth-first search from the initial location,
    and what must be kept (an ordered set)."""
    _, back = depth_first([cfa.initial], lambda location: [e.target for e in cfa.out(location)])
    return dict.fromkeys((*cfa.keep, *(target for _, target in back)))


@dataclass(slots=True)
class _Block:
    """A growing edge: command and its complexity (`MEASURES`)."""

    source: int
    target: int
    command: Command
    size: int


class _Encoder:
    """Mutable graph of blocks; at most one block between two locations."""

    def __init__(self, cfa: CFA, limit: int, measure: str) -> None:
        self.limit, self.sequence = limit, MEASURES[measure]
        self.out: dict[int, dict[int, _Block]] = {loc: {} for loc in cfa.locations}
        self.into: dict[int, dict[int, _Block]] = {loc: {} for loc in cfa.locations}
        for e in cfa.edges:
            self.join(_Block(e.source, e.target, Tagged(e.id, e.command), 1))

    def join(self, block: _Block) -> None:
        """Add a block; the choice rule joins it with a parallel one."""
        old = self.out[block.source].get(block.target)
        if old is not None:
            both = (*_branches(old.command), *_branches(block.command))
            block = _Block(block.source, block.target, Choice(both), old.size + block.size)
        self.out[block.source][block.target] = block
        self.into[block.target][block.source] = block

    def cost(self, location: int) -> int:
        """How much removing the location would add,
        counted in leaves (negative or zero is a gain)."""
        before = list(self.into[location].values())
        after = list(self.out[location].values())
        sizes = (sum(b.size for b in before), sum(b.size for b in after))
        return sizes[0] * (len(after) - 1) + sizes[1] * (len(before) - 1)

    def largest(self, location: int) -> int:
        """The size of the largest block that would arise."""
        return max(
            (
                self._joined(b, a)
                for b in self.into[location].values()
                for a in self.out[location].values()
            ),
            default=0,
        )

    def _joined(self, b: _Block, a: _Block) -> int:
        parallel = self.out[b.source].get(a.target)
        return self.sequence(b.size, a.size) + (parallel.size if parallel else 0)

    def remove(self, location: int) -> list[int]:
        """The sequence rule for every pair of incoming and outgoing blocks;
        says what were the neighbours."""
        before, after = self.into.pop(location), self.out.pop(location)
        for b in before.values():
            del self.out[b.source][location]
        for a in after.values():
            del self.into[a.target][location]
        for b in before.values():
            for a in after.values():
                parts = (*_parts(b.command), *_parts(a.command))
                self.join(_Block(b.source, a.target, Seq(parts), self.sequence(b.size, a.size)))
        return [*before, *after]


def _branches(command: Command) -> tuple[Command, ...]:
    return command.branches if isinstance(command, Choice) else (command,)


def _parts(command: Command) -> tuple[Command, ...]:
    return command.parts if isinstance(command, Seq) else (command,)


def single_edges(cfa: CFA) -> CFA:
    """The CFA as it is, each edge a block of its own:
    tagged, so that traces name original edges."""
    return replace(cfa, edges=tuple(replace(e, command=Tagged(e.id, e.command)) for e in cfa.edges))


def large_blocks(cfa: CFA, limit: int = 2000, measure: str = "leaves") -> CFA:
    """The large-block CFA. `limit` bounds the size of one block by the measure,
    and what one removal may add.

    Locations that no path from the initial location reaches are left out:
    their loops have no cut point.
    """
    cfa = _reachable_part(cfa)
    encoder = _Encoder(cfa, limit, measure)
    keep = {cfa.initial, cfa.error, *cut_points(cfa)}
    pending = [loc for loc in cfa.locations if loc not in keep]
    for threshold in (0, 8, 64, limit):
        pending = _sweep(encoder, pending, threshold)
    return _rebuild(cfa, encoder)


def _reachable_part(cfa: CFA) -> CFA:
    seen = {cfa.initial, cfa.error}
    stack = [cfa.initial]
    while stack:
        new = [e.target for e in cfa.out(stack.pop()) if e.target not in seen]
        seen.update(new)
        stack.extend(new)
    if len(seen) == len(cfa.locations):
        return cfa
    locations = {n: loc for n, loc in cfa.locations.items() if n in seen}
    return replace(cfa, locations=locations, edges=tuple(e for e in cfa.edges if e.source in seen))


def _sweep(encoder: _Encoder, pending: list[int], threshold: int) -> list[int]:
    """Remove what costs at most `threshold`, round by round in the given order.
    The rest is returned.

    A location is looked at again, in this round or the next, when a neighbour is gone:
    nothing else makes it cheaper.
    """
    place = {loc: n for n, loc in enumerate(pending)}
    queue = [(1, n) for n in range(len(pending))]
    waiting = set(queue)
    while queue:
        turn = heappop(queue)
        waiting.remove(turn)
        loc = pending[turn[1]]
        if (
            loc not in encoder.out
            or encoder.cost(loc) > threshold
            or encoder.largest(loc) > encoder.limit
        ):
            continue
        for n in (place[x] for x in encoder.remove(loc) if x in place):
            again = (turn[0] + (n < turn[1]), n)
            if again not in waiting:
                waiting.add(again)
                heappush(queue, again)
    return [loc for loc in pending if loc in encoder.out]


def _rebuild(cfa: CFA, encoder: _Encoder) -> CFA:
    edges: list[Edge] = []
    for loc in cfa.locations:
        for block in encoder.out.get(loc, {}).values():
            edges.append(Edge(len(edges), block.source, block.target, block.command, NO_SPAN))
    locations = {n: loc for n, loc in cfa.locations.items() if n in encoder.out}
    return replace(cfa, locations=locations, edges=tuple(edges))
