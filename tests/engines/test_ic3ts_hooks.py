"""The skeleton with hooks that use everything the contracts allow: abstraction failures, concrete
states, new predicates.
"""

from __future__ import annotations

import pytest

from obligato.engines.environment import Environment
from obligato.engines.ic3ts import IC3, SkeletonOptions
from obligato.models.ts_reduce import import_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.terms import TermStore
from tests.support.explicit_hooks import ExplicitHooks, failures_of
from tests.support.systems import explore, random_system

OPTIONS = [
    SkeletonOptions(),
    SkeletonOptions(ctg=0, cube_order="longest"),
    SkeletonOptions(joins=False, cube_order="shortest"),
    SkeletonOptions(reuse_obligations=False, cube_order="descending"),
    SkeletonOptions(cube_order="random"),
]


@pytest.mark.parametrize(
    ("eager_lifting", "eager_steps"), [(False, False), (False, True), (True, False)]
)
def test_abstraction_failures(eager_lifting: bool, eager_steps: bool) -> None:
    """Verdicts agree with exploration, claims with the checker, obligations with the debug checker;
    failures do occur.
    """
    used = []
    for seed in range(60):
        raw = random_system(seed, max_bits=5)
        system = import_system(raw, TermStore())
        hooks = ExplicitHooks(system, eager_lifting, eager_steps)
        used.append(hooks)
        result = IC3(
            system, hooks, OPTIONS[seed % len(OPTIONS)], Environment(debug=True, seed=seed)
        ).prove()
        assert result.verdict is (Verdict.TRUE if explore(raw).depth is None else Verdict.FALSE), (
            seed
        )
        links = chain(sorts_of(raw), ("sat",), SolverStats())
        if result.certificate is not None:
            assert (
                check_system_certificate(raw, result.certificate, links).status is Status.ACCEPTED
            )
        else:
            assert (
                result.trace is not None
                and check_system_trace(raw, result.trace, links).status is TraceStatus.CONFIRMED
            )
    failures = failures_of(used)
    assert failures["lifting"] > 10
    assert (failures["consecution"] > 0) is (not eager_lifting)  # [BBW14, footnote 8]
