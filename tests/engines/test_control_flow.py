"""Recovered control flow: which counters are found, the automaton against the system, engines along
it against exploration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from obligato.analysis import counted as counted_rounds
from obligato.analysis.counted import split
from obligato.api.control import ControlSearch
from obligato.api.programs import through_system
from obligato.engines import ic3cfa, ic3ia
from obligato.engines.environment import Environment
from obligato.models import control_flow, control_lift
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA
from obligato.models.control_flow import Limits, propagated, recover, single_location, solved
from obligato.models.control_lift import ControlLift
from obligato.models.counters import counters
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import EngineResult, SystemResult, Verdict
from obligato.smt import UNSAT, SolverStats
from obligato.smt.factory import make_solver, solver_factory, sorts_in
from obligato.smt.interpolation import interpolate
from obligato.terms import BOOL, INT, REAL, Op, Substitution, Term, TermStore, bitvec
from tests.support.int_systems import box_depth, random_int_system
from tests.support.systems import explore, random_system
from tests.support.volume import parts

ProveCFA = Callable[[CFA, Any, Environment], EngineResult]
IC3CFA: tuple[ProveCFA, Any] = (ic3cfa.prove, ic3cfa.Options())
IC3IA: tuple[ProveCFA, Any] = (through_system(ic3ia.prove), ic3ia.Options())


def along(
    system: TransitionSystem, engine: tuple[ProveCFA, Any], level: int = 3, apart: bool = False
) -> SystemResult:
    """The engine on the control flow of a system; counted rounds are told `apart` where asked."""
    small, lift = reduce_system(system, level)
    make = solver_factory(sorts_of(small))
    flow = recover(small, make) or single_location(small)
    flow = (split(flow) if apart else None) or flow
    prove, options = engine
    search = ControlSearch(flow, make, lambda: chain(sorts_of(small), (), SolverStats()))
    found = search.decide(lambda cfa: prove(cfa, options, Environment()), level)
    return replace(
        found,
        certificate=found.certificate and lift.certificate(found.certificate),
        trace=found.trace and lift.trace(found.trace),
    )


def objection(
    system: TransitionSystem,
    unsafe: bool,
    engine: tuple[ProveCFA, Any],
    level: int = 3,
    apart: bool = False,
) -> str | None:
    """What the checkers and the oracle have against the engine's claim about a system."""
    result, links = along(system, engine, level, apart), chain(sorts_of(system), (), SolverStats())
    if result.verdict is not (Verdict.FALSE if unsafe else Verdict.TRUE):
        return f"{result.verdict} ({result.reason})"
    if result.certificate is not None:
        check = check_system_certificate(system, result.certificate, links)
        return (
            None
            if check.status is Status.ACCEPTED
            else f"certificate: {check.obligation} {check.reason}"
        )
    assert result.trace is not None
    answer = check_system_trace(system, result.trace, links)
    return None if answer.status is TraceStatus.CONFIRMED else f"trace: {answer.reason}"


# -- counters --------------------------------------------------------------------------------------


def counted(store: TermStore, counter: Term, step: Term, *more: Term) -> TransitionSystem:
    """A loop that counts x to 10 in three steps each, with the given counter and relation."""
    x = store.var("x", INT)
    first = (
        store.eq(counter, store.const(0, counter.sort))
        if counter.sort is not BOOL
        else store.not_(counter)
    )
    good = store.le(x, store.int_(10))
    return TransitionSystem(
        store,
        (counter, x, *more),
        (),
        store.and_(first, store.eq(x, store.int_(0))),
        step,
        (Assertion("p", good),),
    )


