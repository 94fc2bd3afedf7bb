"""What a page needs beside the outcome: the worker reports pictures of its models and logs its
events; both are kept here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from obligato.api.request import Request, member_log
from obligato.api.supervisor import Report
from obligato.results.outcome import Outcome

LARGEST_LOG = 256_000_000  # bytes of a log that only the page reads


@dataclass(slots=True)
class Recording:
    """The request that has a run recorded, and what was recorded so far."""

    request: Request
    log: tuple[str, int] | None = None
    pictures: dict[str, Any] = field(default_factory=dict)

    def heard(self, report: Report) -> Report:
        """Reports go to `report`, except pictures, which are kept."""
        return lambda kind, data: (
            self.pictures.update(data) if kind == "picture" else report(kind, data)
        )

    def added(self, outcome: Outcome) -> Outcome:
        """The outcome with what was recorded; of several engines with the log of the winner."""
        log = self.log
        if self.request.asks_several() and log is not None:
            told = outcome.stats.get("portfolio", {"winner": None, "members": []})
            names = [member["engine"] for member in told["members"]]
            log = (
                (member_log(log[0], names.index(told["winner"])), 0)
                if told["winner"] in names
                else None
            )
        return replace(outcome, pictures=self.pictures, log=log)


@contextmanager
def recording(request: Request, wanted: bool) -> Iterator[Recording]:
    """A run as `request` asks for it, recorded if that is wanted. Outside, a log that only the page
    reads is gone.

    Of several engines each has a log, and that of the winner is kept. A log that is no regular file
    cannot be read again.
    """
    if not wanted:
        yield Recording(request)
        return
    request = replace(request, pictures=True)
    if request.log is not None:
        yield Recording(request, _end(Path(request.log)))
        return
    try:
        folder = tempfile.TemporaryDirectory(prefix="obligato-")
    except OSError:  # no room anywhere: a page without events
        yield Recording(request)
        return
    with folder as name:
        own = str(Path(name, "events.jsonl"))
        yield Recording(replace(request, log=own, log_limit=LARGEST_LOG), (own, 0))


def _end(log: Path) -> tuple[str, int] | None:
    """Where the events of a run will begin that are appended to a log."""
    if log.exists() and not log.is_file():
        return None
    return str(log), log.stat().st_size if log.exists() else 0
