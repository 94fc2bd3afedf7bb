"""Random formulas over integers, reals, both, and words: is projection right, and is its image
finite?

    python tests/fuzz/projection_run.py [--count 10000] [--seed N] [--only CASE] [--z3]

A case is a number; the same number is the same formula. `tests/support/projections.py` says what
must hold. With --z3 it is z3's projection that is judged, some results of each formula (ours where
it has no answer). Exit status 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from obligato.smt.implicant import implicant
from obligato.smt.projection.by_z3 import Z3Projection
from obligato.terms import Term
from tests.fuzz.progress import Tally, arguments, run_cases
from tests.support.projections import Model, by_us, objections, random_case

SECONDS = 60


def by_z3(formula: Term, gone: Sequence[Term], model: Model) -> Sequence[Term]:
    """z3's projection of an implicant."""
    found = Z3Projection(formula.store).project(implicant(formula, model), gone, model)
    return by_us(formula, gone, model) if found is None else found


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--z3", action="store_true", help="judge z3's projection")
    o = arguments(parser, count=10_000)

    def judged(number: int, tally: Tally) -> list[str]:
        kind, case = random_case(number)
        tally[kind] += 1
        return list(objections(case, tally, by_z3 if o.z3 else by_us, few=o.z3))

    return run_cases("projection", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
