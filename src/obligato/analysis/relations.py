"""Relations of two successive states, from templates [KGT11]: R(s, s') holds for every step of
every run.

Candidates are what holds for the steps of a few random runs: a bit implies one of the next state, a
number is at most a number of the next state or the other way round, the difference of a number and
its next value has a bound, a number stays or grows while a bit is set; each also with the exception
of the first step. What follows from one step by itself is left out: only relations that say
something about the step *before* strengthen a proof. With them, candidates about one state are
tried again, and weaker ones.

What is left after Houdini over windows of two steps holds as long as the properties do
(`successive` carries the idea):

    initiation    I and C and T and C
                  implies the formulas at times 0 and 1, the relations of the step between them
    consecution   two steps with C at all times; formulas, properties, invariants at times 0 and 1,
                  the relations of the first step
                  implies the formulas at time 2 and the relations of the second step

That is induction over k = 2 steps. In a certificate they are therefore part of a claim with k >= 2
(`models.ts_claims`). Limitation: few variables take part, words in orders and equalities only.
Budgets as in `analysis.templates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, product
from typing import Any

from obligato.analysis.templates import (
    KINDS,
    Run,
    State,
    Survivors,
    constants_of,
    first_step,
    is_bit,
    less_equal,
    literal,
)
from obligato.models.transition_system import TransitionSystem
from obligato.models.unrolling import Unrolling
from obligato.terms import INT, REAL, Term, Value

BITS, NUMBERS = 16, 12  # that take part
GUARDS = 8  # bits under which a number may stay or grow
CANDIDATES = 600
Step = tuple[State, State]
Values = Mapping[Term, tuple[Any, ...]]


def successive(
    system: TransitionSystem, runs: list[Run], known: Term, more: list[Term], survivors: Survivors
) -> tuple[list[Term], list[Term]]:
    """Formulas of `more`, and relations over the state and the next state, that hold together with
    the invariant `known`.
    """
    steps = [step for run in runs for step in pairwise(run)]
    if not steps:
        return [], []
    found = list(
        islice(
            (c for c in dict.fromkeys(_candidates(system, steps)) if c is not system.store.true),
            CANDIDATES,
        )
    )
    window = _Window(system, known, frozenset(found))
    obvious = survivors.of(window.one_step(), found, window.at(1))
    claims = window.begun([*more, *(c for c in found if c not in set(obvious))], survivors)
    while claims:
        stay = survivors.of(window.two_steps(claims), claims, window.at(2))
        if len(stay) == len(claims):
            break
        claims = stay
    return [c for c in claims if c not in window.relations], [
        c for c in claims if c in window.relations
    ]


class _Window:
    """Two steps of a system, from any state and from an initial one; relations are seen at the end
    of their step.
    """

    def __init__(self, system: TransitionSystem, known: Term, relations: frozenset[Term]) -> None:
        self.system, self.known, self.relations = system, known, relations
        self.anywhere = Unrolling(system, functions=True)
        self.start = Unrolling(system, initial=True, functions=True)

    def at(self, time: int, start: bool = False) -> Callable[[Term], Term]:
        """What a claim says at a time, a relation about the step that ends there."""
        u = self.start if start else self.anywhere
        return lambda c: u.across(c, time - 1) if c in self.relations else u.at(c, time)

    def one_step(self) -> list[Term]:
        """A step between states with the invariant, the first with the properties."""
        return [*self._before(0), self.anywhere.at(self.known, 1), self.anywhere.constraint(1)]

    def two_steps(self, claims: Sequence[Term]) -> list[Term]:
        """Two steps, of which the first and its states satisfy the claims."""
        told = [
            self.at(time)(c) for time in (0, 1) for c in claims if time or c not in self.relations
        ]
        return [
            *self._before(0),
            *self._before(1),
            self.anywhere.at(self.known, 2),
            self.anywhere.constraint(2),
            *told,
        ]

    def begun(self, claims: list[Term], survivors: Survivors) -> list[Term]:
        """The claims that hold in the first two states and for the step between them."""
        u = self.start
        at_first = [*u.facts, u.constraint(0)]
        stay = set(
            survivors.of(
                at_first, [c for c in claims if c not in self.relations], self.at(0, start=True)
            )
        )
        claims = [c for c in claims if c in stay or c in self.relations]
        return survivors.of([*at_first, u.step(0), u.constraint(1)], claims, self.at(1, start=True))

    def _before(self, time: int) -> list[Term]:
        """A state with the invariant, the constraints and the properties, and the step from
        there.
        """
        u = self.anywhere
        return [
            u.at(self.known, time),
            u.constraint(time),
            self.system.store.not_(u.bad(time)),
            u.step(time),
        ]


# -- candidates ------------------------------------------------------------------------------------


def _candidates(system: TransitionSystem, steps: list[Step]) -> Iterator[Term]:
    first = first_step(system)
    yield from _shapes(system, steps)
    rest = [step for step in steps if first is not None and not step[0][first]]
    if first is not None and rest:
        for formula in _shapes(system, rest):
            yield system.store.or_(first, formula)


def _shapes(system: TransitionSystem, steps: list[Step]) -> Iterator[Term]:
    known = [x for x in system.state if x.sort.kind in KINDS]
    bits = list(islice((x for x in known if is_bit(x)), BITS))
    now = _values(known, [a for a, _ in steps])
    then = {system.primed[x]: values for x, values in _values(known, [b for _, b in steps]).items()}
    pool = constants_of(system)
    for sort in dict.fromkeys(x.sort for x in known if not is_bit(x)):
        numbers = list(islice((x for x in known if x.sort is sort), NUMBERS))
        yield from _orders(
            {x: now[x] for x in numbers},
            {system.primed[x]: then[system.primed[x]] for x in numbers},
        )
        for x in numbers:
            y = system.primed[x]
            if sort in (INT, REAL):
                yield from _differences(
                    x, y, pool.get(sort, []), [b - a for a, b in zip(now[x], then[y], strict=True)]
                )
            yield from _guarded(x, y, {b: now[b] for b in bits[:GUARDS]}, now[x], then[y])
    yield from _implications(
        {b: now[b] for b in bits}, {system.primed[b]: then[system.primed[b]] for b in bits}
    )


def _values(variables: Sequence[Term], states: list[State]) -> dict[Term, tuple[Any, ...]]:
    return {x: tuple(state[x] for state in states) for x in variables}


def _orders(now: Values, then: Values) -> Iterator[Term]:
    for (x, a), (y, b) in product(now.items(), then.items()):
        if all(v <= w for v, w in zip(a, b, strict=True)):
            yield less_equal(x, y)
        if all(v >= w for v, w in zip(a, b, strict=True)):
            yield less_equal(y, x)


def _differences(x: Term, y: Term, pool: Sequence[Value], seen: list[Any]) -> Iterator[Term]:
    """Bounds of y - x: constants of the system and the extremes that were seen."""
    s, low, high = x.store, min(seen), max(seen)
    constants: list[Any] = [*pool, low, high]
    for c in dict.fromkeys(constants):
        if c >= high:
            yield s.le(s.sub(y, x), s.const(c, x.sort))
        if c <= low:
            yield s.le(s.const(c, x.sort), s.sub(y, x))


def _guarded(
    x: Term, y: Term, bits: Values, a: tuple[Any, ...], b: tuple[Any, ...]
) -> Iterator[Term]:
    """While a bit is set, or is not, the number stays, grows or shrinks."""
    for (bit, seen), value in product(bits.items(), (False, True)):
        pairs = [(v, w) for v, w, on in zip(a, b, seen, strict=True) if bool(on) is value]
        if not pairs:
            continue
        if all(v <= w for v, w in pairs):
            yield x.store.or_(literal(bit, not value), less_equal(x, y))
        if all(v >= w for v, w in pairs):
            yield x.store.or_(literal(bit, not value), less_equal(y, x))


def _implications(now: Values, then: Values) -> Iterator[Term]:
    for (x, a), (y, b) in product(now.items(), then.items()):
        seen = {(bool(v), bool(w)) for v, w in zip(a, b, strict=True)}
        for v, w in product((False, True), repeat=2):
            if (v, w) not in seen:
                yield x.store.or_(literal(x, not v), literal(y, not w))
