"""Random small CFAs, explored state by state: the oracle for passes, large blocks and encodings.

Variables have few values (3-bit vectors, Booleans; integers from a small set of start and input
values), and runs start in a sample of the states, so that `explore` can visit every state that they
reach. Graphs have parallel edges, self-loops, irreducible loops, dead ends and blocked edges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random

from obligato.models.cfa import CFA
from obligato.models.claims import Trace, TraceStep
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import (
    BOOL,
    INT,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    bitvec,
    default_value,
    evaluate,
)
from tests.cfas import ERROR, make_cfa
from tests.termgen import BV_BINARY

WIDTH = 3
State = tuple[Value, ...]


def domain(sort: Sort) -> list[Value]:
    """The values that start states and inputs take."""
    if sort.kind is Kind.BOOL:
        return [False, True]
    return list(range(1 << sort.width)) if sort.kind is Kind.BITVEC else [-1, 0, 3]


class TooLarge(Exception):
    """More states than the test wants to visit."""


@dataclass
class Explored:
    """Reachable states by location (tuples in the order of the CFA's variables) and a shortest
    trace to the error.
    """

    states: dict[int, dict[State, None]] = field(default_factory=dict)
    trace: Trace | None = None


def run(
    command: Command, values: dict[Term, Value]
) -> Iterator[tuple[dict[Term, Value], tuple[int, ...]]]:
    """All executions of a command: end values and the original edges passed."""
    if isinstance(command, Assign):
        yield {**values, **{x: evaluate(e, values) for x, e in command.pairs}}, ()
    elif isinstance(command, Assume):
        if evaluate(command.condition, values):
            yield values, ()
    elif isinstance(command, Tagged):
        for end, edges in run(command.command, values):
            yield end, (command.edge, *edges)
    elif isinstance(command, Choice):
        for branch in command.branches:
            yield from run(branch, values)
    else:
        assert isinstance(command, Seq)
        ends: list[tuple[dict[Term, Value], tuple[int, ...]]] = [(values, ())]
        for part in command.parts:
            ends = [(v2, e1 + e2) for v, e1 in ends for v2, e2 in run(part, v)]
        yield from ends


Start = dict[str, Value]


def explore(cfa: CFA, starts: Sequence[Start], limit: int = 3000) -> Explored:
    """Breadth first from `starts` over all inputs."""
    out = Explored()
    start = list(dict.fromkeys(tuple(s[v.name] for v in cfa.variables) for s in starts))
    out.states[cfa.initial] = dict.fromkeys(start)
    back: dict[tuple[int, State], tuple[tuple[int, State], list[TraceStep]] | None] = {
        (cfa.initial, s): None for s in start
    }
    queue = deque(back)
    while queue:
        here = queue.popleft()
        for target, state, steps in _successors(cfa, *here):
            there = (target, state)
            if there in back:
                continue
            back[there] = (here, steps)
            out.states.setdefault(target, {})[state] = None
            if target == cfa.error and out.trace is None:
                out.trace = _trace(cfa, back, there)
            queue.append(there)
            if len(back) > limit:
                raise TooLarge
    return out


def _successors(
    cfa: CFA, location: int, state: State
) -> Iterator[tuple[int, State, list[TraceStep]]]:
    values = dict(zip(cfa.variables, state, strict=True))
    for edge in cfa.out(location):
        inputs = cfa.edge_inputs(edge)
        for chosen in product(*(domain(i.sort) for i in inputs)):
            given = dict(zip(inputs, chosen, strict=True))
            for end, edges in run(edge.command, {**values, **given}):
                named = {i.name: v for i, v in given.items()}
                yield (
                    edge.target,
                    tuple(end[v] for v in cfa.variables),
                    [TraceStep(e, named) for e in edges or (edge.id,)],
                )


def _trace(
    cfa: CFA,
    back: Mapping[tuple[int, State], tuple[tuple[int, State], list[TraceStep]] | None],
    last: tuple[int, State],
) -> Trace:
    steps: list[TraceStep] = []
    node = last
    while (link := back[node]) is not None:
        node = link[0]
        steps = link[1] + steps
    return Trace({v.name: x for v, x in zip(cfa.variables, node[1], strict=True)}, tuple(steps))


def replays(cfa: CFA, trace: Trace) -> bool:
    """Can the trace be executed on `cfa`, values that it does not give being default, up to the
    error location?
    """
    values: dict[Term, Value] = {
        v: trace.initial.get(v.name, default_value(v.sort)) for v in cfa.variables
    }
    location = cfa.initial
    for step in trace.steps:
        edge = cfa.by_id[step.edge]
        inputs = {i: step.inputs.get(i.name, default_value(i.sort)) for i in cfa.edge_inputs(edge)}
        end = next((e for e, _ in run(edge.command, {**values, **inputs})), None)
        if edge.source != location or end is None:
            return False
        values, location = {v: end[v] for v in cfa.variables}, edge.target
    return location == cfa.error


class Generator:
    """Random CFAs from a seed."""

    def __init__(self, seed: int, integers: bool = False) -> None:
        self.random = Random(seed)
        self.store = TermStore()
        self.variables = [
            self.store.var(n, bitvec(WIDTH)) for n in "xyz"[: self.random.randint(1, 3)]
        ]
        if self.random.random() < 0.5:
            self.variables.append(self.store.var("b", BOOL))
        if integers:
            self.variables.append(self.store.var("i", INT))
        self.inputs: list[Term] = []

    def cfa(self) -> CFA:
        """A CFA with initial location 0, error location `ERROR` and 2 to 9 others."""
        n = self.random.randint(2, 9)
        edges: list[tuple[int, int, Command]] = [(0, 1, self.command())]
        if self.random.random() < 0.3:
            edges.append((0, self.random.randint(1, n), self.command()))
        for loc in range(1, n + 1):
            edges.extend((loc, self.target(loc, n), c) for c in self.leaving())
        return make_cfa(self.store, self.variables, edges, self.inputs)

    def target(self, loc: int, n: int) -> int:
        r = self.random.random()
        if r < 0.12:
            return ERROR
        return min(loc + 1, n) if r < 0.6 else self.random.randint(1, n)

    def leaving(self) -> list[Command]:
        r = self.random.random()
        if r < 0.45:
            condition = self.condition()
            return [Assume(condition), Assume(self.store.not_(condition))]
        return [self.command() for _ in range(1 if r < 0.85 else 2 if r < 0.95 else 0)]

    def command(self) -> Command:
        r = self.random.random()
        if r < 0.6:
            x = self.random.choice(self.variables)
            return Assign(((x, self.expression(x.sort)),))
        if r < 0.7:
            xs = self.random.sample(self.variables, min(2, len(self.variables)))
            return Assign(tuple((x, self.expression(x.sort)) for x in xs))
        if r < 0.85:
            return self.havoc()
        if r < 0.95:
            return Assume(self.condition())
        return Seq((Assume(self.condition()), self.havoc()))

    def havoc(self) -> Command:
        x = self.random.choice(self.variables)
        self.inputs.append(self.store.var(f"{x.name}!in{len(self.inputs)}", x.sort))
        return Assign(((x, self.inputs[-1]),))

    def expression(self, sort: Sort, depth: int = 2) -> Term:
        leaves = [v for v in self.variables if v.sort is sort]
        r = self.random.random()
        if sort is BOOL and depth:
            return self.condition(depth - 1)
        if depth == 0 or r < 0.45:
            return (
                self.random.choice(leaves)
                if leaves and r < 0.25
                else self.store.const(self.value(sort), sort)
            )
        a, b = (self.expression(sort, depth - 1) for _ in range(2))
        if r < 0.55:
            return self.store.ite(self.condition(depth - 1), a, b)
        if sort is INT:
            return self.store.add(a, self.store.int_(self.random.randint(-2, 2)))
        ops = (Op.BVADD, *BV_BINARY)
        if r > 0.92:
            return self.store.extract(
                self.store.mk(Op.BVMUL, tuple(self.store.sign_ext(t, 2) for t in (a, b))), 3, 1
            )
        return self.store.mk(self.random.choice(ops), (a, b))

    def value(self, sort: Sort) -> Value:
        if sort is BOOL:
            return self.random.random() < 0.5
        return self.random.randint(0, (1 << WIDTH) - 1 if sort is not INT else 4)

    def condition(self, depth: int = 1) -> Term:
        s, r = self.store, self.random.random()
        if depth and r < 0.25:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return s.and_(a, b) if r < 0.12 else s.or_(a, b)
        x = self.random.choice(self.variables)
        if x.sort is BOOL:
            return x if r < 0.6 else s.not_(x)
        y = self.expression(x.sort, 1)
        if x.sort is INT:
            atom = s.mk(self.random.choice((Op.LE, Op.LT, Op.EQ)), (x, y))
            return atom if r < 0.6 else s.not_(atom)
        op = self.random.choice((Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSLE, Op.EQ, Op.EQ))
        if r > 0.9:
            x, y = s.zero_ext(x, 1), s.sign_ext(y, 1)
        return s.mk(op, (x, y)) if self.random.random() < 0.7 else s.not_(s.mk(op, (x, y)))


@dataclass
class Sample:
    """A random CFA, the start states of its runs, and what they reach."""

    seed: int
    cfa: CFA
    starts: list[Start]
    explored: Explored


def small_cfas(seeds: range, integers: bool = False, starts: int = 16) -> Iterator[Sample]:
    """Random CFAs that are small enough to explore."""
    for seed in seeds:
        generator = Generator(seed, integers and seed % 4 == 0)
        cfa = generator.cfa()
        sample = [
            {v.name: generator.random.choice(domain(v.sort)) for v in cfa.variables}
            for _ in range(starts)
        ]
        try:
            yield Sample(seed, cfa, sample, explore(cfa, sample))
        except TooLarge:
            continue
