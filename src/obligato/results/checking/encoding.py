"""Forward symbolic encoding of one traversal:
from given ends through loop-free regions to the next ends.

Each location between ends is encoded once, in topological order: a *state* is a Boolean term ("the
chosen path comes here") and, for each variable changed so far, its value as a term over the start
state. Where paths meet, values are merged by ite over the arriving conditions; where they part,
fresh Booleans choose exactly one edge, unless two edges assume complementary conditions and so
exclude each other. Exactly one path is followed by each model, and each path by some model. A loop
without annotation is entered once, everything it assigns is havocked, and it is left by any exit:
that covers every number of rounds. Inputs are fresh for each edge and traversal.

The arriving conditions of a merge are relative to a place that all the paths have passed, the last
*fork* they share: with R the condition of that fork, path i arrives iff R and r_i, and values are
merged by ite over the r_i. Why that is right: a value counts only in models whose path comes to the
merge, by some path i. There R holds, so each r_j is equivalent to "path j arrives", and as paths
exclude each other r_i alone is true. So values depend on the branches since the fork and not on how
it was reached: on little (`checking.cones`).

`Traversal.run` carries the idea. The size is linear in the edges,
but for merged variables at joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING

from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.results.checking.layered import Layered
from obligato.terms import BOOL, Op, Sort, Term, TermStore, free_vars, postorder
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.cfa import Edge
    from obligato.results.checking.graph import Component, Regions

SMALL = 10  # terms of a condition without a name
# forks that are gone back over to find a common one; else paths are told apart from the start
LIFTS = 50


@dataclass(frozen=True, slots=True)
class Fork:
    """A place where paths part: `reach`, the path comes there;
    `since`, so does a path that has come to the fork `before`."""

    reach: Term
    before: Fork | None
    since: Term
    depth: int


@dataclass(frozen=True, slots=True)
class Trail:
    """The variables that were assigned last, and what was assigned before:
    what two states may differ in."""

    before: Trail | None
    variables: tuple[Term, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class State:
    """`reach`: the path comes here; `values`: what changed since the start, by variable of the CFA.

    With a fork, `reach` is the fork's and `since`, and neither is changed alone; without one there
    is no `since`. States of which one does not come from the other, or both from a third, have no
    trail in common.
    """

    reach: Term
    values: Mapping[Term, Term]
    fork: Fork | None = None
    since: Term | None = None
    trail: Trail | None = None

    @property
    def way(self) -> tuple[Fork | None, Term]:
        """The last fork, and the condition under which a path comes here from there;
        without one, from the start."""
        return (None, self.reach) if self.since is None else (self.fork, self.since)

    def restricted(self, condition: Term) -> State:
        """The state where `condition` is the new `reach`.
        Requires: there is no fork, as inside an edge."""
        assert self.fork is None and self.since is None
        return replace(self, reach=condition)

    def assigned(self, new: Mapping[Term, Term]) -> State:
        """The state with new values."""
        depth = 0 if self.trail is None else self.trail.depth
        values = Layered.of(self.values).updated(new)
        return replace(self, values=values, trail=Trail(self.trail, tuple(new), depth + 1))


class Traversal:
    """One traversal in `store`; `definitions` must be asserted with whatever is asked about the
    states it yields.

    About the values at the end `nothing_at` nothing is asked: they are not merged.
    """

    def __init__(self, regions: Regions, store: TermStore, nothing_at: int | None = None) -> None:
        self.regions = regions
        self.nothing_at = nothing_at
        self.store = store
        self.definitions: list[Term] = []
        self._arrivals: dict[int, list[State]] = {}  # by component
        self._ends: dict[int, list[State]] = {}  # by location
        self._queue: list[int] = []

    def run(self, starts: Mapping[int, State]) -> dict[int, State]:
        """The states in which ends are reached from `starts`, which exclude each other,
        by one or more edges."""
        for location, state in starts.items():
            # whatever two starts know, they may differ in it
            start = State(state.reach, {}).assigned(state.values)
            self._leave(self.regions.cfa.out(location), start, loop=False)
        while self._queue:
            number = heappop(self._queue)
            component = self.regions.components[number]
            state = self._merge(self._arrivals.pop(number))
            self._leave(component.exits, self._pass(component, state), component.loop)
        return {location: self._merge(states) for location, states in self._ends.items()}

    def follow(self, edges: Iterable[tuple[Edge, Mapping[Term, Term]]], state: State) -> State:
        """The state after these edges with these inputs, one after the other;
        `reach` is what must hold at the start."""
        for edge, inputs in edges:
            state = self._execute(edge.command, state, dict(inputs))
        return state

    def _pass(self, component: Component, state: State) -> State:
        """Through a component: a loop without annotation may change everything that it assigns."""
        if not component.loop:
            return state
        havocked = {x: self._fresh(f"{x.name}!loop", x.sort) for x in component.changes}
        return state.assigned(havocked)

    def _leave(self, edges: Iterable[Edge], state: State, loop: bool) -> None:
        start = State(self.store.true, state.values, trail=state.trail)
        ends = [
            (e, end) for e in edges if (end := self._edge(e, start)).reach is not self.store.false
        ]
        exclusive = (
            len(ends) == 2 and not loop and _complementary(ends[0][0].command, ends[1][0].command)
        )
        selectors = [self.store.true] * len(ends) if exclusive else self._selectors(len(ends))
        fork, since = state.way
        if len(ends) > 1:
            depth = 0 if fork is None else fork.depth
            fork, since = Fork(self._named(state.reach), fork, since, depth + 1), self.store.true
        for (edge, end), selector in zip(ends, selectors, strict=True):
            self._arrive(
                edge.target,
                self._from(fork, self._both(self._both(since, selector), end.reach), end),
            )

    def _from(self, fork: Fork | None, since: Term, state: State) -> State:
        """`state` with the condition that the path has come to `fork` and has satisfied `since`
        after that.
        """
        if fork is None:
            return State(since, state.values, trail=state.trail)
        return State(self._both(fork.reach, since), state.values, fork, since, state.trail)

    def _arrive(self, location: int, state: State) -> None:
        if location == self.nothing_at:
            state = State(state.reach, {})
        if location in self.regions.ends:
            self._ends.setdefault(location, []).append(state)
            return
        number = self.regions.number[location]
        if number not in self._arrivals:
            self._arrivals[number] = []
            heappush(self._queue, number)
        self._arrivals[number].append(state)

    def _edge(self, edge: Edge, state: State) -> State:
        inputs: dict[Term, Term] = {}
        return self._execute(edge.command, state, inputs)

    def _execute(self, command: Command, state: State, inputs: dict[Term, Term]) -> State:
        if isinstance(command, Assume):
            return state.restricted(
                self._both(state.reach, self._value(command.condition, state, inputs))
            )
        if isinstance(command, Assign):
            new = {x: self._value(e, state, inputs) for x, e in command.pairs}
            return state.assigned(new)
        if isinstance(command, Seq):
            for part in command.parts:
                state = self._execute(part, state, inputs)
            return state
        if isinstance(command, Tagged):
            return self._execute(command.command, state, inputs)
        return self._choose(command, state, inputs)

    def _choose(self, command: Choice, state: State, inputs: dict[Term, Term]) -> State:
        selectors = self._selectors(len(command.branches))
        chosen = [state.restricted(self._both(state.reach, s)) for s in selectors]
        return self._merge(
            [self._execute(b, s, inputs) for b, s in zip(command.branches, chosen, strict=True)]
        )

    def _value(self, term: Term, state: State, inputs: dict[Term, Term]) -> Term:
        """`term` in `state`: variables by their value, inputs of this edge by fresh variables."""
        memo: dict[Term, Term] = {}
        for v in free_vars(term):
            if v in state.values:
                memo[v] = state.values[v]
            elif v in self.regions.cfa.input_set:
                if v not in inputs:
                    inputs[v] = self._fresh(v.name, v.sort)
                memo[v] = inputs[v]
        return rebuild(term, self.store, memo)

    def _merge(self, states: list[State]) -> State:
        """The one state that stands for all of `states`, which exclude each other."""
        if len(states) == 1:
            return states[0]
        fork, since = self._since_common_fork(states)
        since = [self._named(c) for c in since]
        trail, touched = _common_trail([s.trail for s in states])
        new = {x: self._merged(x, states, since) for x in touched}
        merged = State(self.store.true, states[0].values, trail=trail).assigned(new)
        return self._from(fork, self._named(self.store.or_(*since)), merged)

    def _merged(self, variable: Term, states: list[State], since: list[Term]) -> Term:
        start = self.store.leaf(variable)
        value = states[-1].values.get(variable, start)
        for s, condition in zip(reversed(states[:-1]), reversed(since[:-1]), strict=True):
            other = s.values.get(variable, start)
            if other is not value:
                value = self.store.ite(condition, other, value)
        return value

    def _since_common_fork(self, states: list[State]) -> tuple[Fork | None, list[Term]]:
        """A fork that the paths to all states have passed,
        and the conditions under which they come here from there.

        None, and the conditions from the start on, if it is far back or there is none.
        """
        ways = [s.way for s in states]
        for _ in range(LIFTS):
            forks = dict.fromkeys(id(fork) for fork, _ in ways)
            if len(forks) == 1:
                return ways[0][0], [since for _, since in ways]
            deepest = max(0 if fork is None else fork.depth for fork, _ in ways)
            ways = [
                (fork.before, self._both(fork.since, since))
                if fork is not None and fork.depth == deepest
                else (fork, since)
                for fork, since in ways
            ]
        return None, [s.reach for s in states]

    def _selectors(self, count: int) -> list[Term]:
        """`count` conditions of which every model satisfies exactly one,
        and each is satisfied by some model."""
        none_before, out = self.store.true, []
        for _ in range(count - 1):
            s = self._fresh("choose!", BOOL)
            out.append(self._both(none_before, s))
            none_before = self._named(self._both(none_before, self.store.not_(s)))
        return [*out, none_before][:count]

    def _named(self, condition: Term) -> Term:
        """A Boolean variable defined to be `condition`, so that terms stay shallow;
        a small condition itself.

        So a condition that is tested again and again is the same term wherever values depend on it.
        """
        if sum(1 for _ in islice(postorder((condition,)), SMALL + 1)) <= SMALL:
            return condition
        name = self._fresh("reach!", BOOL)
        self.definitions.append(self.store.eq(name, condition))
        return name

    def _both(self, a: Term, b: Term) -> Term:
        if a is self.store.false or b is self.store.true:
            return a
        return b if a is self.store.true or b is self.store.false else self.store.and_(a, b)

    def _fresh(self, prefix: str, sort: Sort) -> Term:
        return self.store.fresh(f"{prefix}#{len(self.store)}", sort)


def _common_trail(trails: list[Trail | None]) -> tuple[Trail | None, dict[Term, None]]:
    """What was assigned before the paths parted,
    and the variables that were assigned since on any of them.

    The deepest trail is gone back over first,
    so a trail is met before those that others have in common with it.
    """
    touched: dict[Term, None] = {}
    # a heap: the deepest first, then in the order in which they were found
    waiting: list[tuple[int, int, Trail | None]] = []
    found: dict[int, None] = {}

    def find(trail: Trail | None) -> None:
        if id(trail) not in found:
            found[id(trail)] = None
            heappush(waiting, (0 if trail is None else -trail.depth, len(found), trail))

    for t in trails:
        find(t)
    while len(waiting) > 1:
        deepest = heappop(waiting)[2]
        assert deepest is not None  # only the empty trail has depth 0, and it is found once
        touched.update(dict.fromkeys(deepest.variables))
        find(deepest.before)
    return waiting[0][2], touched


def _complementary(a: Command, b: Command) -> bool:
    """Do the commands start with `assume c` and `assume not c`?"""
    p, q = _first_condition(a), _first_condition(b)
    return p is not None and q is not None and (_negates(p, q) or _negates(q, p))


def _negates(p: Term, q: Term) -> bool:
    return p.op is Op.NOT and p.args[0] is q


def _first_condition(command: Command) -> Term | None:
    while isinstance(command, Seq | Tagged):
        if isinstance(command, Seq) and not command.parts:
            return None
        command = command.parts[0] if isinstance(command, Seq) else command.command
    return command.condition if isinstance(command, Assume) else None
