"""BenchExec's `runexec` between watchdog and command,
where it is installed and cgroups allow it (`bench run --isolation`).

The kernel then accounts for the whole control group: no process escapes the limits or hides its
time, and shared pages count once. The watchdog still starts and ends it all, reads what the command
prints (through its own pipes, since runexec mixes the two outputs in one file) and records the same
ends as without it (`read`). Containers of runexec are not used: a tool finds the same files and the
same `/tmp` as without it. `RunexecWatchdog` carries it, `usable` says whether it works here.

Limitations: processes that outlive the command are ended but not counted;
times are whole seconds, rounded up.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from time import monotonic
from typing import ClassVar

from obligato.bench.limited import TIMEOUTS, Ended, Limits
from obligato.bench.watchdog import GRACE_S, Output, Watchdog
from obligato.errors import ConfigError
from obligato.processes import descendants, sample

_ENDS = {
    "cputime": "cpu time",
    "cputime-soft": "cpu time",
    "walltime": "wall time",
    "memory": "memory",
    "killed": "stopped",
}
_OWN_PROCESSES = 1


class RunexecWatchdog(Watchdog):
    """A watchdog that leaves time and memory to runexec and reads its report."""

    # it has a control group to remove
    ASKED: ClassVar[tuple[str, ...]] = (*TIMEOUTS, "processes", "stopped")
    PATIENCE_S: ClassVar[float] = GRACE_S + 10.0  # that runexec may take for it
    ORPHANED: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, argv: list[str], folder: str, limits: Limits, program: str) -> None:
        super().__init__(argv, folder, limits)
        self.program = program

    def _start(self, argv: list[str]) -> list[Output]:
        """The outputs of the command, then those of runexec."""
        if shutil.which(argv[0]) is None:
            raise FileNotFoundError(f"no program {argv[0]}")
        pipes = [os.pipe(), os.pipe()]  # their ends stay open here: the command opens them by name
        names = [f"/proc/{os.getpid()}/fd/{end}" for _, end in pipes]
        own = super()._start([self.program, *options(self.limits), "--", *redirected(argv, *names)])
        return [*(Output(pipe) for pipe, _ in pipes), *own]

    def _broken(self) -> str:
        """What runexec does not look after; at its wall time it would only kill."""
        if self.stopped:
            return "stopped"
        if sample().processes - _OWN_PROCESSES > self.limits.processes:
            return "processes"
        return "wall time" if monotonic() - self.started > self.limits.wall_s else ""

    def _ask(self, limit: str) -> None:
        """At a time limit the command itself, else runexec."""
        below = descendants(self.leader.pid) if limit in TIMEOUTS else iter(())
        with suppress(ProcessLookupError):
            os.kill(next(below, self.leader.pid), signal.SIGTERM)

    def _ended(self, how: str, wall: float, left: int, outputs: list[Output]) -> Ended:
        out, err, report, messages = outputs
        ended = read(report.text(), messages.text(), self.limits)
        return replace(
            ended,
            how=ended.how if how == "exited" else how,
            out=out.text(),
            err=ended.err or err.text(),
            out_bytes=out.size,
            err_bytes=err.size,
        )


def options(limits: Limits) -> list[str]:
    """What runexec is told: at the time limit SIGTERM and a moment longer."""
    cpu, wall = ceil(limits.cpu_s), ceil(limits.wall_s + GRACE_S)
    return [
        "--no-container",
        "--quiet",
        "--output",
        os.devnull,
        "--softtimelimit",
        f"{cpu}",
        "--timelimit",
        f"{ceil(cpu + GRACE_S)}",
        "--walltimelimit",
        f"{wall}",
        "--memlimit",
        f"{limits.memory_mb}MB",
    ]


def redirected(argv: list[str], out: str, err: str) -> list[str]:
    """The command with its two outputs apart."""
    return ["/bin/sh", "-c", f'exec "$@" >{out} 2>{err}', "sh", *argv]


def read(report: str, messages: str, limits: Limits) -> Ended:
    """How the command ended, by the lines that runexec prints (key=value)."""
    said = dict(line.split("=", 1) for line in report.splitlines() if "=" in line)
    try:
        cpu, wall, memory = (float(said[k].rstrip("sB")) for k in ("cputime", "walltime", "memory"))
        status = -int(said["exitsignal"]) if "exitsignal" in said else int(said["returnvalue"])
        how = _ENDS[said["terminationreason"]] if "terminationreason" in said else "exited"
    except (KeyError, ValueError):
        return Ended(
            "not started", err=f"runexec: {_last(messages) or _last(report) or 'no report'}"
        )
    if how == "exited" and (cpu > limits.cpu_s or wall > limits.wall_s):
        # a verdict after the limit does not count
        how = "cpu time" if cpu > limits.cpu_s else "wall time"
    return Ended(how, status, round(wall, 3), round(cpu, 3), round(memory / 1e6, 1))


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Who keeps runs within their limits; `program` is the path of runexec, if it does."""

    name: str = "rlimits"
    program: str = ""


def isolation(wanted: str) -> Isolation:
    """What "auto", "rlimits" or "runexec" means on this machine; auto is runexec where it works."""
    if wanted not in ("auto", "rlimits", "runexec"):
        raise ConfigError(f"isolation is auto, rlimits or runexec, not {wanted!r}")
    if wanted == "rlimits":
        return Isolation()
    program = _program()
    problem = usable(program) if program else "it is not installed (pip install benchexec)"
    if problem and wanted == "runexec":
        raise ConfigError(f"runexec cannot be used: {problem}")
    return Isolation() if problem else Isolation(_version(program), program)


def _program() -> str:
    """Beside our interpreter, or on the path."""
    beside = Path(sys.executable).parent / "runexec"
    return str(beside) if beside.is_file() else shutil.which("runexec") or ""


def usable(program: str) -> str:
    """Why this runexec cannot limit and measure here; empty if it can."""
    limits = Limits(10, 20, 100)
    try:
        done = subprocess.run(
            [program, *options(limits), "--", "/bin/true"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    ended = read(done.stdout, done.stderr, limits)
    return (
        ""
        if (ended.how, ended.status) == ("exited", 0)
        else ended.err or f"a test ended with {ended.how}"
    )


def _version(program: str) -> str:
    return subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=60, check=False
    ).stdout.strip()
