"""Inputs over engines on a cluster: `obligato verify FILES --engine a,b --scheduler ADDRESS`.

Each file with each engine is a job (`remote.run_job`) that calls `obligato verify` on a worker,
where the verdict is checked as here. The first certified verdict about a file wins, and the file's
other jobs are ended. Two verdicts about one file that contradict each other are an internal error.
`Spread.run` carries it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from obligato.bench.limited import Ended, Limits
from obligato.bench.remote import Job, Report, run_job, this_program
from obligato.bench.score import FALSE, TRUE
from obligato.bench.shipping import Bundle
from obligato.bench.tasks import Task
from obligato.bench.tools import OBLIGATO, Conclusion, Tool, read_lines
from obligato.errors import InternalError

DECIDED = (TRUE, FALSE)
TEXT = "text"  # in the statistics of a conclusion: what was printed
WEEK = Limits(7 * 86400.0, 7 * 86400.0, 1 << 20)


@dataclass(frozen=True, slots=True)
class Told:
    """What is known about one file in the end:
    the conclusion that won, or the last one of those that decided nothing."""

    file: str
    engine: str
    conclusion: Conclusion
    status: int | None
    errors: str = ""


def verifier(engine: str, words: tuple[str, ...], others: tuple[str, ...] = ()) -> Tool:
    """`obligato verify` with one engine and further words of the command line;
    its text names no folder of the worker.

    `others` are further files of the program, relative to the folder of its first one.
    """

    def command(task: Task, limits: Limits) -> list[str]:
        files = [task.file, *(str(Path(task.file).parent / other) for other in others)]
        return [*OBLIGATO, "verify", *files, *(["--engine", engine] if engine else []), *words]

    def read(ended: Ended, folder: Path) -> Conclusion:
        there = f"{folder.parent / 'files'}/"
        plain = replace(ended, out=ended.out.replace(there, ""), err=ended.err.replace(there, ""))
        return replace(read_lines(plain, folder), stats={TEXT: plain.out, "errors": plain.err})

    return Tool(engine or "default", "", "", command, read)


class Spread:
    """Jobs on a cluster, by file."""

    def __init__(
        self,
        client: Any,
        bundles: Mapping[str, Bundle],
        engines: Sequence[str],
        words: tuple[str, ...],
        others: tuple[str, ...] = (),
    ) -> None:
        self.client, self.program = client, this_program()
        self.stops = {file: f"obligato-stop-{uuid4()}" for file in bundles}
        self.futures: dict[Any, tuple[str, str]] = {}
        for file, bundle in bundles.items():
            for engine in engines or [""]:
                job = Job(
                    bundle,
                    partial(verifier, engine, words, others),
                    WEEK,
                    "rlimits",
                    self.program,
                    self.stops[file],
                )
                self.futures[client.submit(run_job, job, pure=False)] = file, engine
        self.told: dict[str, Told] = {}

    def run(self) -> list[Told]:
        """A conclusion for each file, in their order.
        Raises `InternalError` where two engines contradict each other."""
        from distributed import as_completed

        try:
            for future, report in as_completed(list(self.futures), with_results=True):
                self._take(*self.futures[future], report)
                if all(self._decided(file) for file in self.stops):
                    break
        finally:
            for file in self.stops:
                self._end(file)
        return [self.told[file] for file in self.stops]

    def _take(self, file: str, engine: str, report: Report) -> None:
        before, status = self.told.get(file), report.conclusion.status
        if before is not None and {before.conclusion.status, status} == set(DECIDED):
            raise InternalError(
                f"{file}: {before.engine} says {before.conclusion.status}, {engine} says {status}"
            )
        if before is None or (status in DECIDED and not self._decided(file)):
            errors = str(report.conclusion.stats.get("errors", report.ended.err))
            self.told[file] = Told(file, engine, report.conclusion, report.ended.status, errors)
        if self._decided(file):
            self._end(file)

    def _decided(self, file: str) -> bool:
        return file in self.told and self.told[file].conclusion.status in DECIDED

    def _end(self, file: str) -> None:
        """The jobs about a file that still run are ended."""
        from distributed import Event

        running = [f for f, (about, _) in self.futures.items() if about == file and not f.done()]
        if running:
            Event(self.stops[file], client=self.client).set()


def summary_status(told: Sequence[Told]) -> int | None:
    """The exit status for all files:
    refuted if one is, else that of the first that is not proved, else proved."""
    statuses = [t.status for t in told]
    others = [s for s in statuses if s not in (0, 10)]
    return 10 if 10 in statuses else others[0] if others else 0
