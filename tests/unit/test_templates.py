"""Invariants from templates: inductive, and enough for properties that k-induction alone does not prove."""

from __future__ import annotations

from dataclasses import replace

import pytest

from obligato.analysis.templates import stream_invariants
from obligato.engines import kinduction
from obligato.engines.environment import Environment
from obligato.frontends.lustre import read
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
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
    return check_system_certificate(system, certificate, chain(sorts_of(system), (), SolverStats())).status is Status.ACCEPTED


def found(system: TransitionSystem) -> SystemCertificate:
    """The invariants of a system as a certificate."""
    make = solver_factory(sorts_of(system), stats=SolverStats())
    return SystemCertificate(system.store.and_(*stream_invariants(system, make)))


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
def test_k_induction_proves_with_them_what_it_does_not_without(templates: bool, verdict: Verdict) -> None:
    system = system_of(BOUNDED)
    options = kinduction.Options(bound=8, distinct=False, invariants=templates)
    result = kinduction.prove(system, options, Environment())
    assert result.verdict is verdict
    assert result.certificate is None or accepted(system, result.certificate)
