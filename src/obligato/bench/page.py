"""One HTML page with everything about a benchmark; it refers to nothing outside itself (plots are inline SVG)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from obligato.bench.score import Result, Row
from obligato.bench.store import Store
from obligato.bench.tables import HEADER, by_tool, cells, facts, tables

_STYLE = """body{font:14px sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}.facts td{text-align:left}tr.all{font-weight:bold}
.wrong,.internal{background:#f8c8c8}.true,.false{background:#dff0d8}.timeout,.memory,.unknown,.refused{color:#777}
svg{max-width:48%;height:auto}code{font-size:90%}"""


def page(store: Store, plots: Sequence[Path]) -> str:
    """The page."""
    results = store.results()
    parts = [f"<h1>{escape(store.meta().get('title') or 'Benchmark')}</h1>", _facts(store)]
    parts += [_table(title, rows) for title, rows in tables(results)]
    parts += ["<h2>Plots</h2>", *(_inline(p) for p in plots), "<h2>Tasks</h2>", _tasks(results)]
    return (f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>Obligato benchmark</title>"
            f"<style>{_STYLE}</style></head><body>\n{chr(10).join(parts)}\n</body></html>\n")


def _facts(store: Store) -> str:
    lines = "".join(f"<tr><td>{escape(k)}</td><td><code>{escape(v)}</code></td></tr>" for k, v in facts(store))
    return f"<table class='facts'>{lines}</table>"


def _line(values: Sequence[str], tag: str, kind: str = "") -> str:
    return f"<tr class='{kind}'>{''.join(f'<{tag}>{escape(v)}</{tag}>' for v in values)}</tr>"


def _table(title: str, rows: Sequence[Row]) -> str:
    body = "".join(_line([r.label or "-", *cells(r)], "td", "all" if r.label == "all" else "") for r in rows)
    return f"<h2>{escape(title)}</h2><table>{_line(['', *HEADER], 'th')}{body}</table>"


def _inline(path: Path) -> str:
    """An SVG file as a part of the page; its names are made its own, so that plots do not mix."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):]
    own = re.sub(r"\W", "_", path.stem)
    return re.sub(r'(id="|href="#|url\(#)', lambda m: f"{m.group(1)}{own}-", text)


def _tasks(results: Sequence[Result]) -> str:
    groups = {tool: {r.task: r for r in runs} for tool, runs in by_tool(results).items()}
    expected = {r.task: r.expected for r in results}
    lines = []
    for task, verdict in expected.items():
        runs = "".join(_cell(group.get(task)) for group in groups.values())
        lines.append(f"<tr><td>{escape(task)}</td><td>{verdict or ''}</td>{runs}</tr>")
    return f"<table>{_line(['task', 'expected', *groups], 'th')}{''.join(lines)}</table>"


def _cell(r: Result | None) -> str:
    if r is None:
        return "<td></td>"
    said = f"{r.status} (wrong)" if r.wrong else r.status
    return f"<td class='{r.column}' title='{escape(r.reason, quote=True)}'>{said} {r.cpu_s:.1f} s</td>"
