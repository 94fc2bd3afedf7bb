"""Random SMV models: the interpreter and the transition system agree on first states, successors
and invariants.

    python tests/fuzz/smv_run.py [--count 1000] [--seed N] [--only CASE [--show]]

Models have modules, parameters, processes, enumerations, ranges, words, arrays, sets, definitions
and all kinds of constraints. Those that are refused must be so for a reason that the interpreter
sees, too. Exit status 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.fuzz.progress import Tally, arguments, run_cases  # noqa: E402
from tests.support.smv import outcome  # noqa: E402
from tests.support.smv_models import Generator  # noqa: E402

SECONDS = 60  # of CPU time for one model


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the models")
    o = arguments(parser, count=1000)

    def judged(case: int, tally: Tally) -> list[str]:
        text = Generator(random.Random(case)).model()
        if o.show:
            print(text)
        kind, complaints = outcome(text, random.Random(case))
        tally[kind] += 1
        return complaints

    return run_cases("SMV models", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
