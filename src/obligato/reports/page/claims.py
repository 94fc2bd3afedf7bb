"""Traces and certificates for a page: as in the JSON, with values as texts, and small enough.

Of a trace that is too long the beginning and the end are kept. The first step of the end then also
has, as `skipped`, how many were left out and what they changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from obligato.reports.page.formulas import Readable, clipped
from obligato.results.outcome import (
    CertificateReport,
    InvariantReport,
    StepReport,
    StreamReport,
    TraceReport,
)
from obligato.results.values import to_text

MAX_VALUE = 200  # characters
MAX_FORMULA = 6000
MAX_PARTS = 500
SIZE_OF_VALUE = 24  # characters of a value in the page, roughly, besides those of its name

Values = dict[str, str]


def trace_data(t: TraceReport, files: dict[str, int], most: int) -> dict[str, Any]:
    """A trace of at most about `most` characters; `files` numbers the files of its steps."""
    steps = [_step(s, files) for s in t.steps]
    head, tail = _ends(steps, most)
    skipped = len(steps) - head - tail
    if skipped:
        steps[-tail]["skipped"] = _skipped(steps[head:-tail])
    kept = [*range(head), *range(len(steps) - tail, len(steps))]
    return {
        "start": _values(t.start),
        "initial": {} if len(t.initial) * SIZE_OF_VALUE > most else _values(t.initial),
        "steps": [steps[n] for n in kept],
        "numbers": [n + 1 for n in kept] if skipped else None,
        "length": len(steps),
        "violation": t.violation,
        "loop": t.loop,
        "repeats": [list(r) for r in t.repeats],
        "streams": [_stream(x, kept) for x in t.streams],
    }


def _step(s: StepReport, files: dict[str, int]) -> dict[str, Any]:
    place = [files.setdefault(s.file, len(files)), s.line] if s.line else None
    more = {
        "at": place,
        "set": _values(s.assignments),
        "in": _values(s.inputs),
        "call": s.call,
        "from": s.premises,
        "function": s.function,
        "text": clipped(s.statement),
    }
    return {"edge": s.edge, **{name: value for name, value in more.items() if value}}


def _values(values: Mapping[str, Any]) -> Values:
    return {name: clipped(to_text(value), MAX_VALUE) for name, value in values.items()}


def _ends(steps: Sequence[Mapping[str, Any]], most: int) -> tuple[int, int]:
    """How many steps are kept at the beginning and at the end."""
    sizes = [
        120 + sum(SIZE_OF_VALUE + len(name) for key in ("set", "in") for name in s.get(key, ()))
        for s in steps
    ]
    if sum(sizes) <= most:
        return len(steps), 0
    return max(1, _fitting(sizes, most // 2)), max(1, _fitting(sizes[::-1], most // 2))


def _fitting(sizes: Sequence[int], most: int) -> int:
    used = 0
    for n, size in enumerate(sizes):
        used += size
        if used > most:
            return n
    return len(sizes)


def _skipped(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    changed: Values = {}
    for s in steps:
        changed |= s.get("set", {})
    return {"steps": len(steps), "set": changed}


def _stream(x: StreamReport, kept: Sequence[int]) -> dict[str, Any]:
    return {
        "kind": x.kind,
        "name": x.name,
        "values": [clipped(x.values[n], MAX_VALUE) for n in kept if n < len(x.values)],
    }


def _shown(i: InvariantReport, readable: Readable) -> tuple[str, list[str] | None]:
    """An invariant as text; its conjuncts where it is known as SMT-LIB only."""
    said = i.source if i.source is not None else i.c
    if said is not None:
        return clipped(said, MAX_FORMULA), None
    parts = [clipped(x, MAX_FORMULA) for x in readable.conjuncts(i.formula)[:MAX_PARTS]]
    return clipped(i.formula, MAX_FORMULA), parts


def certificate_data(
    c: CertificateReport, files: dict[str, int], most: int, readable: Readable
) -> dict[str, Any]:
    """A certificate whose formulas have at most about `most` characters together; those of loops
    come first. What is known as SMT-LIB only is made readable, by conjuncts."""
    rows: list[dict[str, Any]] = []
    for i in sorted(c.invariants, key=lambda i: not i.loop_head):
        text, parts = _shown(i, readable)
        most -= len(text) + 60 + sum(map(len, parts or ()))
        if most < 0 and rows:
            break
        place = [files.setdefault(i.file, len(files)), i.line] if i.line else None
        rows.append(
            {
                "location": i.location,
                "name": i.name,
                "at": place,
                "head": i.loop_head,
                "text": text,
                "parts": parts,
                "relative": list(i.relative),
            }
        )
    return {
        "kind": c.kind,
        "k": c.k,
        "form": c.form,
        "invariants": rows,
        "hidden": len(c.invariants) - len(rows),
        "checker": c.checker,
        "independent": c.independent,
        "check_time_s": c.check_time_s,
        "index": c.index,
        "witness": witness_data(c.witness) if c.witness else None,
    }


def witness_data(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The tree that explains a formula of branching time, with values as texts."""
    path = [
        {"state": _values(step["state"]), "inputs": _values(step["inputs"])}
        for step in tree.get("path", ())
    ]
    return {
        "formula": clipped(str(tree["formula"]), MAX_FORMULA),
        "holds": tree["holds"],
        "because": str(tree["because"]),
        "path": path,
        "loop": tree.get("loop"),
        "parts": [witness_data(part) for part in tree.get("parts", ())],
    }
