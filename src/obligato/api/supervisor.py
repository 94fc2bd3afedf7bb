"""Work in child processes that can always be stopped: by time, by memory, by a signal, or because
they died.

A solver may hang inside a C library where no Python code runs, so limits are kept from outside
(DESIGN 3.11). A child leads a process group of its own and is killed with it; if the supervisor
itself is killed, the kernel kills the children. Children report over pipes while they work, so that
what they knew survives them, and get messages over the same pipes (`Channel.inbox`): that is how
workers of a portfolio hear of each other's facts. What solver libraries print goes to a file that
is read only if the child dies. `supervise` carries one child, `supervise_all` several, of which the
first good result may end the others.

Limitations: Linux (/proc, prctl). Memory is resident memory of all children and their descendants,
sampled ten times a second. A message to a child that does not read is dropped once `UNREAD` bytes
wait for it: messages are hints.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any

from obligato.errors import ConfigError
from obligato.processes import cpu_s, descendants, die_with_parent, resident_mb

FRESH = "fresh"  # a method: the child is a new interpreter, which imports what it needs
POLL_S = 0.1
LAST_WORDS = 2000  # bytes of what a child that died had printed
GRACE_S = 0.5  # what the children get beyond the time limit to end by themselves
UNREAD = 1 << 16  # bytes that wait for a child; the kernel holds three times as many

GO_ON = "go on"  # the message that begins a turn
OVERHEAD = 1024  # bytes that a short message takes in the kernel

Report = Callable[[str, Any], None]


def _weight(message: bytes) -> int:
    """What a message counts that is not read yet."""
    return len(message) + OVERHEAD


class Channel:
    """A child's end of its pipe. It is called with a kind and data to report them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._waiting: list[Any] = []  # messages that came while the end of a turn was waited for

    def __call__(self, kind: str, data: Any) -> None:
        """Report to the supervisor."""
        with self._lock:
            self._connection.send((kind, data))

    def inbox(self) -> list[Any]:
        """The messages that have arrived since the last call."""
        out, size = self._waiting, 0
        self._waiting = []
        with self._lock:
            while self._connection.poll():
                message = self._connection.recv_bytes()
                size += _weight(message)
                out.append(pickle.loads(message))
        if size:
            self("taken", size)
        return out

    def turn(self) -> None:
        """Say that a turn is over, and wait for the message that begins the next one."""
        self("turn", None)
        size, message = 0, None
        with self._lock:
            while message != GO_ON:
                data = self._connection.recv_bytes()
                size, message = size + _weight(data), pickle.loads(data)
                if message != GO_ON:
                    self._waiting.append(message)
        self("taken", size)


Task = Callable[[Channel], Any]


@dataclass(slots=True)
class Ended:
    """How a child ended. `how`: done (with `value`), timeout, memory, stopped, died (with
    `detail`), or outrun by another.
    """

    how: str
    value: Any = None
    detail: str = ""
    usage: dict[str, float] = field(default_factory=dict)


class Interpreter:
    """A child in a new Python interpreter, with the interface of a `multiprocessing.Process`.
    Unlike the method spawn of that module it does not run the caller's main module again, which
    scripts without a guard do not survive.
    """

    def __init__(self, connection: Connection, task: Task, chatter: str) -> None:
        if not sys.executable:
            raise ConfigError("there is no Python interpreter to run in; use isolated=False")
        self._connection, self._chatter = connection, chatter
        self._given = pickle.dumps((sys.path, os.getpid(), chatter, pickle.dumps(task)))
        self.sentinel = -1
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; the task goes over its standard input."""
        number = self._connection.fileno()
        command = [sys.executable, "-c", _BOOT, str(number)]
        with Path(self._chatter).open("ab") as said:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=said, stderr=said, pass_fds=(number,)
            )
        self.sentinel = os.pidfd_open(self._process.pid)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin as given:
            given.write(self._given)

    @property
    def pid(self) -> int | None:
        """The number of the child's process."""
        return None if self._process is None else self._process.pid

    @property
    def exitcode(self) -> int | None:
        """How the child ended; None while it runs."""
        return None if self._process is None else self._process.poll()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the child has ended."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)

    def close(self) -> None:
        """Close the file descriptor that tells when the child ends."""
        if self.sentinel >= 0:
            os.close(self.sentinel)
            self.sentinel = -1


