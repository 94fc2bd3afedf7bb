"""What to run: tasks of a corpus (`tasks.csv`), of SV-COMP (`.yml`, `.set`),
or single files; filters and samples.

A corpus is a folder with `tasks.csv` (columns set, track, path, property, expected, category, note,
family); a task's file is `<set>/<path>`, and for C the note is the data model (32 or 64). Formats
are not looked at: the tool gets the file as it is. `read_tasks` carries it.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from obligato.errors import ConfigError
from obligato.frontends.registry import find_language

_MODELS = {"32": "ILP32", "64": "LP64"}


@dataclass(frozen=True, slots=True)
class Task:
    """One question. `expected` is "true", "false" or unknown;
    `property` and `data_model` may be empty: the tool's own."""

    name: str
    file: str
    property: str = ""
    expected: str | None = None
    track: str = ""
    category: str = ""
    family: str = ""
    data_model: str = ""

    def is_c(self) -> bool:
        """Is it a C program?"""
        return self.language() == "c"

    def language(self) -> str:
        """The name of the input language; empty where there is no front end for it."""
        found = find_language(self.file)
        return found.name if found is not None else ""

    def about(self) -> list[str]:
        """What the command line must be told besides the file:
        C leaves property and data model open, a model its CTL."""
        chosen = self.is_c() or self.is_ctl() or self.property.startswith(("justice", "ltl", "ctl"))
        asked = ["--property", self.property] if self.property and chosen else []
        return asked + (["--data-model", self.data_model] if self.data_model else [])

    def is_ctl(self) -> bool:
        """Is the property a CTL formula?"""
        return self.property.startswith("ctl:")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which tasks to keep; empty keeps all. Of several values of one kind any will do."""

    track: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    expected: str = ""
    property: str = ""
    match: tuple[str, ...] = ()  # parts of names
    exclude: tuple[str, ...] = ()  # parts of names

    def keeps(self, t: Task) -> bool:
        """Is this task kept?"""
        return (
            (not self.track or t.track in self.track)
            and (not self.category or any(c in t.category for c in self.category))
            and (not self.family or t.family in self.family)
            and self.expected in ("", t.expected)
            and self.property in ("", t.property)
            and (not self.match or any(m in t.name for m in self.match))
            and not any(m in t.name for m in self.exclude)
        )


def select(
    tasks: Sequence[Task], wanted: Filter, sample: int | None = None, seed: int = 0
) -> list[Task]:
    """What the filter keeps, or `sample` of it, chosen by the seed alone; in the order listed."""
    kept = [t for t in tasks if wanted.keeps(t)]
    if sample is None or sample >= len(kept):
        return kept
    chosen = random.Random(seed).sample(range(len(kept)), sample)
    return [kept[n] for n in sorted(chosen)]


def read_tasks(paths: Iterable[Path]) -> list[Task]:
    """The tasks that the paths name:
    folders with tasks.csv, .csv, .set, .yml, or a file to verify."""
    tasks = [t for p in paths for t in _read(p)]
    twice = [name for name, n in Counter(t.name for t in tasks).items() if n > 1]
    if twice:
        raise ConfigError(f"task {twice[0]} is listed more than once")
    return tasks


def _read(path: Path) -> list[Task]:
    if path.is_dir():
        path = path / "tasks.csv"
    if not path.is_file():
        raise ConfigError(f"no tasks at {path}")
    match path.suffix:
        case ".csv":
            return list(_corpus(path))
        case ".yml":
            return list(_svcomp(path, path.parent))
        case ".set":
            return list(_set(path))
    return [Task(str(path), str(path.resolve()))]


def _corpus(path: Path) -> Iterator[Task]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    missing = {"set", "path", "property", "expected"} - set(rows[0] if rows else ())
    if missing:
        raise ConfigError(f"{path} has no column {', '.join(sorted(missing))}")
    uses = Counter(f"{r['set']}/{r['path']}" for r in rows)
    for r in rows:
        name = f"{r['set']}/{r['path']}"
        task = Task(
            name if uses[name] == 1 else f"{name}#{r['property']}",
            str((path.parent / name).resolve()),
            r["property"],
            _verdict(r["expected"]),
            r.get("track", ""),
            r.get("category", ""),
            r.get("family", ""),
        )
        yield _with_model(task, r.get("note", ""))


def _with_model(task: Task, note: str) -> Task:
    return replace(task, data_model=_MODELS.get(note, "")) if task.is_c() else task


def _set(path: Path) -> Iterator[Task]:
    """A file of patterns of task definitions, one a line, relative to it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        pattern = line.strip()
        if pattern and not pattern.startswith("#"):
            for definition in sorted(path.parent.glob(pattern)):
                yield from _svcomp(definition, path.parent, path.stem)


def _svcomp(path: Path, root: Path, category: str = "") -> Iterator[Task]:
    """A task definition: one task for each property that has an expected verdict."""
    try:
        data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        files, properties = data["input_files"], data.get("properties", [])
        options = data.get("options") or {}
        checks = [(Path(p["property_file"]).stem, p.get("expected_verdict")) for p in properties]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as problem:
        raise ConfigError(f"{path} is no task definition: {problem!r}") from problem
    if not isinstance(files, str):
        raise ConfigError(f"{path}: a task of several input files is not supported")
    name = path.relative_to(root).as_posix()
    for property, expected in checks:
        if expected is not None:
            yield Task(
                name if len(checks) == 1 else f"{name}#{property}",
                str((path.parent / files).resolve()),
                property,
                _verdict(str(expected).lower()),
                "",
                category or path.parent.name,
                "",
                options.get("data_model", ""),
            )


def _verdict(text: str) -> str | None:
    return text if text in ("true", "false") else None
