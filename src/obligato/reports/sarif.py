"""SARIF 2.1.0, for tools that show findings:
a result for each property, and of a violation the run as a code flow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from obligato.reports.json_report import json_text
from obligato.results.outcome import Outcome, PropertyVerdict, StepReport, TraceReport, Verdict
from obligato.results.values import to_text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_STEPS = 5000  # of a run the first and the last; JSON has all
_KINDS = {Verdict.TRUE: "pass", Verdict.FALSE: "fail", Verdict.UNKNOWN: "open"}


def sarif_text(outcome: Outcome) -> str:
    """The SARIF log of a run."""
    verdicts = outcome.verdicts or (outcome,)
    rules = [
        {
            "id": v.property or "property",
            "shortDescription": {"text": f"The property {v.property} holds."},
        }
        for v in verdicts
    ]
    driver = {"name": "Obligato", "version": version("obligato"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": outcome.verdict is not Verdict.UNKNOWN}],
        "results": [_result(v, n, outcome.file) for n, v in enumerate(verdicts)],
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(v: PropertyVerdict, rule: int, file: str) -> dict[str, Any]:
    place = _location(file, 0, 0)
    flows = {}
    if v.trace is not None and v.trace.steps:
        last = v.trace.steps[-1]
        line = violation_line(v.trace) or last.line
        place = _location(last.file or file, line, last.column if line == last.line else 0)
        flows = {"codeFlows": [{"threadFlows": [{"locations": list(_flow(v.trace, file))}]}]}
    return {
        "ruleId": v.property or "property",
        "ruleIndex": rule,
        "kind": _KINDS[v.verdict],
        "level": "error" if v.verdict is Verdict.FALSE else "none",
        "message": {"text": _message(v)},
        "locations": [place],
        **flows,
    }


def violation_line(trace: TraceReport) -> int:
    """The line that a trace says to violate the property; 0 where it says none.
    Not all steps of a run need be told."""
    found = re.search(r":([0-9]+): [^:]*$", trace.violation)
    return int(found[1]) if found else 0


def _message(v: PropertyVerdict) -> str:
    if v.verdict is Verdict.TRUE:
        return f"{v.property} holds: proved, and the proof was checked."
    if v.verdict is Verdict.UNKNOWN:
        return f"{v.property} is not decided: {v.reason or 'no reason is known'}."
    where = v.trace.violation if v.trace is not None else ""
    return f"{v.property} is violated: {where or 'a run was replayed'}."


def _flow(trace: TraceReport, file: str) -> Iterator[dict[str, Any]]:
    """The steps of a run, with the values that each assigns."""
    steps = list(enumerate(trace.steps))
    if len(steps) > MAX_STEPS:
        steps = [*steps[: MAX_STEPS // 2], *steps[-(MAX_STEPS // 2) :]]
    for n, step in steps:
        location = _location(step.file or file, step.line, step.column)
        yield {
            "location": {**location, "message": {"text": step.statement or f"step {n}"}},
            "executionOrder": n + 1,
            **_state(step),
        }


def _state(step: StepReport) -> dict[str, Any]:
    values = {**step.inputs, **step.assignments}
    return {"state": {name: {"text": to_text(v)} for name, v in values.items()}} if values else {}


def _location(file: str, line: int, column: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(file).as_posix())}}
    if line > 0:
        place["region"] = {"startLine": line, **({"startColumn": column} if column > 0 else {})}
    return {"physicalLocation": place}
