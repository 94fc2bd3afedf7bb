"""SV-COMP task definitions (``.yml``, format 2.0 and the older ones) and property files (``.prp``).

`read_task` gives the program, data model, property and expected verdict of each property that is
supported here; `read_property` names the property of a ``.prp`` file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c.catalogue import ERRORS
from obligato.frontends.reading import read_text

_CALL = re.compile(r"LTL\(\s*G\s*!\s*call\(\s*(\w+)\(\)\s*\)\s*\)")
_INIT = re.compile(r"init\(\s*(\w+)\(\)\s*\)")


@dataclass(frozen=True, slots=True)
class Property:
    """A property by its name here; `entry` from ``init``."""

    name: str
    entry: str = "main"


@dataclass(frozen=True, slots=True)
class Task:
    """One program with one property; `expected` is True, False or None (not recorded)."""

    program: Path
    data_model: str
    property: Property
    expected: bool | None


def read_property(path: str | Path) -> Property:
    """The property of a .prp file."""
    text = read_text(Path(path))
    start = _INIT.search(text)
    entry = start[1] if start else "main"
    call = _CALL.search(text)
    alone = text.count("CHECK") == 1
    if alone and call and call[1] in ERRORS:
        return Property("unreach-call", entry)
    if alone and re.search(r"G\s*!\s*overflow", text):
        return Property("no-overflow", entry)
    if alone and re.search(r"LTL\(\s*F\s+end\s*\)", text):
        return Property("termination", entry)
    if "valid-deref" in text and "valid-free" in text:
        return Property("valid-memsafety" if "valid-memtrack" in text else "memsafety", entry)
    raise Unsupported(
        f"property {text.strip().splitlines()[0] if text.strip() else '(empty)'}",
        Span(str(path)),
        "property",
    )


def read_task(path: str | Path) -> list[Task]:
    """The tasks of a .yml file, one per property that can be read; raises if there is none."""
    path = Path(path)
    data = _load_yaml(path)
    files = data.get("input_files")
    names = [files] if isinstance(files, str) else files
    if not isinstance(names, list) or len(names) != 1 or not isinstance(names[0], str):
        raise Unsupported("a task needs exactly one input file", Span(str(path)), "task definition")
    options = data.get("options")
    model = options.get("data_model", "ILP32") if isinstance(options, dict) else "ILP32"
    tasks = []
    listed = data.get("properties") or []
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise InputError("the properties of a task are a list", Span(str(path)))
    for item in listed:
        prp = path.parent / str(item.get("property_file", ""))
        try:
            prop = read_property(prp)
        except Unsupported:
            continue  # coverage, ...: not for this front end
        expected = item.get("expected_verdict")
        tasks.append(
            Task(
                path.parent / names[0],
                str(model),
                prop,
                expected if isinstance(expected, bool) else None,
            )
        )
    if not tasks:
        raise Unsupported("no property of this task is supported", Span(str(path)), "property")
    return tasks


def _load_yaml(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(read_text(path))
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        span = (
            Span(str(path), mark.line + 1, mark.column + 1) if mark is not None else Span(str(path))
        )
        raise InputError(f"not YAML: {getattr(e, 'problem', e)}", span) from e
    if not isinstance(data, dict):
        raise InputError("not a task definition", Span(str(path)))
    return data
