"""One command under limits, enforced by a process of its own,
the *watchdog* (`watchdog`; as a program `watchdog_main`).

`start` hands the watchdog its orders and returns at once; `Running.poll` reads what it reports
until the command has ended. The watchdog ends when nobody can give it orders any more: if the
caller is killed, it kills the command and ends. To start one costs as much as a tiny command, so
that whoever has many of these keeps it for the next (`watchdog`, `order`, `dismiss`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

TIMEOUTS = ("cpu time", "wall time")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: processor and wall time of the whole process tree,
    its resident memory, its processes."""

    cpu_s: float
    wall_s: float
    memory_mb: int
    processes: int = 256


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    `how`: exited, or the limit that ended it: "cpu time", "wall time", "memory", "processes"; or
    "stopped" (by us), or "not started". `status` is its exit status, negative for a signal. `left`
    counts processes that outlived it and were killed. Of long output only the beginning and the end
    are kept; the sizes are true.
    """

    how: str
    status: int | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    left: int = 0
    out: str = ""
    err: str = ""
    out_bytes: int = 0
    err_bytes: int = 0


@dataclass(slots=True)
class Running:
    """A watchdog at work."""

    process: subprocess.Popen[bytes]
    _report: list[bytes] = field(default_factory=list)

    def fileno(self) -> int:
        """Readable when there is something to `poll`."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def poll(self) -> Ended | None:
        """Read on; the end, once it is reached. Blocks unless `fileno` is readable."""
        data = os.read(self.fileno(), 1 << 16)
        self._report.append(data)
        return None if data and not data.endswith(b"\n") else self._finish()

    def wait(self) -> Ended:
        """Wait for the end of the command."""
        while (ended := self.poll()) is None:
            pass
        return ended

    def stop(self) -> None:
        """Ask the watchdog to end its command and itself; it takes a moment."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def _finish(self) -> Ended:
        assert self.process.stdin is not None
        if self.process.stdin.closed:  # it has no further orders
            dismiss(self.process)
        try:
            return Ended(**json.loads(b"".join(self._report)))
        except (ValueError, TypeError):
            return Ended("stopped", err=f"the watchdog ended with status {self.process.wait()}")


def start(argv: list[str], limits: Limits, folder: Path, runexec: str = "") -> Running:
    """Run `argv` in `folder` under `limits`,
    which are kept by rlimits and sampling or by the program `runexec`."""
    running = order(watchdog(), argv, limits, folder, runexec)
    assert running.process.stdin is not None
    with suppress(BrokenPipeError):
        running.process.stdin.close()
    return running


def watchdog() -> subprocess.Popen[bytes]:
    """A watchdog that waits for orders."""
    return subprocess.Popen(
        [sys.executable, "-m", "obligato.bench.watchdog_main", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us, who then tell it
    )


def order(
    process: subprocess.Popen[bytes],
    argv: list[str],
    limits: Limits,
    folder: Path,
    runexec: str = "",
) -> Running:
    """Have a watchdog that has nothing to do run `argv` as `start` does."""
    orders: dict[str, Any] = {
        "argv": argv,
        "folder": str(folder),
        "limits": asdict(limits),
        "runexec": runexec,
    }
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it died at once; its end says so
        process.stdin.write(json.dumps(orders).encode() + b"\n")
        process.stdin.flush()
    return Running(process)


def dismiss(process: subprocess.Popen[bytes]) -> None:
    """The watchdog gets no further orders and ends."""
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(BrokenPipeError):
            pipe.close()
    process.wait()
