"""An outcome as JSON (DESIGN 2); the schema is `docs/schema/outcome.json`, and its version is `SCHEMA`."""

from __future__ import annotations

from typing import Any

from obligato.results.outcome import CertificateReport, Outcome, TraceReport

SCHEMA = 1


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """The JSON object of an outcome."""
    return {
        "schema": SCHEMA,
        "file": outcome.file,
        "property": outcome.property,
        "verdict": outcome.verdict.value,
        "reason": outcome.reason,
        "engine": outcome.engine,
        "preset": outcome.preset,
        "options": outcome.options,
        "seed": outcome.seed,
        "notes": list(outcome.notes),
        "certificate": None if outcome.certificate is None else _certificate(outcome.certificate),
        "trace": None if outcome.trace is None else _trace(outcome.trace),
        "stats": outcome.stats,
    }


def _certificate(c: CertificateReport) -> dict[str, Any]:
    invariants = [
        {"location": i.location, "name": i.name, "file": i.file, "line": i.line, "loop_head": i.loop_head,
         "formula": i.formula, "c": i.c, **({"instances": list(i.instances)} if i.instances else {}),
         **({"source": i.source} if i.source is not None else {})}
        for i in c.invariants
    ]
    return {
        "kind": c.kind, "k": c.k, "invariants": invariants, "checked": c.checked, "independent": c.independent,
        "checker": c.checker, "check_time_s": c.check_time_s, **({"distinct": list(c.distinct)} if c.distinct else {}),
        **({"index": {"name": c.index[0], "sort": c.index[1]}} if c.index else {}),
    }


def _trace(t: TraceReport) -> dict[str, Any]:
    steps = [
        {"edge": s.edge, "file": s.file, "line": s.line, "statement": s.statement, "assignments": s.assignments,
         "inputs": s.inputs}
        for s in t.steps
    ]
    return {"initial": t.initial, "start": t.start, "steps": steps, "replayed": t.replayed, "violation": t.violation}
