"""SV-COMP witnesses, formats 2.0 and (of runs that do not end) 2.1, YAML,
of C programs: `--report witness=FILE`.

A proof becomes an `invariant_set`: at each loop the conjuncts that are C expressions with that
meaning there. What cannot be said in C is left out (a weaker invariant is still one), and a comment
counts it. A loop inside a function that is called from several places has the disjunction of what
holds at each of them. A counterexample becomes a `violation_sequence`: the results of the functions
of the environment, in their order, then the target, or a cycle of segments (svcomp_cycle.py). Both
name places of the source, which is parsed again.
"""

from __future__ import annotations

import hashlib
import re
import struct
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.catalogue import ERRORS
from obligato.frontends.c.markers import Kind, Marker
from obligato.frontends.c.positions import LABELS, LOOPS, Piece, Positions, behind_labels, pieces_on
from obligato.frontends.c.text import Text, of_options
from obligato.frontends.c.types import CType, FloatType, IntType
from obligato.frontends.c.witness import INVARIANT_SET, VIOLATION_SEQUENCE
from obligato.frontends.registry import LTL, TERMINATION, find_language
from obligato.reports.harness import unrolled
from obligato.reports.sarif import violation_line
from obligato.reports.svcomp_cycle import is_outermost, on_loop, waypoint
from obligato.results.outcome import (
    CertificateReport,
    InvariantReport,
    Outcome,
    StepReport,
    TraceReport,
    Verdict,
)

MAX_WAYPOINTS = 10_000
SPECIFICATIONS = {
    "assertions": "LTL(G assert)",
    "unreach-call": "LTL(G ! call(reach_error()))",
    "no-overflow": "LTL(G ! overflow)",
    "div-by-zero": "LTL(G ! division-by-zero)",
    "shifts": "LTL(G ! invalid-shift)",
    TERMINATION: "LTL(F end)",
}
_MEMORY = ("valid-free", "valid-deref", "valid-memtrack")


def witness_text(outcome: Outcome) -> str:
    """The witness of a verdict; a comment where there is none."""
    language = find_language(outcome.file)
    if outcome.verdict is Verdict.UNKNOWN or language is None or language.name != "c":
        return f"# There is no witness: {outcome.verdict.value}\n"
    if outcome.property.startswith(LTL) or (
        outcome.property == TERMINATION and outcome.trace is None
    ):
        return "# There is no witness: the format has no words for such a proof or run\n"
    with of_options(outcome.file, outcome.options) as text:
        if outcome.property == TERMINATION and outcome.trace is not None:
            return _endless(outcome, outcome.trace, text)
        if outcome.certificate is not None:
            content, left_out = _invariants(outcome.certificate, text)
            return _document(outcome, INVARIANT_SET, content, left_out)
        content = _sequence(outcome.trace, text.positions) if outcome.trace is not None else []
        return _document(outcome, VIOLATION_SEQUENCE, content)


def _document(outcome: Outcome, kind: str, content: list[Any], left_out: int = 0) -> str:
    data = [{"entry_type": kind, "metadata": _metadata(outcome, content), "content": content}]
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=False, width=10_000)
    return (
        "# parts of the invariants that are not said, because C has no expression for them here:"
        f" {left_out}\n"
        if left_out
        else ""
    ) + text


def _metadata(outcome: Outcome, content: list[Any]) -> dict[str, Any]:
    files = [outcome.file, *dict(outcome.options.get("preprocessing") or {}).get("others", ())]
    hashes = {Path(f).name: hashlib.sha256(Path(f).read_bytes()).hexdigest() for f in files}
    return {
        "format_version": "2.1" if outcome.property == TERMINATION else "2.0",
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{hashes}{outcome.property}{content}")),
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
        "producer": {"name": "Obligato", "version": version("obligato")},
        "task": {
            "input_files": list(hashes),
            "input_file_hashes": hashes,
            "specification": _specification(outcome),
            "data_model": str(outcome.options.get("data_model", "LP64")),
            "language": "C",
        },
    }


def _specification(outcome: Outcome) -> str:
    init = f"init({outcome.options.get('entry', 'main')}())"
    if outcome.property in ("memsafety", "valid-memsafety"):
        parts = _MEMORY[: 2 if outcome.property == "memsafety" else 3]
        return "\n".join(f"CHECK( {init}, LTL(G {part}) )" for part in parts)
    return (
        f"CHECK( {init}, {SPECIFICATIONS.get(outcome.property, f'LTL(G ! {outcome.property})')} )"
    )


