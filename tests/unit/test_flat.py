"""Boolean terms as one list, and the check of a run that uses it from the fourth step on."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.checking.run import Simulation, check_system_trace
from obligato.results.checking.status import TraceStatus
from obligato.terms import BOOL, Op, Term, TermStore, Value, bitvec, evaluate
from obligato.terms.flat import Flat, flat

OPS = (Op.NOT, Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.EQ, Op.DISTINCT, Op.ITE)
NUMBERS = {Op.NOT: (1,), Op.AND: (1, 2, 3, 5), Op.OR: (1, 2, 4), Op.DISTINCT: (2, 3), Op.ITE: (3,)}


def circuit(r: random.Random, s: TermStore, variables: list[Term], size: int) -> list[Term]:
    """Terms, each over some of those before."""
    terms = [*variables, s.true, s.false]
    for _ in range(size):
        op = r.choice(OPS)
        args = tuple(r.choice(terms) for _ in range(r.choice(NUMBERS.get(op, (2,)))))
        terms.append(s.mk(op, args))
    return terms


@pytest.mark.parametrize("simplifies", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_a_list_says_what_evaluation_says(seed: int, simplifies: bool) -> None:
    r, s = random.Random(seed), TermStore() if simplifies else TermStore.raw()
    variables = [s.var(f"v{n}", BOOL) for n in range(5)]
    terms = circuit(r, s, variables, 40)
    listed = flat(terms)
    assert listed is not None
    for _ in range(20):
        given = {v: r.random() < 0.5 for v in variables if r.random() < 0.8}
        found = listed.values(given)
        assert list(found) == list(dict.fromkeys(terms))
        for t, value in found.items():
            assert value is evaluate(t, given, {})


def test_words_are_no_list() -> None:
    s = TermStore()
    x = s.var("x", bitvec(4))
    assert flat([s.true, s.eq(x, s.bv(3, 4))]) is None
    assert flat([]) is not None


def counter() -> TransitionSystem:
    """Three bits that count up where the input says so; never is it false at 5; they are not 7."""
    s = TermStore.raw()
    a, b, c, up = (s.var(name, BOOL) for name in ("a", "b", "c", "up"))
    next_ = {
        a: s.mk(Op.XOR, (a, up)),
        b: s.mk(Op.XOR, (b, s.and_(a, up))),
        c: s.mk(Op.XOR, (c, s.and_(a, b, up))),
    }
    five = s.and_(a, s.not_(b), c)
    return TransitionSystem(
        s,
        (a, b, c),
        (up,),
        s.and_(s.not_(a), s.not_(b), s.not_(c)),
        functional(s, next_),
        (Assertion("p", s.not_(s.and_(a, b, c))),),
        constraints=(s.or_(up, s.not_(five)),),
        next=next_,
    )


def steps(*ups: bool) -> list[SystemStep]:
    return [SystemStep({}, {"up": up}) for up in ups]


def test_a_run_is_confirmed_and_complete() -> None:
    check = check_system_trace(counter(), SystemTrace(tuple(steps(*[True] * 8))), [])
    assert check.status is TraceStatus.CONFIRMED and check.trace is not None
    numbers = [sum(s.state[x] << n for n, x in enumerate("abc")) for s in check.trace.steps]  # type: ignore[operator,misc]
    assert numbers == list(range(8))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({5: SystemStep({}, {"up": False})}, "step 5: constraint 0 is violated"),
        ({6: SystemStep({"b": False}, {"up": True})}, "step 5: the next value of b is another one"),
        ({6: SystemStep({}, {"up": False})}, "no property is violated at the end"),
    ],
)
def test_what_is_no_run_is_rejected_late_as_well(
    change: dict[int, SystemStep], reason: str
) -> None:
    given = steps(*[True] * 8)
    for n, step in change.items():
        given[n] = step
    check = check_system_trace(counter(), SystemTrace(tuple(given)), [])
    assert (check.status, check.reason) == (TraceStatus.REJECTED, reason)


def test_a_relation_that_says_more_is_still_asked() -> None:
    """Next values are as computed, but the relation forbids the step from 5 on."""
    system = counter()
    a, b, c = system.state
    s = system.store
    stuck = replace(system, trans=s.and_(system.trans, s.not_(s.and_(a, s.not_(b), c))))
    check = check_system_trace(stuck, SystemTrace(tuple(steps(*[True] * 8))), [])
    assert check.reason == "step 5: there is no such transition"


def test_each_step_of_many_is_evaluated_as_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = Flat.values

    def values(self: Flat, now: Mapping[Term, Value]) -> dict[Term, Any]:
        asked.append(len(now))
        return real(self, now)

    monkeypatch.setattr(Flat, "values", values)
    Simulation(counter(), [], lambda: None).run(SystemTrace(tuple(steps(*[True] * 8))))
    assert asked == [4] * 5
