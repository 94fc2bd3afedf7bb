"""Score-based quantile plots and scatter plots, as [LNNK19, 6] and SV-COMP draw them;
PNG and SVG by matplotlib.

Quantile: a tool's correct results, fastest first; x is the score accumulated, starting at the
(negative) score of its wrong results, y the processor time of the result. Scatter: one point per
task, x and y the times of two tools; what a tool did not solve lies on the line beyond the limit.
`draw` writes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

from obligato.bench.score import Result
from obligato.bench.tables import by_tool

_SHORTEST_S = 0.01
_SIZE = (6.4, 4.2)


def quantile_points(results: Sequence[Result]) -> list[tuple[int, float]]:
    """The curve of one tool."""
    score = sum(r.score for r in results if r.wrong)
    points = []
    for r in sorted((r for r in results if r.solved), key=lambda r: r.cpu_s):
        score += r.score
        points.append((score, max(r.cpu_s, _SHORTEST_S)))
    return points


def scatter_points(
    a: Sequence[Result], b: Sequence[Result], limit: float
) -> list[tuple[float, float, str]]:
    """Tasks that at least one of two tools solved: their times and the expected verdict."""
    other = {r.task: r for r in b}

    def time(r: Result) -> float:
        return max(min(r.cpu_s, limit), _SHORTEST_S) if r.solved else 1.5 * limit

    pairs = [(r, other[r.task]) for r in a if r.task in other]
    return [(time(x), time(y), x.expected or "") for x, y in pairs if x.solved or y.solved]


def missing() -> str:
    """What plots need and is not installed."""
    return (
        ""
        if find_spec("matplotlib")
        else "there are no plots: they need matplotlib (pip install 'obligato[bench]')"
    )


def draw(results: Sequence[Result], limit: float, folder: Path) -> list[Path]:
    """Write all plots as PNG and SVG; the SVG files. Without matplotlib there are none."""
    groups = {} if missing() else by_tool(results)
    out = [_quantile(groups, limit, folder / "quantile")] if groups else []
    for a, b in combinations(groups, 2):
        name = f"scatter-{_plain(a)}-{_plain(b)}"
        out.append(_scatter((a, groups[a]), (b, groups[b]), limit, folder / name))
    return out


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def figure_of_two_axes() -> tuple[Any, Any]:
    """An empty figure and its axes."""
    import matplotlib  # slow to load, and only plots need it

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "obligato"  # the same input, the same file
    from matplotlib import pyplot

    return pyplot.subplots(figsize=_SIZE, layout="constrained")


def saved(figure: Any, path: Path) -> Path:
    """Write the figure as PNG and SVG, the same bytes each time; the SVG file."""
    from matplotlib import pyplot

    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Software": None})
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return path.with_suffix(".svg")


def _quantile(groups: dict[str, list[Result]], limit: float, path: Path) -> Path:
    figure, axes = figure_of_two_axes()
    for n, (tool, runs) in enumerate(groups.items()):
        points = quantile_points(runs)
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            marker="os^Dv<>"[n % 7],
            markersize=3,
            label=tool,
        )
    axes.set(
        yscale="log",
        xlabel="accumulated score",
        ylabel="processor time (s)",
        ylim=(_SHORTEST_S, 1.2 * limit),
    )
    axes.grid(alpha=0.3)
    axes.legend()
    return saved(figure, path)


def _scatter(
    a: tuple[str, list[Result]], b: tuple[str, list[Result]], limit: float, path: Path
) -> Path:
    figure, axes = figure_of_two_axes()
    points = scatter_points(a[1], b[1], limit)
    for verdict, marker, colour in (
        ("true", "o", "tab:blue"),
        ("false", "x", "tab:red"),
        ("", ".", "tab:gray"),
    ):
        own = [(x, y) for x, y, v in points if v == verdict]
        if own:
            axes.scatter(
                [x for x, _ in own],
                [y for _, y in own],
                marker=marker,
                s=16,
                c=colour,
                label=f"expected {verdict or 'unknown'}",
            )
    ends = (_SHORTEST_S, 2 * limit)
    for factor in (0.1, 1, 10):
        axes.plot(
            ends, [e * factor for e in ends], color="gray", linewidth=0.8 if factor == 1 else 0.4
        )
    axes.axhline(limit, color="gray", linestyle=":")
    axes.axvline(limit, color="gray", linestyle=":")
    axes.set(
        xscale="log",
        yscale="log",
        xlim=ends,
        ylim=ends,
        xlabel=f"{a[0]}: processor time (s)",
        ylabel=f"{b[0]}: processor time (s)",
    )
    if points:
        axes.legend()
    return saved(figure, path)
