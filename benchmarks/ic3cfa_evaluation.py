"""The comparisons of docs/ic3cfa-evaluation.md from the results of `obligato bench run`.

    python benchmarks/ic3cfa_evaluation.py FOLDER... --out docs/ic3cfa-evaluation

Each folder holds runs of IC3CFA with presets or settings on the same tasks.  Written are `comparisons.png` (one scatter plot
per comparison, time in the engine) and `results.csv`; the tables are printed as Markdown.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = "default"
COMPARISONS = (  # left, right, figure of [LNNK19] and what is compared
    ("A", "B", "6a: generalisation, all edges at once"),
    ("B", "C", "6b: edge by edge"),
    ("A", "C", "6c: generalisation, edge by edge"),
    ("C", "D", "7: largest cubes first"),
    ("C", "E", "7: random order of cubes"),
    ("C", "F", "8: obligation reuse"),
    ("F", "G", "9a: WEP-based inductivity"),
    ("F", "H", "9b: predecessor cubes"),
    ("F", "I", "10a: caching, upper bounds"),
    ("I", "J", "10b: lower bounds"),
    ("F", "J", "10c: both bounds"),
    ("F", "K", "11a: interpolation"),
    ("L", "M", "11b: semantic subsumption"),
    ("F", "L", "12a: all that paid off"),
    ("L", DEFAULT, "the paper's best, our default"),
    (DEFAULT, "splitting=eager", "eager splitting"),
    (DEFAULT, "generalize=single", "edge by edge, no joint candidates"),
    (DEFAULT, "seed_invariants=false", "no seeds"),
    (DEFAULT, "predicates=0", "no predicates"),
    (DEFAULT, "ctg=2", "CTG"),
)
COLUMNS = 4  # of plots


@dataclass(frozen=True)
class Run:
    """One configuration on one task."""

    status: str
    engine_s: float
    calls: int

    @property
    def solved(self) -> bool:
        """Has it an answer?"""
        return self.status in ("true", "false")


Runs = dict[str, dict[str, Run]]  # by configuration and task


def read(folder: Path) -> Runs:
    """The runs that are in a folder."""
    with sqlite3.connect(f"file:{folder / 'results.sqlite'}?mode=ro", uri=True) as db:
        names = {tool: _name(json.loads(options)) for tool, options in db.execute("select name, options from tools")}
        found: Runs = {name: {} for name in names.values()}
        for task, tool, status, stats in db.execute("select task, tool, status, stats from results"):
            found[names[tool]][task] = _run(status, json.loads(stats))
    return found


def _name(options: dict[str, Any]) -> str:
    return " ".join([p] if (p := options.get("preset")) else options["settings"]) or DEFAULT


def _run(status: str, stats: dict[str, Any]) -> Run:
    """Stages are measured in wall time; the engine's share of it is taken of the processor time."""
    share = stats.get("stages_s", {}).get("ic3cfa", 0.0) / max(stats.get("wall_s", 0.0), 0.001)
    return Run(status, round(max(share * stats.get("cpu_s", 0.0), 0.01), 3), stats.get("solver_calls", 0))


def overview(runs: Runs) -> list[str]:
    """Solved tasks of each configuration, and what the tasks that all of them solve cost it."""
    common = set.intersection(*({t for t, r in by_task.items() if r.solved} for by_task in runs.values()))
    head = f"| configuration | true | false | engine time on {len(common)} common (s) | solver calls |"
    lines = [head, "|---|---:|---:|---:|---:|"]
    for name, by_task in runs.items():
        counts = [sum(r.status == s for r in by_task.values()) for s in ("true", "false")]
        spent = sum(by_task[t].engine_s for t in common), sum(by_task[t].calls for t in common)
        lines.append(f"| {name} | {counts[0]} | {counts[1]} | {spent[0]:.1f} | {spent[1]:,} |")
    return lines


def comparisons(runs: Runs) -> list[str]:
    """Each comparison: what only one side solves, and the geometric means of the ratios where both do."""
    lines = ["| comparison | only left | only right | both | time | calls |", "|---|---:|---:|---:|---:|---:|"]
    for a, b, what in COMPARISONS:
        if a in runs and b in runs:
            pairs = [(runs[a][t], runs[b][t]) for t in runs[a] if t in runs[b]]
            both = [(x, y) for x, y in pairs if x.solved and y.solved]
            alone = sum(x.solved and not y.solved for x, y in pairs), sum(y.solved and not x.solved for x, y in pairs)
            time = _mean([y.engine_s / x.engine_s for x, y in both])
            calls = _mean([(y.calls + 1) / (x.calls + 1) for x, y in both])
            lines.append(f"| {what}: {a}, {b} | {alone[0]} | {alone[1]} | {len(both)} | {time:.2f} | {calls:.2f} |")
    return lines


def _mean(ratios: list[float]) -> float:
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else math.nan


def draw(runs: Runs, limit: float, path: Path) -> None:
    """All comparisons as scatter plots in one picture."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    shown = [c for c in COMPARISONS if c[0] in runs and c[1] in runs]
    rows = math.ceil(len(shown) / COLUMNS)
    figure, grid = pyplot.subplots(rows, COLUMNS, figsize=(14, 3.5 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat[len(shown):]:
        axes.set_visible(False)
    for axes, (a, b, what) in zip(grid.flat, shown, strict=False):
        _panel(axes, runs[a], runs[b], limit)
        axes.set(title=what, xlabel=f"{a} (s)", ylabel=f"{b} (s)")
    figure.savefig(path, dpi=90, metadata={"Software": None})


def _panel(axes: Any, a: dict[str, Run], b: dict[str, Run], limit: float) -> None:
    for verdict, marker in (("true", "o"), ("false", "x")):
        pairs = [(a[t], b[t]) for t in a if t in b and verdict in (a[t].status, b[t].status)]
        points = [tuple(min(r.engine_s, limit) if r.solved else 1.5 * limit for r in pair) for pair in pairs]
        axes.scatter([x for x, _ in points], [y for _, y in points], marker=marker, s=14)
    ends = (0.01, 2 * limit)
    axes.plot(ends, ends, color="gray", linewidth=0.8)
    axes.axhline(limit, color="gray", linestyle=":")
    axes.axvline(limit, color="gray", linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)


def main() -> None:
    """Read, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=float, default=8, help="seconds that a run had")
    arguments = parser.parse_args()
    runs: Runs = {}
    for folder in arguments.folders:
        runs |= read(folder)
    arguments.out.mkdir(parents=True, exist_ok=True)
    draw(runs, arguments.limit, arguments.out / "comparisons.png")
    with (arguments.out / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("configuration", "task", "status", "engine_s", "solver_calls"))
        for c, by_task in runs.items():
            writer.writerows((c, t, r.status, r.engine_s, r.calls) for t, r in sorted(by_task.items()))
    print("\n".join([*overview(runs), "", *comparisons(runs)]))


if __name__ == "__main__":
    main()
