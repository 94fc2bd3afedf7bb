"""Runs the tasks that a store still wants, several at once, each contained;
results are stored as they come.

`Runner.run` carries it: one thread, which starts keepers, waits for their reports and stores them.
When it is told to stop (SIGINT, SIGTERM) it ends the keepers, which end their commands; when it is
killed, the keepers notice and do the same. What was under way is not stored and will be run again.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic

from obligato.bench.limited import Ended, Limits, Running, start
from obligato.bench.machine import sources
from obligato.bench.store import Run, Store
from obligato.bench.tasks import Task
from obligato.bench.tools import Tool

POLL_S = 0.2
_STOP_S = 5.0
SCRATCH = "scratch"


@dataclass(slots=True)
class _Job:
    """A run under way."""

    task: Task
    tool: Tool
    command: list[str]
    folder: Path
    source: str
    running: Running


Observer = Callable[[Run | None], None]  # a run that has ended, or None: time goes by


class Runner:
    """All that is needed to finish a benchmark."""

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        tools: Sequence[Tool],
        limits: Limits,
        jobs: int,
        runexec: str = "",
        until: float = inf,
    ) -> None:
        self.store, self.limits, self.jobs = store, limits, jobs
        self.runexec, self.until = runexec, until
        self.tasks = {t.name: t for t in tasks}
        self.tools = {t.name: t for t in tools}
        self.scratch = store.folder / SCRATCH
        self.stopped = False

    def run(self, observe: Observer) -> bool:
        """Run what is pending; False if stopped before the end,
        at the latest `until` (of `monotonic`).

        Requires: the main thread, the folder's lock.
        """
        shutil.rmtree(self.scratch, ignore_errors=True)  # of a run that was killed
        pending = [
            (self.tasks[task], self.tools[tool]) for task, tool in reversed(self.store.pending())
        ]
        jobs: list[_Job] = []
        with stopped_by_signals(self._stop):
            try:
                while (pending or jobs) and not self.stopped:
                    while pending and len(jobs) < self.jobs:
                        jobs.append(self._start(*pending.pop()))
                    jobs = self._collect(jobs, observe)
                    self.stopped |= monotonic() >= self.until and bool(pending or jobs)
            finally:
                self._end(jobs)
                shutil.rmtree(self.scratch, ignore_errors=True)
        return not self.stopped

    def _stop(self) -> None:
        self.stopped = True

    def _start(self, task: Task, tool: Tool) -> _Job:
        self.scratch.mkdir(exist_ok=True)
        # not one in which something dies that a killed runner has left
        folder = Path(mkdtemp(dir=self.scratch.resolve()))
        command = tool.command(task, self.limits)
        return _Job(
            task,
            tool,
            command,
            folder,
            sources(),
            start(command, self.limits, folder, self.runexec),
        )

    def _collect(self, jobs: list[_Job], observe: Observer) -> list[_Job]:
        """Wait a little; store what has ended. The jobs that go on."""
        left = list(jobs)
        ready = wait([j.running.fileno() for j in jobs], POLL_S)
        for job in [j for j in jobs if j.running.fileno() in ready]:
            ended = job.running.poll()
            if ended is not None:
                left.remove(job)
                observe(self._finish(job, ended))
        observe(None)
        return left

    def _finish(self, job: _Job, ended: Ended) -> Run:
        conclusion = job.tool.conclusion(ended, job.folder)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        run = Run(job.task, job.tool, job.command, ended, conclusion, job.source, time)
        self.store.add(run)
        shutil.rmtree(job.folder, ignore_errors=True)
        return run

    def _end(self, jobs: list[_Job]) -> None:
        """Stop the jobs that are under way, so that nothing is left running."""
        for job in jobs:
            job.running.stop()
        deadline = monotonic() + _STOP_S
        while jobs and monotonic() < deadline:
            jobs = [
                j
                for j in jobs
                if not (wait([j.running.fileno()], POLL_S) and j.running.poll() is not None)
            ]
        for job in jobs:
            job.running.process.kill()
            job.running.wait()


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGINT and SIGTERM call `stop`."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(s, lambda *_: stop()) for s in signals]
    try:
        yield
    finally:
        for s, handler in zip(signals, before, strict=True):
            signal.signal(s, handler)
