"""Random small programs: the companions of IC3CFA against exploration, every claim against the
checker and the interpreter.

    python tests/fuzz/programs_run.py [--count 10000] [--seed N] [--only CASE] [--engines
    cegar,treeic3,bmc,kinduction]

A case is a number; the same number is the same program with the same options. Each engine runs with
one of the choices in which every two values of two options occur together
(`tests.engines.program_judge`). Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.engines.judge import sample
from tests.engines.program_judge import CHOICES, objection
from tests.fuzz.progress import arguments, run_cases

SECONDS = 60  # of CPU time: a case that needs more counts as a hang


def objections(case: int, engines: list[str], tally: collections.Counter[str]) -> list[str]:
    """What speaks against the engines on one program."""
    known = sample(case)
    tally["too large" if known is None else known[2].value] += 1
    chosen = {name: CHOICES[name][case % len(CHOICES[name])] for name in engines}
    return [
        f"{name} {choice}: {p}"
        for name, choice in chosen.items()
        if (p := objection(name, case, choice)) is not None
    ]


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--engines", default=",".join(CHOICES), help="which engines, with commas between them"
    )
    o = arguments(parser, count=10_000)
    engines = o.engines.split(",")
    return run_cases("programs", o, SECONDS, lambda case, tally: objections(case, engines, tally))


if __name__ == "__main__":
    sys.exit(main())
