"""One HTML page with everything about a benchmark:
what it was, tables, plots, and all runs in a table to sort and filter.

It is put together as the pages of outcomes are (`reports.page.assemble`): names and reasons are
data, never HTML. It refers to nothing outside itself but to the files of its tasks, by links
relative to the folder of the page.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from obligato.bench.score import Result, Row
from obligato.bench.store import Store
from obligato.bench.tables import HEADER, by_tool, cells, facts, tables
from obligato.reports.page.assemble import assemble

STYLES, SCRIPTS = ("base.css", "bench.css"), ("dom.js", "bench.js")
MAX_REASON = 400  # characters


def page(store: Store, plots: Sequence[Path], folder: Path) -> str:
    """The page, which will be in `folder`."""
    return assemble(
        store.meta().get("title") or "Obligato benchmark",
        page_data(store, plots, folder),
        STYLES,
        SCRIPTS,
    )


def page_data(store: Store, plots: Sequence[Path], folder: Path) -> dict[str, Any]:
    """What the page shows."""
    results = store.results()
    return {
        "title": store.meta().get("title") or "Benchmark",
        "facts": facts(store),
        "header": HEADER,
        "limit": store.meta()["limits"]["cpu_s"],
        "tables": [
            {"title": title, "rows": [_row(r) for r in rows]} for title, rows in tables(results)
        ],
        "plots": [{"name": p.stem, "image": _image(p)} for p in plots],
        "tools": list(by_tool(results)),
        "tasks": _tasks(store, results, folder),
    }


def _row(r: Row) -> list[str]:
    return [r.label or "-", *cells(r)]


def _image(path: Path) -> str:
    return f"data:image/svg+xml;base64,{b64encode(path.read_bytes()).decode()}"


def _tasks(store: Store, results: Sequence[Result], folder: Path) -> list[dict[str, Any]]:
    """Each task with its runs by tool;
    a run is [column, status, processor time, wall time, memory, reason]."""
    tools = {tool: n for n, tool in enumerate(by_tool(results))}
    files = store.files()
    out: dict[str, dict[str, Any]] = {}
    for r in results:
        made = {
            "name": r.task,
            "category": r.category,
            "expected": r.expected or "",
            "runs": [None] * len(tools),
        }
        task = out.setdefault(r.task, made | {"file": _link(files[r.task], folder)})
        task["runs"][tools[r.tool]] = [
            r.column,
            r.status,
            r.cpu_s,
            r.wall_s,
            r.peak_mb,
            r.reason[:MAX_REASON],
        ]
    return list(out.values())


def _link(file: str, folder: Path) -> str:
    """A link to the file of a task, relative to the folder of the page."""
    return f"./{quote(os.path.relpath(file, folder))}"
