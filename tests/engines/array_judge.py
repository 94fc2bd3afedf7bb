"""One run of IC3 on watched cells, judged by exploration and the independent checker; its
certificate is mangled as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from obligato.engines import ic3arrays
from obligato.engines.environment import Environment
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.status import Status, TraceStatus
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.terms import conjuncts
from tests.support.systems import explore

QUESTIONS = 4000  # of one run: then it is cancelled, which counts as unknown


def judged(
    system: TransitionSystem, seed: int, options: ic3arrays.Options | None = None
) -> tuple[str, list[str]]:
    """The verdict of a run on a system, and what the judges have against it."""
    budget = iter(range(QUESTIONS))
    small, lift = reduce_system(system, 3)
    env = Environment(seed=seed, cancelled=lambda: next(budget, None) is None)
    result = ic3arrays.prove(small, options or ic3arrays.Options(), env)
    holds = explore(system).depth is None
    problems = []
    if result.verdict is not Verdict.UNKNOWN and (result.verdict is Verdict.TRUE) is not holds:
        problems.append(
            f"{result.verdict.value}, but the properties {'hold' if holds else 'do not hold'}"
        )
    links = chain(sorts_of(system), ("sat",), SolverStats())
    if result.certificate is not None:
        certificate = lift.certificate(result.certificate)
        check = check_system_certificate(system, certificate, links)
        if check.status is not Status.ACCEPTED:
            problems.append(f"certificate: {check.obligation}: {check.reason}")
        problems += _accepted_of_another(system, certificate, seed)
    if result.trace is not None:
        answer = check_system_trace(system, lift.trace(result.trace), links)
        if answer.status is not TraceStatus.CONFIRMED:
            problems.append(f"trace: {answer.reason}")
    return result.verdict.value, problems


def _accepted_of_another(
    system: TransitionSystem, certificate: SystemCertificate, seed: int
) -> Iterator[str] | list[str]:
    """Mangled certificates that are accepted for a property that does not hold: that something
    holds now is no reason.
    """
    rng, s = random.Random(seed), system.store
    wrong = replace(
        system, properties=tuple(replace(p, formula=s.not_(p.formula)) for p in system.assertions)
    )
    if explore(wrong).depth is None:
        return []
    links = chain(sorts_of(system), ("sat",), SolverStats())
    return [
        f"a wrong certificate was accepted: {c}"
        for c in mangled(certificate, rng)
        if check_system_certificate(wrong, c, links).status is Status.ACCEPTED
    ]


def mangled(certificate: SystemCertificate, rng: random.Random) -> list[SystemCertificate]:
    """The certificate as it is and with parts left out, negated or said of other places."""
    s, parts = certificate.invariant.store, conjuncts(certificate.invariant)
    fewer = [p for p in parts if rng.random() < 0.7]
    turned = [s.not_(p) if rng.random() < 0.3 else p for p in parts]
    out = [
        certificate,
        replace(certificate, invariant=s.and_(*fewer)),
        replace(certificate, invariant=s.and_(*turned)),
    ]
    out += [
        replace(certificate, invariant=s.false),
        replace(certificate, invariant=s.true),
        replace(certificate, instances=()),
    ]
    if certificate.indices:
        out.append(replace(certificate, instances=(certificate.indices, *certificate.instances)))
    return out
