"""The file that an engine's events go to. What cannot be written is lost and reported; the run goes
on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO


class EventLog:
    """A file to write to; `problem` says why it is incomplete."""

    def __init__(self, file: TextIO, limit: int | None = None) -> None:
        self._file, self._left = file, limit
        self.problem = ""

    def write(self, text: str) -> None:
        """Write; after a failure, and after as many characters as are wanted, nothing more is
        tried.
        """
        if self._left is not None:
            self._left -= len(text)
        if not self.problem and (self._left is None or self._left >= 0):
            self._try(lambda: self._file.write(text))

    def close(self) -> None:
        """Write what is buffered."""
        self._try(self._file.close)

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as problem:
            self.problem = self.problem or problem.strerror or str(problem)


class EventReports:
    """A log whose events are reported to whoever started the run, as ("event", data)."""

    def __init__(self, report: Callable[[str, Any], None]) -> None:
        self._report = report

    def write(self, text: str) -> None:
        """Report one event to the supervisor."""
        self._report("event", json.loads(text))


@contextmanager
def event_log(
    path: str | None,
    report: Callable[[str, Any], None],
    events: bool = False,
    limit: int | None = None,
) -> Iterator[EventLog | EventReports | None]:
    """The log at `path`, to which this run's events are appended; what is lost is reported as
    ("lost", message). Without a path the events are reported if they are wanted.
    """
    if path is None:
        yield EventReports(report) if events else None
        return
    try:
        # line by line, so that a run that is killed leaves what it has written; `close` may fail,
        # too
        file = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115
    except OSError as problem:
        report("lost", f"--log {path}: {problem.strerror}")
        yield None
        return
    log = EventLog(file, limit)
    try:
        yield log
    finally:
        log.close()
        if log.problem:
            report("lost", f"--log {path}: {log.problem}")