@pytest.mark.parametrize("sort", [INT, bitvec(8)])
def test_words_and_numbers_tested_and_assigned_constants_are_counters(sort: Any) -> None:
    s = TermStore()
    pc, x = s.var("pc", sort), s.var("x", INT)

    def at(v: Term, n: int) -> Term:
        return s.eq(v, s.const(n, sort))

    same, more = s.eq(next_var(x), x), s.eq(next_var(x), s.add(x, s.int_(1)))
    step = s.or_(
        s.and_(at(pc, 0), s.lt(x, s.int_(10)), at(next_var(pc), 5), more),
        s.and_(at(pc, 5), at(next_var(pc), 9), same),
        s.and_(at(pc, 9), at(next_var(pc), 0), same),
    )
    system = counted(s, pc, step)
    assert counters(system) == [pc]
    flow = recover(system, solver_factory(sorts_of(system)))
    assert flow is not None
    assert list(flow.values.values()) == [(0,), (5,), (9,)]
    assert objection(system, False, IC3CFA) is None
    assert objection(system, False, IC3IA) is None

    def below(v: Term) -> Term:
        return s.le(v, s.int_(9)) if sort is INT else s.mk(Op.BVULT, (v, s.bv(10, 8)))

    assert counters(counted(s, pc, s.and_(step, below(pc)))) == [pc]
    # which could be anything below
    assert counters(counted(s, pc, s.and_(step, below(next_var(pc))))) == []


def test_a_number_that_is_kept_or_assigned_constants_is_a_counter_and_a_parameter_is_none() -> None:
    s = TermStore()
    pc, x, b = s.var("pc", REAL), s.var("x", INT), s.var("b", BOOL)
    same = s.and_(s.eq(next_var(x), x), s.eq(next_var(b), b))
    goes = s.and_(s.eq(pc, s.real(0)), s.eq(next_var(pc), s.real(1)))
    system = counted(s, pc, s.and_(same, s.or_(goes, s.eq(next_var(pc), pc))), b)
    system = replace(system, init=s.and_(system.init, b))
    assert counters(system) == [pc]
    counting = s.eq(next_var(pc), s.add(pc, s.real(1)))
    assert counters(replace(system, trans=s.and_(same, s.or_(goes, counting)))) == []
    chosen = s.eq(next_var(pc), s.ite(b, s.add(pc, s.real(1)), s.real(0)))
    assert counters(replace(system, trans=s.and_(same, s.or_(goes, chosen)))) == []


def test_next_functions_with_constant_leaves_are_counters() -> None:
    s = TermStore()
    pc, x, y = s.var("pc", bitvec(4)), s.var("x", bitvec(4)), s.var("y", bitvec(4))
    zero, two = s.bv(0, 4), s.bv(2, 4)
    next_ = {
        pc: s.ite(s.eq(pc, zero), two, s.ite(s.eq(x, two), zero, pc)),
        x: s.mk(Op.BVADD, (x, pc)),
        y: x,
    }
    init = s.and_(s.eq(pc, zero), s.eq(x, zero), s.eq(y, zero))
    system = TransitionSystem(
        s, (pc, x, y), (), init, functional(s, next_), (Assertion("p", s.eq(y, y)),), next=next_
    )
    assert counters(system) == []  # pc is added to x
    next_[x] = s.mk(Op.BVADD, (x, s.bv(1, 4)))
    system = TransitionSystem(
        s, (pc, x, y), (), init, functional(s, next_), (Assertion("p", s.eq(y, y)),), next=next_
    )
    assert counters(system) == [pc]


def test_a_boolean_that_remembers_a_comparison_is_no_counter() -> None:
    s = TermStore()
    b, x = s.var("b", BOOL), s.var("x", INT)
    kept = s.eq(next_var(x), x)
    assert counters(counted(s, b, s.and_(s.eq(next_var(b), s.le(x, s.int_(3))), kept))) == []
    assert counters(
        counted(s, b, s.or_(s.and_(b, s.not_(next_var(b)), kept), s.and_(s.not_(b), next_var(b))))
    ) == [b]


def test_too_many_locations_are_no_control_flow() -> None:
    system = random_int_system(3)
    small, _ = reduce_system(system, 3)
    make = solver_factory(sorts_of(small))
    assert recover(small, make) is not None
    assert recover(small, make, Limits(locations=1)) is None
    assert recover(small, make, Limits(steps=1)) is None


