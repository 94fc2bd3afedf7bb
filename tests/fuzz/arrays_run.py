"""Random systems with narrow arrays: IC3 on watched cells against exploration, every claim against
the checker.

    python tests/fuzz/arrays_run.py [--count 5000] [--seed N] [--only CASE]

A case is a number; the same number is the same system. Arrays are watched although they are small
enough to be expanded. The verdict must be that of exploration or unknown; every certificate is
checked on the system as it was made, and must not be accepted where a run violates a property, also
not one that was mangled; every trace is replayed. Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.engines.array_judge import judged
from tests.fuzz.progress import Guard, arguments, finish
from tests.support.array_systems import random_array_system

SECONDS = 60
MEMORY = 6 << 30


def main() -> int:
    """Run the cases."""
    o = arguments(
        argparse.ArgumentParser(
            description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        ),
        5000,
    )
    guard, tally = Guard(SECONDS, MEMORY), collections.Counter[str]()
    for number in guard.cases(o):
        with guard.case(number):
            verdict, problems = judged(random_array_system(number), number)
            tally[verdict] += 1
            guard.complaints(number, problems)
    return finish("arrays", guard, tally)


if __name__ == "__main__":
    raise SystemExit(main())
