"""Random Lustre programs: the interpreter and the transition system agree on every stream and
property, step by step.

    python tests/fuzz/lustre_run.py [--count 5000] [--seed N] [--only CASE [--show]]

Programs have contracts, clocks, restarts, blocks, frames, machine integers, records, arrays and
datatypes. Exit status 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.errors import InputError  # noqa: E402
from tests.fuzz.progress import Tally, arguments, run_cases  # noqa: E402
from tests.support.lustre import Generator  # noqa: E402
from tests.support.lustre_runs import differences  # noqa: E402

SECONDS = 30  # of CPU time for one program
STEPS = 10


def objections(case: int, tally: collections.Counter[str]) -> list[str]:
    """What the two readers say differently about one program."""
    rng = random.Random(case)
    text = Generator(rng).program()
    try:
        found = differences(text, rng, STEPS) or differences(text, rng, STEPS, contracts="modular")
    except InputError as refusal:
        return [f"refused: {refusal}"]
    tally["different" if found else "same"] += 1
    return found


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the programs")
    o = arguments(parser, count=5000)

    def judged(case: int, tally: Tally) -> list[str]:
        if o.show:
            print(Generator(random.Random(case)).program())
        return objections(case, tally)

    return run_cases("Lustre programs", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
