"""One worklist data-flow solver for forward and backward analyses on the edges of a CFA.

A state is kept only where flows meet (two or more incoming edges in the direction of the analysis)
and where the analysis starts; between such *junctions* the graph is a tree, and states are
recomputed while walking it.  So memory is linear in the junctions, and a pass that wants the state
before every edge takes it from `Solution.walk` one at a time.

Junctions wait in a heap ordered by reverse postorder.  At the cut points of the CFA `widen` may
enlarge what `join` made; `narrow` then repeats descending steps and keeps the result only if it is
still a solution.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

from obligato.analysis.graph import predecessors, reverse_postorder, successors
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge

S = TypeVar("S")


class Analysis(ABC, Generic[S]):
    """A data-flow problem. States are immutable by convention."""

    backward = False

    @abstractmethod
    def start(self) -> S:
        """The state at the initial location; backward: the least state, at exits and (for loops
        without one) cut points.
        """

    @abstractmethod
    def transfer(self, edge: Edge, state: S) -> S | None:
        """The state after `edge` (backward: before it); None if no run passes."""

    @abstractmethod
    def join(self, old: S, new: S) -> S:
        """A state above both. Ensures: the result is `old` itself (identity) iff `new` adds
        nothing.
        """

    def enter(self, location: int, state: S) -> S:
        """The state to keep where flows meet: `state`, or one above it that drops what nobody
        needs.
        """
        return state

    def widen(self, old: S, joined: S, visits: int) -> S:
        """A state above `joined`, chosen so that ascending chains end; called at cut points, after
        `visits` joins.
        """
        return joined


class Solution(Generic[S]):
    """States at the junctions; `walk` and `at` give them everywhere else. Unreached locations are
    missing.
    """

    def __init__(
        self, cfa: CFA, analysis: Analysis[S], junctions: list[int], states: dict[int, S]
    ) -> None:
        self.cfa = cfa
        self.analysis = analysis
        self.junctions = junctions
        self.rank = {loc: i for i, loc in enumerate(junctions)}
        self.states = states

    def walk(self) -> Iterator[tuple[Edge, S, S | None]]:
        """Each reached edge with the state before and after it, in the direction of the
        analysis.
        """
        for junction in self.junctions:
            if junction in self.states:
                yield from self.flow(junction)

    def flow(self, junction: int) -> Iterator[tuple[Edge, S, S | None]]:
        """The part of `walk` from one junction up to the next ones."""
        edges = self.cfa.into if self.analysis.backward else self.cfa.out
        stack = [(junction, self.states[junction])]
        while stack:
            location, state = stack.pop()
            for edge in edges(location):
                after = self.analysis.transfer(edge, state)
                yield edge, state, after
                if after is not None and self.head(edge) not in self.rank:
                    stack.append((self.head(edge), after))

    def head(self, edge: Edge) -> int:
        """Where an edge leads in the direction of the analysis."""
        return edge.source if self.analysis.backward else edge.target

    def arrivals(self, junction: int) -> Iterator[tuple[int, S]]:
        """The next junctions with the states that arrive there."""
        for edge, _, after in self.flow(junction):
            if after is not None and self.head(edge) in self.rank:
                yield self.head(edge), self.analysis.enter(self.head(edge), after)

    def at(self, locations: Iterable[int]) -> dict[int, S]:
        """The states at those of `locations` that are reached, as if flows met there."""
        wanted = dict.fromkeys(locations)
        found = {loc: self.states[loc] for loc in wanted if loc in self.states}
        if any(loc not in self.rank for loc in wanted):
            between = ((self.head(e), after) for e, _, after in self.walk() if after is not None)
            new = ((loc, s) for loc, s in between if loc in wanted and loc not in self.rank)
            found.update((loc, self.analysis.enter(loc, s)) for loc, s in new)
        return found

    def everywhere(self) -> dict[int, S]:
        """The states at all reached locations: for small states and small programs."""
        return self.at(self.cfa.locations)


def solve(cfa: CFA, analysis: Analysis[S], narrowing: int = 0) -> Solution[S]:
    """The least solution, or one above it where `widen` enlarges; then at most `narrowing`
    descending steps.
    """
    solver = _Solver(cfa, analysis)
    solver.ascend()
    if narrowing:
        solver.narrow(narrowing)
    return solver.solution


class _Solver(Generic[S]):
    def __init__(self, cfa: CFA, analysis: Analysis[S]) -> None:
        self.analysis = analysis
        self.cuts = cut_points(cfa)
        back = analysis.backward
        roots = (
            [*(loc for loc in cfa.locations if not cfa.out(loc)), *self.cuts]
            if back
            else [cfa.initial]
        )
        order = reverse_postorder(roots, predecessors(cfa) if back else successors(cfa))
        meets = cfa.out if back else cfa.into
        self.starts = {loc: analysis.start() for loc in roots}
        junctions = [loc for loc in order if loc in self.starts or len(meets(loc)) > 1]
        self.solution = Solution(cfa, analysis, junctions, dict(self.starts))
        self.visits: dict[int, int] = {}

    def ascend(self) -> None:
        """Propagate until nothing changes."""
        solution = self.solution
        queue = sorted(solution.rank[loc] for loc in self.starts)
        waiting = set(queue)
        while queue:
            rank = heappop(queue)
            waiting.discard(rank)
            for target, state in solution.arrivals(solution.junctions[rank]):
                if self._raise(target, state) and solution.rank[target] not in waiting:
                    waiting.add(solution.rank[target])
                    heappush(queue, solution.rank[target])

    def _raise(self, location: int, new: S) -> bool:
        """Join `new` into the state at a junction; did it change?"""
        states = self.solution.states
        if location not in states:
            states[location] = new
            return True
        old = states[location]
        joined = self.analysis.join(old, new)
        if joined is old:
            return False
        if location in self.cuts:
            self.visits[location] = self.visits.get(location, 0) + 1
            joined = self.analysis.widen(old, joined, self.visits[location])
        states[location] = joined
        return True

    def narrow(self, steps: int) -> None:
        """Descending steps at all junctions until nothing changes; kept if the result is still a
        solution.
        """
        ascended = self.solution.states
        for _ in range(steps):
            lower = dict(self.starts)
            for target, state in self._arrivals():
                lower[target] = (
                    self.analysis.join(lower[target], state) if target in lower else state
                )
            if lower == self.solution.states:
                break
            self.solution.states = lower
        if not all(self._covers(target, state) for target, state in self._arrivals()):
            self.solution.states = ascended

    def _arrivals(self) -> Iterator[tuple[int, S]]:
        for junction in self.solution.junctions:
            if junction in self.solution.states:
                yield from self.solution.arrivals(junction)

    def _covers(self, location: int, new: S) -> bool:
        states = self.solution.states
        return location in states and self.analysis.join(states[location], new) is states[location]
