"""What `--from` saves: each pair of `again_pairs` proved anew, and by what the proof of the older
program offers.

Prints solver calls of the engine (Houdini's included), its processor time and that of the whole
run, and sums up by the geometric mean. `--engine NAME` takes another engine than the one for C.
With FILES, each of them is a pair with its edit: a few lines are added at the top, and `main`
begins with a variable that nothing else is about.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from math import exp, log
from pathlib import Path
from typing import Any

from benchmarks.again_pairs import PAIRS, Pair, edited
from obligato.api.request import Request
from obligato.api.worker import verify_work
from obligato.reports.json_report import to_dict
from obligato.results.outcome import Outcome


def proved(file: Path, engine: str, earlier: Path | None = None) -> Outcome:
    """The outcome of a run in this process."""
    return verify_work(
        Request(str(file), engine, earlier=None if earlier is None else str(earlier)),
        lambda kind, data: None,
    )


def measured(pair: Pair, engine: str, folder: Path) -> tuple[Outcome, Outcome]:
    """The edited program proved anew, and from the outcome of the older one."""
    old, new, told = folder / "old.c", folder / "new.c", folder / "old.json"
    old.write_text(pair.old, encoding="utf-8")
    new.write_text(pair.new, encoding="utf-8")
    told.write_text(json.dumps(to_dict(proved(old, engine))), encoding="utf-8")
    return proved(new, engine), proved(new, engine, told)


def engine_s(stats: dict[str, Any]) -> float:
    """Processor time from the first large block to the claim: what is neither reading nor
    checking.
    """
    return max(
        0.001,
        sum(float(stats["stages_cpu_s"].get(stage, 0.0)) for stage in ("blocks", "seeds", "prove")),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="ic3cfa")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    engine, ratios = given.engine, list[tuple[float, float, float]]()
    print(f"{'pair':14} {'calls':>11} {'engine s':>15} {'cpu s':>15}  kept")
    for pair in map(edited, given.files) if given.files else PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            anew, again = (o.stats | {"v": str(o)} for o in measured(pair, engine, Path(folder)))
        calls = max(1, anew["solver_calls"]) / max(1, again["solver_calls"])
        ratios.append((calls, engine_s(anew) / engine_s(again), anew["cpu_s"] / again["cpu_s"]))
        print(
            f"{pair.name:14} {anew['solver_calls']:5} {again['solver_calls']:5}"
            f" {engine_s(anew):7.3f} {engine_s(again):7.3f} {anew['cpu_s']:7.3f}"
            f" {again['cpu_s']:7.3f}  {again['offers_kept']} of {again['offered']}  {anew['v']}"
            f" {again['v']}",
            flush=True,
        )
    for what, values in zip(
        ("calls", "engine time", "whole time"), zip(*ratios, strict=True), strict=True
    ):
        mean = exp(sum(map(log, values)) / len(values))
        enough = sum(v >= 3 for v in values)
        print(
            f"{what}: {mean:.1f} times less (geometric mean), {enough} of {len(values)} at least 3"
            " times"
        )


if __name__ == "__main__":
    main()
