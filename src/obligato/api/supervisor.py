"""Work in a child process that can always be stopped: by time, by memory, by a signal, or because it died.

A solver may hang inside a C library where no Python code runs, so limits are kept from outside (DESIGN 3.11). The child
leads a process group of its own and is killed with it; if the supervisor itself is killed, the kernel kills the child.
The child reports over a pipe while it works, so that what it knew survives it. What solver libraries print goes to a file that
is read only if the child dies. `supervise` carries the idea.

Limitations: Linux (/proc, prctl). Memory is resident memory of the child and its descendants, sampled ten times a second.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any

POLL_S = 0.1
LAST_WORDS = 2000  # bytes of what a child that died had printed
GRACE_S = 0.5  # what the child gets beyond the time limit to end by itself
_PR_SET_PDEATHSIG = 1

Report = Callable[[str, Any], None]
Task = Callable[[Report], Any]


@dataclass(slots=True)
class Ended:
    """How the child ended. `how`: done (with `value`), timeout, memory, stopped, or died (with `detail`)."""

    how: str
    value: Any = None
    detail: str = ""
    usage: dict[str, float] = field(default_factory=dict)


def supervise(
    task: Task,
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    on_report: Report = lambda kind, data: None,
    method: str = "fork",
) -> Ended:
    """Run `task` in a child and wait for its value. Leaves no process behind.

    Reports go to `on_report`; while there are none, it is told ("alive", None) now and then.

    `method` is how the child is made: fork is fast but needs a caller without threads, spawn needs a picklable task.
    """
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    with _stop_signals() as stop, _chatter() as (chatter, said):
        child = context.Process(target=_child, args=(sender, task, os.getpid(), chatter))  # type: ignore[attr-defined]
        child.start()
        sender.close()
        try:
            ended = _watch(child, receiver, timeout, memory_mb, on_report, stop)
        finally:
            _kill(child)
            receiver.close()
        return replace(ended, detail=f"{ended.detail} {said()}".strip()) if ended.how == "died" else ended


@contextmanager
def _chatter() -> Iterator[tuple[str, Callable[[], str]]]:
    """A file for what libraries print, and its last words; where none can be made, that is thrown away."""
    try:
        handle, name = tempfile.mkstemp(prefix="obligato-")
    except OSError:
        yield os.devnull, str
        return
    try:
        yield name, lambda: Path(name).read_bytes()[-LAST_WORDS:].decode("utf-8", "replace")
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def _watch(
    child: BaseProcess,
    receiver: Connection,
    timeout: float | None,
    memory_mb: int | None,
    on_report: Report,
    stop: threading.Event,
) -> Ended:
    deadline = None if timeout is None else monotonic() + timeout + GRACE_S
    usage: dict[str, float] = {}
    while True:
        resident = _sample(child.pid or 0, usage)
        if stop.is_set():
            return Ended("stopped", usage=usage)
        if deadline is not None and monotonic() >= deadline:
            return Ended("timeout", usage=usage)
        if memory_mb is not None and resident > memory_mb:
            return Ended("memory", usage=usage)
        left = POLL_S if deadline is None else min(POLL_S, max(0.0, deadline - monotonic()))
        if not wait([receiver, child.sentinel], left):
            on_report("alive", None)
            continue
        message = _receive(receiver)
        if message is None:
            child.join(1.0)
            if child.exitcode == -signal.SIGXCPU:  # a limit of processor time that somebody set outside
                return Ended("timeout", usage=usage)
            return Ended("died", detail=_describe(child.exitcode), usage=usage)
        kind, data = message
        if kind == "done":
            return Ended("done", data, usage=usage)
        on_report(kind, data)


def _receive(receiver: Connection) -> tuple[str, Any] | None:
    try:
        if receiver.poll():
            message: tuple[str, Any] = receiver.recv()
            return message
    except (EOFError, OSError):
        pass
    return None


def _describe(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"ended with status {code}"


def _child(sender: Connection, task: Task, parent: int, chatter: str) -> None:
    """The child's life: own process group, dies with its parent, standard output and error left to the parent."""
    with suppress(OSError):
        os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    target = os.open(chatter, os.O_WRONLY | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(target, standard)
    lock = threading.Lock()

    def report(kind: str, data: Any) -> None:
        with lock:
            sender.send((kind, data))

    report("done", task(report))
    sender.close()
    sys.stderr.flush()


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """SIGINT and SIGTERM set the event; outside the main thread, where no handler can be set, nothing does."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(s, lambda *_: stop.set()) for s in signals]
    try:
        yield stop
    finally:
        for s, handler in zip(signals, before, strict=True):
            signal.signal(s, handler)


def _kill(child: BaseProcess) -> None:
    """End the child and its whole group."""
    if child.pid is None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        if child.exitcode is None:
            os.kill(child.pid, signal.SIGKILL)
    child.join()


def _sample(pid: int, usage: dict[str, float]) -> float:
    """Note the child's peak memory and processor time; the resident memory of it and its descendants in MB."""
    resident = sum(_resident_mb(p) for p in _family(pid))
    usage["peak_mb"] = max(usage.get("peak_mb", 0.0), round(resident, 1))
    with suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        usage["cpu_s"] = round((int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"), 2)
    return resident


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _family(pid: int) -> Iterator[int]:
    """The process and its descendants."""
    pending = [pid]
    while pending:
        p = pending.pop()
        yield p
        with suppress(OSError):
            for children in Path(f"/proc/{p}/task").glob("*/children"):
                pending.extend(map(int, children.read_text().split()))
