"""Invariants from templates: inductive, and enough for properties that k-induction alone does not
prove.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import obligato
from obligato.analysis.templates import Survivors, inductive, random_runs, state_candidates
from obligato.engines import kinduction
from obligato.engines.environment import Environment
from obligato.frontends import btor2
from obligato.frontends.lustre import read
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import UNSAT, SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import Op
from tests.corpus import REPOSITORY
from tests.support.systems import random_system

BOUNDED = """
node top (c: bool) returns (x, y: int);
let
  x = 0 -> if c and pre x < 10 then pre x + 1 else pre x;
  y = 0 -> if c then pre x else pre y;
  check y <= 10;
tel
"""


def system_of(text: str) -> TransitionSystem:
    """The reduced system of a program."""
    return reduce_system(read(text).system, 1)[0]


def accepted(system: TransitionSystem, certificate: SystemCertificate) -> bool:
    """Does the checker accept a certificate?"""
    return (
        check_system_certificate(
            system, certificate, chain(sorts_of(system), (), SolverStats())
        ).status
        is Status.ACCEPTED
    )


def found(system: TransitionSystem) -> SystemCertificate:
    """The invariants of a system as a certificate."""
    make = solver_factory(sorts_of(system), stats=SolverStats())
    candidates = state_candidates(system, random_runs(system, make, 0))
    kept = inductive(system, candidates, Survivors(make, lambda: None))
    return SystemCertificate(system.store.and_(*kept))


def test_bounds_and_orders_are_found() -> None:
    system = system_of(BOUNDED)
    certificate = found(system)
    assert "10" in repr(certificate.invariant)
    assert accepted(replace(system, properties=()), certificate)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_returned_is_inductive(seed: int) -> None:
    system, _ = reduce_system(random_system(seed, max_bits=5), 0)
    system = replace(system, properties=(Assertion("nothing", system.store.true),))
    assert accepted(system, found(system))


@pytest.mark.parametrize(("templates", "verdict"), [(True, Verdict.TRUE), (False, Verdict.UNKNOWN)])
def test_k_induction_proves_with_them_what_it_does_not_without(
    templates: bool, verdict: Verdict
) -> None:
    system = system_of(BOUNDED)
    options = kinduction.Options(bound=8, distinct=False, invariants=templates)
    result = kinduction.prove(system, options, Environment())
    assert result.verdict is verdict
    assert result.certificate is None or accepted(system, result.certificate)


WORDS = """
1 sort bitvec 8
2 sort bitvec 1
3 zero 1
4 state 1 x
5 state 1 y
6 zero 2
7 state 2 a
8 state 2 b
9 init 1 4 3
10 init 1 5 3
11 init 2 7 6
12 init 2 8 6
13 input 2 go
14 constd 1 9
15 one 1
16 ult 2 4 14
17 and 2 16 13
18 add 1 4 15
19 ite 1 17 18 4
20 next 1 4 19
21 ite 1 13 4 5
22 next 1 5 21
23 next 2 7 13
24 next 2 8 13
25 constd 1 200
26 ult 2 25 5
27 xor 2 7 8
28 or 2 26 27
29 bad 28
"""


def test_words_and_bits_of_hardware() -> None:
    """x stays below 10, y is at most x, a and b are equal: none of it follows from the property
    alone.
    """
    system = reduce_system(btor2.read(WORDS).system, 1)[0]
    names = {x.name: x for x in system.state}
    certificate = found(system)
    s = system.store
    wanted = [
        s.mk(Op.BVULE, (names["x"], s.bv(9, 8))),
        s.mk(Op.BVULE, (names["y"], names["x"])),
        s.eq(names["a"], names["b"]),
    ]
    solver = solver_factory(sorts_of(system), stats=SolverStats())()
    solver.add(certificate.invariant)
    for formula in wanted:
        assert solver.check([s.not_(formula)]) is UNSAT, formula
    solver.close()
    assert accepted(system, certificate)
    for invariants, verdict in ((True, Verdict.TRUE), (False, Verdict.UNKNOWN)):
        result = kinduction.prove(
            system,
            kinduction.Options(bound=6, distinct=False, invariants=invariants),
            Environment(),
        )
        assert result.verdict is verdict


def test_affine_equalities_are_assumed() -> None:
    """x + y = 2 z is no template; with it the property is inductive."""
    system = system_of("""
node top (c: bool) returns (x, y, z: int);
let
  x = 0 -> if c then pre x + 1 else pre x + 3;
  y = 0 -> if c then pre y + 3 else pre y - 1;
  z = 0 -> if c then pre z + 2 else pre z + 1;
  check x + y - 2 * z < 5;
tel
""")
    result = kinduction.prove(system, kinduction.Options(bound=6, distinct=False), Environment())
    assert (
        result.verdict is Verdict.TRUE
        and result.certificate is not None
        and accepted(system, result.certificate)
    )


def test_a_smaller_k_is_refuted() -> None:
    """The certificate of a property that needs k > 1 is refuted with a smaller one."""
    text = (
        "node top (c: bool) returns (x: int); let x = 0 -> if pre x = 4 then 0 else if pre x = 12"
        " then 6 else if pre x = 6 then 9 else if pre x >= 0 and pre x < 4 then pre x + 1 else 5;"
        " check x <> 9; tel"
    )
    system = system_of(text)
    result = kinduction.prove(
        system, kinduction.Options(distinct=False, invariants=False), Environment()
    )
    assert result.certificate is not None and result.certificate.k == 2
    assert [accepted(system, replace(result.certificate, k=k)) for k in (1, 2, 3)] == [
        False,
        True,
        True,
    ]


def test_memory_of_any_contents_is_sampled() -> None:
    """Samples of arrays are arrays; a number in their place was an internal error."""
    outcome = obligato.verify(
        REPOSITORY / "tests/regression/true/array_beside_a_counter.btor2", "kinduction"
    )
    assert outcome.verdict is Verdict.TRUE
