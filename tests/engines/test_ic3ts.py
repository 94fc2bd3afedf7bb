"""Engines on transition systems: what docs/decisions/0004 decided, on small systems, and random
systems against exploration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from obligato.engines import ic3
from obligato.engines.environment import Environment
from obligato.errors import InternalError, Unsupported
from obligato.frontends.btor2 import read
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_claims import SystemCertificate, SystemStep, SystemTrace
from obligato.models.ts_reduce import import_system, reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.terms import BOOL, Op, Term, TermStore, bitvec
from tests.engines.system_judge import ENGINES, objections
from tests.support.systems import explore, random_system
from tests.support.volume import parts

TRUE, FALSE = Verdict.TRUE, Verdict.FALSE


def system(
    *,
    init: Any,
    next_: Any = None,
    trans: Any = None,
    good: Any,
    constraints: Any = (),
    total: bool | None = None,
) -> TransitionSystem:
    """A system over a word x of 3 bits, a bit b and an input i; each part is made from (store, x,
    b, i).
    """
    s = TermStore.raw()
    x, b, i = s.var("x", bitvec(3)), s.var("b", BOOL), s.var("i", BOOL)
    functions = None if next_ is None else dict(zip((x, b), next_(s, x, b, i), strict=True))
    relation = functional(s, functions) if functions is not None else trans(s, x, b, i)
    return TransitionSystem(
        s,
        (x, b),
        (i,),
        init(s, x, b),
        relation,
        tuple(Assertion(f"bad{n}", f) for n, f in enumerate(good(s, x, b, i))),
        tuple(constraints(s, x, b, i)) if constraints else (),
        next=functions,
        total=total,
    )


def start(s: TermStore, x: Term, b: Term) -> Term:
    return s.and_(s.eq(x, s.bv(0, 3)), s.not_(b))


def count(s: TermStore, x: Term, b: Term, i: Term) -> tuple[Term, Term]:
    return s.mk(Op.BVADD, (x, s.ite(i, s.bv(1, 3), s.bv(0, 3)))), b


def below(n: int) -> Any:
    return lambda s, x, b, i: [s.not_(s.eq(x, s.bv(n, 3)))]


CASES: dict[str, tuple[TransitionSystem, Verdict, int | None]] = {
    "zero steps": (system(init=start, next_=count, good=below(0)), FALSE, 0),
    "one step": (system(init=start, next_=count, good=below(1)), FALSE, 1),
    "seven steps": (system(init=start, next_=count, good=below(7)), FALSE, 7),
    "holds": (
        system(
            init=start,
            next_=lambda s, x, b, i: (s.ite(s.eq(x, s.bv(4, 3)), x, count(s, x, b, i)[0]), b),
            good=below(6),
        ),
        TRUE,
        None,
    ),
    "no initial state": (
        system(init=lambda s, x, b: s.false, next_=count, good=lambda s, x, b, i: [s.false]),
        TRUE,
        None,
    ),
    "any initial state": (
        system(init=lambda s, x, b: s.true, next_=count, good=below(3)),
        FALSE,
        0,
    ),
    "symbolic start": (
        system(
            init=lambda s, x, b: s.eq(b, s.eq(x, s.bv(2, 3))),
            next_=lambda s, x, b, i: (x, b),
            good=lambda s, x, b, i: [s.eq(b, s.eq(x, s.bv(2, 3)))],
        ),
        TRUE,
        None,
    ),
    "property over inputs": (
        system(
            init=start,
            next_=count,
            good=lambda s, x, b, i: [s.not_(s.and_(i, s.eq(x, s.bv(2, 3))))],
        ),
        FALSE,
        2,
    ),
    "inputs of a step and of its end differ": (
        system(
            init=start, next_=lambda s, x, b, i: (x, i), good=lambda s, x, b, i: [s.implies(b, i)]
        ),
        FALSE,
        1,
    ),
    "constraint violated at first": (
        system(init=start, next_=count, good=below(0), constraints=lambda s, x, b, i: [b]),
        TRUE,
        None,
    ),
    "constraint at the violation": (
        system(init=start, next_=count, good=below(2), constraints=below(2)),
        TRUE,
        None,
    ),
    "constraint on the way": (
        system(init=start, next_=count, good=below(3), constraints=below(2)),
        TRUE,
        None,
    ),
    "constraint on inputs": (
        system(init=start, next_=count, good=below(1), constraints=lambda s, x, b, i: [s.not_(i)]),
        TRUE,
        None,
    ),
    "a dead end is no violation": (
        system(
            init=start,
            trans=lambda s, x, b, i: s.and_(s.eq(next_var(x), s.bv(1, 3)), s.eq(x, s.bv(0, 3))),
            good=below(2),
        ),
        TRUE,
        None,
    ),
    "a violation in a dead end counts": (
        system(
            init=start,
            trans=lambda s, x, b, i: s.and_(s.eq(next_var(x), s.bv(1, 3)), s.eq(x, s.bv(0, 3))),
            good=below(1),
        ),
        FALSE,
        1,
    ),
    "a free next value": (
        system(init=start, trans=lambda s, x, b, i: s.true, good=below(6)),
        FALSE,
        1,
    ),
    "several properties, the second fails": (
        system(
            init=start,
            next_=count,
            good=lambda s, x, b, i: [s.not_(b), s.not_(s.eq(x, s.bv(1, 3)))],
        ),
        FALSE,
        1,
    ),
    "no state": (
        TransitionSystem(
            *(lambda s: (s, (), (), s.true, s.true, (Assertion("bad0", s.true),)))(TermStore.raw()),
            next={},
        ),
        TRUE,
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_decisions(name: str) -> None:
    task, verdict, depth = CASES[name]
    assert explore(task).depth == depth and (depth is None) is (verdict is TRUE)
    assert objections(task, ENGINES, debug=True, levels=(0,)) == []
    assert objections(task, ENGINES, levels=(3,)) == []


def check_seeds(seeds: range) -> None:
    """All engines in turn: Boolean IC3 in a variant, k-induction and BMC on each system, some with
    the debug checker.
    """
    variants = len(ENGINES) - 2
    for seed in seeds:
        engines = [ENGINES[seed % variants], *ENGINES[variants:]]
        levels = (3, 0) if seed % 4 == 0 else (3,)
        assert objections(random_system(seed), engines, seed % 12 == 0, levels) == [], seed


@pytest.mark.parametrize("block", parts(3, 3))
def test_random_systems(block: int) -> None:
    check_seeds(range(50 * block, 50 * block + 50))


def links(task: TransitionSystem) -> Any:
    return chain(sorts_of(task), ("sat",), SolverStats())


def test_wrong_certificates_are_refused() -> None:
    task = CASES["holds"][0]
    s, x = task.store, task.state[0]

    def status(invariant: Term, k: int = 1, distinct: tuple[str, ...] = ()) -> Status:
        return check_system_certificate(
            task, SystemCertificate(invariant, k, distinct), links(task)
        ).status

    good = s.mk(Op.BVULE, (x, s.bv(4, 3)))
    assert status(good) is Status.ACCEPTED and status(good, 3) is Status.ACCEPTED
    for wrong in (s.true, s.false, s.eq(x, s.bv(0, 3)), s.var("y", BOOL), task.inputs[0], x):
        assert status(wrong) is Status.REFUTED, wrong
    assert status(good, 0) is Status.REFUTED
    assert (
        status(s.true, 9, ("x",)) is Status.ACCEPTED and status(s.true, 9, ("b",)) is Status.REFUTED
    )


def test_wrong_traces_are_rejected() -> None:
    task = CASES["one step"][0]

    def status(*steps: SystemStep) -> TraceStatus:
        return check_system_trace(task, SystemTrace(steps), links(task)).status

    go, stop = SystemStep({}, {"i": True}), SystemStep({}, {"i": False})
    assert status(go, stop) is TraceStatus.CONFIRMED
    for wrong in (
        (),
        (stop, stop),
        (go,),
        (SystemStep({"x": 1}, {}),),
        (go, SystemStep({"x": 2}, {})),
    ):
        assert status(*wrong) is TraceStatus.REJECTED, wrong


def test_the_debug_checker_notices_broken_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    from obligato.engines.ic3.hooks import BooleanHooks

    task, _ = reduce_system(CASES["holds"][0], 0)
    lift = BooleanHooks.lift
    monkeypatch.setattr(
        BooleanHooks,
        "lift",
        lambda self, r, q: replace(lift(self, r, q), cube=lift(self, r, q).cube[:1]),
    )
    with pytest.raises(InternalError):
        ic3.prove(task, ic3.Options(), Environment(debug=True))


ARRAY = """
1 sort bitvec 1\n2 sort bitvec {index}\n3 sort bitvec 2\n4 sort array 2 3\n5 zero 3\n6 state 4 m\n7 init 4 6 5\n8 input 2 at
9 input 3 v\n10 ones 3\n11 neq 1 9 10\n12 write 4 6 8 9\n13 ite 4 11 12 6\n14 next 4 6 13\n15 read 3 6 8\n16 {value} 3
17 eq 1 15 16\n18 bad 17\n
"""


@pytest.mark.parametrize(("value", "verdict"), [("ones", TRUE), ("one", FALSE)])
def test_small_arrays_are_expanded(value: str, verdict: Verdict) -> None:
    task = read(ARRAY.format(index=2, value=value)).system
    small, _ = reduce_system(task, 3)
    for name in (0, -1):
        _, prove, options = ENGINES[name]
        result = prove(small, options, Environment())
        assert result.verdict is verdict or (name and result.verdict is Verdict.UNKNOWN)
        if result.certificate is not None:
            assert (
                check_system_certificate(task, result.certificate, links(task)).status
                is Status.ACCEPTED
            )
        if result.trace is not None:
            assert (
                check_system_trace(task, result.trace, links(task)).status is TraceStatus.CONFIRMED
            )


def test_large_arrays_are_refused() -> None:
    small, _ = reduce_system(read(ARRAY.format(index=20, value="ones")).system, 3)
    with pytest.raises(Unsupported, match="too large"):
        ic3.prove(small, ic3.Options(), Environment())


def test_runs_are_reproducible() -> None:
    def lemmas() -> dict[str, int]:
        env = Environment(seed=3)
        ic3.prove(import_system(random_system(7), TermStore()), ic3.Options(), env)
        return env.counters

    assert lemmas() == lemmas()


def test_cancelled_runs_are_unknown() -> None:
    task, _ = reduce_system(CASES["holds"][0], 0)
    for _, prove, options in ENGINES:
        assert prove(task, options, Environment(cancelled=lambda: True)).verdict is Verdict.UNKNOWN


def test_reduction_keeps_an_empty_initial_set() -> None:
    s = TermStore.raw()
    x, y = s.var("x", BOOL), s.var("y", BOOL)
    next_ = {x: x, y: y}
    bad = Assertion("bad0", s.false)
    task = TransitionSystem(
        s, (x, y), (), s.and_(y, s.not_(y)), functional(s, next_), (bad,), next=next_
    )
    small, _ = reduce_system(task, 3)
    assert ic3.prove(small, ic3.Options(), Environment()).verdict is TRUE
    free = replace(task, init=y)
    assert [v.name for v in reduce_system(free, 3)[0].state] == []
