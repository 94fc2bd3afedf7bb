"""The comparisons of docs/ic3cfa-evaluation.md: run them, and make tables and plots of them.

    python benchmarks/ic3cfa_evaluation.py run FOLDER --timeout 60 [--sample 40 --seed 11] [--only F
    H default]
    python benchmarks/ic3cfa_evaluation.py report FOLDER --out docs/ic3cfa-evaluation

`run` gives each configuration (and Spacer, on the programs that it can read) a folder of its own
and calls `obligato bench run` there; called again it goes on where it was stopped. `report` writes
`comparisons.png` (one scatter plot per comparison, time in the engine), `quantile.png`
(score-based: a proof is worth 2, a refutation 1, a wrong one -32 or -16) and `results.csv`; the
tables are printed as Markdown. Refusals (input that is not read, blocks with too many paths for
eager splitting) are counted apart: they say nothing about the algorithm.
"""

from __future__ import annotations

import argparse
import csv
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from obligato.bench.plots import quantile_points
from obligato.bench.score import Result
from obligato.bench.store import Store

DEFAULT, SPACER = "default", "spacer"
SETTINGS = (
    "splitting=eager",
    "generalize=single",
    "seed_invariants=false",
    "predicates=0",
    "ctg=2",
)
CONFIGURATIONS = (DEFAULT, *"ABCDEFGHIJKLMN", *SETTINGS, SPACER)
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
    ("N", "F", "Sect. 3: one relation, an automaton"),
    ("L", DEFAULT, "the paper's best, our default"),
    (SPACER, DEFAULT, "Spacer, our default (processor time of the whole run)"),
    *((DEFAULT, s, s) for s in SETTINGS),
)
COLUMNS = 4  # of plots
TOO_MANY_PATHS = "use splitting=lazy"  # in the reason of a run


@dataclass(frozen=True)
class Run:
    """One configuration on one task."""

    result: Result
    engine_s: float

    @property
    def solved(self) -> bool:
        """Has it an answer?"""
        return self.result.solved

    @property
    def status(self) -> str:
        """As in the results; wrong answers and refusals by the engine have a name of their own."""
        refused = self.result.status == "unknown" and TOO_MANY_PATHS in self.result.reason
        return "refused" if refused else self.result.column

    @property
    def calls(self) -> int:
        """Solver calls."""
        return int(str(self.result.stats.get("solver_calls", 0)))


Runs = dict[str, dict[str, Run]]  # by configuration and task


# -- running ---------------------------------------------------------------------------------------


def command(name: str, folder: Path, arguments: argparse.Namespace) -> list[str]:
    """The call of `obligato bench run` for one configuration."""
    tool = ["--peer", "spacer"] if name == SPACER else ["--engine", "ic3cfa"]
    if name in SETTINGS:
        tool += ["--set", name]
    elif name not in (DEFAULT, SPACER):
        tool += ["--preset", name]
    sample = (
        ["--sample", str(arguments.sample), "--seed", str(arguments.seed)]
        if arguments.sample
        else []
    )
    obligato = str(Path(sys.executable).with_name("obligato"))
    limits = [
        "--timeout",
        str(arguments.timeout),
        "--wall",
        str(arguments.wall or 3 * arguments.timeout),
    ]
    return [
        obligato,
        "bench",
        "run",
        *tool,
        "--track",
        "C-core",
        "--exclude",
        "/recursive",
        *sample,
        *limits,
        "--out",
        str(folder / name.replace("=", "-")),
        "--any-revision",
    ]


def run(arguments: argparse.Namespace) -> None:
    """Run what is missing, one configuration after the other."""
    for name in arguments.only or CONFIGURATIONS:
        subprocess.run(command(name, arguments.folder, arguments), check=True)


# -- reading ---------------------------------------------------------------------------------------


def read(folder: Path) -> Runs:
    """The runs of all configurations that are in a folder."""
    found: Runs = {}
    for name in CONFIGURATIONS:
        place = folder / name.replace("=", "-")
        if (place / "results.sqlite").exists():
            store = Store(place)
            found[name] = {r.task: _run(r) for r in store.results()}
            store.close()
    return found


def _run(result: Result) -> Run:
    """Stages are measured in wall time; the engine's share of it is taken of the processor time.
    Spacer has no stages.
    """
    stages: Any = result.stats.get("stages_s", {})
    wall = float(str(result.stats.get("wall_s", 0.0)))
    cpu = float(str(result.stats.get("cpu_s", 0.0)))
    share = stages.get("prove", 0.0) / max(wall, 0.001) * cpu if stages else result.cpu_s
    return Run(result, round(max(share, 0.01), 3))


# -- tables ----------------------------------------------------------------------------------------