# -- parts -----------------------------------------------------------------------------------------


def equivalent(f: Term, g: Term) -> bool:
    solver = make_solver(sorts_in(f, g))
    solver.add(f.store.not_(f.store.eq(f, g)))
    return solver.check() is UNSAT


@pytest.mark.parametrize("seed", range(40))
def test_relations_are_solved_and_propagated_exactly(seed: int) -> None:
    small, _ = reduce_system(random_system(seed, rich=True), 0)
    s = small.store
    relation = s.and_(small.trans, *small.constraints)
    assert equivalent(propagated(relation), relation)
    known, rest = solved(relation, [*small.primed.values(), *small.inputs])
    assert equivalent(s.and_(rest, *(s.eq(x, e) for x, e in known.items())), relation)
    assert Substitution(known)(rest) is rest


# -- engines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", parts(5, 5))
def test_integers_with_a_location_against_exploration(block: int) -> None:
    for n in range(10 * block, 10 * block + 10):
        system = random_int_system(n)
        engine, level = IC3IA if n % 3 == 0 else IC3CFA, (3, 0, 1, 2)[n % 4]
        wrong = objection(system, box_depth(system) is not None, engine, level, apart=n % 2 == 1)
        assert wrong is None, f"seed {n}: {wrong}"


@pytest.mark.parametrize("seed", range(0, 150, 10))
def test_finite_systems_against_exploration(seed: int) -> None:
    for n in range(seed, seed + 10):
        system = random_system(n, 6)
        wrong = objection(system, explore(system).depth is not None, IC3CFA, (3, 0, 1, 2)[n % 4])
        assert wrong is None, f"seed {n}: {wrong}"


def rounds(bound: int) -> TransitionSystem:
    """A loop counts i up to four and adds an input below three to x each time; then a step sets i
    to zero, and x is below `bound`. Another number, which is never tested, is counted without end.
    """
    s = TermStore()
    done, i, x = s.var("done", BOOL), s.var("i", INT), s.var("x", INT)
    n, k = s.var("n", INT), s.var("k", INT)
    one, four = s.int_(1), s.int_(4)
    after = [
        s.eq(next_var(i), s.add(i, one)),
        s.eq(next_var(x), s.add(x, k)),
        s.eq(next_var(n), s.add(n, one)),
    ]
    again = s.and_(s.not_(done), s.not_(next_var(done)), s.lt(i, four), *after)
    ends = s.and_(
        s.not_(done),
        next_var(done),
        s.le(four, i),
        s.eq(next_var(i), s.int_(0)),
        s.eq(next_var(x), x),
    )
    start = s.and_(s.not_(done), *(s.eq(v, s.int_(0)) for v in (i, x, n)))
    good = Assertion("p", s.or_(s.not_(done), s.lt(x, s.int_(bound))))
    few = s.and_(s.le(s.int_(0), k), s.lt(k, s.int_(3)))
    return TransitionSystem(s, (done, i, x, n), (k,), start, s.or_(again, ends), (good,), (few,))


def test_counted_rounds_are_locations() -> None:
    system, _ = reduce_system(rounds(9), 3)
    flow = recover(system, solver_factory(sorts_of(system)))
    assert flow is not None
    assert cut_points(flow.cfa)
    apart = split(flow)
    assert apart is not None
    assert not cut_points(apart.cfa)
    assert sorted(len(dict(p)) for p in apart.pinned.values())[-1] >= 1
    values = {v.data for p in apart.pinned.values() for x, v in p if x.name == "i"}
    assert values == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("engine", [IC3CFA, IC3IA])
@pytest.mark.parametrize("bound", [9, 8])
def test_claims_about_counted_rounds_come_back(engine: tuple[ProveCFA, Any], bound: int) -> None:
    assert objection(rounds(bound), bound == 8, engine, apart=True) is None


# -- deliberate faults -----------------------------------------------------------------------------


