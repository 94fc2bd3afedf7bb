"""Random small finite systems with properties of infinite runs: every engine against the
explicit-state oracle.

    python tests/fuzz/live_run.py [--count 20000] [--seed N] [--only CASE]

Even cases have a justice property and up to three fairness sets, odd ones a temporal formula;
constraints, deadlocks and inputs in fairness sets are among them. Each is given to `fair` with
drawn options and to `l2s`, `klive` or `rank`; every proof and lasso is checked on the original.
Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.engines import fair
from tests.engines.live_judge import ENGINES, objection
from tests.fuzz.progress import arguments, run_cases
from tests.support.live import random_live_system, random_ltl_system, violated

SECONDS = 60  # of CPU time


def drawn(rng: random.Random) -> fair.Options:
    """Options of `fair`, half of the time the defaults."""
    if rng.random() < 0.5:
        return fair.Options()
    return fair.Options(
        budget=rng.choice((1, 5, 50, 2000)),
        walls=rng.choice(("all", "recent", "used")),
        wall_count=rng.choice((1, 3, 20)),
        merge=rng.choice((0, 20000)),
        ctg=rng.choice((0, 3)),
        drop_literals=rng.random() < 0.8,
        joins=rng.random() < 0.8,
        stem_first=rng.random() < 0.5,
        inner_first=rng.random() < 0.5,
        reuse=rng.choice((0, 3, 50)),
        orbit=rng.choice((0, 10, 8_000_000)),
    )


def objections(case: int, tally: collections.Counter[str]) -> list[str]:
    """What speaks against the engines on one system."""
    rng = random.Random(case)
    kind = "formula" if case % 2 else "justice"
    system = (
        random_ltl_system(case, rng.choice((3, 4, 5)))
        if case % 2
        else random_live_system(case, rng.choice((4, 7, 10)))
    )
    expected = violated(system)
    tally[f"{kind} {'violated' if expected else 'holds'}"] += 1
    other = ("l2s", "klive", "rank")[case // 2 % 3]
    out = []
    for name, (prove, options) in {"fair": (fair.prove, drawn(rng)), other: ENGINES[other]}.items():
        level = rng.choice((0, 3))
        problem = objection(system, expected, prove, options, level)
        out += [f"{name} {options}, reduction {level}: {problem}"] if problem else []
    return out


def main() -> int:
    """All cases."""
    o = arguments(argparse.ArgumentParser(), count=20_000)
    return run_cases("live", o, SECONDS, objections)


if __name__ == "__main__":
    sys.exit(main())