def overview(runs: Runs) -> list[str]:
    """Solved and refused tasks of each configuration, and what the tasks that all of ours solve
    cost it.
    """
    ours = [by_task for name, by_task in runs.items() if name != SPACER]
    common = (
        set.intersection(*({t for t, r in by_task.items() if r.solved} for by_task in ours))
        if ours
        else set()
    )
    lines = [
        (
            "| configuration | true | false | wrong | refused | score | engine time on"
            f" {len(common)} common (s) | calls |"
        ),
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, by_task in runs.items():
        counts = [
            sum(r.status == s for r in by_task.values())
            for s in ("true", "false", "wrong", "refused")
        ]
        score = sum(r.result.score for r in by_task.values())
        spent = [by_task[t] for t in common if t in by_task]
        cost = f"{sum(r.engine_s for r in spent):.1f} | {sum(r.calls for r in spent):,}"
        lines.append(
            f"| {name} | {' | '.join(map(str, counts))} | {score} |"
            f" {' | ' if name == SPACER else cost} |"
        )
    return lines


def comparisons(runs: Runs) -> list[str]:
    """Each comparison: what only one side solves, and the geometric means of the ratios where both
    do. Tasks that one side refuses are left out and counted.
    """
    lines = [
        "| comparison | refused | only left | only right | both | time | calls |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for a, b, what in COMPARISONS:
        if a in runs and b in runs:
            every = [(runs[a][t], runs[b][t]) for t in runs[a] if t in runs[b]]
            pairs = [p for p in every if "refused" not in (p[0].status, p[1].status)]
            both = [(x, y) for x, y in pairs if x.solved and y.solved]
            alone = (
                sum(x.solved and not y.solved for x, y in pairs),
                sum(y.solved and not x.solved for x, y in pairs),
            )
            time = _mean([_seconds(y, a) / _seconds(x, a) for x, y in both])
            calls = (
                ""
                if a == SPACER
                else f"{_mean([(y.calls + 1) / (x.calls + 1) for x, y in both]):.2f}"
            )
            lines.append(
                f"| {what}: {a}, {b} | {len(every) - len(pairs)} | {alone[0]} | {alone[1]} |"
                f" {len(both)} | {time:.2f} | {calls} |"
            )
    return lines


def _seconds(run: Run, left: str) -> float:
    """The time that is compared: in the engine; beside Spacer, of the whole run."""
    return max(run.result.cpu_s, 0.01) if left == SPACER else run.engine_s


def _mean(ratios: list[float]) -> float:
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else math.nan


# -- plots -----------------------------------------------------------------------------------------


def draw(runs: Runs, limit: float, folder: Path) -> None:
    """All comparisons as scatter plots in one picture, and the score-based quantile plot."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    shown = [c for c in COMPARISONS if c[0] in runs and c[1] in runs]
    rows = max(math.ceil(len(shown) / COLUMNS), 1)
    figure, grid = pyplot.subplots(
        rows, COLUMNS, figsize=(14, 3.5 * rows), layout="constrained", squeeze=False
    )
    for axes in grid.flat[len(shown) :]:
        axes.set_visible(False)
    for axes, (a, b, what) in zip(grid.flat, shown, strict=False):
        _panel(axes, runs[a], runs[b], limit, a)
        axes.set(title=what, xlabel=f"{a} (s)", ylabel=f"{b} (s)")
    figure.savefig(folder / "comparisons.png", dpi=90, metadata={"Software": None})
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name, by_task in runs.items():
        points = quantile_points([r.result for r in by_task.values()])
        axes.plot([x for x, _ in points], [y for _, y in points], label=name, linewidth=1)
    axes.set(yscale="log", xlabel="score", ylabel="processor time (s)")
    axes.legend(fontsize=7, ncols=2)
    figure.savefig(folder / "quantile.png", dpi=90, metadata={"Software": None})


def _panel(axes: Any, a: dict[str, Run], b: dict[str, Run], limit: float, left: str) -> None:
    for verdict, marker in (("true", "o"), ("false", "x")):
        pairs = [(a[t], b[t]) for t in a if t in b and verdict in (a[t].status, b[t].status)]
        points = [
            tuple(min(_seconds(r, left), limit) if r.solved else 1.5 * limit for r in pair)
            for pair in pairs
        ]
        axes.scatter([x for x, _ in points], [y for _, y in points], marker=marker, s=14)
    ends = (0.01, 2 * limit)
    axes.plot(ends, ends, color="gray", linewidth=0.8)
    axes.axhline(limit, color="gray", linestyle=":")
    axes.axvline(limit, color="gray", linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)


def report(arguments: argparse.Namespace) -> None:
    """Read, draw, write, print."""
    runs = read(arguments.folder)
    arguments.out.mkdir(parents=True, exist_ok=True)
    draw(runs, arguments.limit, arguments.out)
    with (arguments.out / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ("configuration", "task", "status", "engine_s", "cpu_s", "solver_calls", "reason")
        )
        for c, by_task in runs.items():
            writer.writerows(
                (c, t, r.status, r.engine_s, r.result.cpu_s, r.calls, r.result.reason)
                for t, r in sorted(by_task.items())
            )
    print("\n".join([*overview(runs), "", *comparisons(runs)]))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--timeout", type=float, default=60)
    running.add_argument(
        "--wall",
        type=float,
        default=0,
        help="seconds of wall time; a busy machine needs more than thrice",
    )
    running.add_argument("--sample", type=int, default=0)
    running.add_argument("--seed", type=int, default=11)
    running.add_argument("--only", nargs="+", choices=CONFIGURATIONS)
    running.set_defaults(action=run)
    reporting = commands.add_parser("report")
    reporting.add_argument("folder", type=Path)
    reporting.add_argument("--out", type=Path, required=True)
    reporting.add_argument("--limit", type=float, default=60, help="seconds that a run had")
    reporting.set_defaults(action=report)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
