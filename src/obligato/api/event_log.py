"""The file that an engine's events go to. What cannot be written is lost and reported; the run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO


class EventLog:
    """A file to write to; `problem` says why it is incomplete."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.problem = ""

    def write(self, text: str) -> None:
        """Write; after a failure nothing more is tried."""
        if not self.problem:
            self._try(lambda: self._file.write(text))

    def close(self) -> None:
        """Write what is buffered."""
        self._try(self._file.close)

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as problem:
            self.problem = self.problem or problem.strerror or str(problem)


@contextmanager
def event_log(path: str | None, report: Callable[[str, Any], None]) -> Iterator[EventLog | None]:
    """The log at `path`, to which this run's events are appended; what is lost is reported as ("lost", message)."""
    if path is None:
        yield None
        return
    try:
        file = Path(path).open("a", encoding="utf-8")  # noqa: SIM115 - `close` may fail, too
    except OSError as problem:
        report("lost", f"--log {path}: {problem.strerror}")
        yield None
        return
    log = EventLog(file)
    try:
        yield log
    finally:
        log.close()
        if log.problem:
            report("lost", f"--log {path}: {log.problem}")
