"""Tools beside each other on the same tasks, from the results of `obligato bench run`: what
[CGMT16, Fig. 4 to 9] shows (docs/ic3ia.md).

    python benchmarks/beside.py FOLDER... --name LABEL=TOOL... [--plot docs/FILE.svg]

prints what each tool solves and in what time, then refinements and queries of IC3IA and CTIGAR
on the tasks that all of these solve. The plot has the tasks solved against the time that they
took together, and the first tool's times against those of each other tool. Tools are shown in the
order of their names; TOOL is what `bench run` calls it, LABEL by default the same.
"""

from __future__ import annotations

import argparse
import math
import statistics
from itertools import accumulate
from pathlib import Path
from typing import Any

from obligato.bench.plots import scatter_points
from obligato.bench.score import Result
from obligato.bench.store import Store
from obligato.bench.tables import by_tool

Groups = dict[str, list[Result]]  # by label
COUNTED = {"refinements": "refinements", "queries": "solver_calls"}
REFINING = ("ic3ia", "ctigar")  # engines
_ACROSS = 4  # panels in a row
_PANEL = 2.6  # inches


def read(folders: list[Path], names: list[str]) -> tuple[Groups, float]:
    """The runs of each tool that is named, and the largest limit of time."""
    stores = [Store(folder) for folder in folders]
    groups = by_tool([r for store in stores for r in store.results()])
    labels = {label: tool or label for label, _, tool in (name.partition("=") for name in names)}
    limit = max(float(store.meta()["limits"]["cpu_s"]) for store in stores)
    return {label: groups[tool] for label, tool in labels.items()}, limit


def solved(runs: list[Result]) -> dict[str, Result]:
    """The runs with the right answer, by task."""
    return {r.task: r for r in runs if r.solved}


def ranking(groups: Groups) -> list[str]:
    """What each tool solves, most first [CGMT16, Fig. 4 to 7]. *alone*: no other tool does."""
    tasks = {r.task for runs in groups.values() for r in runs}
    lines = [
        f"| tool | solved of {len(tasks)} | true | false | wrong | alone | time of these, s |",
        "| --- " + "| --: " * 6 + "|",
    ]
    right = {label: solved(runs) for label, runs in groups.items()}
    order = sorted(groups, key=lambda x: (-len(right[x]), sum(r.cpu_s for r in right[x].values())))
    for label in order:
        own = right[label]
        others = {t for other, runs in right.items() if other != label for t in runs}
        figures = [
            len(own),
            sum(r.status == "true" for r in own.values()),
            sum(r.status == "false" for r in own.values()),
            sum(r.wrong for r in groups[label]),
            len(own.keys() - others),
        ]
        seconds = sum(r.cpu_s for r in own.values())
        lines.append(f"| {label} | " + " | ".join(map(str, figures)) + f" | {seconds:.1f} |")
    return lines


def effort(groups: Groups, figure: str) -> list[str]:
    """The spread of a figure on the tasks that all abstracting tools solve [CGMT16, Fig. 8, 9].
    The paper's first and ninth "percentile" are deciles.
    """
    refining = {
        label: solved(runs)
        for label, runs in groups.items()
        if runs and runs[0].tool.startswith(REFINING)
    }
    if not refining:
        return []
    common = sorted(set.intersection(*(set(runs) for runs in refining.values())))
    columns = [
        _spread([float(str(runs[t].stats.get(COUNTED[figure], 0))) for t in common])
        for runs in refining.values()
    ]
    lines = [
        f"| {figure}, {len(common)} tasks | " + " | ".join(refining) + " |",
        "| --- " + "| --: " * len(columns) + "|",
    ]
    for row in columns[0]:
        lines.append(f"| {row} | " + " | ".join(f"{c[row]:,.6g}" for c in columns) + " |")
    return lines


def _spread(values: list[float]) -> dict[str, float]:
    """Figures that describe the values."""
    if len(values) < 2:
        return {"median": values[0]} if values else {}
    deciles = statistics.quantiles(values, n=10, method="inclusive")
    quartiles = statistics.quantiles(values, n=4, method="inclusive")
    return {
        "median": quartiles[1],
        "average": round(statistics.mean(values), 1),
        "least": min(values),
        "most": max(values),
        "1st quartile": quartiles[0],
        "3rd quartile": quartiles[2],
        "1st decile": round(deciles[0], 1),
        "9th decile": round(deciles[8], 1),
    }


def draw(groups: Groups, limit: float, path: Path) -> None:
    """All panels in one SVG file, the same bytes each time."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update({"svg.hashsalt": "obligato", "svg.fonttype": "none", "font.size": 7})
    from matplotlib import pyplot

    first, *others = groups
    rows = math.ceil((1 + len(others)) / _ACROSS)
    figure, panels = pyplot.subplots(
        rows,
        _ACROSS,
        figsize=(_PANEL * _ACROSS, _PANEL * rows),
        layout="constrained",
        squeeze=False,
    )
    free = [axes for row in panels for axes in row]
    _cumulative(groups, free[0])
    for axes, other in zip(free[1:], others, strict=False):
        _scatter((first, groups[first]), (other, groups[other]), limit, axes)
    for axes in free[1 + len(others) :]:
        axes.axis("off")
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _cumulative(groups: Groups, axes: Any) -> None:
    for n, (label, runs) in enumerate(groups.items()):
        times = sorted(r.cpu_s for r in solved(runs).values())
        axes.step(
            [times[0] if times else 1, *accumulate(times)],
            [0, *range(1, len(times) + 1)],
            where="post",
            linewidth=1,
            linestyle=("-", "--", ":")[n // 4 % 3],
            label=label,
        )
    axes.set(xscale="log", xlabel="total processor time, s", ylabel="tasks solved")
    axes.minorticks_off()  # which are most of a small file
    axes.legend(fontsize=5)


def _scatter(
    a: tuple[str, list[Result]], b: tuple[str, list[Result]], limit: float, axes: Any
) -> None:
    points = scatter_points(a[1], b[1], limit)
    for verdict, marker, colour in (("true", "s", "tab:blue"), ("false", "o", "tab:red")):
        own = [(x, y) for x, y, v in points if v == verdict]
        axes.scatter(*zip(*own, strict=True) if own else ((), ()), marker=marker, s=8, c=colour)
    ends = (0.1, 2 * limit)
    axes.plot(ends, ends, color="gray", linewidth=0.6)
    for line in (axes.axhline, axes.axvline):
        line(limit, color="gray", linestyle=":", linewidth=0.6)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel=f"{a[0]}, s")
    axes.set_ylabel(f"{b[0]}, s")
    axes.minorticks_off()


def main() -> None:
    """Read, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--name", action="append", required=True, metavar="LABEL=TOOL")
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    groups, limit = read(arguments.folders, arguments.name)
    print("\n".join(ranking(groups)), end="\n\n")
    for figure in COUNTED:
        print("\n".join(effort(groups, figure)), end="\n\n")
    if arguments.plot is not None:
        draw(groups, limit, arguments.plot)


if __name__ == "__main__":
    main()
