"""Runs what a store still wants on a dask.distributed cluster;
results are stored here as they come, each once.

`ClusterRunner.run` carries it. The cluster's scheduler gives jobs (`remote.run_job`) to workers,
one for each thread of them; it gives those of a lost worker to another one. A job that was lost
with its worker too often is stored as an internal error. Stopped, the runner sets an event that the
workers look at, so that they end their commands.
"""

from __future__ import annotations

from asyncio import run_coroutine_threadsafe
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from obligato.bench.limited import Ended, Limits
from obligato.bench.remote import Job, Maker, OtherProgram, Report, run_job, this_program
from obligato.bench.runner import POLL_S, Observer, stopped_by_signals
from obligato.bench.score import INTERNAL
from obligato.bench.shipping import Bundle, packed
from obligato.bench.store import Run, Store
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, Tool
from obligato.errors import ConfigError


@contextmanager
def connected(scheduler: str, local: int) -> Iterator[Any]:
    """A client of the scheduler at this address,
    or of a cluster of `local` workers on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as problem:
        raise ConfigError(
            "a cluster needs dask.distributed: pip install 'obligato[cluster]'"
        ) from problem
    if local:
        with (
            LocalCluster(n_workers=local, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=30)
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"no scheduler of dask.distributed answers at {scheduler}: {problem}"
        ) from problem
    with client:
        yield client


class ClusterRunner:
    """All that is needed to finish a benchmark on a cluster."""

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        tools: Mapping[Maker, Tool],
        limits: Limits,
        isolation: str,
        client: Any,
        until: float = inf,
    ) -> None:
        self.store, self.limits, self.isolation = store, limits, isolation
        self.client, self.until = client, until
        self.tasks = {t.name: t for t in tasks}
        self.tools = {tool.name: (maker, tool) for maker, tool in tools.items()}
        self.program = this_program()
        self.stop_event = f"obligato-stop-{uuid4()}"
        self.stopped = False
        self.busy_s = 0.0  # wall time of all commands

    def run(self, observe: Observer) -> bool:
        """Run what is pending; False if stopped before the end, at the latest `until`.

        Requires: the main thread, the folder's lock.
        Raises `OtherProgram` where a worker runs something else.
        """
        ended: SimpleQueue[Any] = SimpleQueue()
        with stopped_by_signals(self._stop):
            futures = self._submitted(ended)
            try:
                while futures and not self.stopped:
                    self._collect(futures, ended, observe)
                    self.stopped |= monotonic() >= self.until and bool(futures)
            finally:
                self._end(list(futures))
        return not self.stopped

    def _stop(self) -> None:
        self.stopped = True

    def _submitted(self, ended: SimpleQueue[Any]) -> dict[Any, tuple[Task, Tool]]:
        """The future of each pending run."""
        bundles: dict[str, Bundle] = {}
        futures: dict[Any, tuple[Task, Tool]] = {}
        for name, tool_name in self.store.pending():
            task, (maker, tool) = self.tasks[name], self.tools[tool_name]
            if name not in bundles:
                bundles[name] = packed(task)
            job = Job(
                bundles[name], maker, self.limits, self.isolation, self.program, self.stop_event
            )
            future = self.client.submit(run_job, job, pure=False, priority=-len(futures))
            futures[future] = task, tool
        for future in futures:
            future.add_done_callback(ended.put)
        return futures

    def _collect(
        self, futures: dict[Any, tuple[Task, Tool]], ended: SimpleQueue[Any], observe: Observer
    ) -> None:
        """Wait a little; store what has ended."""
        try:
            future = ended.get(timeout=POLL_S)
        except Empty:
            observe(None)
            return
        task, tool = futures.pop(future)
        report = self._report(future)
        if report is None:
            self.stopped = True  # the scheduler is gone; what it had is still pending
            return
        self.busy_s += report.ended.wall_s
        time = datetime.now(UTC).isoformat(timespec="seconds")
        run = Run(
            task, tool, report.command, report.ended, report.conclusion, self.program.source, time
        )
        self.store.add(run)
        observe(run)

    def _report(self, future: Any) -> Report | None:
        """What came of a job; None if the cluster has dropped it,
        or the benchmark was stopped before it was told."""
        if future.status == "cancelled":
            return None
        told = self._told(future)
        if told is None or isinstance(told, Report):
            return told
        problem = told
        if isinstance(problem, OtherProgram):
            raise problem
        reason = f"{type(problem).__name__}: {problem}"
        return Report([], Ended("not started", err=reason), Conclusion(INTERNAL, reason))

    def _told(self, future: Any) -> Report | BaseException | None:
        """The report or the error of a job that has ended. What was lost with its worker meanwhile
        runs again. If all workers are gone that may take for ever,
        but it ends when the benchmark is stopped."""
        asked = self.client.gather(future, asynchronous=True)
        waiting: Future[Report] = run_coroutine_threadsafe(asked, self.client.loop.asyncio_loop)
        while not self.stopped and not waiting.done():
            wait([waiting], POLL_S)
            self.stopped |= monotonic() >= self.until
        if waiting.cancelled() or waiting.cancel():
            return None
        return waiting.exception() or waiting.result()

    def _end(self, futures: list[Any]) -> None:
        """No command of this benchmark goes on, as far as the cluster still answers."""
        from distributed import Event

        if futures:
            Event(self.stop_event, client=self.client).set()
            self.client.cancel(futures)
