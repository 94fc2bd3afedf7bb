"""An outcome as JSON (DESIGN 2); the schema is `docs/schema/outcome.json`,
and its version is `SCHEMA`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from obligato.results.outcome import (
    CertificateReport,
    InvariantReport,
    Outcome,
    PartReport,
    PropertyVerdict,
    StepReport,
    TraceReport,
)
from obligato.terms.numerals import int_text, number_text

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
        **_claim(outcome),
        **({"properties": _properties(outcome.verdicts)} if outcome.verdicts else {}),
        **({"coverage": [asdict(r) for r in outcome.coverage]} if outcome.coverage else {}),
        "stats": outcome.stats,
    }


def _claim(v: PropertyVerdict) -> dict[str, Any]:
    """The certificate or trace of a verdict, written as its type says."""
    return {
        name: None if claim is None else WRITERS[type(claim)](claim)
        for name, claim in (("certificate", v.certificate), ("trace", v.trace))
    }


def _properties(verdicts: Sequence[PropertyVerdict]) -> list[dict[str, Any]]:
    """Each property with its verdict;
    a certificate or trace of several is written at the first of them."""
    first: dict[int, str] = {}
    out = []
    for v in verdicts:
        claim = v.certificate or v.trace
        owner = v.property if claim is None else first.setdefault(id(claim), v.property)
        body = (
            _claim(v)
            if owner == v.property
            else {"certificate": None, "trace": None, "shares": owner}
        )
        at = {} if v.check is None else {"check": asdict(v.check)}
        out.append(
            {"property": v.property, **at, "verdict": v.verdict.value, "reason": v.reason, **body}
        )
    return out


def outcome_text(outcome: Outcome) -> str:
    """An outcome as the text of a JSON file."""
    return json_text(to_dict(outcome))


def json_text(data: Any, indent: str = "\n") -> str:
    """As `json.dumps(data, indent=2)`, which refuses numbers of thousands of digits;
    what JSON cannot say as a text."""
    if isinstance(data, dict):
        return _bracketed(
            "{}",
            [f"{json.dumps(str(k))}: {json_text(v, indent + '  ')}" for k, v in data.items()],
            indent,
        )
    if isinstance(data, list | tuple):
        return _bracketed("[]", [json_text(v, indent + "  ") for v in data], indent)
    if isinstance(data, int) and not isinstance(data, bool):
        return int_text(data)
    if isinstance(data, Fraction):
        return json.dumps(number_text(data))
    return json.dumps(data, default=str)


def _bracketed(brackets: str, items: list[str], indent: str) -> str:
    inner = f"{indent}  "
    return (
        f"{brackets[0]}{inner}{f',{inner}'.join(items)}{indent}{brackets[1]}" if items else brackets
    )


def _invariant(i: InvariantReport) -> dict[str, Any]:
    return {
        "location": i.location,
        "name": i.name,
        **_place(i),
        "loop_head": i.loop_head,
        "formula": i.formula,
        "c": i.c,
        **({"instances": list(i.instances)} if i.instances else {}),
        **({"source": i.source} if i.source is not None else {}),
        **({"relative": list(i.relative)} if i.relative else {}),
        **({"rank": list(i.rank)} if i.rank is not None else {}),
        **({"watched": list(i.watched)} if i.watched else {}),
    }


def _certificate(c: CertificateReport) -> dict[str, Any]:
    some = {  # what only some certificates have
        "distinct": list(c.distinct),
        "index": {"name": c.index[0], "sort": c.index[1]} if c.index else None,
        "indices": [{"name": name, "sort": sort} for name, sort in c.indices],
        "places": [list(p) for p in c.places],
        "differences": [
            dict(zip(("name", "sort", "left", "right"), d, strict=True)) for d in c.differences
        ],
        "dead": [list(pair) for pair in c.dead],
    }
    more = {
        "jumps": [list(pair) for pair in c.jumps],
        "counters": [{"name": n, "bits": w, "locations": list(at)} for n, w, at in c.counters],
        "ghosts": [_ghost(g) for g in c.ghosts],
        "core": c.core and {"minimal": c.core.minimal, "parts": [_part(p) for p in c.core.parts]},
    }
    return {
        "kind": c.kind,
        "k": c.k,
        "invariants": [_invariant(i) for i in c.invariants],
        "checked": c.checked,
        "independent": c.independent,
        "checker": c.checker,
        "check_time_s": c.check_time_s,
        **{key: value for key, value in some.items() if value},
        **({"bounds": c.bounds, "witness": c.witness} if c.bounds else {}),
        **{key: value for key, value in more.items() if value},
    }


def _ghost(g: tuple[str, str, int, str]) -> dict[str, Any]:
    return dict(zip(("name", "sort", "location", "value"), g, strict=True))


def _part(p: PartReport) -> dict[str, Any]:
    what = {"file": p.file, "line": p.line} if p.line else {"name": p.name, "text": p.text}
    return {"kind": p.kind, **what, "needed": p.needed}


def _place(r: InvariantReport | StepReport) -> dict[str, Any]:
    """Where it is in the input; column and function where they are known."""
    more = {"column": r.column, "function": r.function}
    return {
        "file": r.file,
        "line": r.line,
        **{name: value for name, value in more.items() if value},
    }


def _trace(t: TraceReport) -> dict[str, Any]:
    steps = [
        {
            "edge": s.edge,
            **_place(s),
            "statement": s.statement,
            "assignments": s.assignments,
            "inputs": s.inputs,
            **({"premises": list(s.premises)} if s.premises is not None else {}),
            **({"call": s.call} if s.call else {}),
            **({"undefined": s.undefined} if s.undefined else {}),
        }
        for s in t.steps
    ]
    repeats = [{"start": start, "end": end, "times": times} for start, end, times in t.repeats]
    streams = [{"kind": x.kind, "name": x.name, "values": list(x.values)} for x in t.streams]
    sets = [
        {"location": i.location, "name": i.name, **_place(i), "formula": i.formula, "c": i.c}
        for i in t.sets
    ]
    return {
        "initial": t.initial,
        "start": t.start,
        "steps": steps,
        "replayed": t.replayed,
        "violation": t.violation,
        **({"repeats": repeats} if repeats else {}),
        **({"loop": t.loop} if t.loop is not None else {}),
        **({"length": t.length} if t.length is not None else {}),
        **({"script": t.script} if t.script is not None else {}),
        **({"cut": True} if t.cut else {}),
        **({"recurrence": {"sets": sets, "inputs": t.values}} if sets else {}),
        **({"streams": streams} if streams else {}),
    }


WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    CertificateReport: _certificate,
    TraceReport: _trace,
}
