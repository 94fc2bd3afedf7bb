"""The tree of processes below one: its memory, its processor time, and how to end all of it
(Linux).

`end_all` carries the containment: the caller is a subreaper (`become_reaper`), so whoever loses its
parent becomes the caller's child, whatever sessions and groups it has fled to; killing goes on
until the caller has no child left.

Limitations: resident memory counts pages that processes share once per process; processor time of
children whose parent ignores SIGCHLD is lost with them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


def become_reaper() -> None:
    """Orphans among the descendants become children of this process."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int, stop: signal.Signals) -> None:
    """Get `stop` when the parent ends; end now if it has ended already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, stop)
    if os.getppid() != parent:
        os._exit(1)


def allowed_cpu_s() -> float:
    """The processor time that a process may use here (RLIMIT_CPU, `ulimit -t`); infinite where
    nobody has limited it.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
    return inf if soft == resource.RLIM_INFINITY else float(soft)


def useful_cores() -> int:
    """On how many cores processes should run at once: on one where processor time is limited, as
    benchmarks do, since two use it up twice as fast; else on all that there are for us.
    """
    return len(os.sched_getaffinity(0)) if allowed_cpu_s() == inf else 1


@dataclass(frozen=True, slots=True)
class Sample:
    """What the tree uses at one moment."""

    processes: int
    memory_mb: float
    cpu_s: float


def sample() -> Sample:
    """Everything below this process; processor time includes descendants that have ended."""
    pids = list(descendants(os.getpid()))
    return Sample(
        len(pids), sum(resident_mb(p) for p in pids), spent_s() + sum(cpu_s(p) for p in pids)
    )


def spent_s() -> float:
    """Processor time of the descendants of this process that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def descendants(pid: int) -> Iterator[int]:
    """The processes below `pid`, parents first."""
    pending = [pid]
    while pending:
        with suppress(OSError):
            for children in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
                found = list(map(int, _read(children).split()))
                yield from found
                pending.extend(found)


def end_all(on_reaped: Callable[[int, int], None]) -> None:
    """Kill everything below this process and wait for it; `on_reaped` is told pid and wait status
    of each.

    Requires: this process leads a session that none of them is in. A process group is killed by one
    system call, so that nobody in it forks on meanwhile.
    """
    while reap(on_reaped):
        for group in dict.fromkeys(map(_group, descendants(os.getpid()))):
            if group > 1 and group != os.getpgrp():
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
        select.select([], [], [], 0.005)  # they need a moment to die


def _group(pid: int) -> int:
    with suppress(ProcessLookupError):
        return os.getpgid(pid)
    return 0


def reap(on_reaped: Callable[[int, int], None]) -> bool:
    """Collect the children that have ended; is there any left?"""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            on_reaped(pid, status)
    return False


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def cpu_s(pid: int) -> float:
    """Processor time of a process and of the children it has waited for."""
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS if len(fields) > 15 else 0.0


def resident_mb(pid: int) -> float:
    """Resident memory of a process; 0 where there is none."""
    fields = _read(Path(f"/proc/{pid}/statm")).split()
    return int(fields[1]) * _PAGE_MB if len(fields) > 1 else 0.0
