"""Random runs of a program: samples of what its loops do, and lassos that come up on the way.

Inputs are constants that the variable is compared with that they are assigned to, small numbers and
constants of the program, now and then any value. Deterministic for a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from obligato.engines.environment import Environment
from obligato.engines.rank.relation import Component, Sample
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Trace, TraceStep
from obligato.models.execution import execute
from obligato.models.gcl import Assign, Assume, walk
from obligato.models.rank_claims import BuchiCFA, Endless
from obligato.terms import BOOL, Kind, Op, Sort, Term, Value, default_value, postorder

MORE = 12  # times as many runs, if they end early
RETRIES = 60  # of one run: a step back to an earlier choice
SAMPLES = 60  # of one component and run
MEANT = 0.4  # how often an input is one of the numbers that it is compared with
State = dict[Term, Value]


@dataclass(slots=True)
class Walk:
    """One run so far: the steps, and where it was at locations of components (position, state)."""

    location: int
    state: State
    initial: State
    steps: list[TraceStep] = field(default_factory=list)
    # after each step: accepting so far, approximate
    counts: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    # number of steps, location, state
    stops: list[tuple[int, int, State]] = field(default_factory=list)
    seen: dict[tuple[object, ...], int] = field(default_factory=dict)
    # steps, stops, location and state before them
    choices: list[tuple[int, int, int, State]] = field(default_factory=list)
    retries: int = 0


class Walks:
    """Random runs of `problem`; `components` are those of its blocks."""

    def __init__(self, problem: BuchiCFA, components: list[Component], env: Environment) -> None:
        self.problem, self.cfa, self.env = problem, problem.cfa, env
        self.random = random.Random(env.seed + 1)
        self.of = {loc: c for c in components for loc in c.locations}
        self.constants = _constants(self.cfa)
        self.inputs = {e.id: self.cfa.edge_inputs(e) for e in self.cfa.edges}
        self.compared = _compared(self.cfa)
        self.samples: dict[Component, list[Sample]] = {c: [] for c in components}
        # inputs of any value, how often; avoid over-approximations
        self.wild, self.faithful = (0.0, False)
        self.steps = 0
        self._known: set[tuple[object, ...]] = set()
        # runs that may go on, to where they entered a component for good
        self.unfinished: list[tuple[Trace, int, State]] = []
        # where the one run of a program without inputs was in components, if it ended
        self.ended: list[tuple[int, State]] = []
        self.loose: tuple[Trace, int, State] | None = (
            None  # the run to the loop of a lasso that changes what its edges test
        )

    def run(self, runs: int, steps: int) -> Endless | None:
        """Look at so many runs; a lasso, if one came up."""
        deterministic = not any(self.inputs.values())
        if deterministic and self.problem.accepting is None:
            return self._walk(10 * steps, alone=True) if runs else None
        found = self._walk(10 * steps) if deterministic and runs else None
        for n in range(MORE * runs if found is None else 0):
            self.wild, self.faithful = (0.0, 0.2, 0.8)[n % 3], n % 2 == 0
            found = self._walk(steps)
            if found is not None or self.steps >= runs * steps:
                return found
        return found

    def _walk(self, limit: int, alone: bool = False) -> Endless | None:
        start = {v: self._value(v.sort) for v in self.cfa.variables}
        walk = Walk(self.cfa.initial, start, start)
        for n in range(limit):
            if n % 64 == 0:
                self.env.tick()
            component = self.of.get(walk.location)
            if component is not None:
                found = self._stop(walk, component)
                if found is not None:
                    return found
            if not self._step(walk):
                self.ended = [(loc, state) for _, loc, state in walk.stops] if alone else []
                break
        else:
            self._entered(walk)
        self._take_samples(walk)
        return None

    def _entered(self, walk: Walk) -> None:
        """Note where a run that was not followed to its end came into the component where it is."""
        last = self.of[walk.stops[-1][1]] if walk.stops else None
        inside = [
            stop
            for stop in walk.stops
            if self.of[stop[1]] is last and self.problem.accepts(stop[1])
        ]
        if inside:
            count, location, state = inside[0]
            initial = {x.name: v for x, v in walk.initial.items()}
            self.unfinished.append((Trace(initial, tuple(walk.steps[:count])), location, state))

    def _stop(self, walk: Walk, component: Component) -> Endless | None:
        """The run is at a location of a component: has it been there in the same state before, and
        accepted since?
        """
        key = (
            walk.location,
            *(_hashable(walk.state[x]) for x in component.returning if x in walk.state),
        )
        before = walk.seen.setdefault(key, len(walk.steps))
        walk.stops.append((len(walk.steps), walk.location, walk.state))
        if before == len(walk.steps):
            return None
        accepting, approximate = walk.counts[-1]
        earlier, before_approximate = walk.counts[before]
        if accepting == earlier or approximate > before_approximate:
            return None
        initial = {x.name: v for x, v in walk.initial.items()}
        state = next(s for n, _, s in walk.stops if n == before)
        if any(state[x] != walk.state[x] for x in component.tested if x in state):
            self.loose = Trace(initial, tuple(walk.steps[:before])), walk.location, state
        return Endless(Trace(initial, tuple(walk.steps)), before)

    def _step(self, walk: Walk) -> bool:
        """Take one step of the run. A run that cannot continue returns to an earlier choice, a few
        times.
        """
        while not self._forward(walk):
            if not walk.choices or walk.retries >= RETRIES:
                return False
            walk.retries += 1
            for _ in range(self.random.choice((1, 1, 1, 2, 4))):
                steps, stops, walk.location, walk.state = walk.choices[-1]
                if len(walk.choices) > 1:
                    walk.choices.pop()
            del walk.steps[steps:], walk.stops[stops:], walk.counts[steps + 1 :]
            walk.seen = {key: n for key, n in walk.seen.items() if n <= steps}
        return True

    def _forward(self, walk: Walk) -> bool:
        edges = [e for e in self.cfa.out(walk.location) if e.target != self.cfa.error]
        if self.faithful:
            edges = [e for e in edges if e.approximates is None] or edges
        if len(edges) > 1:
            self.random.shuffle(edges)
        for e in edges:
            inputs = {i: self._input(i) for i in self.inputs[e.id]}
            after = execute(e.command, walk.state, inputs)
            if after is not None:
                if inputs or len(edges) > 1:
                    walk.choices.append(
                        (len(walk.steps), len(walk.stops), walk.location, walk.state)
                    )
                walk.steps.append(TraceStep(e.id, {i.name: v for i, v in inputs.items()}))
                accepting, approximate = walk.counts[-1]
                walk.counts.append(
                    (
                        accepting + self.problem.accepts(e.source),
                        approximate + (e.approximates is not None),
                    )
                )
                walk.location, walk.state = e.target, after
                self.steps += 1
                return True
        return False

    def _take_samples(self, walk: Walk) -> None:
        """The samples of a run: steps from one location of a component to the next one of it."""
        for (_, a, before), (_, b, after) in list(zip(walk.stops, walk.stops[1:], strict=False))[
            -SAMPLES:
        ]:
            component = self.of[a]
            key = (
                a,
                b,
                *(_hashable(s[x]) for s in (before, after) for x in component.relevant if x in s),
            )
            if self.of[b] is component and key not in self._known:
                self._known.add(key)
                self.samples[component].append(
                    Sample(a, b, before, after, self.problem.accepts(a), True)
                )

    def _input(self, variable: Term) -> Value:
        meant = self.compared.get(variable, ())
        return (
            self.random.choice(meant)
            if meant and self.random.random() < MEANT
            else self._value(variable.sort)
        )

    def _value(self, sort: Sort) -> Value:
        if sort.kind is Kind.BITVEC:
            if self.random.random() < self.wild:
                return self.random.getrandbits(sort.width)
            half = 1 << (sort.width - 1)
            return self.random.choice((0, 1, 2, 3, -1, half, half - 1, *self.constants)) % (
                2 * half
            )
        if sort.kind is Kind.BOOL:
            return self.random.random() < 0.5
        if sort.kind is Kind.INT:
            return self.random.choice((0, 1, 2, 3, -1, 10, *self.constants))
        return default_value(sort)


def _hashable(value: Value) -> object:
    return value if isinstance(value, int | bool) else repr(value)


def _constants(cfa: CFA) -> list[int]:
    """Numbers in the program, at most twenty."""
    terms = list(_terms(cfa.edges))
    found = {t.data: None for t in postorder(terms) if t.op is Op.CONST and type(t.data) is int}
    return list(found)[:20]


def _compared(cfa: CFA) -> dict[Term, list[Value]]:
    """By input the numbers that a variable to which it is assigned is compared with."""
    numbers: dict[Term, dict[Value, None]] = {}
    for t in postorder(list(_terms(cfa.edges))):
        if len(t.args) == 2 and t.sort is BOOL:
            for x, c in (t.args, t.args[::-1]):
                if x.op is Op.VAR and c.op is Op.CONST and type(c.data) is int:
                    numbers.setdefault(x, {})[c.data] = None
    pairs = [
        p for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign) for p in c.pairs
    ]
    return {i: list(numbers[x]) for x, i in pairs if i in cfa.input_set and x in numbers}


def _terms(edges: tuple[Edge, ...]) -> Iterator[Term]:
    for e in edges:
        for c in walk(e.command):
            if isinstance(c, Assume):
                yield c.condition
            elif isinstance(c, Assign):
                yield from (value for _, value in c.pairs)