# The path first: obligato may be found only there.
_BOOT = (
    "import pickle, sys; path, parent, chatter, task = pickle.load(sys.stdin.buffer); sys.path[:] ="
    " path; from obligato.api.supervisor import begin; begin(int(sys.argv[1]), parent, chatter,"
    " task)"
)


def begin(number: int, parent: int, chatter: str, task: bytes) -> None:
    """The life of a child in a new interpreter; `number` is its end of the pipe."""
    _live(Connection(number), pickle.loads(task), parent, chatter)


class Child:
    """A running child, as the supervisor sees it."""

    def __init__(
        self,
        name: str,
        task: Task,
        method: str,
        chatter: str,
        said: Callable[[], str],
        mail: Sequence[Any] = (),
    ) -> None:
        self.name, self.said = name, said
        self.process: BaseProcess | Interpreter
        self.connection, other = multiprocessing.Pipe()
        if method == FRESH:
            self.process = Interpreter(other, task, chatter)
        else:
            self.process = multiprocessing.get_context("fork").Process(
                target=_live, args=(other, task, os.getpid(), chatter)
            )
        self.usage: dict[str, float] = {}
        self._unread, self._gone = 0, False
        for message in mail:  # it is there whenever the child looks
            self.send(message)
        self.process.start()
        other.close()

    def send(self, message: Any) -> bool:
        """Put a message into the child's inbox; False: it does not read its messages, or has
        ended. There is always room for the message that begins a turn.
        """
        data = pickle.dumps(message)
        if message != GO_ON and self._unread + _weight(data) > UNREAD:
            return False
        try:
            self.connection.send_bytes(data)
        except OSError:
            return False
        self._unread += _weight(data)
        return True

    def sample(self) -> float:
        """Note peak memory and processor time; the resident memory of the child and its descendants
        in MB.
        """
        pid = self.process.pid or 0
        resident = sum(map(resident_mb, (pid, *descendants(pid))))
        self.usage["peak_mb"] = max(self.usage.get("peak_mb", 0.0), round(resident, 1))
        self.usage["cpu_s"] = round(max(self.usage.get("cpu_s", 0.0), cpu_s(pid)), 2)
        return resident

    def hear(self, on_report: Callable[[Child, str, Any], None]) -> Ended | None:
        """Take one report; how the child ended, if it has. Requires: there is a report, or the
        child has ended.
        """
        message = _receive(self.connection)
        if message is None:
            return self._died()
        kind, data = message
        if kind == "done":
            return Ended("done", data, usage=self.usage)
        if kind == "taken":
            self._unread -= data
        else:
            on_report(self, kind, data)
        return None

    def _died(self) -> Ended:
        self.process.join(1.0)
        code = self.process.exitcode
        if code == -signal.SIGXCPU:  # a limit of processor time that somebody set outside
            return Ended("timeout", usage=self.usage)
        how = (
            f"killed by {signal.Signals(-code).name}"
            if code is not None and code < 0
            else f"ended with status {code}"
        )
        return Ended("died", detail=f"{how} {self.said()}".strip(), usage=self.usage)

    def end(self) -> None:
        """End the child and its whole group, and wait until they are gone."""
        if self._gone:
            return
        self._gone = True
        pid = self.process.pid or 0
        group = [p for p in descendants(pid) if _group(p) == pid]
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            if self.process.exitcode is None:
                os.kill(pid, signal.SIGKILL)
        self.process.join()
        if isinstance(self.process, Interpreter):
            self.process.close()
        self.connection.close()
        while any(_group(p) == pid for p in group):
            select.select([], [], [], 0.005)  # a killed process needs a moment to die


def supervise(
    task: Task,
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    on_report: Report = lambda kind, data: None,
    method: str = "fork",
    stop: threading.Event | None = None,
) -> Ended:
    """Run `task` in a child and wait for its value. Leaves no process behind.

    Reports go to `on_report`; while there are none, it is told ("alive", None) now and then. The
    event `stop`, if there is one, ends the child, and signals are left to the caller; otherwise
    SIGINT and SIGTERM end it.

    `method` is how the child is made: fork is fast but needs a caller without threads; `FRESH`
    needs a picklable task.
    """
    ended = supervise_all(
        {"": task},
        timeout=timeout,
        memory_mb=memory_mb,
        on_report=lambda _, kind, data: on_report(kind, data),
        method=method,
        stop=stop,
    )
    return ended[""]