def _location(span: Span, function: str, line: int = 0, column: int = 0) -> dict[str, Any]:
    return {
        "file_name": Path(span.file).name,
        "line": line or span.line,
        "column": column or span.column,
        "function": function,
    }


# -- invariants ------------------------------------------------------------------------------------


def _invariants(certificate: CertificateReport, text: Text) -> tuple[list[dict[str, Any]], int]:
    """The invariants at their places, and how many conjuncts are left out."""
    places: dict[tuple[str, Span, str], list[InvariantReport]] = {}
    known = certificate.kind in ("inductive", "k-inductive")
    for i in certificate.invariants if known else ():
        place = _place(i, text.positions) if i.loop_head else None
        if place is not None:
            places.setdefault(place, []).append(i)
    out = []
    lost = sum(i.unsaid for found in places.values() for i in found)
    for (kind, span, function), found in places.items():
        kept = [_fitting(i, kind, span, text) for i in found]
        lost += sum(len(i.conjuncts) for i in found) - sum(map(len, kept))
        value = _disjunction(kept)
        if value:
            location = _location(span, text.written(function, span.file))
            out.append(
                {
                    "invariant": {
                        "type": kind,
                        "location": location,
                        "value": value,
                        "format": "c_expression",
                    }
                }
            )
    return out, lost


def _place(i: InvariantReport, positions: Positions) -> tuple[str, Span, str] | None:
    """Where an invariant of ours holds, in terms of the format:
    before the condition of a loop, or before a statement."""
    here = [
        p
        for p in pieces_on(positions.statements, i.line, i.column, i.file)
        if p.function == i.function
    ]
    for p in here:
        if p.kind in LOOPS and p.kind != k.DO:
            return Kind.LOOP_INVARIANT.value, p.span, p.function
        if p.kind == k.DO:
            first = next(
                (
                    s
                    for s in positions.statements
                    if p.start < s.start < p.end and s.kind != k.COMPOUND
                ),
                None,
            )
            jumped = first is None or first.kind in LABELS  # runs come to it by jumps, too
            return (
                None
                if first is None or jumped
                else (Kind.LOCATION_INVARIANT.value, first.span, first.function)
            )
    labelled = {
        behind_labels(positions.statements, s).start
        for s in positions.statements
        if s.kind == k.LABEL
    }
    target = next((p for p in here if p.start in labelled and p.kind != k.COMPOUND), None)
    return None if target is None else (Kind.LOCATION_INVARIANT.value, target.span, target.function)


def _fitting(i: InvariantReport, kind: str, span: Span, text: Text) -> tuple[str, ...]:
    """The conjuncts that the compiler understands at their place."""

    def fits(*parts: str) -> bool:
        markers = [
            Marker(Kind(kind), span.file, span.line, span.column, i.function, p) for p in parts
        ]
        return text.accepts(tuple(markers))

    kept = i.conjuncts if fits(*i.conjuncts) else tuple(c for c in i.conjuncts if fits(c))
    return tuple(text.written(c, span.file) for c in kept)


def _disjunction(instances: list[tuple[str, ...]]) -> str:
    """What holds in every instance; empty if that is nothing."""
    alive = [parts for parts in instances if parts != ("0",)]
    if not all(alive):
        return ""
    texts = list(dict.fromkeys(" && ".join(f"({p})" for p in parts) for parts in alive))
    return texts[0] if len(texts) == 1 else " || ".join(f"({t})" for t in texts) if texts else "0"


# -- violations ------------------------------------------------------------------------------------


def _sequence(trace: TraceReport, positions: Positions) -> list[dict[str, Any]]:
    """A segment for each result of the environment, and the target."""
    target = {"type": "target", "action": "follow", "location": _target(trace, positions)}
    return [*map(_segment, _results(trace, positions)), _segment(target)]


def _results(trace: TraceReport, positions: Positions) -> list[dict[str, Any]]:
    """A waypoint for each result of the environment."""
    out: list[dict[str, Any]] = []
    with suppress(Unsupported):  # so many inputs that the first ones must do
        for step in unrolled(trace, MAX_WAYPOINTS):
            if step.call and len(out) < MAX_WAYPOINTS:
                out += _returns(step, positions)
    return out


def _segment(waypoint: dict[str, Any]) -> dict[str, Any]:
    return {"segment": [{"waypoint": waypoint}]}


