"""IC3-like query streams: recorded once, replayed on any solver, so that backends answer the very
same queries.

A small IC3 (`_Ic3`) runs on generated programs and circuits: frames as clauses under activation
literals, one solver per location, rebuilt every 200 checks; edge by edge, the literals of a cube's
weakest existential precondition are assumed; cores generalise, models are read. `_Recorder` notes
what its solvers are told and asked. `replay` repeats that on the solvers of a factory and raises if
an answer differs.

    for theory in THEORIES: stream = make_stream(theory, queries=2000); seconds = replay(stream,
    factory)

Limitation: cores and models do not steer a replay; every backend works through the run of the
recording solver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any

from obligato.smt import SAT, UNSAT, Capabilities, SatResult, Solver
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import solver_factory
from obligato.terms import (
    BOOL,
    INT,
    Op,
    Sort,
    Substitution,
    Term,
    TermStore,
    Value,
    bitvec,
    conjuncts,
    free_vars,
)

_SORTS = {"bool": BOOL, "bv": bitvec(32), "lia": INT}
THEORIES = tuple(_SORTS)
Factory = Callable[[], Solver]


# -- programs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edge:
    """From `source` to `target` if all of `guard` hold, with simultaneous assignments."""

    source: int
    target: int
    guard: tuple[Term, ...]
    wep: Substitution


@dataclass(frozen=True, slots=True)
class Program:
    """Locations 0 (nothing leads there; `initial` holds) to `error`; variables that are not in
    `state` are inputs.
    """

    store: TermStore
    state: list[Term]
    initial: list[Term]
    edges: list[Edge]
    error: int


class _Words:
    """Random expressions over one sort of numbers, bit-vectors or Int."""

    def __init__(self, rng: random.Random, store: TermStore, sort: Sort) -> None:
        self.rng, self.store, self.sort = rng, store, sort

    def number(self, value: int) -> Term:
        return self.store.const(value, self.sort)

    def less(self, a: Term, b: Term) -> Term:
        s = self.store
        if self.sort is INT:
            return s.lt(a, b)
        return s.mk(self.rng.choice((Op.BVULT, Op.BVSLT)), (a, b))

    def add(self, a: Term, b: Term) -> Term:
        return self.store.mk(Op.ADD if self.sort is INT else Op.BVADD, (a, b))

    def sub(self, a: Term, b: Term) -> Term:
        return self.store.mk(Op.SUB if self.sort is INT else Op.BVSUB, (a, b))

    def update(self, x: Term, y: Term, z: Term) -> Term:
        """A right-hand side for x, as loops in programs have them."""
        s, rng = self.store, self.rng
        small = self.number(rng.randrange(1, 9))
        plain = [
            lambda: self.add(x, self.number(1)),
            lambda: self.add(x, small),
            lambda: self.sub(x, self.number(1)),
            lambda: self.add(x, y),
            lambda: self.sub(y, z),
            lambda: y,
            lambda: self.number(rng.randrange(100)),
            lambda: s.ite(self.less(y, z), self.add(x, self.number(1)), x),
            lambda: s.ite(s.eq(y, z), x, self.add(y, small)),
        ]
        if self.sort is not INT:
            plain += [
                lambda: s.mk(rng.choice((Op.BVAND, Op.BVOR, Op.BVXOR)), (x, y)),
                lambda: s.mk(Op.BVLSHR, (x, self.number(1))),
                lambda: s.mk(Op.BVMUL, (small, x)),
            ]
        return rng.choice(plain)()

    def condition(self, x: Term, y: Term) -> Term:
        s, rng = self.store, self.rng
        other = y if rng.random() < 0.5 else self.number(rng.randrange(1, 200))
        return s.eq(x, other) if rng.random() < 0.2 else self.less(x, other)


def make_program(
    rng: random.Random, store: TermStore, sort: Sort, variables: int = 20, loops: int = 4
) -> Program:
    """Loops in a row, each with a few updates, and an error guarded by a comparison."""
    words = _Words(rng, store, sort)
    xs = [store.var(f"x{i}", sort) for i in range(variables)]
    initial = [store.eq(x, words.number(rng.randrange(10))) for x in xs[: variables * 3 // 4]]
    edges = [Edge(0, 1, (), Substitution({}))]
    for here in range(1, loops + 1):
        test = words.condition(*rng.sample(xs, 2))
        branch = words.condition(*rng.sample(xs, 2))
        for guard in (branch, store.not_(branch)):
            edges.append(_edge(words, here, here, store.and_(test, guard), xs))
        edges.append(Edge(here, here + 1, (store.not_(test),), Substitution({})))
    wrong = [words.condition(*rng.sample(xs, 2)) for _ in range(2)]
    edges.append(Edge(loops + 1, loops + 2, tuple(wrong), Substitution({})))
    return Program(store, xs, initial, edges, loops + 2)


def _edge(words: _Words, source: int, target: int, guard: Term, xs: Sequence[Term]) -> Edge:
    changed = words.rng.sample(xs, 4)
    return Edge(
        source,
        target,
        tuple(conjuncts(guard)),
        Substitution({x: words.update(x, *words.rng.sample(xs, 2)) for x in changed}),
    )


def make_circuit(
    rng: random.Random, store: TermStore, latches: int = 200, inputs: int = 40
) -> Program:
    """A random sequential circuit: counters and shift chains with random logic between, and a bad
    condition.
    """
    state = [store.var(f"l{i}", BOOL) for i in range(latches)]
    free = [store.var(f"i{i}", BOOL) for i in range(inputs)]
    updates = {x: _next(rng, store, i, state, free) for i, x in enumerate(state)}
    initial = [store.not_(x) for x in state]
    wrong = tuple(rng.sample(state[latches // 4 :], 3))
    step = Substitution(updates)
    return Program(
        store,
        state,
        initial,
        [
            Edge(0, 1, (), Substitution({})),
            Edge(1, 1, (), step),
            Edge(1, 2, wrong, Substitution({})),
        ],
        2,
    )


def _next(
    rng: random.Random, store: TermStore, i: int, state: Sequence[Term], free: Sequence[Term]
) -> Term:
    near = state[max(0, i - 12) : i + 3]
    a, b, c = (rng.choice(near) for _ in range(3))
    d = rng.choice(free)
    carry = store.and_(*state[i - i % 8 : i], state[i - i % 8])
    return rng.choice(
        (
            lambda: store.xor(state[i], carry),
            lambda: store.and_(store.or_(a, d), store.not_(b)),
            lambda: store.ite(d, a, state[i]),
            lambda: store.or_(store.and_(a, b), store.and_(c, d)),
            lambda: store.xor(a, store.and_(b, c)),
            lambda: store.and_(a, store.or_(b, store.not_(c))),
        )
    )()


# -- recording -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Stream:
    """What happened: ('new'|'close', solver), ('add', solver, term), ('check', solver, assumptions,
    answer, read).
    """

    theory: str
    events: list[tuple[Any, ...]] = field(default_factory=list)
    queries: int = 0
    answers: dict[str, int] = field(default_factory=dict)


class _Recorder(Solver):
    """Passes everything on to `inner` and notes it in `stream`."""

    def __init__(self, inner: Solver, stream: Stream, ident: int, state: Sequence[Term]) -> None:
        super().__init__()
        self.capabilities: Capabilities = inner.capabilities
        self.inner, self.stream, self.ident, self.state = inner, stream, ident, state
        stream.events.append(("new", ident))

    def add(self, formula: Term) -> None:
        self.stream.events.append(("add", self.ident, formula))
        self.inner.add(formula)

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        result = self.inner.check(assumptions, budget=budget)
        self.stream.events.append(("check", self.ident, tuple(assumptions), result, self.state))
        self.stream.queries += 1
        self.stream.answers[result.value] = self.stream.answers.get(result.value, 0) + 1
        return result

    def core(self) -> list[Term]:
        return self.inner.core()

    def _value_of_var(self, var: Term) -> Value | None:
        return self.inner._value_of_var(var)

    def interrupt(self) -> None:
        self.inner.interrupt()

    def close(self) -> None:
        self.stream.events.append(("close", self.ident))
        self.inner.close()


# -- a small IC3 -----------------------------------------------------------------------------------


class _Enough(Exception):
    """The stream is long enough."""


Cube = tuple[Term, ...]


class _Ic3:
    """IC3 on a program, edge by edge [LNNK19]; stops at an error path, a fixpoint, `frames` or
    `limit` queries.
    """

    def __init__(
        self, program: Program, stream: Stream, make: Factory, limit: int, frames: int = 30
    ) -> None:
        self.program, self.stream, self.limit, self.frames = program, stream, limit, frames
        p, idents = program, count(sum(e[0] == "new" for e in stream.events))
        self.acts = [p.store.fresh(f"frame{i}", BOOL) for i in range(frames + 2)]
        self.solvers = [
            ActivationSolver(p.store, lambda: _Recorder(make(), stream, next(idents), p.state))
            for _ in range(p.error + 1)
        ]
        self.solvers[0].add(p.store.all_of(p.initial))
        self.clauses: list[list[tuple[Cube, int]]] = [[] for _ in self.solvers]
        # cubes of a circuit are states, lifted; of a program, preconditions
        self.lifts = p.state[0].sort is BOOL

    def run(self) -> None:
        for level in range(1, self.frames + 1):
            if not self.block((), self.program.error, level):
                break
            if self.propagate(level):
                break
        for solver in self.solvers:
            solver.close()

    def into(self, location: int, level: int) -> list[Edge]:
        """The edges whose source may be non-empty at that level: frame 0 is empty but for location
        0.
        """
        return [
            e for e in self.program.edges if e.target == location and (e.source == 0 or level > 0)
        ]

    def ask(self, edge: Edge, cube: Cube, level: int) -> tuple[SatResult, list[Term]]:
        """Is there a state of the frame of the edge's source from which the edge leads into the
        cube?
        """
        if self.stream.queries >= self.limit:
            raise _Enough
        literals = dict.fromkeys([*edge.guard, *(w for c in cube for w in conjuncts(edge.wep(c)))])
        if any(x is self.program.store.false for x in literals):
            return UNSAT, []
        solver = self.solvers[edge.source]
        acts = self.acts[level:] if edge.source else []
        result = solver.check([*acts, *literals])
        if result is UNSAT:
            return UNSAT, solver.core()
        return SAT, self.predecessor(edge, cube, list(literals))

    def predecessor(self, edge: Edge, cube: Cube, literals: list[Term]) -> list[Term]:
        """A program: the precondition itself. A circuit: the model's state, lifted by a core."""
        s, solver = self.program.store, self.solvers[edge.source]
        model = solver.model_of(self.program.state)
        if not self.lifts or not cube:
            return literals
        inputs = {
            v: val
            for x in literals
            for v, val in solver.model_of(free_vars(x)).items()
            if v not in model
        }
        lits = [x if model.get(x) else s.not_(x) for x in self.program.state]
        fixed = [v if val else s.not_(v) for v, val in inputs.items()]
        fails = s.not_(s.all_of(literals))
        # state and inputs determine the successor, so this is unsat; the core is what matters of
        # the state
        answer = self.solvers[self.program.error].check([*lits, *fixed], temporary=[fails])
        assert answer is UNSAT
        core = dict.fromkeys(self.solvers[self.program.error].core())
        return [x for x in lits if x in core]

    def block(self, cube: Cube, location: int, level: int) -> bool:
        """Block the cube at the location up to `level`; False if an error path was found."""
        obligations = [(level, cube, location)]
        while obligations:
            level, cube, location = min(obligations, key=lambda o: o[0])
            if location == 0:
                return False
            found = self.reach(cube, location, level)
            if found is None:
                obligations.remove((level, cube, location))
            else:
                obligations.append(found)
                if len(obligations) > 60:
                    return False
        return True

    def reach(self, cube: Cube, location: int, level: int) -> tuple[int, Cube, int] | None:
        """A predecessor of the cube as an obligation; None after the cube was blocked by a
        generalised clause.
        """
        needed: dict[Term, None] = {}
        for e in self.into(location, level - 1):
            result, terms = self.ask(e, cube, level - 1)
            if result is SAT:
                return (max(level - 1, 0), tuple(terms), e.source)
            core = dict.fromkeys(terms)
            needed.update(
                (c, None) for c in cube if not terms or any(w in core for w in conjuncts(e.wep(c)))
            )
        small = self.drop(tuple(c for c in cube if c in needed) or cube, location, level)
        self.learn(small, location, level)
        return None

    def drop(self, cube: Cube, location: int, level: int) -> Cube:
        """Drop literals while the cube stays unreachable."""
        for c in cube[:6]:
            rest = tuple(x for x in cube if x is not c)
            if rest and all(
                self.ask(e, rest, level - 1)[0] is UNSAT for e in self.into(location, level - 1)
            ):
                cube = rest
        return cube

    def learn(self, cube: Cube, location: int, level: int) -> None:
        self.clauses[location].append((cube, level))
        self.solvers[location].add(self.clause(cube), self.acts[level])

    def clause(self, cube: Cube) -> Term:
        s = self.program.store
        return s.any_of([s.not_(c) for c in cube])

    def propagate(self, top: int) -> bool:
        """Push clauses; True at a fixpoint."""
        for level in range(1, top):
            here = [
                (n, cube)
                for n, clauses in enumerate(self.clauses)
                for cube, at in clauses
                if at == level
            ]
            for location, cube in here:
                if all(self.ask(e, cube, level)[0] is UNSAT for e in self.into(location, level)):
                    self.clauses[location].remove((cube, level))
                    self.solvers[location].forget(self.clause(cube), self.acts[level])
                    self.learn(cube, location, level + 1)
            if not any(at == level for clauses in self.clauses for _, at in clauses):
                return True
        return False


