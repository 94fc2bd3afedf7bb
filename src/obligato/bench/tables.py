"""Tables of results as plain text and as Markdown:
per tool a row per category, and what the benchmark was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from obligato.bench.score import COLUMNS, NOISE, Result, Row, row, rows
from obligato.bench.store import Store

HEADER = ("tasks", *COLUMNS, "cpu s", "solved s", "score")


def cells(r: Row) -> list[str]:
    """A row's figures, in the order of `HEADER`."""
    return [
        str(r.tasks),
        *(str(r.counts[c]) for c in COLUMNS),
        f"{r.cpu_s:.0f}",
        f"{r.solved_cpu_s:.0f}",
        str(r.score),
    ]


def by_tool(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results of each tool, in the order of first appearance."""
    out: dict[str, list[Result]] = {}
    for r in results:
        out.setdefault(r.tool, []).append(r)
    return out


def tables(results: Sequence[Result]) -> list[tuple[str, list[Row]]]:
    """All tools in one table, then one table per tool with a row per category."""
    groups = by_tool(results)
    summary = (
        [("all tools", [row(tool, runs) for tool, runs in groups.items()])]
        if len(groups) > 1
        else []
    )
    return [*summary, *((tool, rows(runs)) for tool, runs in groups.items())]


def text(results: Sequence[Result]) -> str:
    """The tables as text for a terminal."""
    return "\n\n".join(_text(title, table) for title, table in tables(results))


def _text(title: str, table: list[Row]) -> str:
    lines = [[title, *HEADER], *([r.label or "-", *cells(r)] for r in table)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            [
                line[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)),
            ]
        )
        for line in lines
    )


def markdown(results: Sequence[Result]) -> str:
    """The tables as Markdown."""
    return "\n\n".join(_markdown(title, table) for title, table in tables(results))


def _markdown(title: str, table: list[Row]) -> str:
    lines = [
        [title, *HEADER],
        ["---", *["--:"] * len(HEADER)],
        *([r.label or "-", *cells(r)] for r in table),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def facts(store: Store) -> list[tuple[str, str]]:
    """What a reader must know about a benchmark:
    command, revision, date, machine, limits, tools, and what is missing."""
    meta, done = store.meta(), store.results()
    out = [
        ("command", meta.get("command", "")),
        ("revision", f"{meta.get('revision')} (sources {meta.get('source')})"),
        ("date", meta.get("date", "")),
        ("machine", _machine(meta.get("machine", {}))),
        ("limits", _limits(meta)),
    ]
    out += [(f"tool {t['name']}", f"{t['version']}: {t['command']}") for t in store.tools()]
    if len(done) < store.total():
        out.append(
            ("incomplete", f"{store.total() - len(done)} of {store.total()} runs are missing")
        )
    solved = [r.cpu_s for r in done if r.solved]
    near = sum(s * NOISE >= meta["limits"]["cpu_s"] for s in solved)
    if near:
        out.append(
            (
                "near the limit",
                f"{near} of {len(solved)} solved runs needed half of their processor time or more",
            )
        )
    compiled = [r for r in done if "replayed" in r.stats]
    if compiled:
        reached = sum(bool(r.stats["replayed"]) for r in compiled)
        out.append(("compiled counterexamples", f"{reached} of {len(compiled)} reach the error"))
    mixed = sorted({r.source for r in done})
    if len(mixed) > 1:
        out.append(("mixed", f"the sources changed during the benchmark: {', '.join(mixed)}"))
    return out


def _machine(m: dict[str, Any]) -> str:
    packages = ", ".join(f"{k} {v}" for k, v in m.get("packages", {}).items())
    return (
        f"{m.get('processor')}, {m.get('cores')} cores, {m.get('memory_gb')} GB, {m.get('system')},"
        f" Python {m.get('python')}, {packages}"
    )


def _limits(meta: dict[str, Any]) -> str:
    limits = meta.get("limits", {})
    return (
        f"{limits.get('cpu_s'):g} s processor time, {limits.get('wall_s'):g} s wall time,"
        f" {limits.get('memory_mb')} MB, {meta.get('jobs')} jobs, by"
        f" {meta.get('isolation', 'rlimits')}"
    )


def notable(results: Sequence[Result]) -> list[Result]:
    """Wrong verdicts and internal errors: what must be looked at."""
    return [r for r in results if r.wrong or r.status == "internal"]


def notable_text(results: Sequence[Result]) -> str:
    """One line for each of them."""
    return "\n".join(
        f"{r.column}: {r.tool} on {r.task}: "
        + (f"{r.status}, expected {r.expected}" if r.wrong else r.reason)
        for r in notable(results)
    )
