"""Slicing to the property: branches that cannot influence whether the error location is reached
become straight lines.

A *branch* is a location where runs part or may be stuck (assumptions count as control dependences).
It matters if its immediate post-dominator is the end (the error depends on it), or if an assignment
that matters is control dependent on it [LNNK19, 6.2].  An assignment matters if its variable is
needed afterwards; needed are the variables of branches that matter and of assignments that matter.
`_Relevance` computes the least fixpoint.

A branch that does not matter keeps one edge, towards its post-dominator, without the condition;
kept variables that are assigned between the two are havocked, so that every run of the original is
one of the slice.  Edges and locations keep their numbers; the lift of a trace executes the original
between a branch and its post-dominator.

With `loops` also loops that do not matter are cut, but for those that only the error ends (``while
(1)``).  Then a run that stays in such a loop for ever may be lost, i.e. the slice may reach the
error where the original does not; such a trace does not lift.  Without, every cut point counts as a
place where runs may stay behind, so loops are kept and the slice is exact.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush

from obligato.analysis.clean import restricted
from obligato.analysis.commands import Leaf, sequence
from obligato.analysis.dead import DeadAssignments, stand_in, trimmed
from obligato.analysis.execution import SliceLift
from obligato.analysis.graph import (
    distances,
    immediate_postdominators,
    predecessors,
    reachable,
    region,
    reverse_postorder,
)
from obligato.analysis.variables import Needed, Numbering
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Lift
from obligato.models.gcl import SKIP, Assign, Assume, Command, Seq, assigned, walk

END = -1


def slice_to_property(cfa: CFA, loops: bool = False) -> tuple[CFA, Lift]:
    """The slice. Requires: every location lies on a path from the initial to the error location."""
    relevance = _Relevance(cfa, loops)
    relevance.run()
    return _Rewriter(cfa, relevance, loops).result()


class _Relevance:
    """Which branches matter, and which variables are needed at each location (bit sets)."""

    def __init__(self, cfa: CFA, loops: bool) -> None:
        self.cfa = cfa
        self.numbering = Numbering(cfa.variables)
        self.analysis = _SliceNeeded(self.numbering, self)
        stays = {loc for loc in cfa.locations if not _complete(cfa, loc)}
        stays.update(_reactive(cfa, stays) if loops else cut_points(cfa))
        self.parent = immediate_postdominators(cfa, stays.__contains__, END)
        branches = [
            loc
            for loc in cfa.locations
            if loc != cfa.error and (loc in stays or len(cfa.out(loc)) > 1)
        ]
        self.matters = {b for b in branches if self.parent.get(b, END) in (END, cfa.error)}
        self.idle = [b for b in branches if b not in self.matters]
        self.branches = {b: (b,) for b in self.idle}  # an edge depends on the branch that it leaves
        self.controls = self._control_dependences()
        self.needed = dict.fromkeys(cfa.locations, 0)
        order = reverse_postorder([cfa.error], predecessors(cfa))
        self.rank = {loc: i for i, loc in enumerate(order)}
        self.order = order
        self.queue = list(range(len(order)))  # a heap
        self.waiting = set(self.queue)
        self.marked: set[int] = set()

    def _control_dependences(self) -> dict[int, list[int]]:
        """The branches (of those that do not matter from the start) that each location is control
        dependent on.
        """
        out: dict[int, list[int]] = {}
        for b in self.idle:
            seen: set[int] = set()
            for e in self.cfa.out(b):
                loc = e.target
                while loc != self.parent[b] and loc not in seen:
                    seen.add(loc)
                    out.setdefault(loc, []).append(b)
                    loc = self.parent[loc]
        return out

    def run(self) -> None:
        """Work off the locations whose needed variables may grow, those near the error first."""
        while self.queue:
            rank = heappop(self.queue)
            self.waiting.discard(rank)
            loc, new = self.order[rank], 0
            for e in self.cfa.out(loc):
                new |= self.before(e)
            if new != self.needed[loc]:
                self.needed[loc] = new
                for e in self.cfa.into(loc):
                    self.again(e.source)
        self.idle = [b for b in self.idle if b not in self.matters]

    def again(self, location: int) -> None:
        """Put a location into the queue."""
        rank = self.rank[location]
        if rank not in self.waiting:
            self.waiting.add(rank)
            heappush(self.queue, rank)

    def before(self, edge: Edge) -> int:
        """The variables needed before an edge."""
        self.analysis.edge = edge
        state = self.analysis.through(edge.command, self.needed[edge.target])
        assert state is not None
        return state

    def mark(self, location: int) -> None:
        """An assignment on an edge from `location` matters, hence the branches that decide whether
        it is executed.
        """
        stack = [location]
        while stack:
            loc = stack.pop()
            if loc in self.marked:
                continue
            self.marked.add(loc)
            for b in (*self.branches.get(loc, ()), *self.controls.get(loc, ())):
                self.matters.add(b)
                self.again(b)
                stack.append(b)


class _SliceNeeded(Needed):
    """Needed variables where only conditions of branches that matter count; marks assignments that
    matter.
    """

    def __init__(self, numbering: Numbering, relevance: _Relevance) -> None:
        super().__init__(numbering)
        self.relevance = relevance
        self.edge: Edge | None = None

    def leaf(self, command: Leaf, state: int) -> int:
        """The variables that are needed before the leaf, given those that are needed after it."""
        assert self.edge is not None
        if isinstance(command, Assume):
            return (
                super().leaf(command, state)
                if self.edge.source in self.relevance.matters
                else state
            )
        if self.numbering.of(x for x, _ in command.pairs) & state:
            self.relevance.mark(self.edge.source)
        return super().leaf(command, state)


def _reactive(cfa: CFA, stays: set[int]) -> list[int]:
    """Cut points from which, did loops always end, the error would be inevitable: their loops are
    meant to go on for ever.
    """
    parent = immediate_postdominators(cfa, stays.__contains__, END)
    children: dict[int, list[int]] = {}
    for loc, above in parent.items():
        children.setdefault(above, []).append(loc)
    inevitable = reachable([cfa.error], lambda loc: children.get(loc, []))
    return [c for c in cut_points(cfa) if c in inevitable]


def _complete(cfa: CFA, location: int) -> bool:
    """Can every state leave `location`? (A sufficient condition.)"""
    guards = [_guard(e.command) for e in cfa.out(location)]
    known = [g for g in guards if g is not None]
    if any(g is SKIP for g in known):
        return True
    return (
        bool(known)
        and cfa.store.or_(*(g.condition for g in known if isinstance(g, Assume))) is cfa.store.true
    )


def _guard(command: Command) -> Command | None:
    """The assumption that a command starts with; SKIP if it has none; None if one comes later."""
    leaves = [c for c in walk(command) if not isinstance(c, Seq)]
    if not any(isinstance(c, Assume) for c in leaves):
        return SKIP
    if isinstance(leaves[0], Assume) and all(isinstance(c, Assign) for c in leaves[1:]):
        return leaves[0]
    return None


class _Rewriter:
    """The slice from what matters."""

    def __init__(self, cfa: CFA, relevance: _Relevance, loops: bool) -> None:
        self.cfa, self.relevance, self.loops = cfa, relevance, loops
        self.idle = {b: relevance.parent[b] for b in relevance.idle}
        self.regions = {b: region(cfa, b, end) for b, end in self.idle.items()}
        self.kept = 0
        for mask in relevance.needed.values():
            self.kept |= mask
        self.edit = DeadAssignments(relevance.analysis, self.kept)

    def result(self) -> tuple[CFA, Lift]:
        """Rewrite all edges, then restrict and trim."""
        far = distances(self.cfa, self.cfa.error)
        edges: list[Edge] = []
        for loc in self.cfa.locations:
            out = self.cfa.out(loc)
            chosen = [min(out, key=lambda e: far[e.target])] if loc in self.idle else out
            edges.extend(self._rewritten(e) for e in chosen)
        order = {e.id: i for i, e in enumerate(self.cfa.edges)}
        edges.sort(key=lambda e: order[e.id])
        after = restricted(self.cfa, edges, self._cuts())
        return trimmed(after, self.relevance.numbering.members(self.kept)), SliceLift(
            self.cfa, self.idle
        )

    def _rewritten(self, edge: Edge) -> Edge:
        self.relevance.analysis.edge = edge

        def edit(command: Leaf, after: int) -> Command:
            return (
                SKIP
                if isinstance(command, Assume) and edge.source in self.idle
                else self.edit(command, after)
            )

        command = self.relevance.analysis.rewrite(
            edge.command, self.relevance.needed[edge.target], edit
        )[0]
        havocked = self._havocked(edge.source)
        return replace(edge, command=sequence([havocked, command]) if havocked.pairs else command)

    def _havocked(self, location: int) -> Assign:
        """Any value for kept variables that are assigned between an idle branch and its
        post-dominator.
        """
        targets = dict.fromkeys(
            x for e in self.regions.get(location, ()) for x in assigned(e.command)
        )
        bit = self.relevance.numbering.bit
        return Assign(tuple((x, stand_in(x)) for x in targets if bit(x) & self.kept))

    def _cuts(self) -> tuple[int, ...]:
        """The cut points that certificates must still speak about: all but those of loops that are
        gone.
        """
        cuts = [c for c in cut_points(self.cfa) if c != self.cfa.error]
        if not self.loops:
            return tuple(cuts)
        gone = {c for edges in self.regions.values() for c in _on_cycles(edges, cuts)}
        return tuple(c for c in cuts if c not in gone)


def _on_cycles(edges: list[Edge], cuts: list[int]) -> list[int]:
    """Those of `cuts` that lie on a cycle of `edges`."""
    inside: dict[int, list[int]] = {}
    for e in edges:
        inside.setdefault(e.source, []).append(e.target)
    return [
        c for c in cuts if c in inside and c in reachable(inside[c], lambda n: inside.get(n, []))
    ]
