"""Explicit-state exploration of a CFA: the reference that engines and passes are tested against.

Breadth-first over partial states: a variable that nobody has looked at yet has no value; when an
edge reads it, one successor per value is made.  A havoc forgets a value.  So unread variables and
inputs cost nothing, and the first error found has a shortest trace.  Works for any command
(sequences, choices, tagged parts) over Bool, small bit-vectors and, through `ints`, integers that a
program keeps in a known range.  Evaluation is `terms.evaluate`, memoised by the values read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged, walk
from obligato.results.outcome import Trace, TraceStep
from obligato.terms import Kind, Sort, Term, Value, default_value, evaluate, free_vars

INTS = range(-1, 5)  # values tried for an Int; programs must confine theirs to a smaller range
State = tuple[Any, ...]  # values in the order of cfa.variables; None: not looked at yet
Event = tuple[str, Term, Any]  # ("forget", x, input), ("bind", x, value), ("input", i, value)


class TooLarge(Exception):
    """The state space exceeds the limit."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """`edge` is the last edge of a shortest trace to the error location; None: unreachable."""

    edge: Edge | None
    trace: Trace | None
    states: int

    @property
    def reachable(self) -> bool:
        return self.edge is not None


@dataclass(frozen=True, slots=True)
class _Run:
    """A way through (a part of) a command."""

    state: dict[Term, Any]
    inputs: dict[Term, Any]
    events: tuple[Event, ...]
    path: tuple[int, ...]


def domain(sort: Sort, ints: range = INTS) -> list[Value]:
    """All values of a small sort."""
    if sort.kind is Kind.BOOL:
        return [False, True]
    if sort.kind is Kind.BITVEC:
        return list(range(1 << sort.width))
    if sort.kind is Kind.INT:
        return list(ints)
    raise TooLarge(f"cannot enumerate {sort}")


def explore(
    cfa: CFA,
    max_states: int = 20_000,
    ints: range = INTS,
    counts: Callable[[Edge], bool] = lambda e: True,
) -> Exploration:
    """Is the error location reachable by an edge that `counts`? Raises TooLarge beyond `max_states`
    states.
    """
    return _Explorer(cfa, ints, counts).run(max_states)


class _Explorer:
    def __init__(self, cfa: CFA, ints: range, counts: Callable[[Edge], bool]) -> None:
        self.cfa = cfa
        self.ints = ints
        self.counts = counts
        self.memo: dict[Term, dict[tuple[Any, ...], Any]] = {}
        self.reads: dict[Term, list[Term]] = {}
        self.once = {e.id: self._inputs_read_once(e) for e in cfa.edges}
        # node -> (node before, edge, events, original path)
        self.parents: dict[
            tuple[int, State],
            tuple[tuple[int, State], Edge, tuple[Event, ...], tuple[int, ...]] | None,
        ] = {}

    def run(self, max_states: int) -> Exploration:
        start = (self.cfa.initial, (None,) * len(self.cfa.variables))
        self.parents[start] = None
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for edge in self.cfa.out(node[0]):
                if edge.target == self.cfa.error and not self.counts(edge):
                    continue
                for run in self._take(edge, node[1]):
                    after = (edge.target, tuple(run.state.get(v) for v in self.cfa.variables))
                    if after in self.parents:
                        continue
                    self.parents[after] = (node, edge, run.events, run.path or (edge.id,))
                    if edge.target == self.cfa.error:
                        return Exploration(edge, self._trace(after), len(self.parents))
                    queue.append(after)
            if len(self.parents) > max_states:
                raise TooLarge(f"more than {max_states} states")
        return Exploration(None, None, len(self.parents))

    def _take(self, edge: Edge, state: State) -> Iterator[_Run]:
        values = {v: x for v, x in zip(self.cfa.variables, state, strict=True) if x is not None}
        return self._execute(edge.command, _Run(values, {}, (), ()), self.once[edge.id])

    def _inputs_read_once(self, edge: Edge) -> dict[Term, None]:
        """Inputs that occur only as the whole right side of one assignment: giving them a value can
        wait.
        """
        whole: list[Term] = []
        other: set[Term] = set()
        for c in walk(edge.command):
            if isinstance(c, Assume):
                other.update(free_vars(c.condition))
            elif isinstance(c, Assign):
                for _, e in c.pairs:
                    if e in self.cfa.input_set:
                        whole.append(e)
                    else:
                        other.update(free_vars(e))
        return {i: None for i in whole if whole.count(i) == 1 and i not in other}

    def _execute(self, c: Command, run: _Run, once: dict[Term, None]) -> Iterator[_Run]:
        match c:
            case Assume():
                yield from (r for r, (holds,) in self._evaluate((c.condition,), run) if holds)
            case Assign():
                read = tuple(e for _, e in c.pairs if e not in once)
                for r, values in self._evaluate(read, run):
                    yield _assigned(c, r, dict(zip(read, values, strict=True)))
            case Seq(parts=()):
                yield run
            case Seq():
                for r in self._execute(c.parts[0], run, once):
                    yield from self._execute(Seq(c.parts[1:]), r, once)
            case Choice():
                for b in c.branches:
                    yield from self._execute(b, run, once)
            case Tagged():
                tagged = _Run(run.state, run.inputs, run.events, (*run.path, c.edge))
                yield from self._execute(c.command, tagged, once)

    def _evaluate(self, terms: tuple[Term, ...], run: _Run) -> Iterator[tuple[_Run, list[Any]]]:
        """The values of `terms`, for each way to give the variables they read a value."""
        reads = dict.fromkeys(v for t in terms for v in self._reads(t))
        unknown = [v for v in reads if v not in run.state and v not in run.inputs]
        for choice in product(*(domain(v.sort, self.ints) for v in unknown)):
            state, inputs, events = dict(run.state), dict(run.inputs), list(run.events)
            for v, x in zip(unknown, choice, strict=True):
                is_input = v in self.cfa.input_set
                (inputs if is_input else state)[v] = x
                events.append(("input" if is_input else "bind", v, x))
            yield (
                _Run(state, inputs, tuple(events), run.path),
                [self._value(t, {**state, **inputs}) for t in terms],
            )

    def _reads(self, t: Term) -> list[Term]:
        if t not in self.reads:
            self.reads[t] = list(free_vars(t))
        return self.reads[t]

    def _value(self, t: Term, values: dict[Term, Any]) -> Any:
        key = tuple(values[v] for v in self._reads(t))
        table = self.memo.setdefault(t, {})
        if key not in table:
            table[key] = evaluate(t, values)
        return table[key]

    def _trace(self, node: tuple[int, State]) -> Trace:
        path = []
        while (link := self.parents[node]) is not None:
            path.append(link)
            node = link[0]
        path.reverse()
        initial: dict[str, Value] = {v.name: default_value(v.sort) for v in self.cfa.variables}
        inputs: list[dict[str, Value]] = [{} for _ in path]
        origin: dict[Term, tuple[int, Term]] = {}
        for n, (_, _, events, _) in enumerate(path):
            for kind, x, data in events:
                if kind == "forget":
                    origin[x] = (n, data)
                elif kind == "input":
                    inputs[n][x.name] = data
                elif x in origin:
                    step, name = origin[x]
                    inputs[step][name.name] = data
                else:
                    initial[x.name] = data
        steps = [TraceStep(e, inputs[n]) for n, (_, _, _, edges) in enumerate(path) for e in edges]
        return Trace(initial, tuple(steps))


def _assigned(c: Assign, run: _Run, values: dict[Term, Any]) -> _Run:
    state, events = dict(run.state), list(run.events)
    for x, e in c.pairs:
        if e in values:
            state[x] = values[e]
        else:
            state.pop(x, None)
            events.append(("forget", x, e))
    return _Run(state, run.inputs, tuple(events), run.path)
