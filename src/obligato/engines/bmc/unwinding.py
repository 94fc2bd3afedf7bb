"""The unwinding of a CFA in large blocks, depth by depth:
one symbolic state per location and depth.

From the states of one depth `Unwinding.advance` makes those of the next. A state with one way to go
is executed (`execution`); the others take each block that leaves their location, as its guard and
final values over the terms of the state. What arrives at the same location is merged: a value is
chosen by the way that was taken, so paths are never multiplied out [BCCZ99; BCGKS09]. Where blocks
do not exclude each other, selectors decide: one assignment describes one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from obligato.engines.bmc.execution import Executor, OnlyStep, copies
from obligato.engines.bmc.states import Assignment, Past, State, Values, Way
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect, path_effect
from obligato.terms import BOOL, Op, Term, TermStore, conjuncts, evaluate
from obligato.terms.store import rebuild


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """A step into a location; `executed`: it exists whenever its source does; `step`:
    it was executed so."""

    values: Values
    way: Way
    executed: bool
    step: OnlyStep | None = None


Arrivals = dict[int, list[Arrival]]


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A block as guard and final values, and what these speak about."""

    edge: Edge
    effect: BlockEffect
    variables: tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Passed:
    """The original edges of a way through a block: a model decides at its choices."""

    store: TermStore
    block: _Block
    values: dict[Term, Term]

    def __call__(self, model: Assignment) -> tuple[int, ...]:
        memo: dict[Term, object] = {}
        here = {v: evaluate(t, model, memo) for v, t in self.values.items()}
        command = self.block.edge.command
        return path_effect(self.store, command, self.block.effect.path_of(here)).edges


class Unwinding:
    """The states of a CFA by depth;
    `define` is told each name for a condition and what it stands for."""

    def __init__(self, cfa: CFA, define: Callable[[Term, Term], None]) -> None:
        self.cfa, self.store, self.define = cfa, cfa.store, define
        self.executor = Executor(cfa)
        self._blocks: dict[Edge, _Block] = {}

    def start(self) -> State:
        """All runs of length 0."""
        return State(self.cfa.initial, self.store.true, Values(self.store), Past())

    def advance(self, frontier: Sequence[State], depth: int) -> Arrivals:
        """The steps of all states at `depth`, by the locations where they end;
        none where a plainly false guard leads."""
        out: Arrivals = {}
        for state in frontier:
            executed = self.executor.step(state, depth)
            if executed is not None:
                for step in executed:
                    out.setdefault(step.location, []).append(
                        Arrival(step.values, step.way, True, step)
                    )
            else:
                for edge in self.cfa.out(state.location):
                    out.setdefault(edge.target, [])
                for target, arrival in self._split(state, depth):
                    out[target].append(arrival)
        return out

    def merged(self, location: int, arrivals: Sequence[Arrival]) -> State:
        """One state for all that arrive at a location."""
        past = Past(tuple(a.way for a in arrivals))
        if len(arrivals) == 1:
            return State(location, arrivals[0].way.taken, arrivals[0].values, past)
        condition = self.named(self.store.or_(*(a.way.taken for a in arrivals)))
        return State(location, condition, self._chosen(arrivals), past)

    def _chosen(self, arrivals: Sequence[Arrival]) -> Values:
        values = arrivals[0].values.copy()
        tables = [a.values for a in arrivals]
        for x in dict.fromkeys(x for v in tables for table in (v.known, v.terms) for x in table):
            terms = [v.term(x) for v in tables]
            if any(t is not terms[0] for t in terms):
                value = terms[-1]
                for a, t in zip(reversed(arrivals[:-1]), reversed(terms[:-1]), strict=True):
                    value = self.store.ite(a.way.taken, t, value)
                values.put(x, value)
        return values

    def _split(self, state: State, depth: int) -> list[tuple[int, Arrival]]:
        """A step along each block whose guard is not plainly false."""
        possible: list[tuple[_Block, dict[Term, Term], Term]] = []
        for edge in self.cfa.out(state.location):
            block = self._block(edge)
            values = self._inputs(block, depth)
            values |= {v: state.values.term(v) for v in block.variables if v not in values}
            memo = dict(values)
            guard = self.store.and_(*(rebuild(g, self.store, memo) for g in block.effect.guard))
            if guard is not self.store.false:
                possible.append((block, values, guard))
        choices = self._selected([guard for _, _, guard in possible], state, depth)
        return [
            (
                block.edge.target,
                self._arrival(
                    state, block, values, self.named(self.store.and_(state.condition, choice))
                ),
            )
            for (block, values, _), choice in zip(possible, choices, strict=True)
        ]

    def _arrival(
        self, state: State, block: _Block, values: dict[Term, Term], taken: Term
    ) -> Arrival:
        after, memo = state.values.copy(), dict(values)
        for x, e in block.effect.pull.mapping.items():
            after.put(x, rebuild(e, self.store, memo))
        return Arrival(
            after,
            Way(taken, state.past, _Passed(self.store, block, values)),
            taken is state.condition,
        )

    def _block(self, edge: Edge) -> _Block:
        if edge not in self._blocks:
            effect = BlockEffect(self.store, edge.command, f"way!{edge.id}!")
            self._blocks[edge] = _Block(edge, effect, tuple(effect.variables()))
        return self._blocks[edge]

    def _inputs(self, block: _Block, depth: int) -> dict[Term, Term]:
        """The inputs and selectors of a block, as they are at one depth."""
        selectors = {s: self.store.var(f"{s.name}@{depth}", BOOL) for s in block.effect.selectors}
        return copies(self.cfa, block.variables, depth) | selectors

    def _selected(self, guards: list[Term], state: State, depth: int) -> list[Term]:
        """The guards, so that at most one holds:
        with selectors, unless they exclude each other already."""
        parts = [set(conjuncts(g)) for g in guards]
        if all(
            any(self.store.not_(g) in b for g in conjuncts(guards[i]))
            for (i, _), (_, b) in combinations(enumerate(parts), 2)
        ):
            return guards
        none_before, out = self.store.true, list[Term]()
        for n, guard in enumerate(guards):
            here = self.store.true
            if n < len(guards) - 1:
                here = self.store.var(f"way!{state.location}!{n}@{depth}!", BOOL)
            out.append(self.store.and_(guard, none_before, here))
            none_before = self.store.and_(none_before, self.store.not_(here))
        return out

    def named(self, condition: Term) -> Term:
        """A variable for the condition, so that formulas do not grow with the depth."""
        if not condition.args or (condition.op is Op.NOT and not condition.args[0].args):
            return condition
        name = self.store.fresh("reached", BOOL)
        self.define(name, condition)
        return name