def _returns(step: StepReport, positions: Positions) -> Iterator[dict[str, Any]]:
    """The waypoint of a call of the environment that gives one number."""
    calls = [
        c
        for c in pieces_on(positions.calls, step.line, step.column, step.file)
        if c.name == step.call
    ]
    if len(calls) != 1 or len(step.inputs) != 1:
        return
    value = _constant(next(iter(step.inputs.values())), calls[0].type)
    if value:
        line, column = positions.closing(calls[0])
        yield {
            "type": "function_return",
            "action": "follow",
            "constraint": {"value": f"\\result == {value}", "format": "acsl_expression"},
            "location": _location(calls[0].span, calls[0].function, line, column),
        }


def _constant(value: Any, t: CType | None) -> str:
    """A value of a type as C; empty where there is no such constant."""
    if isinstance(t, FloatType):
        return _float(value, t)
    if not isinstance(t, IntType) or isinstance(value, str):
        return ""
    number = int(value) % (1 << t.width)
    if not t.signed:
        return str(number) + ("" if t.width < 32 else "u" if t.width == 32 else "ull")
    number -= (1 << t.width) if number >> (t.width - 1) else 0
    if number == -(1 << 63):
        return "(-9223372036854775807ll - 1)"
    return str(number) + ("" if t.width <= 32 else "ll")


def _float(value: Any, t: FloatType) -> str:
    pattern = re.search(r"\((0x[0-9a-f]+)\)", str(value))
    if pattern is None or t.size not in (4, 8):
        return ""
    form = ("<I", "<f") if t.size == 4 else ("<Q", "<d")
    (number,) = struct.unpack(form[1], struct.pack(form[0], int(pattern[1], 16)))
    exact = number == number and abs(number) != float("inf") and number != 0
    return float(number).hex() if exact else ""


def _target(trace: TraceReport, positions: Positions) -> dict[str, Any]:
    """The statement in which the property is violated: where the run ends, or (of a run that is not
    told to its end) on the line of the violation."""
    step = trace.steps[-1]
    if violation_line(trace) not in (0, step.line):
        line = [s for s in positions.statements if s.span.line == violation_line(trace)]
        error = [
            s
            for s in line
            if any(s.start <= c.start < s.end and c.name in ERRORS for c in positions.calls)
        ]
        place = behind_labels(positions.statements, (error or line)[-1])
        return _location(place.span, place.function)
    at = positions.offset(step.file, step.line, step.column)
    found = None if at is None else positions.innermost(at)
    here: Piece | None = None if found is None else behind_labels(positions.statements, found)
    span = (
        Span(step.file, step.line, step.column)
        if here is None or here.span.line > step.line
        else here.span
    )
    return _location(span, step.function if here is None else here.function)


# -- runs that do not end --------------------------------------------------------------------------


def _endless(outcome: Outcome, trace: TraceReport, text: Text) -> str:
    """The witness of a run that does not end."""
    stem = replace(trace, steps=trace.steps[: trace.loop])
    round_ = replace(trace, steps=trace.steps[trace.loop :])
    cycle = (
        _recurring(trace, text, str(outcome.options.get("entry", "main")))
        if trace.sets
        else _again(round_, text.positions)
    )
    if not cycle:
        return (
            "# There is no witness: it is not known which place of the program the run passes again"
            " and again\n"
        )
    content = [_segment(w) for w in (*_results(stem, text.positions), *cycle)]
    return _document(outcome, VIOLATION_SEQUENCE, content)


def _again(trace: TraceReport, positions: Positions) -> list[dict[str, Any]]:
    """The cycle of a lasso: the results of the environment once round its loop,
    or a place on it."""
    results = _results(trace, positions)
    if len(results) < MAX_WAYPOINTS and results:
        return [{**w, "action": "cycle"} for w in results]
    place = on_loop(trace.steps, positions)
    if place is None:
        return []
    piece, kind = place
    return [
        waypoint(
            kind, _location(piece.span, piece.function), "true" if kind is Kind.BRANCHING else "1"
        )
    ]


def _recurring(trace: TraceReport, text: Text, entry: str) -> list[dict[str, Any]]:
    """The cycle of a run into a recurrence set:
    where the set is, in a state of it as far as C says that."""
    place = _place(trace.sets[0], text.positions) if len(trace.sets) == 1 else None
    if place is None:
        return []
    kind, span, function = place
    if kind == Kind.LOOP_INVARIANT.value:
        loop = next(p for p in text.positions.statements if p.span == span and p.kind in LOOPS)
        inside = is_outermost(loop, text.positions, entry)
        return [waypoint(Kind.BRANCHING, _location(span, function), "true")] if inside else []
    value = " && ".join(f"({c})" for c in _fitting(trace.sets[0], kind, span, text))
    return [waypoint(Kind.ASSUMPTION, _location(span, function), value or "1")]