def supervise_all(
    tasks: Mapping[str, Task],
    *,
    timeout: float | None = None,
    memory_mb: int | None = None,
    on_report: Callable[[Child, str, Any], None] = lambda child, kind, data: None,
    enough: Callable[[Ended], bool] = lambda ended: False,
    method: str = "fork",
    stop: threading.Event | None = None,
) -> dict[str, Ended]:
    """Run named tasks in a child each, within limits for all of them together, until all have ended
    or one has ended such that it is `enough`. Leaves no process behind. `on_report` may `send` to
    any child.
    """
    with stop_signals(stop) as stopping, ExitStack() as stack:
        children: list[Child] = []
        for name, task in tasks.items():
            child = Child(name, task, method, *stack.enter_context(chatter_file()))
            stack.callback(child.end)
            children.append(child)
        return _watch(children, Limits(timeout, memory_mb, stopping), on_report, enough)


class Limits:
    """Time and memory for all children together, and the event that a signal sets."""

    def __init__(self, timeout: float | None, memory_mb: int | None, stop: threading.Event) -> None:
        self.deadline = None if timeout is None else monotonic() + timeout + GRACE_S
        self.memory_mb, self.stop = memory_mb, stop

    def reached(self, resident: float) -> str:
        """The limit that is reached; empty: none."""
        if self.stop.is_set():
            return "stopped"
        if self.deadline is not None and monotonic() >= self.deadline:
            return "timeout"
        return "memory" if self.memory_mb is not None and resident > self.memory_mb else ""

    def patience(self) -> float:
        """Seconds to wait for a report."""
        return (
            POLL_S if self.deadline is None else min(POLL_S, max(0.0, self.deadline - monotonic()))
        )


def _watch(
    children: Sequence[Child],
    limits: Limits,
    on_report: Callable[[Child, str, Any], None],
    enough: Callable[[Ended], bool],
) -> dict[str, Ended]:
    ended: dict[str, Ended] = {}
    running = list(children)
    while running:
        reached = limits.reached(sum(child.sample() for child in running))
        if reached:
            return ended | {child.name: Ended(reached, usage=child.usage) for child in running}
        ready = wait(
            [end for child in running for end in (child.connection, child.process.sentinel)],
            limits.patience(),
        )
        if not ready:
            on_report(running[0], "alive", None)
        for child in [c for c in running if c.connection in ready or c.process.sentinel in ready]:
            ending = child.hear(on_report)
            if ending is not None:
                ended[child.name] = ending
                running.remove(child)
                if enough(ending):
                    return ended | {
                        child.name: Ended("outrun", usage=child.usage) for child in running
                    }
    return ended


def _group(pid: int) -> int:
    """The process group of a living process; 0 where there is none."""
    with suppress(OSError, IndexError):
        state, _, group = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:3]
        return int(group) if state not in "ZX" else 0
    return 0


@contextmanager
def chatter_file() -> Iterator[tuple[str, Callable[[], str]]]:
    """A file for what libraries print, and its last words; where none can be made, that is thrown
    away.
    """
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


def _receive(connection: Connection) -> tuple[str, Any] | None:
    try:
        if connection.poll():
            message: tuple[str, Any] = connection.recv()
            return message
    except (EOFError, OSError):
        pass
    return None


def _live(connection: Connection, task: Task, parent: int, chatter: str) -> None:
    """The child's life: own process group, dies with its parent, standard output and error left to
    the parent.
    """
    with suppress(OSError):
        os.setpgid(0, 0)
    die_with_parent(parent, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    target = os.open(chatter, os.O_WRONLY | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(target, standard)
    channel = Channel(connection)
    channel("done", task(channel))
    connection.close()
    sys.stderr.flush()


@contextmanager
def stop_signals(given: threading.Event | None = None) -> Iterator[threading.Event]:
    """SIGINT and SIGTERM set the event; outside the main thread, where no handler can be set,
    nothing does. One that is `given` is the caller's to set.
    """
    stop = given or threading.Event()
    if given is not None or threading.current_thread() is not threading.main_thread():
        yield stop
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(s, lambda *_: stop.set()) for s in signals]
    try:
        yield stop
    finally:
        for s, handler in zip(signals, before, strict=True):
            signal.signal(s, handler)
