"""Random Horn clauses as text, in all forms of SMT-LIB: every engine against the least model.

    python tests/fuzz/horn_run.py [--count 10000] [--seed N] [--only CASE [--show]]

A case is a number; the same number is the same problem with the same engine and options. Problems are
linear or not, over integers, Booleans, words, reals and small arrays, as assertions or as rules
(`tests/support/horn_forms.py`). The file is read and decided as every run does it, its claim checked.
The engines take turns; options are drawn from all values that they declare. Exit status 1 if anything
disagrees; what is not decided is counted.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.api.library import verify  # noqa: E402
from obligato.api.registry import ENGINES  # noqa: E402
from obligato.errors import ConfigError, Unsupported  # noqa: E402
from obligato.results.outcome import Verdict  # noqa: E402
from tests.fuzz.progress import Tally, arguments, run_cases  # noqa: E402
from tests.fuzz.systems_run import BOUNDS  # noqa: E402
from tests.support.horn_forms import problem  # noqa: E402
from tests.support.horn_texts import derivable  # noqa: E402

SECONDS = 60  # of CPU time for one problem
LIMIT = 5  # seconds after which an engine gives up, between questions to its solver
FOR_CLAUSES = ("summaries", "")  # "": the engine that is chosen by the input
FOR_LINEAR = ("ic3cfa", "cegar", "treeic3", "bmc", "kinduction", "ic3ia", "ctigar", "ic3qe", "itp")


def drawn(engine: str, rng: random.Random) -> dict[str, Any]:
    """Options of an engine: half of the time all defaults, else now and then any of its values."""
    chosen: dict[str, Any] = {}
    for f in fields(ENGINES[engine].options) if engine and rng.random() < 0.5 else ():
        values = f.metadata["values"] or ((False, True) if isinstance(f.default, bool) else ())
        if f.name == "bound":
            chosen[f.name] = rng.choice(BOUNDS)
        elif f.name != "backend" and values and rng.random() < 0.3:
            chosen[f.name] = rng.choice(values)
    return chosen


def objections(case: int, tally: Tally) -> list[str]:
    """What speaks against one engine on one problem."""
    made, rng = problem(case), random.Random(case)
    expected = Verdict.FALSE if derivable(made) else Verdict.TRUE
    linear = all(len(r.body) < 2 for r in made.rules)
    engine = rng.choice((*FOR_CLAUSES, *FOR_LINEAR) if linear else FOR_CLAUSES)
    options = drawn(engine, rng)
    tally[f"{'linear' if linear else 'non-linear'}: {expected.value}"] += 1
    for form in dict.fromkeys(made.forms):
        tally[f"form: {form}"] += 1
    try:
        outcome = verify(
            made.text, engine or None, language="chc", timeout=LIMIT, isolated=False, **options
        )
    except (ConfigError, Unsupported) as refusal:
        tally[f"refused: {type(refusal).__name__}"] += 1
        return []
    tally[f"{engine or 'chosen'}: {outcome.verdict.value}"] += 1
    if outcome.verdict in (expected, Verdict.UNKNOWN):
        return []
    return [f"{engine} {options}: {expected.value} expected, not {outcome.verdict.value}"]


def main() -> int:
    """All cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the problems")
    o = arguments(parser, count=10_000)

    def judged(case: int, tally: Tally) -> list[str]:
        if o.show:
            print(problem(case).text)
        return objections(case, tally)

    return run_cases("Horn problems", o, SECONDS, judged)


if __name__ == "__main__":
    sys.exit(main())
