"""All reports of a benchmark, written into one folder:
tables (text, Markdown), plots, page, JSON and CSV."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

from obligato.bench import tables
from obligato.bench.page import page
from obligato.bench.plots import draw
from obligato.bench.score import Result
from obligato.bench.store import Store

_FIELDS = (
    "task",
    "category",
    "expected",
    "tool",
    "status",
    "correct",
    "score",
    "cpu_s",
    "wall_s",
    "peak_mb",
    "reason",
)


def write_reports(store: Store, folder: Path) -> list[Path]:
    """Write all reports into the folder; the files that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    results = store.results()
    plots = draw(results, float(store.meta()["limits"]["cpu_s"]), folder)
    texts = {
        "report.html": page(store, plots, folder),
        "report.md": _markdown(store, plots),
        "table.txt": tables.text(results) + "\n",
        "results.json": json.dumps(exported(store), indent=1) + "\n",
        "results.csv": _csv(results),
    }
    for name, content in texts.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [*(folder / name for name in texts), *plots, *(p.with_suffix(".png") for p in plots)]


def exported(store: Store) -> dict[str, Any]:
    """Everything but paths of this machine and output of the tools."""
    results = [asdict(r) | {"score": r.score, "wrong": r.wrong} for r in store.results()]
    return {"meta": store.meta(), "tools": store.tools(), "results": results}


def _csv(results: list[Result]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_FIELDS)
    for r in results:
        correct = (
            ""
            if r.expected is None or r.status not in ("true", "false")
            else str(not r.wrong).lower()
        )
        writer.writerow(
            [
                r.task,
                r.category,
                r.expected or "",
                r.tool,
                r.status,
                correct,
                r.score,
                r.cpu_s,
                r.wall_s,
                r.peak_mb,
                r.reason,
            ]
        )
    return out.getvalue()


def _markdown(store: Store, plots: list[Path]) -> str:
    results = store.results()
    about = "\n".join(f"- {k}: `{v}`" for k, v in tables.facts(store))
    parts = [f"# {store.meta().get('title') or 'Benchmark'}", about, tables.markdown(results)]
    if tables.notable(results):
        parts.append(f"## To be looked at\n\n```\n{tables.notable_text(results)}\n```")
    return "\n\n".join([*parts, *(f"![{p.stem}]({p.name})" for p in plots)]) + "\n"
