"""One run on a worker of a dask.distributed cluster:
the same tools, the same limits, the same watchdog as on this machine.

`run_job` carries it: it unpacks the files, starts the command under its watchdog, waits, reads the
conclusion. The tool is made on the worker (`Maker`), so that its command names the worker's own
interpreter. A worker whose Python or sources are not those of the benchmark refuses
(`OtherProgram`).
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory

from obligato.bench.limited import Ended, Limits, Running, dismiss, order, start, watchdog
from obligato.bench.machine import sources
from obligato.bench.runexec import isolation
from obligato.bench.shipping import Bundle
from obligato.bench.tools import Conclusion, Tool
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
    """One run: a tool on a task, under limits that `isolation` keeps.
    `stop` names the event that ends it."""

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
    conclusion: Conclusion


def this_program() -> Program:
    """Python and sources here."""
    return Program(platform.python_version(), sources())


def run_job(job: Job) -> Report:
    """Run the job here; raises `OtherProgram` where this is not the program that the benchmark is
    about."""
    here = this_program()
    if here != job.program:
        raise OtherProgram(
            f"worker {platform.node()} has Python {here.python} and sources {here.source}, the"
            f" benchmark has Python {job.program.python} and sources {job.program.source}: install"
            " the same on all machines"
        )
    with TemporaryDirectory(prefix="obligato-") as place:
        task = job.bundle.unpacked(Path(place, "files"))
        folder = Path(place, "run")
        folder.mkdir()
        tool = job.maker()
        command = tool.command(task, job.limits)
        ended = _run(command, job, folder)
        return Report(command, ended, tool.conclusion(ended, folder))


def _run(command: list[str], job: Job, folder: Path) -> Ended:
    """Run the command under a watchdog that this worker has already, or a new one."""
    program, spare = isolation(job.isolation).program, _spare()
    if program or spare is None:
        return _wait(start(command, job.limits, folder, program), job.stop)
    process = _taken(spare)
    ended = _wait(order(process, command, job.limits, folder), job.stop)
    if ended.how == "stopped":
        dismiss(process)
    else:
        spare.append(process)
    return ended


def _spare() -> list[Popen[bytes]] | None:
    """The watchdogs of this worker that have nothing to do, and end with it;
    None where this is no worker."""
    from distributed import get_worker

    with suppress(ValueError):
        found: list[Popen[bytes]] = vars(get_worker()).setdefault("obligato_watchdogs", [])
        return found
    return None


def _taken(spare: list[Popen[bytes]]) -> Popen[bytes]:
    """One of them that still lives, else a new one. Another thread may be quicker."""
    with suppress(IndexError):
        while True:
            process = spare.pop()
            if process.poll() is None:
                return process
            dismiss(process)
    return watchdog()


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
