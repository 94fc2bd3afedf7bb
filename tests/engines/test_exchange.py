"""Engines that tell each other what they find: what is gained, and that nobody is believed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from obligato.api.exchanges import about_cfa, along_flow
from obligato.api.programs import through_system
from obligato.engines import bmc, ctigar, ic3, ic3cfa, ic3ia, kinduction
from obligato.engines.environment import Environment
from obligato.engines.inductive_part import kept_along
from obligato.models.cfa import CFA, Location
from obligato.models.claims import Identity
from obligato.models.control_flow import two_locations
from obligato.models.facts import Bound, Fact, News
from obligato.models.importing import import_cfa
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import check_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.status import Status
from obligato.results.outcome import EngineResult, SystemResult, Verdict
from obligato.smt import UNSAT, SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, INT, Op, TermStore, bitvec
from tests.engines.judge import sample
from tests.engines.system_judge import judged, objections
from tests.support.exchanges import (
    circle_and_delay,
    exchange_of,
    late_violation,
    lies,
    mail_of,
    soon,
)
from tests.support.int_systems import box_depth, random_int_system
from tests.support.systems import random_system

Prove = Callable[[TransitionSystem, Any, Environment], SystemResult]
FEW, BOUND = 330, 20
ALONE = kinduction.Options(bound=BOUND, invariants=False)


def limited(calls: int) -> Environment:
    """An environment for so many questions."""
    env = Environment()
    env.cancelled = lambda: env.questions > calls
    return env


def test_two_engines_prove_what_neither_proves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    soon(monkeypatch)
    sent: list[News] = []
    system, env = circle_and_delay(), limited(FEW)
    env.exchange = exchange_of(system, sent=sent)
    assert ic3ia.prove(system, ic3ia.Options(), env).verdict is Verdict.UNKNOWN
    assert any("x" in n.formula for n in sent if isinstance(n, Fact))
    assert kinduction.prove(system, ALONE, Environment()).verdict is Verdict.UNKNOWN
    system, env = circle_and_delay(), limited(FEW)
    env.exchange = exchange_of(system, sent)
    assert judged(system, kinduction.prove, ALONE, env) is Verdict.TRUE
    assert env.counters["facts_kept"] > 0 and env.questions < FEW


@pytest.mark.parametrize("prove", [ic3ia, ctigar], ids=lambda m: m.__name__)
def test_what_is_heard_becomes_part_of_the_frames(
    prove: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that is told the whole invariant needs less; its contracts are checked."""
    soon(monkeypatch, 10)
    system = circle_and_delay()
    alone = Environment()
    assert judged(system, prove.prove, prove.Options(), alone) is Verdict.TRUE
    facts = ["(or (= x 0) (= x 5) (= x 9))", *(f"(and (<= 0 a{n}) (<= a{n} 9))" for n in range(8))]
    system, env = circle_and_delay(), Environment(debug=True)
    env.exchange = exchange_of(system, map(Fact, facts))
    assert judged(system, prove.prove, prove.Options(), env) is Verdict.TRUE
    assert env.counters["facts_kept"] >= 16 and env.questions < alone.questions


def lied_to(prove: Prove, seed: int) -> Prove:
    """The engine, which is told lies."""

    def proved(system: TransitionSystem, options: Any, env: Environment) -> SystemResult:
        told = lies(seed, system.state, [0], system.assertions[0].name)
        env.exchange = exchange_of(system, told)
        return prove(system, options, env)

    return proved


WORDS: list[tuple[str, Prove, Any]] = [
    ("ic3", ic3.prove, ic3.Options()),
    ("ic3ia", ic3ia.prove, ic3ia.Options()),
    ("kinduction", kinduction.prove, kinduction.Options(bound=10)),
]


@pytest.mark.parametrize("seed", range(12))
def test_lies_about_words_change_no_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    soon(monkeypatch, 5)
    engines = [(name, lied_to(prove, seed), options) for name, prove, options in WORDS]
    assert objections(random_system(seed, max_bits=8), engines, seed % 4 == 0, (3,)) == []


