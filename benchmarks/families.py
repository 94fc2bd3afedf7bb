"""What an engine needed, per family of tasks, from the results of `obligato bench run`
(docs/ic3.md, docs/ic3ia.md).

    python benchmarks/families.py FOLDER --engine ic3bmc
    python benchmarks/families.py FOLDER --against OTHER --plot docs/ic3ia-reduction.png

The first prints refinements and predicates, or frames, then queries and processor time of the
solved tasks [CGMT16, Fig. 8 and 9].  The second compares two settings on the tasks that both solve:
predicates and time [CGMT16, Fig. 10].
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COUNTED = {  # in the statistics of a run
    "refinements": "refinements",
    "predicates": "predicates",
    "frames": "frames",
    "queries": "solver_calls",
}
FIGURES = {"ic3ia": ("refinements", "predicates", "queries", "CPU s")}
OTHERS = ("frames", "queries", "CPU s")


@dataclass(frozen=True)
class Run:
    """An engine on one task."""

    family: str
    status: str
    figures: dict[str, float]

    @property
    def solved(self) -> bool:
        """Has it an answer?"""
        return self.status in ("true", "false")


Runs = dict[str, Run]  # by task


def read(folder: Path, engine: str) -> Runs:
    """The runs of an engine that are in a folder."""
    with sqlite3.connect(f"file:{folder / 'results.sqlite'}?mode=ro", uri=True) as db:
        query = (
            "select task, category, status, cpu_s, stats from results join tasks on task = name"
            " where tool like ?"
        )
        rows = db.execute(query, (f"{engine}%",)).fetchall()
    shared = os.path.commonpath([family for _, family, *_ in rows]) + "/" if len(rows) > 1 else ""
    return {
        task: Run(family.removeprefix(shared), status, _figures(cpu, json.loads(stats)))
        for task, family, status, cpu, stats in rows
    }


def _figures(cpu: float, stats: dict[str, Any]) -> dict[str, float]:
    return {figure: stats.get(key, 0) for figure, key in COUNTED.items()} | {"CPU s": cpu}


def table(runs: Runs, figures: tuple[str, ...]) -> list[str]:
    """Quartiles and maximum of the solved tasks of each family."""
    lines = [
        "| family | tasks | true | false | " + " | ".join(figures) + " |",
        "| --- | --: | --: | --: | " + " | ".join("---" for _ in figures) + " |",
    ]
    families = dict.fromkeys(r.family for r in runs.values())
    for family in (*sorted(families), "all"):
        members = [r for r in runs.values() if family in (r.family, "all")]
        solved = [r for r in members if r.solved]
        counts = [len(members), *(sum(r.status == s for r in members) for s in ("true", "false"))]
        cells = [_spread([r.figures[f] for r in solved], f) for f in figures]
        lines.append("| " + " | ".join([family, *map(str, counts), *cells]) + " |")
    return lines


def _spread(values: list[float], figure: str) -> str:
    if not values:
        return ""
    quartiles = (
        statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    )
    return " / ".join(
        f"{v:.1f}" if figure == "CPU s" else f"{v:.0f}" for v in (*quartiles, max(values))
    )


def comparison(left: Runs, right: Runs, figures: tuple[str, ...], limit: float) -> list[str]:
    """What only one side solves within `limit` seconds, and the sums over the tasks that both
    solve.
    """
    within = {t for t, r in left.items() if r.solved and r.figures["CPU s"] <= limit}
    other = {t for t, r in right.items() if r.solved and r.figures["CPU s"] <= limit}
    both = sorted(within & other)
    lines = [
        f"only left {len(within - other)}, only right {len(other - within)}, both {len(both)}",
        "",
        "| on both | left | right |",
        "| --- | --: | --: |",
    ]
    for f in figures:
        lines.append(
            f"| {f} | {sum(left[t].figures[f] for t in both):,.0f} |"
            f" {sum(right[t].figures[f] for t in both):,.0f} |"
        )
    return lines


def draw(left: Runs, right: Runs, path: Path) -> None:
    """Predicates and time of two settings, a point for each task that both solve."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    both = [t for t, r in left.items() if r.solved and t in right and right[t].solved]
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for axes, what in zip(panels, ("predicates", "CPU s"), strict=True):
        for verdict, marker in (("true", "s"), ("false", "o")):
            points = [
                (right[t].figures[what], left[t].figures[what])
                for t in both
                if left[t].status == verdict
            ]
            color = f"C{verdict == 'false':d}"
            axes.scatter(
                *zip(*points, strict=True),
                marker=marker,
                s=14,
                facecolors="none",
                edgecolors=color,
                label=verdict,
            )
        ends = (0.5, 1.2 * max(axes.get_xlim()[1], axes.get_ylim()[1]))
        axes.plot(ends, ends, color="gray", linewidth=0.8)
        axes.set(xscale="log", yscale="log", title=what, xlabel="with reduction", ylabel="without")
    panels[0].legend()
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main() -> None:
    """Read, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", default="ic3ia")
    parser.add_argument("--against", type=Path, help="the same tasks with another setting")
    parser.add_argument(
        "--limit", type=float, default=60, help="seconds that count in a comparison"
    )
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    runs, figures = read(arguments.folder, arguments.engine), FIGURES.get(arguments.engine, OTHERS)
    if arguments.against is None:
        print("\n".join(table(runs, figures)))
        return
    other = read(arguments.against, arguments.engine)
    print("\n".join(comparison(runs, other, figures, arguments.limit)))
    if arguments.plot is not None:
        draw(runs, other, arguments.plot)


if __name__ == "__main__":
    main()
