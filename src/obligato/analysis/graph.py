"""Shapes of a CFA: orders, reachability, distances, post-dominators.

`orders` is a reverse postorder; `immediate_postdominators` is the iterative algorithm on
intersecting tree paths of Cooper, Harvey and Kennedy (2001), here on the reversed graph with one
virtual end.  Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from obligato.models.cfa import CFA, Edge
from obligato.program.graphs import depth_first

Successors = Callable[[int], Iterable[int]]


def successors(cfa: CFA) -> Successors:
    """The graph of a CFA as a function."""
    return lambda loc: [e.target for e in cfa.out(loc)]


def predecessors(cfa: CFA) -> Successors:
    """The reversed graph of a CFA as a function."""
    return lambda loc: [e.source for e in cfa.into(loc)]


def reverse_postorder(roots: Iterable[int], follow: Successors) -> list[int]:
    """The nodes reachable from `roots`, each before its successors but along back edges."""
    order, _ = depth_first(reversed(list(roots)), follow)
    return order[::-1]


def reachable(roots: Iterable[int], follow: Successors) -> dict[int, None]:
    """The nodes reachable from `roots` (an ordered set)."""
    seen = dict.fromkeys(roots)
    stack = list(seen)
    while stack:
        for nxt in follow(stack.pop()):
            if nxt not in seen:
                seen[nxt] = None
                stack.append(nxt)
    return seen


def distances(cfa: CFA, target: int) -> dict[int, int]:
    """The least number of edges from each location to `target`; locations that cannot reach it are
    missing.
    """
    found: dict[int, int] = {}
    queue = [(0, target)]
    while queue:
        far, loc = heappop(queue)
        if loc not in found:
            found[loc] = far
            for e in cfa.into(loc):
                heappush(queue, (far + 1, e.source))
    return found


def immediate_postdominators(cfa: CFA, leaves: Callable[[int], bool], end: int) -> dict[int, int]:
    """The immediate post-dominator of each location.

    `end` is a number that is no location: the virtual end, entered from the error location and from
    each location where `leaves` says that a run may stay behind. Locations from which it cannot be
    reached are missing.
    """
    exits = [loc for loc in cfa.locations if loc == cfa.error or leaves(loc)]
    into: dict[int, list[int]] = {loc: [e.source for e in cfa.into(loc)] for loc in cfa.locations}
    order = reverse_postorder([end], lambda n: exits if n == end else into[n])
    rank = {n: i for i, n in enumerate(order)}
    out = {
        loc: [t for t in dict.fromkeys(e.target for e in cfa.out(loc)) if t in rank]
        for loc in order
        if loc != end
    }
    for loc in exits:
        out[loc].append(end)
    return _intersect(order, rank, out, end)


def _intersect(
    order: list[int], rank: dict[int, int], out: dict[int, list[int]], end: int
) -> dict[int, int]:
    parent = {end: end}
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            new: int | None = None
            for nxt in out[node]:
                if nxt in parent:
                    new = nxt if new is None else _meet(nxt, new, parent, rank)
            assert new is not None
            if parent.get(node) != new:
                parent[node] = new
                changed = True
    del parent[end]
    return parent


def _meet(a: int, b: int, parent: dict[int, int], rank: dict[int, int]) -> int:
    while a != b:
        while rank[a] > rank[b]:
            a = parent[a]
        while rank[b] > rank[a]:
            b = parent[b]
    return a


def region(cfa: CFA, start: int, end: int) -> list[Edge]:
    """The edges on paths from `start` that do not pass `end`."""
    inside = reachable([start], lambda loc: [] if loc == end else [e.target for e in cfa.out(loc)])
    return [e for loc in inside if loc != end for e in cfa.out(loc)]
