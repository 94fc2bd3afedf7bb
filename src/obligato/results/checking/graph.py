"""The loop-free view of a CFA that a certificate is checked on.

*Ends* are the annotated locations, the initial and the error location. What remains between them is
condensed into its strongly connected components: a component with a cycle is a loop without
annotation. Components are numbered in topological order,
so that a forward encoding visits each once.

Self-contained on purpose: nothing here is shared with large blocks,
slicing or the engines (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.models.gcl import assigned

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge
    from obligato.terms import Term


@dataclass(frozen=True, slots=True)
class Component:
    """A strongly connected component of the locations between ends:
    its exits, and what it assigns if it is a loop."""

    members: tuple[int, ...]
    exits: tuple[Edge, ...]
    loop: bool
    changes: tuple[Term, ...]  # variables that edges inside it assign


class Regions:
    """The components between `ends`, in topological order,
    and the component of each location in between."""

    def __init__(self, cfa: CFA, ends: Mapping[int, None]) -> None:
        self.cfa = cfa
        self.ends = ends
        groups = list(reversed(components(cfa, ends)))
        self.number = {loc: n for n, group in enumerate(groups) for loc in group}
        self.components = [self._component(n, group) for n, group in enumerate(groups)]

    def _component(self, n: int, group: list[int]) -> Component:
        edges = [e for loc in group for e in self.cfa.out(loc)]
        inside = [e for e in edges if self.number.get(e.target) == n]
        exits = tuple(e for e in edges if self.number.get(e.target) != n)
        changes = dict.fromkeys(x for e in inside for x in assigned(e.command))
        return Component(tuple(group), exits, bool(inside), tuple(changes))


class _Search:
    """Tarjan's algorithm without recursion; components come out in reverse topological order."""

    def __init__(self, cfa: CFA, ends: Mapping[int, None]) -> None:
        self.cfa = cfa
        self.ends = ends
        self.index: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.path: list[int] = []
        self.on_path: set[int] = set()
        self.found: list[list[int]] = []

    def run(self, root: int) -> None:
        calls = [(root, iter(self.cfa.out(root)))]
        self._open(root)
        while calls:
            loc, edges = calls[-1]
            edge = next(edges, None)
            if edge is None:
                calls.pop()
                self._close(loc)
                if calls:
                    self.low[calls[-1][0]] = min(self.low[calls[-1][0]], self.low[loc])
            elif edge.target not in self.ends:
                if edge.target not in self.index:
                    self._open(edge.target)
                    calls.append((edge.target, iter(self.cfa.out(edge.target))))
                elif edge.target in self.on_path:
                    self.low[loc] = min(self.low[loc], self.index[edge.target])

    def _open(self, loc: int) -> None:
        self.index[loc] = self.low[loc] = len(self.index)
        self.path.append(loc)
        self.on_path.add(loc)

    def _close(self, loc: int) -> None:
        if self.low[loc] != self.index[loc]:
            return
        group: list[int] = []
        while not group or group[-1] != loc:
            group.append(self.path.pop())
        self.on_path.difference_update(group)
        self.found.append(group[::-1])


def components(cfa: CFA, ends: Mapping[int, None]) -> list[list[int]]:
    """The strongly connected components of the locations that are no ends,
    in reverse topological order."""
    search = _Search(cfa, ends)
    for loc in cfa.locations:
        if loc not in ends and loc not in search.index:
            search.run(loc)
    return search.found
