"""SV-COMP witnesses, formats 2.0 and 2.1 (YAML): what an `invariant_set` or a `violation_sequence`
says, as markers of C.

Nothing that a witness says is believed: it is put into the program and decided there
(`api.witness_check`). A witness that speaks about another program (by its hash), another property
or a place that is not there is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c.markers import Kind, Marker, check_expression, passed
from obligato.frontends.c.marking import MAX_SEGMENTS

INVARIANT_SET, VIOLATION_SEQUENCE = "invariant_set", "violation_sequence"
FOLLOW, AVOID, CYCLE = "follow", "avoid", "cycle"
FORMATS = ("c_expression", "acsl_expression", "ext_c_expression")
MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Witness:
    """What a witness says: that the property holds (`correct`) or is violated, and how.

    `specification` and `data_model` are empty where it does not say them.
    """

    correct: bool
    markers: tuple[Marker, ...]
    specification: str = ""
    data_model: str = ""

    def __str__(self) -> str:
        if self.correct:
            return f"{len(self.markers)} invariants"
        return f"{passed(self.markers)} segments"

    @property
    def cycle(self) -> bool:
        """Does it describe an infinite run?"""
        return any(m.cycle for m in self.markers)


def read_witness(file: str, program: str) -> Witness:
    """The witness in a file about a program."""
    entries = [
        e for e in _entries(file) if e.get("entry_type") in (INVARIANT_SET, VIOLATION_SEQUENCE)
    ]
    if not entries:
        raise InputError("neither an invariant_set nor a violation_sequence is in it", Span(file))
    kinds = {_text(e["entry_type"], file) for e in entries}
    if len(kinds) > 1 or (VIOLATION_SEQUENCE in kinds and len(entries) > 1):
        raise Unsupported(
            "a witness with several violation sequences, or with invariants besides",
            Span(file),
            "witness",
        )
    tasks = [_task(e, file, program) for e in entries]
    if any(t != tasks[0] for t in tasks):
        raise InputError("the entries of the witness are about different tasks", Span(file))
    try:
        markers = tuple(m for e in entries for m in _content(e, file, Path(program).name))
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed witness: {problem!r}", Span(file)) from problem
    return Witness(INVARIANT_SET in kinds, markers, *tasks[0])


def _entries(file: str) -> list[dict[str, Any]]:
    try:
        raw = Path(file).read_bytes()
        if len(raw) > MAX_BYTES:
            raise InputError(f"the file is larger than {MAX_BYTES >> 20} MB", Span(file))
        data = yaml.load(raw.decode("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"cannot read the file: {problem}", Span(file)) from problem
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        mark = getattr(problem, "problem_mark", None)
        place = Span(file) if mark is None else Span(file, mark.line + 1, mark.column + 1)
        raise InputError(f"not YAML: {getattr(problem, 'problem', problem)}", place) from problem
    if not isinstance(data, list) or not all(isinstance(e, dict) for e in data):
        raise InputError(
            "neither an outcome as --json writes it nor a witness of format 2.0 (a list of"
            " entries)",
            Span(file),
        )
    return data


def _text(value: Any, file: str) -> str:
    """A value as a text. Lists and mappings are refused unseen: with aliases, a short file has ones
    of any size.
    """
    if isinstance(value, list | dict | set | tuple):
        raise InputError("a text is needed where the witness has a list or a mapping", Span(file))
    return str(value)


def _task(entry: Mapping[str, Any], file: str, program: str) -> tuple[str, str]:
    """Specification and data model that an entry names; another version, or another program, is
    refused.
    """
    metadata = entry.get("metadata")
    task = metadata.get("task") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(task, dict):
        raise InputError("an entry of the witness has no metadata about its task", Span(file))
    version = _text(metadata.get("format_version", ""), file)
    if not version.startswith("2."):
        raise Unsupported(
            f"witness format {version[:20]!r}; 2.0 is supported", Span(file), "witness format"
        )
    hashes = task.get("input_file_hashes")
    own = hashlib.sha256(Path(program).read_bytes()).hexdigest()
    if isinstance(hashes, dict) and hashes and own not in [_text(h, file) for h in hashes.values()]:
        raise InputError(
            f"the witness is about another program: its hash is not that of {program}", Span(file)
        )
    return _text(task.get("specification", ""), file), _text(task.get("data_model", ""), file)


def _content(entry: Mapping[str, Any], file: str, program: str) -> Iterator[Marker]:
    if entry["entry_type"] == INVARIANT_SET:
        for item in entry["content"]:
            yield _invariant(item["invariant"], file, program)
        return
    segments = entry["content"]
    if not isinstance(segments, list) or not 0 < len(segments) < MAX_SEGMENTS:
        raise Unsupported(
            f"a violation sequence needs 1 to {MAX_SEGMENTS - 1} segments", Span(file), "witness"
        )
    rows = [[w["waypoint"] for w in item["segment"]] for item in segments]
    _check_rows(rows, file)
    for number, row in enumerate(rows):
        for w in row:
            kind = _kind(w["type"], file)
            marker = _marker(kind, w["location"], _constraint(kind, w, file), file, program)
            yield replace(
                marker,
                segment=number,
                follow=w["action"] != AVOID,
                cycle=row[-1]["action"] == CYCLE,
            )


def _check_rows(rows: list[list[Any]], file: str) -> None:
    """A segment has any number of waypoints to avoid, then one to follow. The last one is the
    target, or there is none and the last segments are a cycle.
    """
    for number, row in enumerate(rows, 1):
        actions = [w["action"] for w in row]
        if (
            not actions
            or actions[-1] not in (FOLLOW, CYCLE)
            or any(a != AVOID for a in actions[:-1])
        ):
            raise InputError(
                f"segment {number} must consist of waypoints to avoid and one to follow behind them",
                Span(file),
            )
    ends = [row[-1]["action"] for row in rows]
    if ends != sorted(ends, key=lambda action: action == CYCLE):
        raise InputError("the segments of a cycle end a violation sequence", Span(file))
    targets = [w["type"] == Kind.TARGET.value for row in rows for w in row]
    if any(targets[:-1]) or targets[-1] is (ends[-1] == CYCLE):
        raise InputError("the target waypoint ends a violation sequence, and only that", Span(file))


def _invariant(data: Mapping[str, Any], file: str, program: str) -> Marker:
    kind = _kind(data["type"], file)
    if kind not in (Kind.LOOP_INVARIANT, Kind.LOCATION_INVARIANT):
        raise Unsupported(f"an invariant of type {kind.value}", Span(file), "witness")
    return _marker(kind, data["location"], _expression(data, file), file, program)


def _kind(name: Any, file: str) -> Kind:
    try:
        return Kind(_text(name, file))
    except ValueError as problem:
        raise Unsupported(f"{str(name)[:40]!r} in a witness", Span(file), "witness") from problem


def _constraint(kind: Kind, w: Mapping[str, Any], file: str) -> str:
    """What a waypoint asks for; nothing for targets and for entering a function."""
    constraint = w.get("constraint")
    if kind in (Kind.TARGET, Kind.ENTER):
        return ""
    if kind is Kind.BRANCHING:
        value = _text(constraint["value"], file).lower() if constraint else ""
        if value not in ("true", "false"):
            raise Unsupported(f"branching by {value[:40]!r}", Span(file), "witness")
        return value
    return (
        ""
        if kind is Kind.RETURN and constraint is None
        else _expression(constraint, file, kind is Kind.RETURN)
    )


def _expression(data: Any, file: str, result: bool = False) -> str:
    form = _text(data.get("format", FORMATS[0]), file)
    if form not in FORMATS:
        raise Unsupported(f"expressions in the format {form[:40]!r}", Span(file), "witness")
    return check_expression(_text(data["value"], file), Span(file), result)


def _marker(kind: Kind, location: Mapping[str, Any], text: str, file: str, program: str) -> Marker:
    """A marker at a location; of a C program in several files, the file it names."""
    line, column = location["line"], location.get("column")
    if (
        isinstance(line, bool)
        or not isinstance(line, int)
        or not (column is None or isinstance(column, int))
        or column is True
    ):
        raise InputError("line and column of a location are numbers", Span(file))
    named = Path(_text(location.get("file_name", program), file)).name
    return Marker(
        kind,
        named,
        line,
        column,
        _text(location.get("function") or "", file),
        text,
        said=Span(file),
    )
