"""Interpolation-based model checking: random systems against exploration, theories, deliberate
faults.
"""

from __future__ import annotations

from typing import Any

import pytest

from obligato.engines import itp
from obligato.engines.environment import Environment
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.models.unrolling import Unrolling
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from tests.engines.system_judge import objections
from tests.engines.test_fsis import FIRST, FOOTNOTE, SECOND, adding
from tests.support.int_systems import box_depth, random_int_system
from tests.support.systems import random_system
from tests.support.volume import parts

METHODS = ("fixpoint", "sequence")
ENGINES: list[tuple[str, Any, Any]] = [(m, itp.prove, itp.Options(method=m)) for m in METHODS]


@pytest.mark.parametrize("block", parts(6, 4))
def test_random_systems_against_exploration(block: int) -> None:
    for n in range(30 * block, 30 * block + 30):
        assert (
            objections(random_system(n, 6), ENGINES[n % 2 : n % 2 + 1], levels=(3 * (n // 2 % 2),))
            == []
        ), n


@pytest.mark.parametrize("moves", [FIRST, SECOND, FOOTNOTE])
def test_the_systems_of_the_paper(moves: dict[str, tuple[str, str]]) -> None:
    assert objections(adding(moves), ENGINES) == []


@pytest.mark.parametrize("method", METHODS)
def test_integers_against_exploration(method: str) -> None:
    for n in range(12):
        system = random_int_system(n)
        small, lift = reduce_system(system, 3)
        result = itp.prove(small, itp.Options(method=method), Environment())
        links = chain(sorts_of(system), (), SolverStats())
        assert result.verdict is (Verdict.TRUE if box_depth(system) is None else Verdict.FALSE), n
        if result.certificate is not None:
            assert (
                check_system_certificate(system, lift.certificate(result.certificate), links).status
                is Status.ACCEPTED
            )
        else:
            assert result.trace is not None
            assert (
                check_system_trace(system, lift.trace(result.trace), links).status
                is TraceStatus.CONFIRMED
            )


def test_a_bound_ends_the_search() -> None:
    system = random_system(5, 4)
    for n in range(40):
        system = random_system(n, 6)
        small, _ = reduce_system(system, 3)
        result = itp.prove(small, itp.Options(bound=1), Environment())
        if result.verdict is Verdict.UNKNOWN:
            assert result.reason == "not proved within 1 steps"
            return
    pytest.fail("every system was decided within one step")


def _every_fixpoint(
    self: Any, formula: Any, kind: str, plain: Any = itp._Interpolation._unsat
) -> bool:
    return kind == "fixpoint" or bool(plain(self, formula, kind))


def _first_constraint(self: Any, time: int, plain: Any = Unrolling.constraint) -> Any:
    return self.store.true if time == 0 else plain(self, time)


def _first_layer(self: Any, formula: Any, time: int, plain: Any = itp._Interpolation._now) -> Any:
    return self.store.true if time > 1 else plain(self, formula, time)


FAULTS: dict[str, tuple[type, str, Any]] = {
    "every R is a fixpoint": (itp._Interpolation, "_unsat", _every_fixpoint),
    "constraints of the first step are forgotten": (Unrolling, "constraint", _first_constraint),
    "later layers say nothing": (itp._Interpolation, "_now", _first_layer),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[name])
    assert any(objections(random_system(n, 5), ENGINES, levels=(0,)) for n in range(150))
