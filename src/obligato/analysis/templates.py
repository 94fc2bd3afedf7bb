"""Invariants of transition systems from templates [KGT11]: constants, equalities, implications, orders and bounds.

Candidates are what holds in a few random runs: a bit is constant or implies another, variables are equal or opposite, a number
or a word stays on one side of a constant of the system or of another one; each also with the exception of the first step,
where a variable marks it. Equalities are found by classes of variables with the same values, so that there are no more of them
than variables; the other pairs are of the first few variables only. What
is left after Houdini, dropping candidates until the rest is inductive, is an invariant: `stream_invariants` carries the idea.

Limitation: one-state invariants only; a relation of successive states is found where the system remembers the state before.
Budgets are counted; when they are used up nothing is returned. Random choices are seeded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, islice, permutations
from typing import Any

from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT, Solver
from obligato.terms import BOOL, Kind, Op, Sort, Term, Value, assigned_constant, conjuncts, default_value, evaluate, postorder

RUNS, STEPS = 8, 24
WORK = 1_000_000  # nodes of terms that the runs may evaluate
CALLS = 200  # of the solver
BOOLEANS, NUMBERS = 40, 24  # that take part in pairs
POOL = 12  # constants of a sort
State = dict[Term, Value]
MakeSolver = Callable[[], Solver]


def stream_invariants(system: TransitionSystem, make_solver: MakeSolver, seed: int = 0,
                      tick: Callable[[], None] = lambda: None) -> list[Term]:
    """Formulas over the state whose conjunction is inductive. Requires: next-state functions; else there are none."""
    if system.next is None:
        return []
    states = _samples(system, random.Random(seed))
    if not states:
        return []
    candidates = [c for c in dict.fromkeys(_candidates(system, states)) if c is not system.store.true]
    return _Houdini(system, make_solver, tick).inductive(candidates)


# -- random runs ----------------------------------------------------------------------------------------------------------


def _samples(system: TransitionSystem, rng: random.Random) -> list[State]:
    """States of random runs."""
    assert system.next is not None
    pool = _constants(system)
    out: list[State] = []
    length = min(STEPS, WORK // (RUNS * (1 + sum(1 for _ in postorder([*system.next.values(), *system.constraints])))))
    for _ in range(RUNS if length > 1 else 0):
        state = {x: _random(rng, x.sort, pool) for x in system.state}
        for fact in conjuncts(system.init):
            x, value = assigned_constant(fact)
            if x is not None and value is not None:
                state[x] = value.data
        if not evaluate(system.init, state):
            continue
        for _ in range(length):
            now = _step(system, state, rng, pool)
            if now is None:
                break
            out.append(state)
            memo: dict[Term, Value] = {}
            state = {x: evaluate(e, now, memo) for x, e in system.next.items()}
    return out


def _step(system: TransitionSystem, state: State, rng: random.Random, pool: dict[Sort, list[Value]]) -> State | None:
    """State and inputs that satisfy the constraints, if a few attempts find them."""
    for _ in range(10):
        now = {**state, **{i: _random(rng, i.sort, pool) for i in system.inputs}}
        if all(evaluate(c, now) for c in system.constraints):
            return now
    return None


def _random(rng: random.Random, sort: Sort, pool: dict[Sort, list[Value]]) -> Value:
    if sort is BOOL:
        return rng.random() < 0.5
    if sort.kind is Kind.BITVEC:
        return rng.choice((0, 1, rng.randrange(sort.mask + 1)))
    if sort.kind not in (Kind.INT, Kind.REAL):
        return default_value(sort)
    value = rng.choice(pool.get(sort) or [0])
    return value + rng.randint(-2, 2) if isinstance(value, int | Fraction) else value


def _constants(system: TransitionSystem) -> dict[Sort, list[Value]]:
    """The numbers in the formulas of a system, those in the property first."""
    roots = [*(p.formula for p in system.assertions), system.init, *system.constraints, *(system.next or {}).values()]
    out: dict[Sort, dict[Value, None]] = {}
    for t in postorder(roots):
        if t.op is Op.CONST and t.sort.kind in (Kind.INT, Kind.REAL, Kind.BITVEC):
            known = out.setdefault(t.sort, {})
            if len(known) < POOL:
                known[t.data] = None
    return {sort: list(values) for sort, values in out.items()}


# -- candidates -----------------------------------------------------------------------------------------------------------


def _candidates(system: TransitionSystem, states: list[State]) -> Iterator[Term]:
    s = system.store
    assert system.next is not None
    first = next((x for x, e in system.next.items() if e is s.false), None)
    rest = [state for state in states if first is None or not state[first]]
    for formula in _shapes(system, states):
        yield formula
    if first is not None and rest:
        for formula in _shapes(system, rest):
            yield s.or_(first, formula)


def _shapes(system: TransitionSystem, states: list[State]) -> Iterator[Term]:
    s = system.store
    values = {x: tuple(state[x] for state in states) for x in system.state if x.sort.kind in _KINDS}
    bits = {x if x.sort is BOOL else s.eq(x, s.bv(1, 1)): tuple(map(bool, v)) for x, v in values.items() if _is_bit(x)}
    words = {x: v for x, v in values.items() if not _is_bit(x)}
    yield from _equalities(system, bits)
    yield from _equalities(system, words)
    yield from _implications(system, dict(islice(bits.items(), BOOLEANS)))
    pool = _constants(system)
    for sort in dict.fromkeys(x.sort for x in words):
        numbers = [x for x in words if x.sort is sort]
        for x in numbers:
            yield from _bounds(x, pool.get(sort, []), words[x])
        yield from _orders({x: words[x] for x in numbers[:NUMBERS]})


_KINDS = (Kind.BOOL, Kind.BITVEC, Kind.INT, Kind.REAL)


def _is_bit(x: Term) -> bool:
    return x.sort is BOOL or (x.sort.kind is Kind.BITVEC and x.sort.width == 1)


def _equalities(system: TransitionSystem, values: Mapping[Term, tuple[Value, ...]]) -> Iterator[Term]:
    """What is constant, and what has the same values as an earlier variable, or of bits the opposite ones."""
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


def _implications(system: TransitionSystem, bits: Mapping[Term, tuple[Value, ...]]) -> Iterator[Term]:
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
            yield _le(x, s.const(c, x.sort))
        if c <= low:
            yield _le(s.const(c, x.sort), x)


def _orders(numbers: Mapping[Term, tuple[Any, ...]]) -> Iterator[Term]:
    for (x, a), (y, b) in permutations(numbers.items(), 2):
        if all(v <= w for v, w in zip(a, b, strict=True)):
            yield _le(x, y)


def _le(x: Term, y: Term) -> Term:
    """x <= y; words as numbers without a sign, as their values are."""
    return x.store.mk(Op.BVULE, (x, y)) if x.sort.kind is Kind.BITVEC else x.store.le(x, y)


# -- Houdini --------------------------------------------------------------------------------------------------------------


class _Houdini:
    def __init__(self, system: TransitionSystem, make_solver: MakeSolver, tick: Callable[[], None]) -> None:
        self.system, self.make_solver, self.tick = system, make_solver, tick
        self.calls = 0

    def inductive(self, candidates: list[Term]) -> list[Term]:
        """The candidates that hold at first and after each step from states that satisfy all of them; [] without an answer."""
        left = self._dropped([self.system.init], candidates, {})
        pulled = {c: self.system.pull(c) for c in left}
        while left:
            stay = self._dropped(left, left, pulled)
            if len(stay) == len(left):
                return left
            left = stay
        return []

    def _dropped(self, assumed: list[Term], claims: list[Term], view: dict[Term, Term]) -> list[Term]:
        """The claims (seen through `view`) that no state with `assumed` and the constraints violates."""
        s, solver = self.system.store, self.make_solver()
        try:
            for f in (*assumed, *self.system.constraints):
                solver.add(f)
            while claims:
                self.tick()
                self.calls += 1
                wrong = s.or_(*(s.not_(view.get(c, c)) for c in claims))
                # assumed and C and not (all claims, after a step): unsat - they hold; sat - some do not   (required)
                answer = solver.check([wrong], kind="templates")
                if answer is UNSAT:
                    return claims
                if answer is not SAT or self.calls > CALLS:
                    return []
                claims = [c for c in claims if solver.value(view.get(c, c))]
            return []
        finally:
            solver.close()
