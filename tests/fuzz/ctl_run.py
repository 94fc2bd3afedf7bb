"""Random small finite systems with formulas of branching time: `iictl` against explicit labelling,
every claim checked.

    python tests/fuzz/ctl_run.py [--count 20000] [--seed N] [--only CASE]

Systems of 2 to 8 bits with fairness, constraints, deadlocks and relations; formulas up to depth 5;
half may name inputs. Options are drawn. Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.engines import iictl
from obligato.models.ctl import names_input
from tests.engines.ctl_judge import objection
from tests.fuzz.progress import arguments, run_cases
from tests.support.ctl import holds, random_ctl_system

SECONDS = 60  # of CPU time


def drawn(rng: random.Random) -> iictl.Options:
    """Options, half of the time the defaults."""
    if rng.random() < 0.5:
        return iictl.Options()
    return iictl.Options(
        generalize=rng.random() < 0.8,
        drop=rng.random() < 0.7,
        walks=rng.choice((0, 0, 5, 100)),
        descents=rng.choice((0, 0, 3, 300)),
        budget=rng.choice((1, 20, 2000)),
        merge=rng.choice((0, 20000)),
        ctg=rng.choice((0, 3)),
        drop_literals=rng.random() < 0.8,
        joins=rng.random() < 0.8,
    )


def objections(case: int, tally: collections.Counter[str]) -> list[str]:
    """What speaks against the engine on one system."""
    rng = random.Random(case)
    system = random_ctl_system(case, rng.randint(2, 8), rng.choice((3, 5)))
    expected = holds(system)
    (p,) = system.branching
    tally["holds" if expected else "does not hold"] += 1
    tally["names inputs"] += names_input(system, p.formula)
    tally["fairness"] += bool(system.fairness)
    tally["constraints"] += bool(system.constraints)
    options, level = drawn(rng), rng.choice((0, 3))
    problem = objection(system, expected, options, level)
    return [f"{options}, reduction {level}: {problem}"] if problem else []


def main() -> int:
    """All cases."""
    o = arguments(argparse.ArgumentParser(), count=20_000)
    return run_cases("ctl", o, SECONDS, objections)


if __name__ == "__main__":
    sys.exit(main())
