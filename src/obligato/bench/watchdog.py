"""The watchdog of one command: starts it, watches it, ends it with everything it has started.

The command leads a session of its own, has nothing on standard input, and writes into pipes that
are always read, so that it never blocks on output and no disk fills. At a time limit it gets
SIGTERM and `GRACE_S` to say what it knows; then it and all its descendants are killed
(`processes.end_all`). rlimits back this up where sampling is too slow: address space, file size,
core files, processor time per process. `Watchdog.run` carries the idea.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
from contextlib import suppress
from functools import partial
from math import ceil
from time import monotonic
from typing import ClassVar

from obligato.bench.limited import TIMEOUTS, Ended, Limits
from obligato.processes import die_with_parent, end_all, reap, sample, spent_s

POLL_S = 0.1
GRACE_S = 2.0
HEAD, TAIL = 8 << 10, 64 << 10  # bytes kept of each output
_FILE_BYTES = 1 << 30


class Output:
    """One stream of the command: its beginning, its end and its length."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        os.set_blocking(pipe, False)
        self.head, self.tail, self.size = b"", b"", 0

    def read(self) -> bool:
        """Read what is there, at most one portion;
        is the stream still open and was there something?"""
        with suppress(BlockingIOError):
            data = os.read(self.pipe, 1 << 18)
            self.size += len(data)
            room = HEAD - len(self.head)
            self.head += data[:room] if room > 0 else b""
            self.tail = (self.tail + data)[-TAIL:]
            return bool(data)
        return False

    def text(self) -> str:
        """The beginning and the end of the output; all of it if it is short."""
        if self.size <= TAIL:
            return self.tail.decode(errors="replace")
        return f"{self.head.decode(errors='replace')}\n[...]\n{self.tail.decode(errors='replace')}"


class Watchdog:
    """One command and what is known about it."""

    # limits at which it is asked to end before it is killed
    ASKED: ClassVar[tuple[str, ...]] = TIMEOUTS
    PATIENCE_S: ClassVar[float] = GRACE_S
    ORPHANED: ClassVar[signal.Signals] = signal.SIGKILL  # what it gets when the watchdog is killed

    def __init__(self, argv: list[str], folder: str, limits: Limits) -> None:
        self.argv, self.folder, self.limits = argv, folder, limits
        self.status: int | None = None
        self.stopped = False
        self.peak_mb = 0.0
        self.started = monotonic()
        self.before_s = spent_s()  # by commands before this one
        self.leader: subprocess.Popen[bytes]

    def run(self) -> Ended:
        """Run the command to its end or to a limit, then end what it leaves."""
        try:
            outputs = self._start(self.argv)
        except OSError as problem:
            return Ended("not started", err=str(problem))
        how = self._watch(outputs)
        wall = monotonic() - self.started
        left = sample().processes if self.status is not None else 0
        if self.status is None:
            os.killpg(self.leader.pid, signal.SIGKILL)  # most of them at once
        end_all(self._reaped)
        for o in outputs:
            _drain(o)
        return self._ended(how, wall, left, outputs)

    def _start(self, argv: list[str]) -> list[Output]:
        """Standard output and standard error of the command, which has begun."""
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        try:
            self.leader = subprocess.Popen(
                argv,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out_end,
                stderr=err_end,
                start_new_session=True,
                preexec_fn=partial(_confine, self.limits, os.getpid(), self.ORPHANED),
            )
        finally:
            os.close(out_end)
            os.close(err_end)
        return [Output(out), Output(err)]

    def _ended(self, how: str, wall: float, left: int, outputs: list[Output]) -> Ended:
        cpu = spent_s() - self.before_s
        if how == "exited" and (cpu > self.limits.cpu_s or self.status == -signal.SIGXCPU):
            how = "cpu time"  # a verdict after the limit does not count
        out, err = outputs
        return Ended(
            how,
            self.status,
            round(wall, 3),
            round(cpu, 3),
            round(self.peak_mb, 1),
            left,
            out.text(),
            err.text(),
            out.size,
            err.size,
        )

    def _watch(self, outputs: list[Output]) -> str:
        """Until the command exits or a limit is reached, at a time limit a moment longer:
        how it ended."""
        selector = selectors.DefaultSelector()
        for o in outputs:
            selector.register(o.pipe, selectors.EVENT_READ, o)
        how, last = "", 0.0
        while True:
            for key, _ in selector.select(POLL_S):
                if not key.data.read():
                    selector.unregister(key.fileobj)
            reap(self._reaped)
            if self.status is not None:
                return how or "exited"
            if monotonic() - last < POLL_S:
                continue
            last = monotonic()
            broken = self._broken()
            if broken and broken not in self.ASKED:
                return how or broken
            if broken and not how:
                how, deadline = broken, last + self.PATIENCE_S
                self._ask(how)
            if how and last >= deadline:
                return how

    def _ask(self, limit: str) -> None:
        """Tell the command that it has to end."""
        # it is still there, dead or alive: only `reap` collects it
        os.kill(self.leader.pid, signal.SIGTERM)

    def _broken(self) -> str:
        """The limit that is exceeded now, if any."""
        now, limits = sample(), self.limits
        self.peak_mb = max(self.peak_mb, now.memory_mb)
        if self.stopped:
            return "stopped"
        if now.memory_mb > limits.memory_mb:
            return "memory"
        if now.processes > limits.processes:
            return "processes"
        if now.cpu_s - self.before_s > limits.cpu_s:
            return "cpu time"
        return "wall time" if monotonic() - self.started > limits.wall_s else ""

    def _reaped(self, pid: int, status: int) -> None:
        if pid == self.leader.pid:
            self.status = self.leader.returncode = os.waitstatus_to_exitcode(status)


def _drain(output: Output) -> None:
    """What is still in the pipe; nobody writes any more."""
    while output.read():
        pass
    os.close(output.pipe)


def _confine(limits: Limits, watchdog: int, orphaned: signal.Signals) -> None:
    """In the command's process, before it begins."""
    die_with_parent(watchdog, orphaned)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    seconds = ceil(limits.cpu_s + 2 * GRACE_S)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    space = (2 * limits.memory_mb + 4096) * 10**6
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
