"""Results in SQLite: one file is one *benchmark*,
that is tasks x tools under the same limits, complete or on its way.

A result is stored in one transaction when its run has ended, so that a kill at any moment loses
only runs under way; `pending` is what is left to do. What a benchmark consists of is written first;
taking it up again with other tasks, tools or limits is refused, and with other sources unless asked
for. `lock` keeps two runners apart.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from obligato.bench.limited import Ended
from obligato.bench.score import Result
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, Tool
from obligato.errors import ConfigError

SCHEMA = 1
FILE = "results.sqlite"
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tools (name TEXT PRIMARY KEY, version TEXT NOT NULL, command TEXT NOT NULL, options TEXT NOT NULL);
CREATE TABLE tasks (
  name TEXT PRIMARY KEY, file TEXT NOT NULL, property TEXT NOT NULL, expected TEXT, track TEXT NOT NULL,
  category TEXT NOT NULL, family TEXT NOT NULL, data_model TEXT NOT NULL);
CREATE TABLE pairs (task TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (task, tool));
CREATE TABLE results (
  task TEXT NOT NULL, tool TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  how TEXT NOT NULL, exit_status INTEGER, cpu_s REAL NOT NULL,
  wall_s REAL NOT NULL, peak_mb REAL NOT NULL, processes_left INTEGER NOT NULL,
  output_bytes INTEGER NOT NULL, output TEXT NOT NULL, errors TEXT NOT NULL, command TEXT NOT NULL,
  source TEXT NOT NULL, ended TEXT NOT NULL, stats TEXT NOT NULL, PRIMARY KEY (task, tool));
"""
_KEPT_OUTPUT = 4000


@dataclass(frozen=True, slots=True)
class Run:
    """One run to store."""

    task: Task
    tool: Tool
    command: list[str]
    ended: Ended
    conclusion: Conclusion
    source: str
    time: str


class Store:
    """The results of one benchmark."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        path = folder / FILE
        if not create and not path.is_file():
            raise ConfigError(f"no results in {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(path, isolation_level=None)
        if not self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            self.db.executescript(f"BEGIN; {_TABLES} COMMIT;")

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    # -- what it consists of -----------------------------------------------------------------------

    def meta(self) -> dict[str, Any]:
        """What is known about the whole benchmark."""
        return {k: json.loads(v) for k, v in self.db.execute("SELECT key, value FROM meta")}

    def begin(
        self,
        tasks: Sequence[Task],
        tools: Sequence[Tool],
        meta: dict[str, Any],
        any_source: bool = False,
    ) -> None:
        """A new benchmark, or the same one again:
        the plan is written, or compared with the one that is there."""
        old = self.meta()
        if not old:
            self._write_plan(tasks, tools, {"schema": SCHEMA, **meta})
            return
        before, now = ({"isolation": "rlimits", "schema": SCHEMA, **m} for m in (old, meta))
        changes = [k for k in ("schema", "limits", "isolation") if before.get(k) != now.get(k)]
        changes += ["tasks"] if self._tasks() != list(tasks) else []
        changes += ["tools"] if self._tools() != [_described(t) for t in tools] else []
        changes += (
            ["sources (revision)"] if old.get("source") != meta["source"] and not any_source else []
        )
        if changes:
            raise ConfigError(
                f"{self.folder} holds a benchmark with other {', '.join(changes)}: choose another"
                " folder"
            )

    def _write_plan(
        self, tasks: Sequence[Task], tools: Sequence[Tool], meta: dict[str, Any]
    ) -> None:
        self.db.execute("BEGIN")
        self.db.executemany(
            "INSERT INTO tasks VALUES (?,?,?,?,?,?,?,?)", [astuple(t) for t in tasks]
        )
        self.db.executemany("INSERT INTO tools VALUES (?,?,?,?)", [_described(t) for t in tools])
        pairs = [(task.name, tool.name) for task in tasks for tool in tools if tool.accepts(task)]
        self.db.executemany("INSERT INTO pairs VALUES (?,?)", pairs)
        self.db.executemany(
            "INSERT INTO meta VALUES (?,?)", [(k, json.dumps(v)) for k, v in meta.items()]
        )
        self.db.execute("COMMIT")

    def _tasks(self) -> list[Task]:
        return [Task(*r) for r in self.db.execute("SELECT * FROM tasks ORDER BY rowid")]

    def files(self) -> dict[str, str]:
        """The file of each task."""
        return dict(self.db.execute("SELECT name, file FROM tasks"))

    def _tools(self) -> list[tuple[str, ...]]:
        return list(self.db.execute("SELECT * FROM tools ORDER BY rowid"))

    def tools(self) -> list[dict[str, str]]:
        """Name, version, command and options of each tool."""
        return [
            dict(zip(("name", "version", "command", "options"), t, strict=True))
            for t in self._tools()
        ]

    # -- results -----------------------------------------------------------------------------------

    def pending(self) -> list[tuple[str, str]]:
        """Tasks and tools without a result, in the order of the plan."""
        return list(
            self.db.execute(
                "SELECT task, tool FROM pairs WHERE NOT EXISTS (SELECT 1 FROM results r WHERE"
                " r.task = pairs.task AND r.tool = pairs.tool) ORDER BY pairs.rowid"
            )
        )

    def total(self) -> int:
        """Runs in the plan."""
        return int(self.db.execute("SELECT count(*) FROM pairs").fetchone()[0])

    def finished(self) -> int:
        """Runs that have a result."""
        return int(self.db.execute("SELECT count(*) FROM results").fetchone()[0])

    def add(self, run: Run) -> None:
        """Store a result: all of it or nothing."""
        e = run.ended
        self.db.execute(
            "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                run.task.name,
                run.tool.name,
                run.conclusion.status,
                run.conclusion.reason,
                e.how,
                e.status,
                e.cpu_s,
                e.wall_s,
                e.peak_mb,
                e.left,
                e.out_bytes + e.err_bytes,
                e.out[-_KEPT_OUTPUT:],
                e.err[-_KEPT_OUTPUT:],
                json.dumps(run.command),
                run.source,
                run.time,
                json.dumps(run.conclusion.stats),
            ),
        )

    def results(self) -> list[Result]:
        """All results, in the order of the plan."""
        found = self.db.execute(
            "SELECT r.task, r.tool, status, reason, t.expected, t.category, cpu_s, wall_s, peak_mb,"
            " stats, source FROM pairs p JOIN results r ON r.task = p.task AND r.tool = p.tool JOIN"
            " tasks t ON t.name = r.task ORDER BY p.rowid"
        )
        rows: list[tuple[Any, ...]] = [(*r[:-2], json.loads(r[-2]), r[-1]) for r in found]
        return [Result(*r) for r in rows]


def _described(tool: Tool) -> tuple[str, str, str, str]:
    return tool.name, tool.version, tool.shown, json.dumps(dict(tool.options), sort_keys=True)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Only one runner at a time in a folder; the kernel lets go when it dies."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise ConfigError(f"another runner is at work in {folder}") from problem
        yield
