"""Forward symbolic encoding of one traversal: from given ends through loop-free regions to the next ends.

Each location between ends is encoded once, in topological order: a *state* is a Boolean term ("the chosen path comes
here") and, for each variable changed so far, its value as a term over the start state. Where paths meet, values are
merged by ite over the arriving conditions; where they part, fresh Booleans choose exactly one edge, unless two edges
assume complementary conditions and so exclude each other. Exactly one path is followed by each model, and each path by
some model. A loop without annotation is entered once, everything it assigns is havocked, and it is left by any exit:
that covers every number of rounds. Inputs are fresh for each edge and traversal.

`Traversal.run` carries the idea. The size is linear in the edges, but for merged variables at joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from obligato.models.cfa import Edge
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.results.checking.graph import Component, Regions
from obligato.terms import BOOL, Op, Sort, Term, TermStore, free_vars
from obligato.terms.store import rebuild


@dataclass(frozen=True, slots=True)
class State:
    """`reach`: the path comes here; `values`: what changed since the start, by variable of the CFA."""

    reach: Term
    values: Mapping[Term, Term]


class Traversal:
    """One traversal in `store`; `definitions` must be asserted with whatever is asked about the states it yields."""

    def __init__(self, regions: Regions, store: TermStore) -> None:
        self.regions = regions
        self.store = store
        self.definitions: list[Term] = []
        self._arrivals: dict[int, list[State]] = {}  # by component
        self._ends: dict[int, list[State]] = {}  # by location
        self._queue: list[int] = []

    def run(self, starts: Mapping[int, State]) -> dict[int, State]:
        """The states in which ends are reached from `starts`, which exclude each other, by one or more edges."""
        for location, state in starts.items():
            self._leave(self.regions.cfa.out(location), state, loop=False)
        while self._queue:
            number = heappop(self._queue)
            component = self.regions.components[number]
            state = self._merge(self._arrivals.pop(number))
            self._leave(component.exits, self._pass(component, state), component.loop)
        return {location: self._merge(states) for location, states in self._ends.items()}

    def follow(self, edges: Iterable[tuple[Edge, Mapping[Term, Term]]], state: State) -> State:
        """The state after these edges with these inputs, one after the other; `reach` is what must hold at the start."""
        for edge, inputs in edges:
            state = self._execute(edge.command, state, dict(inputs))
        return state

    def _pass(self, component: Component, state: State) -> State:
        """Through a component: a loop without annotation may change everything that it assigns."""
        if not component.loop:
            return state
        havocked = {x: self._fresh(f"{x.name}!loop", x.sort) for x in component.changes}
        return State(state.reach, {**state.values, **havocked})

    def _leave(self, edges: Iterable[Edge], state: State, loop: bool) -> None:
        start = State(self.store.true, state.values)
        ends = [(e, end) for e in edges if (end := self._edge(e, start)).reach is not self.store.false]
        reach = self._named(state.reach) if len(ends) > 1 else state.reach
        exclusive = len(ends) == 2 and not loop and _complementary(ends[0][0].command, ends[1][0].command)
        selectors = [self.store.true] * len(ends) if exclusive else self._selectors(len(ends))
        for (edge, end), selector in zip(ends, selectors, strict=True):
            self._arrive(edge.target, State(self._both(self._both(reach, selector), end.reach), end.values))

    def _arrive(self, location: int, state: State) -> None:
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
            return State(self._both(state.reach, self._value(command.condition, state, inputs)), state.values)
        if isinstance(command, Assign):
            new = {x: self._value(e, state, inputs) for x, e in command.pairs}
            return State(state.reach, {**state.values, **new})
        if isinstance(command, Seq):
            for part in command.parts:
                state = self._execute(part, state, inputs)
            return state
        if isinstance(command, Tagged):
            return self._execute(command.command, state, inputs)
        return self._choose(command, state, inputs)

    def _choose(self, command: Choice, state: State, inputs: dict[Term, Term]) -> State:
        selectors = self._selectors(len(command.branches))
        chosen = [State(self._both(state.reach, s), state.values) for s in selectors]
        return self._merge([self._execute(b, s, inputs) for b, s in zip(command.branches, chosen, strict=True)])

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
        states = [State(self._named(s.reach), s.values) for s in states]
        values = dict(states[0].values)
        for x in _differing(states):
            values[x] = self._merged(x, states)
        return State(self._named(self.store.or_(*(s.reach for s in states))), values)

    def _merged(self, variable: Term, states: list[State]) -> Term:
        start = self.store.leaf(variable)
        value = states[-1].values.get(variable, start)
        for s in reversed(states[:-1]):
            other = s.values.get(variable, start)
            if other is not value:
                value = self.store.ite(s.reach, other, value)
        return value

    def _selectors(self, count: int) -> list[Term]:
        """`count` conditions of which every model satisfies exactly one, and each is satisfied by some model."""
        none_before, out = self.store.true, []
        for _ in range(count - 1):
            s = self._fresh("choose!", BOOL)
            out.append(self._both(none_before, s))
            none_before = self._named(self._both(none_before, self.store.not_(s)))
        return [*out, none_before][:count]

    def _named(self, condition: Term) -> Term:
        """A Boolean variable defined to be `condition`, so that terms stay shallow."""
        if not condition.args:
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


def _differing(states: list[State]) -> dict[Term, None]:
    """The variables whose values are not the same term in all states."""
    first, out = states[0].values, dict[Term, None]()
    for s in states[1:]:
        out.update([(x, None) for x, value in s.values.items() if first.get(x) is not value])
        out.update([(x, None) for x in first if x not in s.values])
    return out


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