NUMBERS: list[tuple[Prove, Any]] = [
    (ic3ia.prove, ic3ia.Options()),
    (ctigar.prove, ctigar.Options()),
    (kinduction.prove, kinduction.Options(bound=12)),
    (bmc.prove, bmc.Options(bound=12)),
]


@pytest.mark.parametrize("seed", range(8))
def test_lies_about_numbers_change_no_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """k-induction that is told to look elsewhere looks again before it claims; bounded model checking
    may miss the violation.
    """
    soon(monkeypatch, 5)
    system = random_int_system(seed)
    right = Verdict.TRUE if box_depth(system) is None else Verdict.FALSE
    for prove, options in NUMBERS:
        env = Environment(debug=seed % 4 == 1)
        found = judged(system, lied_to(prove, seed), options, env)
        assert found is right or (found is Verdict.UNKNOWN and hasattr(options, "bound"))


def test_a_wrong_bound_costs_no_more_than_the_counterexample() -> None:
    bound = Bound(9, ("safe",))
    for prove, options in (
        (bmc.prove, bmc.Options(bound=20)),
        (kinduction.prove, kinduction.Options(bound=20, invariants=False)),
    ):
        system, env = late_violation(5), Environment()
        assert judged(system, prove, options, Environment()) is Verdict.FALSE
        env.exchange = exchange_of(system, [bound])
        assert judged(system, prove, options, env) is Verdict.UNKNOWN
        assert env.counters["depths_skipped"] == 10 and env.counters.get("bound", 0) == 0


def test_k_induction_looks_again_before_it_claims() -> None:
    """With the lie that nothing is wrong soon, and an invariant of its own or of another engine,
    the step holds for a system that violates it.
    """
    facts = [Fact("(<= 0 x)")]
    for told, options in (([], kinduction.Options(bound=20)), (facts, ALONE)):
        system, env = late_violation(5), Environment()
        env.exchange = exchange_of(system, [Bound(9, ("safe",)), *told])
        assert judged(system, kinduction.prove, options, env) is Verdict.FALSE
        assert env.counters["facts_kept"] == len(told) and env.counters["depths_skipped"] > 0


def test_a_right_bound_saves_questions() -> None:
    for told, questions in (([], 6), ([Bound(4, ("safe",))], 1), ([Bound(4, ("other",))], 6)):
        system, env = late_violation(5), Environment()
        env.exchange = exchange_of(system, told)
        assert judged(system, bmc.prove, bmc.Options(bound=20), env) is Verdict.FALSE
        assert env.questions == questions


def test_depths_that_were_skipped_are_not_claimed() -> None:
    system, env, sent = late_violation(5), Environment(), list[News]()
    env.exchange = exchange_of(system, [Bound(9, ("safe",))], sent)
    result = bmc.prove(system, bmc.Options(bound=20), env)
    assert result.reason == (
        "no violation within 20 steps, 10 of the depths by the word of another engine"
    )
    assert sent == []
    env.exchange = exchange_of(system, sent=sent)
    bmc.prove(system, bmc.Options(bound=4), env)
    assert sent == []  # no bound is told that is as small as that
    bmc.prove(late_violation(30), bmc.Options(bound=40), env)
    assert [n.steps for n in sent if isinstance(n, Bound)] == [4, 6, 8, 11, 14, 18, 23, 29]


# -- programs --------------------------------------------------------------------------------------


def heard_along(
    prove: Callable[[CFA, Any, Environment], EngineResult], cfa: CFA, options: Any, seed: int
) -> EngineResult:
    """What an engine that is told lies says about an automaton."""
    env = Environment(debug=seed % 5 == 0)
    told = lies(seed, cfa.variables, cfa.inner, "none")
    env.exchange = about_cfa(mail_of(told, []), cfa, Identity())
    return prove(cfa, options, env)


PROGRAMS: list[tuple[Any, Any]] = [
    (ic3cfa.prove, ic3cfa.Options(seed_invariants=False, predicates=0)),
    (kinduction.prove_cfa, kinduction.Options(bound=30)),
    (through_system(ic3ia.prove), ic3ia.Options()),
]


