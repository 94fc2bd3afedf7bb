"""IC3 on watched cells: random narrow systems against exploration, certificates with indices, and
attacks on their checker.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from obligato.engines import ic3arrays, ic3bmc
from obligato.engines.environment import Environment
from obligato.errors import Unsupported
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_cells import fixed_indices, places_read, watch_cells, watchable
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import sorts_of
from obligato.results.checking.solving import chain
from obligato.results.checking.status import Status
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.terms import INT, Kind, Op, Term, TermStore, array, bitvec
from tests.engines.array_judge import judged, mangled
from tests.support.array_systems import random_array_system
from tests.support.systems import explore

W = bitvec(16)


def status(system: TransitionSystem, certificate: SystemCertificate) -> tuple[Status, str]:
    check = check_system_certificate(
        system, certificate, chain(sorts_of(system), ("sat",), SolverStats())
    )
    return check.status, check.obligation


def evens() -> tuple[TransitionSystem, Term, Term]:
    """A memory that only even words are written to or copied inside of, and what was read last; the
    memory, and an index.
    """
    s = TermStore.raw()
    m, x = s.var("m", array(W, W)), s.var("x", W)
    at, of, value = (s.var(name, W) for name in ("at", "of", "value"))
    even = s.mk(Op.BVAND, (value, s.bv(0xFFFE, 16)))
    next_ = {
        m: s.ite(s.eq(value, s.bv(0, 16)), s.store(m, at, s.select(m, of)), s.store(m, at, even)),
        x: s.select(m, of),
    }
    init = s.and_(s.eq(m, s.const_array(m.sort, s.bv(0, 16))), s.eq(x, s.bv(0, 16)))
    good = s.eq(s.extract(x, 0, 0), s.bv(0, 1))
    system = TransitionSystem(
        s,
        (m, x),
        (at, of, value),
        init,
        functional(s, next_),
        (Assertion("bad0", good),),
        next=next_,
    )
    return system, m, s.var("index", W)


def even_cells(m: Term, index: Term) -> Term:
    s = m.store
    return s.eq(s.extract(s.select(m, index), 0, 0), s.bv(0, 1))


# -- random systems --------------------------------------------------------------------------------


def _agreement(seeds: range) -> list[str]:
    verdicts = []
    for seed in seeds:
        verdict, problems = judged(random_array_system(seed), seed)
        assert not problems, f"{seed}: {problems}"
        verdicts.append(verdict)
    return verdicts


def test_random_systems_agree_with_exploration() -> None:
    verdicts = _agreement(range(60))
    assert min(verdicts.count("true"), verdicts.count("false")) >= 12
    assert verdicts.count("unknown") <= 2


@pytest.mark.slow
def test_more_random_systems_agree_with_exploration() -> None:
    verdicts = _agreement(range(60, 400))
    assert verdicts.count("unknown") <= 6


def test_random_systems_hold_both_kinds_of_steps_equations_and_fixed_places() -> None:
    systems = [random_array_system(seed) for seed in range(60)]
    assert any(s.next is None for s in systems)
    assert any(s.next is not None for s in systems)
    assert any(fixed_indices(s) for s in systems if s.next is not None)
    compared = [
        p
        for s in systems
        for p in s.assertions
        if p.formula.op is Op.EQ and p.formula.args[0].sort.kind is Kind.ARRAY
    ]
    assert compared


def test_runs_of_the_system_are_runs_of_the_abstraction() -> None:
    for seed in range(40):
        system = random_array_system(seed)
        if system.next is not None and explore(system).depth is not None:
            cells = watch_cells(system, 0).system
            bits = sum(
                1 if x.sort.kind is Kind.BOOL else x.width for x in (*cells.state, *cells.inputs)
            )
            assert bits > 12 or explore(cells).depth is not None, seed


# -- the engine ------------------------------------------------------------------------------------


def test_a_proof_quantifies_an_index() -> None:
    system, _, _ = evens()
    result = ic3arrays.prove(system, ic3arrays.Options(), Environment())
    assert result.verdict is Verdict.TRUE
    assert result.certificate is not None
    assert len(result.certificate.indices) == 1
    assert status(system, result.certificate) == (Status.ACCEPTED, "")


def test_the_engine_for_hardware_takes_it_for_large_arrays_only() -> None:
    system, _, _ = evens()
    env = Environment()
    assert ic3bmc.prove(system, ic3bmc.Options(), env).verdict is Verdict.TRUE
    assert env.counters["indices"] == 1


def test_what_is_not_enough_for_cells_is_left_to_k_induction() -> None:
    s = TermStore.raw()
    m, n = s.var("m", array(INT, INT)), s.var("n", INT)
    next_ = {m: s.store(m, n, n), n: s.add(n, s.int_(1))}
    init = s.and_(s.eq(n, s.int_(0)), s.eq(s.select(m, s.int_(0)), s.int_(0)))
    good = s.le(s.int_(0), n)
    system = TransitionSystem(
        s, (m, n), (), init, functional(s, next_), (Assertion("bad0", good),), next=next_
    )
    assert not watchable(system)
    with pytest.raises(Unsupported):
        watch_cells(system, 1)
    assert ic3bmc.prove(system, ic3bmc.Options(), Environment()).verdict is Verdict.TRUE


def test_two_cells_are_watched_where_a_property_reads_two() -> None:
    system, m, _ = evens()
    s = system.store
    x, y = system.inputs[0], system.inputs[1]
    two = replace(system, properties=(Assertion("bad0", s.eq(s.select(m, x), s.select(m, y))),))
    assert (places_read(system), places_read(two)) == (1, 2)


# -- the checker -----------------------------------------------------------------------------------


def test_an_invariant_for_all_indices_needs_its_instance() -> None:
    system, m, index = evens()
    s, of = system.store, system.inputs[1]
    claim = SystemCertificate(
        s.and_(even_cells(m, index), *(p.formula for p in system.assertions)), indices=(index,)
    )
    assert status(system, claim) == (Status.REFUTED, "consecution")
    assert status(system, replace(claim, instances=((of,),))) == (Status.ACCEPTED, "")


@pytest.mark.parametrize("name", ["m", "x", "of", "x'", "m'"])
def test_no_variable_of_the_system_can_be_quantified(name: str) -> None:
    system = evens()[0]
    index = TermStore.raw().var(name, W)
    claim = SystemCertificate(system.store.true, indices=(index,))
    assert status(system, claim) == (Status.REFUTED, "vocabulary")


@pytest.mark.parametrize("name", ["x@0", "of@0", "x@1", "index 0", "index 1"])
def test_an_index_is_arbitrary_whatever_it_is_called(name: str) -> None:
    """The checker has names of its own for variables at a time: an index called so would be a
    value, not all of them.
    """
    system, m, _ = evens()
    s = system.store
    wrong = replace(system, properties=(Assertion("bad0", s.eq(system.state[1], s.bv(0, 16))),))
    assert explore_one_violation(wrong)
    for claimed in (
        s.eq(s.select(m, s.var(name, W)), s.bv(0, 16)),
        s.eq(s.var(name, W), system.state[1]),
        s.true,
    ):
        claim = SystemCertificate(
            claimed, indices=(s.var(name, W),), instances=((system.inputs[1],), (system.state[1],))
        )
        assert status(wrong, claim)[0] is Status.REFUTED


def explore_one_violation(system: TransitionSystem) -> bool:
    return ic3arrays.prove(system, ic3arrays.Options(), Environment()).verdict is Verdict.FALSE


def test_malformed_certificates_are_refuted() -> None:
    system, m, index = evens()
    s = system.store
    good = SystemCertificate(even_cells(m, index), indices=(index,))
    other, wide = s.var("other", W), s.var("wide", bitvec(17))
    for claim in (
        replace(good, k=2),
        replace(good, distinct=("m", "x")),
        replace(good, indices=()),
        replace(good, indices=(index, index)),
        replace(good, instances=((),)),
        replace(good, instances=((index, index),)),
        replace(good, instances=((other,),)),
        replace(good, indices=(wide,)),
        replace(good, instances=((wide,),)),
        replace(good, indices=(s.bv(0, 16),)),
        replace(good, differences=((other, m, index),)),
        replace(good, differences=((wide, m, m),)),
        replace(good, differences=((index, m, m),)),
        replace(good, differences=((other, m, s.var("q", m.sort)),)),
        replace(good, indices=(), differences=((other, m, m),), invariant=s.true),
    ):
        assert status(system, claim) == (Status.REFUTED, "vocabulary"), claim


def test_mangled_certificates_of_systems_that_fail_are_not_accepted() -> None:
    system, m, index = evens()
    s, rng = system.store, random.Random(7)
    claim = SystemCertificate(
        s.and_(even_cells(m, index), *(p.formula for p in system.assertions)),
        indices=(index,),
        instances=((system.inputs[1],),),
    )
    odd = replace(
        system,
        init=s.and_(
            s.eq(m, s.const_array(m.sort, s.bv(1, 16))), s.eq(system.state[1], s.bv(0, 16))
        ),
    )
    assert explore_one_violation(odd)
    assert all(
        status(odd, c)[0] is not Status.ACCEPTED for _ in range(10) for c in mangled(claim, rng)
    )


def test_a_difference_says_where_arrays_differ_and_no_more() -> None:
    s = TermStore.raw()
    a, b = s.var("a", array(W, W)), s.var("b", array(W, W))
    at, index, w = s.var("at", W), s.var("index", W), s.var("w", W)
    zero = s.bv(0, 16)
    next_ = {a: s.store(a, at, at), b: s.store(b, at, at)}
    same = Assertion("bad0", s.eq(a, b))
    init = s.and_(s.eq(a, s.const_array(a.sort, zero)), s.eq(b, s.const_array(b.sort, zero)))
    system = TransitionSystem(s, (a, b), (at,), init, functional(s, next_), (same,), next=next_)
    claim = SystemCertificate(s.eq(s.select(a, index), s.select(b, index)), indices=(index,))
    assert status(system, claim)[0] is not Status.ACCEPTED
    told = replace(claim, instances=((w,),), differences=((w, a, b),))
    assert status(system, told) == (Status.ACCEPTED, "")
    apart = {a: next_[a], b: s.store(b, at, s.mk(Op.BVNOT, (at,)))}
    wrong = replace(system, next=apart, trans=functional(s, apart))
    assert status(wrong, told)[0] is Status.REFUTED


def test_indices_of_two_sorts() -> None:
    s = TermStore.raw()
    table, page = s.var("table", array(W, W)), s.var("page", array(bitvec(7), W))
    index, line, at = s.var("index", W), s.var("line", bitvec(7)), s.var("at", bitvec(7))
    zero = s.bv(0, 16)
    next_ = {table: table, page: s.store(page, at, s.select(table, s.select(page, at)))}
    init = s.and_(
        s.eq(table, s.const_array(table.sort, zero)), s.eq(page, s.const_array(page.sort, zero))
    )
    good = Assertion("bad0", s.eq(s.select(page, at), zero))
    system = TransitionSystem(
        s, (table, page), (at,), init, functional(s, next_), (good,), next=next_
    )
    invariant = s.and_(s.eq(s.select(table, index), zero), s.eq(s.select(page, line), zero))
    claim = SystemCertificate(
        invariant, indices=(index, line), instances=((s.select(page, at), at),)
    )
    assert status(system, claim) == (Status.ACCEPTED, "")
    assert status(system, replace(claim, instances=()))[0] is Status.REFUTED
