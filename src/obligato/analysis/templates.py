"""Invariants of transition systems from templates [KGT11]: constants, equalities, implications,
orders and bounds.

Candidates are what holds in a few random runs: a bit is constant or implies another, variables are
equal or opposite, a number or a word stays on one side of a constant of the system or of another
one; each also with the exception of the first step, where a variable marks it. Equalities are found
by classes of variables with the same values, so that there are no more of them than variables; the
other pairs are of the first few variables only. What is left after Houdini, dropping candidates
until the rest is inductive relative to the properties, holds as long as these do:
`state_candidates` carries the idea.

These are about one state; `analysis.relations` looks for relations of two successive ones. Budgets
are counted; when they are used up nothing is returned. Random choices are seeded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, islice, permutations, product
from typing import Any, cast

from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT, Solver
from obligato.terms import (
    BOOL,
    Kind,
    Op,
    Sort,
    Term,
    Value,
    assigned_constant,
    conjuncts,
    default_value,
    evaluate,
    free_vars,
    postorder,
)

RUNS, STEPS = 8, 24
WORK = 1_000_000  # nodes of terms that the runs may evaluate
CALLS = 200  # of the solver
BUDGET = {"z3": 1_000_000}  # of a question in a hurry, in the units of the backend
CONFLICTS = 2_000  # where the backend counts conflicts or the like
BOOLEANS, NUMBERS = 40, 24  # that take part in pairs
ATTEMPTS = 20  # at inputs that satisfy the constraints
FEW = 6  # bits, numbers and constants in what has exceptions
POOL = 12  # constants of a sort
State = dict[Term, Value]
Run = list[State]
Pool = dict[Sort, list[Value]]
MakeSolver = Callable[[], Solver]


def state_candidates(system: TransitionSystem, runs: list[Run]) -> list[Term]:
    """Formulas over the state that hold at all times of the runs."""
    states = [state for run in runs for state in run]
    found = dict.fromkeys(_candidates(system, states)) if states else {}
    return [c for c in found if c is not system.store.true]


# -- random runs -----------------------------------------------------------------------------------


def random_runs(system: TransitionSystem, make_solver: MakeSolver, seed: int) -> list[Run]:
    """A few random runs; none without next-state functions, and of a system that is too large."""
    if system.next is None:
        return []
    pool = constants_of(system)
    size = sum(1 for _ in postorder([*system.next.values(), *system.constraints]))
    sampling = _Sampling(system, random.Random(seed), pool, min(STEPS, WORK // (RUNS * (1 + size))))
    runs = [sampling.run(sampling.start(), {}) for _ in range(RUNS if sampling.length > 1 else 0)]
    if not runs or max(map(len, runs)) > 1:
        return runs
    found = _beginning(system, make_solver)
    return [sampling.run(sampling.start() | found, found) for _ in range(RUNS)]


def _beginning(system: TransitionSystem, make_solver: MakeSolver) -> State:
    """An initial state with inputs that are allowed in it, as a solver finds it; nothing if it
    finds none.
    """
    solver = make_solver()
    try:
        for f in (system.init, *system.constraints):
            solver.add(f)
        # I and C: sat - an initial state; unsat, unknown - none to begin with   (heuristic)
        return (
            solver.model_of((*system.state, *system.inputs))
            if solver.check([], kind="templates") is SAT
            else {}
        )
    finally:
        solver.close()


class _Sampling:
    """Random runs of a system with next-state functions."""

    def __init__(
        self, system: TransitionSystem, rng: random.Random, pool: Pool, length: int
    ) -> None:
        self.system, self.rng, self.pool, self.length = system, rng, pool, length
        given = map(assigned_constant, conjuncts(system.init))
        self.given = {x: value.data for x, value in given if x is not None and value is not None}

    def start(self) -> State:
        """Random values, and those that are given for initial states."""
        return {x: _random(self.rng, x.sort, self.pool) for x in self.system.state} | self.given

    def run(self, state: State, inputs: State) -> Run:
        """One run; short where a few attempts find no inputs that are allowed. `inputs` are some
        for the first step.
        """
        out: Run = []
        state = {x: state[x] for x in self.system.state}
        if not evaluate(self.system.init, state):
            return out
        for _ in range(self.length):
            now = self._inputs(state, inputs)
            if now is None:
                break
            out.append(state)
            inputs, memo = now, dict[Term, Value]()
            state = {x: evaluate(e, now, memo) for x, e in (self.system.next or {}).items()}
        return out

    def _inputs(self, state: State, before: State) -> State | None:
        """State and inputs that satisfy the constraints: random ones, then those before with
        changes, then those before.
        """
        for attempt in range(ATTEMPTS):
            now = {**state, **{i: _random(self.rng, i.sort, self.pool) for i in self.system.inputs}}
            keep = max(0.0, 2 * attempt / ATTEMPTS - 1) if attempt < ATTEMPTS - 1 else 1.0
            now |= {
                i: before[i] for i in self.system.inputs if i in before and self.rng.random() < keep
            }
            if all(evaluate(c, now) for c in self.system.constraints):
                return now
        return None


def _random(rng: random.Random, sort: Sort, pool: Pool) -> Value:
    if sort is BOOL:
        return rng.random() < 0.5
    if sort.kind is Kind.BITVEC:
        return rng.choice((0, 1, rng.randrange(sort.mask + 1)))
    if sort.kind not in (Kind.INT, Kind.REAL):
        return default_value(sort)
    value = rng.choice(pool.get(sort) or [0])
    return value + rng.randint(-2, 2) if isinstance(value, int | Fraction) else value


def constants_of(system: TransitionSystem) -> Pool:
    """The numbers in the formulas of a system, those in the property first."""
    roots = [
        *(p.formula for p in system.assertions),
        system.init,
        *system.constraints,
        *(system.next or {}).values(),
    ]
    out: dict[Sort, dict[Value, None]] = {}
    for t in postorder(roots):
        if t.op is Op.CONST and t.sort.kind in (Kind.INT, Kind.REAL, Kind.BITVEC):
            known = out.setdefault(t.sort, {})
            if len(known) < POOL:
                known[t.data] = None
    return {sort: list(values) for sort, values in out.items()}


# -- candidates ------------------------------------------------------------------------------------


def weaker_candidates(system: TransitionSystem, runs: list[Run]) -> list[Term]:
    """Formulas that hold at all times of the runs, the first step excepted, and have exceptions
    themselves: bounds under a bit, orders up to a bound.
    """
    first = first_step(system)
    states = [state for run in runs for state in run if first is None or not state[first]]
    exception = system.store.false if first is None else first
    found = (system.store.or_(exception, c) for c in _with_exceptions(system, states))
    return [c for c in dict.fromkeys(found) if c is not system.store.true]


def _with_exceptions(system: TransitionSystem, states: list[State]) -> Iterator[Term]:
    values = {
        x: tuple(state[x] for state in states)
        for x in system.state
        if states and x.sort.kind in KINDS
    }
    bits = dict(islice(((x, v) for x, v in values.items() if is_bit(x)), FEW))
    pool = constants_of(system)
    for sort in dict.fromkeys(x.sort for x in values if not is_bit(x)):
        numbers = dict(islice(((x, v) for x, v in values.items() if x.sort is sort), FEW))
        constants = pool.get(sort, [])[:FEW]
        yield from _capped(numbers, constants)
        for x, bit, value in product(numbers, bits, (False, True)):
            seen = tuple(
                v for v, on in zip(numbers[x], bits[bit], strict=True) if bool(on) is value
            )
            for bound in _bounds(x, constants, seen) if seen else ():
                yield system.store.or_(literal(bit, not value), bound)


def _capped(numbers: Mapping[Term, tuple[Any, ...]], constants: list[Value]) -> Iterator[Term]:
    """x <= y, unless y has reached a constant: counters that stop at different values."""
    for ((x, a), (y, b)), c in product(
        permutations(numbers.items(), 2), cast("list[Any]", constants)
    ):
        if all(v <= w or w >= c for v, w in zip(a, b, strict=True)):
            yield x.store.or_(less_equal(x, y), less_equal(x.store.const(c, x.sort), y))


def literal(x: Term, value: bool) -> Term:
    """The literal that says that a bit has a value."""
    s = x.store
    bit = s.eq(x, s.bv(1, 1)) if x.sort.kind is Kind.BITVEC else x
    return bit if value else s.not_(bit)


def _candidates(system: TransitionSystem, states: list[State]) -> Iterator[Term]:
    s, first = system.store, first_step(system)
    rest = [state for state in states if first is None or not state[first]]
    for formula in _shapes(system, states):
        yield formula
    if first is not None and rest:
        for formula in _shapes(system, rest):
            yield s.or_(first, formula)


def first_step(system: TransitionSystem) -> Term | None:
    """The variable that marks the first step, if there is one."""
    return next((x for x, e in (system.next or {}).items() if e is system.store.false), None)


def _shapes(system: TransitionSystem, states: list[State]) -> Iterator[Term]:
    s = system.store
    values = {x: tuple(state[x] for state in states) for x in system.state if x.sort.kind in KINDS}
    bits = {
        x if x.sort is BOOL else s.eq(x, s.bv(1, 1)): tuple(map(bool, v))
        for x, v in values.items()
        if is_bit(x)
    }
    words = {x: v for x, v in values.items() if not is_bit(x)}
    yield from _equalities(system, bits)
    yield from _equalities(system, words)
    yield from _implications(system, dict(islice(bits.items(), BOOLEANS)))
    pool = constants_of(system)
    for sort in dict.fromkeys(x.sort for x in words):
        numbers = [x for x in words if x.sort is sort]
        for x in numbers:
            yield from _bounds(x, pool.get(sort, []), words[x])
        yield from _orders({x: words[x] for x in numbers[:NUMBERS]})


KINDS = (Kind.BOOL, Kind.BITVEC, Kind.INT, Kind.REAL)


def is_bit(x: Term) -> bool:
    return x.sort is BOOL or (x.sort.kind is Kind.BITVEC and x.sort.width == 1)


def _equalities(
    system: TransitionSystem, values: Mapping[Term, tuple[Value, ...]]
) -> Iterator[Term]:
    """Equations with constants, and with the first variable that had the same values in all runs,
    or for Booleans the opposite ones.
    """
    s = system.store
    leaders: dict[tuple[Sort, tuple[Value, ...]], Term] = {}
    for x, seen in values.items():
        opposite = leaders.get((x.sort, tuple(not v for v in seen))) if x.sort is BOOL else None
        leader = leaders.setdefault((x.sort, seen), x) if opposite is None else None
        if len(set(seen)) == 1:
            yield s.eq(x, s.const(seen[0], x.sort))
        elif opposite is not None:
            yield s.eq(x, s.not_(opposite))
        elif leader is not None and leader is not x:
            yield s.eq(x, leader)


def _implications(
    system: TransitionSystem, bits: Mapping[Term, tuple[Value, ...]]
) -> Iterator[Term]:
    s = system.store
    for (x, a), (y, b) in permutations(bits.items(), 2):
        if all(not v or w for v, w in zip(a, b, strict=True)):
            yield s.or_(s.not_(x), y)
    for (x, a), (y, b) in combinations(bits.items(), 2):
        if all(not (v and w) for v, w in zip(a, b, strict=True)):
            yield s.or_(s.not_(x), s.not_(y))


def _bounds(x: Term, pool: Iterable[Value], values: tuple[Any, ...]) -> Iterator[Term]:
    s, low, high = x.store, min(values), max(values)
    constants: list[Any] = [*pool, *((low, high) if x.sort.kind is Kind.BITVEC else ())]
    for c in dict.fromkeys(constants):
        if c >= high:
            yield less_equal(x, s.const(c, x.sort))
        if c <= low:
            yield less_equal(s.const(c, x.sort), x)


def _orders(numbers: Mapping[Term, tuple[Any, ...]]) -> Iterator[Term]:
    for (x, a), (y, b) in permutations(numbers.items(), 2):
        if all(v <= w for v, w in zip(a, b, strict=True)):
            yield less_equal(x, y)


def less_equal(x: Term, y: Term) -> Term:
    """x <= y; words as numbers without a sign, as their values are."""
    return x.store.mk(Op.BVULE, (x, y)) if x.sort.kind is Kind.BITVEC else x.store.le(x, y)


# -- Houdini ---------------------------------------------------------------------------------------


class Survivors:
    """Which claims hold; all questions together have a budget of `calls`, and each one its own
    where they are `hurried`.
    """

    def __init__(
        self,
        make_solver: MakeSolver,
        tick: Callable[[], None] = lambda: None,
        calls: int = CALLS,
        hurried: bool = False,
    ) -> None:
        self.make_solver, self.tick = make_solver, tick
        self.calls, self.hurried = calls, hurried

    def of(
        self, assumed: Iterable[Term], claims: list[Term], view: Callable[[Term], Term]
    ) -> list[Term]:
        """The claims that hold, as `view` shows them, wherever all of `assumed` does; [] without an
        answer.
        """
        solver, shown = self.make_solver(), {c: view(c) for c in claims}
        budget = BUDGET.get(solver.capabilities.name, CONFLICTS) if self.hurried else None
        try:
            for f in assumed:
                solver.add(f)
            while claims:
                self.tick()
                self.calls -= 1
                wrong = [c.store.not_(shown[c]) for c in claims]
                # assumed and not (all claims): unsat - they hold; sat - some do not;
                # unknown - none is claimed   (heuristic)
                question = [claims[0].store.or_(*wrong)]
                answer = solver.check(question, budget=budget, kind="templates")
                if answer is UNSAT:
                    return claims
                if answer is not SAT or self.calls < 0:
                    return []
                claims = self._true(claims, shown, solver)
            return []
        finally:
            solver.close()

    @staticmethod
    def _true(claims: list[Term], shown: Mapping[Term, Term], solver: Solver) -> list[Term]:
        """The claims that a solver's model satisfies."""
        variables, memo = free_vars(*(shown[c] for c in claims)), dict[Term, Value]()
        model = {v: default_value(v.sort) for v in variables} | solver.model_of(variables)
        return [c for c in claims if evaluate(shown[c], model, memo)]


def inductive(system: TransitionSystem, candidates: list[Term], survivors: Survivors) -> list[Term]:
    """The candidates that hold at first and after each step from states that satisfy all of them
    and the properties: until a property is violated they hold. [] without an answer.
    """
    known = [*system.constraints, *(p.formula for p in system.assertions)]
    left = survivors.of([system.init, *system.constraints], candidates, lambda c: c)
    while left:
        stay = survivors.of([*left, *known], left, system.pull)
        if len(stay) == len(left):
            break
        left = stay
    return left