@pytest.mark.parametrize("seed", range(15))
def test_lies_about_programs_change_no_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    soon(monkeypatch, 5)
    known = sample(seed)
    if known is None:
        pytest.skip("too large to explore")
    _, cfa, right = known
    for prove, options in PROGRAMS:
        small = import_cfa(cfa, TermStore())
        found = heard_along(prove, small, options, seed)
        assert found.verdict in (right, Verdict.UNKNOWN)
        if found.certificate is not None:
            links = chain([v.sort for v in cfa.variables], (), SolverStats())
            assert check_certificate(cfa, found.certificate, links).status is Status.ACCEPTED


# -- models ----------------------------------------------------------------------------------------


def test_what_a_reduction_left_out_is_not_heard_of() -> None:
    system = circle_and_delay()
    s = system.store
    extra = s.var("gone", system.state[0].sort)
    assert system.next is not None
    larger = TransitionSystem(
        s,
        (*system.state, extra),
        system.inputs,
        s.and_(system.init, s.eq(extra, s.int_(0))),
        s.and_(system.trans, s.eq(s.var("gone'", extra.sort), extra)),
        system.properties,
        next={**system.next, extra: extra},
        total=True,
    )
    small, _ = reduce_system(larger, 3)
    assert "gone" not in [x.name for x in small.state]
    env = Environment()
    facts = [Fact("(and (<= 0 x) (= gone 0))"), Fact("(= gone 0)"), Fact("(= x gone)")]
    heard = exchange_of(small, facts).hear(env)
    assert [repr(f) for f in heard[0]] == [
        repr(small.store.le(small.store.int_(0), small.state[0]))
    ]
    assert env.counters["facts_arrived"] == 3
    verdict = judged(
        small, lied_to(kinduction.prove, 1), kinduction.Options(bound=20), Environment()
    )
    assert verdict is Verdict.TRUE


def steps_and_bit() -> TransitionSystem:
    """A number that grows, and a bit that alternates."""
    s = TermStore()
    x, b = s.var("x", INT), s.var("b", BOOL)
    next_ = {x: s.add(x, s.int_(1)), b: s.not_(b)}
    return TransitionSystem(
        s,
        (x, b),
        (),
        s.and_(s.eq(x, s.int_(0)), s.not_(b)),
        functional(s, next_),
        (Assertion("p", s.le(s.int_(0), x)),),
        next=next_,
        total=True,
    )


def test_recovered_control_flow_speaks_about_the_system_and_back() -> None:
    system, sent, env = steps_and_bit(), list[News](), Environment()
    s, (x, b) = system.store, system.state
    flow = two_locations(system, b)
    off, on = (n for values in ((False,), (True,)) for n, v in flow.values.items() if v == values)
    told = [Fact("(=> b (<= x 9))"), Fact("(<= x 5)")]
    exchange = along_flow(exchange_of(system, told, sent), flow, flow.cfa)
    heard = exchange.hear(env)
    assert [repr(f) for f in heard[on]] == ["(<= x 9)", "(<= x 5)"]
    assert [repr(f) for f in heard[off]] == ["(<= x 5)"]
    exchange.tell({on: [s.le(x, s.int_(3))]}, env)
    (fact,) = sent
    assert isinstance(fact, Fact)
    (back,) = exchange_of(system, [fact]).hear(env)[0]
    make = solver_factory(sorts_of(system), stats=SolverStats())
    with closing(make()) as solver:
        solver.add(s.not_(s.eq(back, s.implies(b, s.le(x, s.int_(3))))))
        assert solver.check([]) is UNSAT


def test_what_is_known_may_be_products_where_nothing_else_is_asked() -> None:
    s = TermStore()
    x = s.var("x", bitvec(3))
    square = s.eq(x, s.mk(Op.BVMUL, (x, x)))
    places = {n: Location(n, str(n)) for n in range(3)}
    cfa = CFA(s, (x,), (), places, (), 0, 2)
    known = {1: [square, s.eq(s.mk(Op.BVMUL, (x, x)), s.const(1, x.sort))]}
    assert kept_along(cfa, {}, known, Environment()) == {}
