"""Runs in the background: their events as they come, cancelling them, and their outcome.

The work is done by another process, so that a time limit holds and a run can be cancelled whatever
a solver is doing; a thread of this process waits for it and passes on what it reports.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

from obligato.api.inputs import Rename
from obligato.api.request import ClaimRefused, Request
from obligato.api.supervisor import FRESH
from obligato.api.worker import Response, Work, run_isolated, verify_work
from obligato.errors import NO_SPAN, ConfigError, InputError, InternalError, Unsupported
from obligato.results.outcome import Outcome

SHOWN = ("stage", "progress", "verdict", "request", "features", "event")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run, so many seconds after its start.

    `kind` is stage (`data`: which one has begun), progress (counters of the engine), request (what
    was resolved), features (of the input), verdict (a `PropertyVerdict`, of several), or, where
    they were asked for, an event of the engine by its own name (`lemma`, `obligation`, ...), with
    its data.
    """

    seconds: float
    kind: str
    data: Any = field(default=None)


class Running:
    """A run in the background. Iterate over it for its events, until it ends; `result` waits for
    its outcome.
    """

    def __init__(
        self, work: Callable[[threading.Event, Callable[[str, Any], None]], Outcome], name: str
    ) -> None:
        self.name = name
        self._stop = threading.Event()
        self._events: SimpleQueue[Event | None] = SimpleQueue()
        self._started = monotonic()
        self._outcome: Outcome | None = None
        self._problem: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(work,), name=f"obligato {name}", daemon=True
        )
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Running {self.name}: {'ended' if self.done() else 'running'}>"

    def _run(self, work: Callable[[threading.Event, Callable[[str, Any], None]], Outcome]) -> None:
        try:
            self._outcome = work(self._stop, self._hear)
        except BaseException as problem:  # noqa: BLE001 - raised again by `result`
            self._problem = problem
        finally:
            self._events.put(None)

    def _hear(self, kind: str, data: Any) -> None:
        if kind in SHOWN:
            name, told = (str(data.pop("event")), data) if kind == "event" else (kind, data)
            self._events.put(Event(round(monotonic() - self._started, 3), name, told))

    def __iter__(self) -> Iterator[Event]:
        """The events, as they come; ends with the run. Each event is given once."""
        while (event := self._events.get()) is not None:
            yield event
        self._events.put(None)  # for whoever asks again

    def cancel(self) -> None:
        """End the run soon; its outcome is then unknown, unless it had one."""
        self._stop.set()

    def done(self) -> bool:
        """Has the run ended?"""
        return not self._thread.is_alive()

    def result(self, timeout: float | None = None) -> Outcome:
        """The outcome; waits for it, `timeout` seconds at most: then TimeoutError, and the run goes
        on. Raises as `verify`.
        """
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError(f"{self.name} is still running")
        if self._problem is not None:
            raise self._problem
        assert self._outcome is not None
        return self._outcome

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        """Leaving a `with` block cancels the run, if it has not ended, and waits until its
        processes are gone.
        """
        self.cancel()
        with suppress(KeyboardInterrupt):
            self._thread.join()


def isolated_outcome(
    request: Request,
    rename: Rename,
    stop: threading.Event | None = None,
    on_report: Callable[[str, Any], None] = lambda kind, data: None,
    work: Work = verify_work,
) -> Outcome:
    """The outcome of a request in a process of its own; errors are raised here. Ctrl-C raises
    KeyboardInterrupt as usual.

    The process is a fork where this one has no other threads and memory is not limited (what is
    shared would count), else a new interpreter.
    """
    alone = sum(1 for _ in Path("/proc/self/task").iterdir()) == 1 and request.memory is None
    response = run_isolated(
        request,
        on_report,
        method="fork" if alone else FRESH,
        work=work,
        stop=stop or threading.Event(),
    )
    return outcome_of(rename(response))


def outcome_of(response: Response) -> Outcome:
    """The outcome in a response, or the error that it stands for."""
    if response.outcome is not None:
        return response.outcome
    if response.problem == "refused":
        if response.construct:
            raise Unsupported(response.message, response.span or NO_SPAN, response.construct)
        raise InputError(response.message, response.span or NO_SPAN)
    if response.problem == "usage":
        raise ConfigError(response.message)
    if response.problem == "rejected":
        raise ClaimRefused(response.message)
    raise InternalError(f"{response.message} (bundle: {response.bundle})")
