"""Random recursive programs: summaries and inlining to a depth against tabulation, every claim
against its checker.

    python tests/fuzz/recursive_run.py [--count 10000] [--seed N] [--only CASE]

A case is a number; the same number is the same program. Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.engines.recursion_judge import objection
from tests.fuzz.progress import arguments, run_cases

SECONDS = 60  # of CPU time: a case that needs more counts as a hang


def main() -> int:
    """All cases."""
    o = arguments(argparse.ArgumentParser(), count=10_000)
    return run_cases(
        "recursive programs", o, SECONDS, lambda case, tally: [p for p in (objection(case),) if p]
    )


if __name__ == "__main__":
    sys.exit(main())
