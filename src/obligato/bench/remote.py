"""One run on a worker of a dask.distributed cluster: the same tools, the same limits, the same watchdog as on this machine.

`run_job` carries it: it unpacks the files, starts the command under its watchdog, waits, reads the answer. The tool is made on
the worker (`Maker`), so that its command names the worker's own interpreter. A worker whose Python or sources are not those of
the benchmark refuses (`OtherProgram`).
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

from obligato.bench.limited import Ended, Limits, Running, start
from obligato.bench.machine import sources
from obligato.bench.runexec import isolation
from obligato.bench.shipping import Bundle
from obligato.bench.tools import Answer, Tool
from obligato.errors import ConfigError

Maker = Callable[[], Tool]
_POLL_S = 1.0  # between questions to the scheduler whether the benchmark has been stopped


class OtherProgram(ConfigError):
    """The worker runs another Python or other sources than the benchmark."""


@dataclass(frozen=True, slots=True)
class Program:
    """What must be the same everywhere for times and verdicts to be comparable."""

    python: str
    source: str


@dataclass(frozen=True, slots=True)
class Job:
    """One run: a tool on a task, under limits that `isolation` keeps. `stop` names the event that ends it."""

    bundle: Bundle
    maker: Maker
    limits: Limits
    isolation: str
    program: Program
    stop: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a job."""

    command: list[str]
    ended: Ended
    answer: Answer


def this_program() -> Program:
    """Python and sources here."""
    return Program(platform.python_version(), sources())


def run_job(job: Job) -> Report:
    """Run the job here; raises `OtherProgram` where this is not the program that the benchmark is about."""
    here = this_program()
    if here != job.program:
        raise OtherProgram(
            f"worker {platform.node()} has Python {here.python} and sources {here.source}, the benchmark has "
            f"Python {job.program.python} and sources {job.program.source}: install the same on all machines")
    with TemporaryDirectory(prefix="obligato-") as place:
        task = job.bundle.unpacked(Path(place, "files"))
        folder = Path(place, "run")
        folder.mkdir()
        tool = job.maker()
        command = tool.command(task, job.limits)
        ended = _wait(start(command, job.limits, folder, isolation(job.isolation).program), job.stop)
        return Report(command, ended, tool.answer(ended, folder))


def _wait(running: Running, stop: str) -> Ended:
    """The end of a command, which is stopped when the event is set."""
    ended: Ended | None = None
    while ended is None:
        if wait([running.fileno()], _POLL_S):
            ended = running.poll()
        elif _is_set(stop):
            running.stop()
    return ended


def _is_set(event: str) -> bool:
    from distributed import Event

    return bool(Event(event).is_set())
