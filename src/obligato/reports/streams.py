"""A run as a table: one line for each stream, one column for each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.results.outcome import StreamReport, TraceReport

MAX_COLUMNS = 12  # more steps are shown in several tables
MAX_TABLES = 4  # of a longer run the first and the last; JSON has all of it
MAX_VALUE = 40  # characters


def stream_table(t: TraceReport, verbose: bool) -> Iterator[str]:
    """The inputs and outputs of a replayed run, and its locals if `verbose`."""
    steps = len(t.steps)
    yield f"{'counterexample' if t.loop is None else 'infinite run'} of {_count(steps)}, replayed:"
    shown = [x for x in t.streams if verbose or x.kind != "local"]
    starts = list(range(0, steps, MAX_COLUMNS))
    if len(starts) > MAX_TABLES:
        starts = [*starts[: MAX_TABLES // 2], *starts[-(MAX_TABLES // 2) :]]
    for n, start in enumerate(starts):
        if n and start - starts[n - 1] > MAX_COLUMNS:
            yield f"  ... {start - starts[n - 1] - MAX_COLUMNS} steps left out; --json has all"
        yield from _table(shown, start, min(start + MAX_COLUMNS, steps))
    if t.loop is not None:
        yield f"  and again from step {t.loop} on, the last {_count(steps - t.loop)} for ever"
    if t.violation:
        yield f"  violated: {t.violation}"


def _count(steps: int) -> str:
    return f"{steps} step{'s' if steps != 1 else ''}"


def _table(streams: list[StreamReport], start: int, end: int) -> Iterator[str]:
    rows = [["", "step", *map(str, range(start, end))]]
    rows += [[x.kind, x.name, *(_short(v) for v in x.values[start:end])] for x in streams]
    widths = [max(len(row[n]) for row in rows) for n in range(end - start + 2)]
    for row in rows:
        values = [c.rjust(w) for c, w in zip(row[2:], widths[2:], strict=True)]
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), *values]
        yield f"  {'  '.join(cells)}".rstrip()


def _short(value: str) -> str:
    return value if len(value) <= MAX_VALUE else f"{value[: MAX_VALUE - 3]}..."
