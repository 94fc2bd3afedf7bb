"""Random small programs on narrow words: does every run end? The engine `rank` against explicit
states.

    python tests/fuzz/endings_run.py [--count 10000] [--seed N] [--only CASE] [--kind
    words|recursive|formulas|c]

`recursive`: recursive programs, where proofs are compared with random runs, and infinite runs are
followed round and round. `formulas`: temporal formulas about programs, against explicit states with
truth assignments of subformulas. `c`: C programs with all kinds of loops and jumps through the
whole pipeline, against compiled runs. Every proof and every infinite run is checked on the
original. Exit status 1 if anything disagrees. A run is resumed with the number of the next case as
its seed.
"""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.engines.ending_judge import (
    c_objection,
    formula_objection,
    objection,
    recursion_objection,
)
from tests.fuzz.progress import Guard, arguments, finish

SECONDS = 60  # of CPU time
KINDS: dict[str, Callable[[int], tuple[str | None, str]]] = {
    "words": lambda case: objection(case, width=2 + case % 3),
    "recursive": recursion_objection,
    "c": c_objection,
    "formulas": lambda case: formula_objection(case, width=2 + case % 2),
}


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--kind", choices=sorted(KINDS), default="words", help="what is asked about which programs"
    )
    o = arguments(parser, count=10_000)
    tally: collections.Counter[str] = collections.Counter()
    guard = Guard(SECONDS, memory=4 << 30)
    for case in guard.cases(o):
        with guard.case(case):
            problem, told = KINDS[o.kind](case)
            tally[told] += 1
            guard.complaints(case, [problem] if problem else [])
    return finish(f"endings, {o.kind}", guard, tally)


if __name__ == "__main__":
    sys.exit(main())
