"""The abstract reachability graph [HJMS02]:
a tree of regions, and which of them cover what leaves a region.

A node is a region (a cube over the predicates of its location) that the step from its parent leads
into. For each node and outgoing edge the graph remembers the nodes that contain all successors; if
one of these goes, the pair is open again.

Ensures, when no pair is open: the disjunction of the regions at each location is an inductive
invariant.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.kernel.block_edge import BlockEdge
from obligato.engines.kernel.cube import Literals, clause_of
from obligato.engines.kernel.steps import Steps
from obligato.engines.kernel.unwinding import UnwoundNode
from obligato.terms import Term


@dataclass(slots=True, eq=False, kw_only=True)
class Node(UnwoundNode):
    """A region at a location, its negation,
    and how many predicates of the location were looked at."""

    region: Literals
    outside: Term
    known: int


Pair = tuple[Node, BlockEdge]


class Graph:
    """All nodes, and the pairs of a node and an edge that are open."""

    def __init__(self, steps: Steps, env: Environment) -> None:
        self.steps, self.env = steps, env
        self.at: dict[int, dict[Node, None]] = {loc: {} for loc in steps.cfa.locations}
        self._open: list[tuple[int, int, int, Pair]] = []
        # node -> the pairs whose successors it helps to contain
        self._covers: dict[Node, dict[Pair, None]] = {}
        self._count = 0
        self.root = self.add(None, None, steps.cfa.initial, (), 0)

    def add(
        self,
        parent: Node | None,
        step: BlockEdge | None,
        location: int,
        region: Literals,
        known: int,
    ) -> Node:
        """A new node; its outgoing edges are open."""
        self._count += 1
        node = Node(
            number=self._count,
            location=location,
            parent=parent,
            step=step,
            region=region,
            outside=clause_of(self.steps.store, region),
            known=known,
        )
        self.at[location][node] = None
        self.env.count("nodes")
        above = parent.number if parent else 0
        self.env.event("node", node=node.number, location=location, parent=above, region=region)
        for edge in self.steps.out[location]:
            self.open((node, edge))
        return node

    def open(self, pair: Pair) -> None:
        """The successors of a node along an edge must be looked at (again)."""
        heapq.heappush(self._open, (pair[0].depth, pair[0].number, pair[1].number, pair))

    def next_open(self) -> Pair | None:
        """The open pair that is least deep, of a node that is still there."""
        while self._open:
            *_, (node, edge) = heapq.heappop(self._open)
            if not node.removed:
                return node, edge
        return None

    def outside(self, edge: BlockEdge) -> dict[Term, Node]:
        """For each node at the target of an edge,
        that a step along the edge does not lead into its region."""
        return {edge.pull(node.outside): node for node in self.at[edge.target]}

    def cover(self, pair: Pair, nodes: Iterable[Node]) -> None:
        """All successors of the pair lie in the regions of `nodes`."""
        names = []
        for n in nodes:
            self._covers.setdefault(n, {})[pair] = None
            names.append(n.number)
        self.env.count("covered")
        self.env.event("cover", node=pair[0].number, edge=pair[1].number, by=names)

    def cut(self, node: Node) -> None:
        """Remove a node and all below it; what they helped to contain is open again."""
        removed = list(node.below())
        if node.parent is not None:
            node.parent.children.remove(node)
        for n in removed:
            n.removed = True
            del self.at[n.location][n]
        for n in removed:
            for pair in self._covers.pop(n, {}):
                if not pair[0].removed:
                    self.open(pair)
        self.env.count("removed", len(removed))
        self.env.event("cut", node=node.number, nodes=len(removed))

    def invariant(self, location: int) -> Term:
        """The disjunction of the regions at a location."""
        store = self.steps.store
        return store.or_(*(store.and_(*node.region) for node in self.at[location]))
