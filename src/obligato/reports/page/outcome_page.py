"""The page of an outcome: the input with the error path or the invariants at its lines, the
automaton, waveforms, the search.

A page stays below `LARGEST` bytes:
its parts have budgets, which shrink together until it fits; what is left out is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from obligato.reports.page.assemble import assemble, embedded
from obligato.reports.page.claims import certificate_data, trace_data
from obligato.reports.page.events import search_data
from obligato.reports.page.formulas import Readable
from obligato.reports.page.sources import source_data
from obligato.results.outcome import Outcome, PropertyVerdict

LARGEST = 4_800_000  # bytes
SHARES = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01)
# characters, and counts
SOURCE, TRACE, CERTIFICATE, EVENTS, EDGES = 1_200_000, 1_500_000, 600_000, 8000, 25_000
STYLES = ("base.css", "page.css")
SCRIPTS = (
    "dom.js",
    "source.js",
    "trace.js",
    "layout.js",
    "automaton.js",
    "waveform.js",
    "search.js",
    "player.js",
    "proof.js",
    "statistics.js",
    "page.js",
)

Files = dict[str, int]


def page_text(outcome: Outcome) -> str:
    """The page as a text."""
    for share in SHARES:
        data = page_data(outcome, share)
        if len(embedded(data)) <= LARGEST:
            break
    return assemble(f"{Path(outcome.file).name}: {outcome}", data, STYLES, SCRIPTS)


def page_data(outcome: Outcome, share: float = 1.0) -> dict[str, Any]:
    """What the page shows; `share` scales the budgets of its parts."""
    files: Files = {outcome.file: 0}
    verdicts = outcome.verdicts or (outcome,)
    readable = Readable(next(iter(outcome.pictures.values()), {}), outcome.file)
    claims = _Claims(
        files, readable, share / max(1, len({id(v.certificate or v.trace) for v in verdicts}))
    )
    rows = [claims.row(v) for v in verdicts]
    pictures = {
        name: _picture(p, files, claims.edges(), share) for name, p in outcome.pictures.items()
    }
    lines = dict.fromkeys((*_said(claims), *_drawn(pictures)))
    return {
        "file": outcome.file,
        "property": outcome.property,
        "verdict": outcome.verdict.value,
        "said": str(outcome),
        "reason": outcome.reason,
        "engine": outcome.engine,
        "preset": outcome.preset,
        "seed": outcome.seed,
        "options": outcome.options,
        "notes": list(outcome.notes),
        "stats": outcome.stats,
        "properties": rows,
        "traces": claims.traces,
        "certificates": claims.certificates,
        "files": _sources(files, list(lines), int(SOURCE * share / len(files))),
        "pictures": pictures,
        "search": _search(outcome, readable, share),
        "complete": share == 1.0,
    }


def _sources(files: Files, lines: Sequence[tuple[int, int]], budget: int) -> list[dict[str, Any]]:
    """The files, with those of their lines that the page speaks about."""
    return [
        {"name": f, "source": source_data(f, [n for g, n in lines if g == k], budget)}
        for f, k in files.items()
    ]


class _Claims:
    """The traces and certificates of an outcome, each once."""

    def __init__(self, files: Files, readable: Readable, share: float) -> None:
        self.files, self.readable, self.share = files, readable, share
        self.traces: list[dict[str, Any]] = []
        self.certificates: list[dict[str, Any]] = []
        self._known: dict[int, int] = {}

    def row(self, v: PropertyVerdict) -> dict[str, Any]:
        """A property with its verdict; its claim by number."""
        trace = certificate = None
        if v.trace is not None:
            trace = self._number(
                id(v.trace), self.traces, lambda: trace_data(v.trace, self.files, self._most(TRACE))
            )
        if v.certificate is not None:
            certificate = self._number(
                id(v.certificate),
                self.certificates,
                lambda: certificate_data(
                    v.certificate, self.files, self._most(CERTIFICATE), self.readable
                ),
            )
        return {
            "property": v.property,
            "verdict": v.verdict.value,
            "said": str(v),
            "reason": v.reason,
            "trace": trace,
            "certificate": certificate,
        }

    def _number(self, key: int, table: list[dict[str, Any]], make: Any) -> int:
        if key not in self._known:
            self._known[key] = len(table)
            table.append(make())
        return self._known[key]

    def _most(self, budget: int) -> int:
        return int(budget * self.share)

    def edges(self) -> dict[int, None]:
        """The edges that traces take."""
        return dict.fromkeys(s["edge"] for t in self.traces for s in t["steps"])


def _picture(
    picture: dict[str, Any], files: Files, taken: dict[int, None], share: float
) -> dict[str, Any]:
    """A picture (`api.drawing`) by the page's numbers of files;
    of a large automaton the edges on and next to the path."""
    if "edges" not in picture:
        return picture
    number = [files.setdefault(f, len(files)) if f else -1 for f in picture["files"]]
    edges = picture["edges"]
    if len(edges) > EDGES * share:
        edges = _around(edges, taken, int(EDGES * share))
    ends = {n for e in edges for n in (e[1], e[2])} | {picture["initial"], picture["error"]}
    locations = [[n, number[file], line] for n, file, line in picture["locations"] if n in ends]
    return picture | {
        "edges": [[*e[:4], number[e[4]], e[5]] for e in edges],
        "locations": locations,
        "hidden": len(picture["edges"]) - len(edges),
        "all": len(picture["locations"]),
        "files": None,
        "heads": [n for n in picture["heads"] if n in ends],
    }


def _around(edges: list[list[Any]], taken: dict[int, None], most: int) -> list[list[Any]]:
    """Those on the path first, then those beside it, then others in their order;
    in their order again."""
    near = {n for e in edges if e[0] in taken for n in (e[1], e[2])}
    ranked = sorted(
        edges, key=lambda e: 0 if e[0] in taken else 1 if e[1] in near or e[2] in near else 2
    )[:most]
    kept = {e[0] for e in ranked}
    return [e for e in edges if e[0] in kept]


def _said(claims: _Claims) -> Iterator[tuple[int, int]]:
    """The places that claims speak about, the last ones of traces first."""
    for t in claims.traces:
        yield from (tuple(s["at"]) for s in reversed(t["steps"]) if s.get("at"))
    for c in claims.certificates:
        yield from (tuple(i["at"]) for i in c["invariants"] if i["at"])


def _drawn(pictures: dict[str, dict[str, Any]]) -> Iterator[tuple[int, int]]:
    for p in pictures.values():
        yield from ((file, line) for _, file, line in p.get("locations", ()) if line)


def _search(outcome: Outcome, readable: Readable, share: float) -> dict[str, Any] | None:
    """The search for the player."""
    if outcome.log is None:
        return None
    file, start = outcome.log
    return search_data(file, start, int(EVENTS * share), readable)