def _faulty() -> bool:
    """Does some random system reveal a fault?"""
    for n in range(25):
        system = random_int_system(n)
        try:
            if objection(system, box_depth(system) is not None, IC3CFA, 0) is not None:
                return True
        except Exception:  # noqa: BLE001  a fault may break anything
            return True
    return False


def test_a_loop_that_only_a_blocked_edge_keeps_from_the_error_is_entered() -> None:
    """The edge to the error says `false` as it is recovered: the loop before it was left out by a
    reduction, and the lift took it for one that no run enters."""
    system = random_int_system(65)
    flow = recover(system, solver_factory(sorts_of(system)))
    assert flow is not None
    assert all("false" in repr(e.command) for e in flow.cfa.into(flow.cfa.error))
    assert objection(system, False, IC3CFA, 2) is None


def test_faults_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _faulty()
    with monkeypatch.context() as m:  # edges to the error forget the constraints
        plain = control_flow._Builder._leaving

        def without(self: Any, *args: Any) -> None:
            self.system = replace(self.system, constraints=())
            plain(self, *args)

        m.setattr(control_flow._Builder, "_leaving", without)
        assert _faulty()
    with monkeypatch.context() as m:  # two edges share the inputs of the system
        m.setattr(
            TermStore, "fresh", lambda self, prefix, sort: self.var(prefix.split("!e")[0], sort)
        )
        assert _faulty()
    with monkeypatch.context() as m:  # locations between cut points say nothing
        m.setattr(ControlLift, "_weakest", lambda self, location, known: self.store.true)
        assert _faulty()
    with monkeypatch.context() as m:  # inputs are put in by one value instead of eliminated
        m.setattr(
            control_lift,
            "eliminate",
            lambda f, gone, make, **more: Substitution(
                {v: f.store.const(0, v.sort) for v in gone if v.sort is INT}
            )(f),
        )
        assert _faulty()
    with monkeypatch.context() as m:  # an interpolant does not know what arrives
        m.setattr(control_lift, "eliminate", lambda *args, **more: None)
        m.setattr(ControlLift, "_arriving", lambda self, location, known, before: self.store.false)
        assert _faulty()


def test_faults_of_counted_rounds_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> bool:
        return any(objection(rounds(b), b == 8, IC3CFA, apart=True) is not None for b in (9, 8))

    assert not fails()
    with monkeypatch.context() as m:  # which values a copy is about is forgotten
        m.setattr(
            counted_rounds._Walk,
            "build",
            lambda self, plain=counted_rounds._Walk.build: replace(plain(self), pinned={}),
        )
        assert fails()
    with monkeypatch.context() as m:  # all copies of an edge have the same inputs
        m.setattr(
            TermStore, "fresh", lambda self, prefix, sort: self.var(prefix.split("!c")[0], sort)
        )
        assert fails()


@pytest.mark.parametrize("interpolants", [True, False])
def test_a_quantifier_makes_an_interpolant_or_a_cut_point(
    monkeypatch: pytest.MonkeyPatch, interpolants: bool
) -> None:
    """Where elimination gives up there is an interpolant; where that is not found, the location is
    kept and the engine runs again.
    """
    monkeypatch.setattr(control_lift, "eliminate", lambda *args, **more: None)
    found: list[Term | None] = []

    def between(a: Term, b: Term, **more: Any) -> Term | None:
        found.append(interpolate(a, b, **more) if interpolants else None)
        return found[-1]

    monkeypatch.setattr(control_lift, "interpolate", between)
    again: list[int] = []
    plain = ic3cfa.prove

    def prove(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        again.append(len(cfa.keep))
        return plain(cfa, options, env)

    run = partial(objection, engine=(prove, ic3cfa.Options()), level=0)
    systems = list(map(random_int_system, range(15)))
    assert [run(system, box_depth(system) is not None) for system in systems] == [None] * 15
    assert found
    assert (max(again) > 0) is (None in found) is not interpolants
