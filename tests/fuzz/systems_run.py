"""Random small finite systems: every engine against exploration, every claim against the checker,
every writer and its reader.

    python tests/fuzz/systems_run.py [--count 20000] [--seed N] [--only CASE] [--in-turn]

A case is a number; the same number is the same system with the same options. Each system is proved
by `ic3`, `ic3ia`, `ctigar`, `ic3qe` and one of `bmc`, `kinduction`, `itp` and `fsis`, or with `--in-turn`
by one of these, so that the same time is enough for more systems; options are
drawn from all values that they declare (`drawn`), so that over a run every pair of values appears
together. Certificates and traces are checked on the original, traces by the oracle as well. Then
the system is written as VMT, BTOR2 and AIGER, read back and explored: the depth of the first
violation must be the same.
Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.engines import bmc, ctigar, fsis, ic3, ic3ia, ic3qe, itp, kinduction
from obligato.engines.environment import Environment
from obligato.frontends import aiger, btor2, vmt
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import Link, chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SolverStats
from obligato.terms import Sort
from tests.fuzz.progress import arguments, run_cases
from tests.support.oracle import Machine, explore
from tests.support.systems import Explored, random_system

ENGINES: dict[str, Any] = {
    "ic3": ic3,
    "ic3ia": ic3ia,
    "ctigar": ctigar,
    "ic3qe": ic3qe,
    "bmc": bmc,
    "kinduction": kinduction,
    "itp": itp,
    "fsis": fsis,
}
# of bmc, kinduction and itp; products unrolled 16 times are questions of minutes
BOUNDS = (2, 4, 8)
QUESTIONS = 500  # to the solver in one run: then it is cancelled, which counts as undecided
SECONDS = 60  # of CPU time: a case that needs more counts as a hang


def drawn(engine: str, rng: random.Random) -> Any:
    """Options of an engine: half of the time each has its default, else any of its values (a
    backend: less often).
    """
    chosen: dict[str, Any] = {}
    for f in fields(ENGINES[engine].Options):
        if f.name == "bound":
            chosen[f.name] = rng.choice(BOUNDS)
        elif rng.random() < (0.1 if f.name == "backend" else 0.5):
            chosen[f.name] = rng.choice(_values(f.default, f.metadata["values"], f.metadata["low"]))
    return ENGINES[engine].Options(**chosen)


def _values(default: Any, values: tuple[Any, ...], low: int | None) -> tuple[Any, ...]:
    if isinstance(default, bool):
        return (False, True)
    values = tuple(v for v in values if not str(v).startswith("pipe:"))  # those need a command line
    return values or (default, 0 if low == 0 else default, (low or 0) + 1, (low or 0) + 6)


def objections(
    case: int, tally: collections.Counter[str] | None = None, in_turn: bool = False
) -> list[str]:
    """What speaks against the engines, writers and readers on one system."""
    rng = random.Random(case)
    system = random_system(case, rich=True)
    found = explore(system)
    tally = collections.Counter() if tally is None else tally
    tally[
        (
            "safe"
            if found.depth is None
            else f"violated after {found.depth if found.depth < 2 else 'more'} steps"
        )
    ] += 1
    out = []
    engines = ("ic3", "ic3ia", "ctigar", "ic3qe", ("bmc", "kinduction", "itp", "fsis")[case % 4])
    for number, engine in enumerate(engines):
        options, level = drawn(engine, rng), rng.choice((0, 3))
        debug = rng.random() < 0.1 and found.states <= 40
        if in_turn and number != case % len(engines):
            continue
        problem = _run(system, found, engine, options, level, debug, tally)
        out += [f"{engine} {options}, reduction {level}: {problem}"] if problem else []
    return out + list(_round_trips(system, found, tally))


def _run(
    system: TransitionSystem,
    found: Explored,
    engine: str,
    options: Any,
    level: int,
    debug: bool,
    tally: collections.Counter[str],
) -> str | None:
    small, lift = reduce_system(system, level)
    asked = iter(range(QUESTIONS))
    env = Environment(debug=debug, cancelled=lambda: next(asked, None) is None)
    result: SystemResult = ENGINES[engine].prove(small, options, env)
    tally[f"{engine}: {result.verdict.value}"] += 1
    links = _links(tuple(sorts_of(system)))
    if result.certificate is not None:
        check = check_system_certificate(system, lift.certificate(result.certificate), links)
        if check.status is not Status.ACCEPTED or result.verdict is not Verdict.TRUE:
            return f"certificate: {check.obligation}: {check.reason}"
        tally["certificates accepted"] += 1
    if result.trace is not None:
        answer = check_system_trace(system, lift.trace(result.trace), links)
        if (
            answer.trace is None
            or result.verdict is not Verdict.FALSE
            or not Machine(system).violated_by(answer.trace)
        ):
            return f"trace: {answer.reason}"
        tally["traces confirmed"] += 1
    return _verdict(result, found, options, over=next(asked, None) is None)


@lru_cache
def _links(sorts: tuple[Sort, ...]) -> list[Link]:
    return chain(sorts, ("sat",), SolverStats())


def _verdict(result: SystemResult, found: Explored, options: Any, over: bool) -> str | None:
    expected = Verdict.TRUE if found.depth is None else Verdict.FALSE
    claimed = result.certificate if expected is Verdict.TRUE else result.trace
    if result.verdict is expected and claimed is not None:
        return None
    deep = hasattr(options, "bound") and (found.depth is None or found.depth >= options.bound)
    # they are not for words
    refused = getattr(options, "elimination", "") in ("implicant", "formula")
    if result.verdict is Verdict.UNKNOWN and (
        deep or over or refused or getattr(options, "budget", 0)
    ):
        return None  # a bound, the number of questions or a budget was used up
    return f"{expected.value} expected, not {result.verdict.value} ({result.reason})"


def _round_trips(
    system: TransitionSystem, found: Explored, tally: collections.Counter[str]
) -> Iterator[str]:
    """Requires: `found` is about the system."""
    trips: dict[str, Callable[[], TransitionSystem]] = {
        "vmt": lambda: vmt.parse(vmt.vmt_text(system)),
        "btor2": lambda: btor2.read(btor2.btor2_text(system)).system,
        "aag": lambda: aiger.read(aiger.aiger_bytes(system, False)).system,
        "aig": lambda: aiger.read(aiger.aiger_bytes(system)).system,
    }
    del trips["aag" if found.states % 2 else "aig"]
    for name, trip in trips.items():
        again = explore(trip())
        tally[f"round trip {name}"] += 1
        if again.depth != found.depth:
            yield (
                f"written as {name} and read again: a violation after {again.depth} steps, not"
                f" {found.depth}"
            )


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--in-turn", action="store_true", help="one engine for each system")
    o = arguments(parser, count=20_000)
    return run_cases("systems", o, SECONDS, lambda n, tally: objections(n, tally, o.in_turn))


if __name__ == "__main__":
    sys.exit(main())
