"""Random small systems over integers: the engines over predicates against exploration, every claim
against the checker.

    python tests/fuzz/integers_run.py [--count 1000] [--seed N] [--only CASE]

A case is a number; the same number is the same system with the same options (`systems_run.drawn`).
Each system is proved by `ctigar`, `ic3ia` and `ic3qe`, and by `ic3cfa` along its control flow. Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.api.control import ControlSearch
from obligato.engines import ic3cfa
from obligato.engines.environment import Environment
from obligato.models.control_flow import recover, single_location
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SolverStats
from tests.fuzz.progress import arguments, run_cases
from tests.fuzz.systems_run import ENGINES, drawn
from tests.support.int_systems import box_depth, random_int_system

QUESTIONS = 3000  # in one run: then it is cancelled, which counts as undecided
SECONDS = 120


def objections(case: int, tally: collections.Counter[str]) -> list[str]:
    """What speaks against the engines on one system."""
    rng, system = random.Random(case), random_int_system(case)
    depth = box_depth(system)
    expected = Verdict.TRUE if depth is None else Verdict.FALSE
    tally[f"expected: {expected.value}"] += 1
    out = []
    for engine in ("ctigar", "ic3ia", "ic3qe", "ic3cfa"):
        options = _drawn_for_cfa(rng) if engine == "ic3cfa" else drawn(engine, rng)
        if options.backend in ("sat", "bitwuzla", "sat-cadical153"):
            continue  # they have no integers
        asked = iter(range(QUESTIONS))
        env = Environment(
            debug=rng.random() < 0.1,
            cancelled=lambda asked=asked: next(asked, None) is None,  # type: ignore[misc]
        )
        prove = _along_control if engine == "ic3cfa" else ENGINES[engine].prove
        result = prove(system, options, env)
        tally[f"{engine}: {result.verdict.value}"] += 1
        tally["lemmas of guidance"] += env.counters.get("guided", 0)
        out += [f"{engine} {options}: {what}" for what in _against(system, result)]
        if result.verdict not in (expected, Verdict.UNKNOWN):
            out.append(f"{engine} {options}: {expected.value} expected, not {result.verdict.value}")
        if (
            result.verdict is Verdict.UNKNOWN
            and next(asked, None) is not None
            and (engine == "ic3cfa" or not options.budget)
        ):
            out.append(f"{engine} {options}: unknown ({result.reason})")
    return out


def _drawn_for_cfa(rng: random.Random) -> ic3cfa.Options:
    """Options of IC3CFA under which lemmas are found, and clusters of them; all claims are about
    systems.
    """
    aided = rng.random() < 0.3
    return ic3cfa.Options(
        guidance=rng.choice((1, 3, 20)),
        short_runs=0,
        quantified=False,
        seed_invariants=aided,
        predicates=20 if aided else 0,
        ctg=rng.choice((0, 2)),
        generalize=rng.choice(("joint", "joint", "single", "multi")),
    )


def _along_control(
    system: TransitionSystem, options: ic3cfa.Options, env: Environment
) -> SystemResult:
    """IC3CFA on the control flow of the system, or on one location."""
    small, lift = reduce_system(system, 3)
    make = env.solvers(sorts_of(small), "auto")
    flow = recover(small, make) or single_location(small)
    search = ControlSearch(flow, make, lambda: chain(sorts_of(small), ("z3",), SolverStats()))
    found = search.decide(lambda cfa: ic3cfa.prove(cfa, options, env), 3)
    return replace(
        found,
        certificate=found.certificate and lift.certificate(found.certificate),
        trace=found.trace and lift.trace(found.trace),
    )


def _against(system: TransitionSystem, result: SystemResult) -> list[str]:
    """What the checkers have against a claim."""
    links, out = chain(sorts_of(system), ("z3",), SolverStats()), []
    if (
        result.certificate is not None
        and check_system_certificate(system, result.certificate, links).status
        is not Status.ACCEPTED
    ):
        out.append("certificate")
    if (
        result.trace is not None
        and check_system_trace(system, result.trace, links).status is not TraceStatus.CONFIRMED
    ):
        out.append("trace")
    return out


def main() -> int:
    """All cases."""
    o = arguments(argparse.ArgumentParser(), count=1000)
    return run_cases("integers", o, SECONDS, objections)


if __name__ == "__main__":
    sys.exit(main())
