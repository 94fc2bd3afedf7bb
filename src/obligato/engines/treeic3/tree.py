"""The unwinding [CG12, 3.1; McM06]:
a tree of nodes, each with a location and a frame, and which nodes cover others.

The frame of a node is a set of lemmas. Ensures, for all nodes v that are there:

    frame(parent) and T_step implies frame(v)
    v is covered by w: same location, frame(v) implies frame(w), w is older
    v is expanded, not covered: an edge without a child has no step from frame(v)

so when every node is expanded or covered,
the frames of the nodes that are not covered are an inductive invariant.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from obligato.engines.environment import Environment
from obligato.engines.kernel.block_edge import BlockEdge
from obligato.engines.kernel.step_debug import StepChecker
from obligato.engines.kernel.steps import Steps
from obligato.engines.kernel.unwinding import UnwoundNode
from obligato.terms import Term


@dataclass(slots=True, eq=False, kw_only=True)
class Node(UnwoundNode):
    """A node with its frame, and its part in covering."""

    frame: dict[Term, None] = field(default_factory=dict)
    expanded: bool = False
    coverer: Node | None = None
    covers: dict[Node, None] = field(default_factory=dict)


class Tree:
    """All nodes, and the leaves that are open."""

    def __init__(self, steps: Steps, env: Environment) -> None:
        self.steps, self.env = steps, env
        self.at: dict[int, dict[Node, None]] = {loc: {} for loc in steps.cfa.locations}
        self._open: list[tuple[int, int, Node]] = []
        self._count = 0
        self.debug = StepChecker(steps) if env.debug else None
        self.root = self.add(None, None, steps.cfa.initial)

    def add(self, parent: Node | None, step: BlockEdge | None, location: int) -> Node:
        """A new leaf, about which nothing is known."""
        self._count += 1
        node = Node(number=self._count, location=location, parent=parent, step=step)
        self.at[location][node] = None
        self._reopen(node)
        self.env.count("nodes")
        self.env.event(
            "node", node=node.number, location=location, parent=parent.number if parent else 0
        )
        return node

    def _reopen(self, node: Node) -> None:
        heapq.heappush(self._open, (node.depth, node.number, node))

    def next_leaf(self) -> Node | None:
        """The open leaf that is least deep."""
        while self._open:
            node = heapq.heappop(self._open)[-1]
            if not (node.removed or node.expanded or node.coverer is not None):
                return node
        return None

    # -- frames ------------------------------------------------------------------------------------

    def learn(self, node: Node, lemma: Term) -> None:
        """Add a lemma. Requires: frame(parent) and T_step implies it.
        What the node covers gets it too, or is open again."""
        if lemma in node.frame:
            return
        if self.debug is not None and node.parent is not None and node.step is not None:
            self.debug.leads_to("a lemma", node.step, list(node.parent.frame), [lemma])
        node.frame[lemma] = None
        self.env.count("lemmas")
        self.env.event("lemma", node=node.number, location=node.location, lemma=lemma)
        for covered in list(node.covers):
            if self._has(covered, lemma):
                self.learn(covered, lemma)
            else:
                self.uncover(covered)

    def _has(self, node: Node, lemma: Term) -> bool:
        """Does the lemma hold at the node? Then it may be added to its frame."""
        if lemma in node.frame or self.steps.store.false in node.frame:
            return True
        assert node.parent is not None and node.step is not None
        # frame(parent) and T_step and not lemma': unsat - it holds;
        # sat, unknown - not known   (heuristic)
        return self.steps.leads_to(node.step, list(node.parent.frame), lemma, kind="push")

    # -- covering ----------------------------------------------------------------------------------

    def cover(self, node: Node) -> bool:
        """Try to cover a node: is there an older one at its location,
        all of whose lemmas hold here, too?"""
        return node.parent is not None and any(
            self._covered_by(node, older) for older in self._candidates(node)
        )

    def _candidates(self, node: Node) -> list[Node]:
        """Older nodes that may cover, the youngest first: its frame is most like this one's."""
        return [
            n
            for n in reversed(self.at[node.location])
            if n.number < node.number and n.expanded and n.coverer is None
        ]

    def _covered_by(self, node: Node, older: Node) -> bool:
        # the last lemma is the most special
        if not all(self._has(node, lemma) for lemma in reversed(older.frame)):
            return False
        for lemma in older.frame:
            self.learn(node, lemma)
        if self.debug is not None:
            self.debug.covered(list(node.frame), list(older.frame))
        for n in list(node.below())[1:]:
            self._remove(n)
        for n in list(node.covers):
            self.uncover(n)
        node.children, node.expanded = [], False
        node.coverer = older
        older.covers[node] = None
        self.env.count("covered")
        self.env.event("cover", node=node.number, by=older.number, lemmas=len(older.frame))
        return True

    def uncover(self, node: Node) -> None:
        """The node is an open leaf again."""
        assert node.coverer is not None
        self.env.count("uncovered")
        self.env.event("uncover", node=node.number, by=node.coverer.number)
        del node.coverer.covers[node]
        node.coverer = None
        self._reopen(node)

    def _remove(self, node: Node) -> None:
        node.removed = True
        del self.at[node.location][node]
        if node.coverer is not None:
            del node.coverer.covers[node]
            node.coverer = None
        for n in list(node.covers):
            self.uncover(n)

    def invariant(self, location: int) -> Term:
        """The disjunction of the frames of all nodes at a location that are not covered."""
        store = self.steps.store
        return store.or_(*(store.and_(*n.frame) for n in self.at[location] if n.coverer is None))