# -- entry points ----------------------------------------------------------------------------------


def make_stream(
    theory: str, queries: int = 2000, seed: int = 0, make: Factory | None = None
) -> Stream:
    """Record `queries` queries on generated programs of a theory; `make` makes the recording
    solvers.
    """
    stream, store, sort = Stream(theory), TermStore(), _SORTS[theory]
    make = make or solver_factory([sort])
    for n in count(seed):
        rng = random.Random(n)
        program = make_circuit(rng, store) if sort is BOOL else make_program(rng, store, sort)
        try:
            _Ic3(program, stream, make, queries).run()
        except _Enough:
            return stream
    raise AssertionError("count does not end")


def replay(stream: Stream, make: Factory) -> float:
    """Repeat the stream on solvers made by `make`: seconds. Every answer must be the
    recorded one.
    """
    solvers: dict[int, Solver] = {}
    start = perf_counter()
    for event in stream.events:
        match event:
            case ("check", ident, assumptions, expected, read):
                solver = solvers[ident]
                result = solver.check(assumptions)
                if result is not expected:
                    raise AssertionError(
                        f"{solver.capabilities.name} says {result}, recorded was {expected}"
                    )
                if result is UNSAT:
                    solver.core()
                else:
                    solver.model_of(read)
            case ("add", ident, formula):
                solvers[ident].add(formula)
            case ("new", ident):
                solvers[ident] = make()
            case ("close", ident):
                solvers.pop(ident).close()
    return perf_counter() - start
