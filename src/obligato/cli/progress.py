"""Progress on standard error: one live line on a terminal, sparse plain lines otherwise (after 1,
2, 4, 8, ... seconds).
"""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

from obligato.cli.main import warn

if TYPE_CHECKING:
    from rich.live import Live


class Progress:
    """Shows the stage of a run and its counters. Use as a context manager."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.start = monotonic()
        self.stage = ""
        self.counters: dict[str, Any] = {}
        self.members: list[dict[str, Any]] = []
        self._next_line = 1.0
        self._live = self._on_terminal()

    def _on_terminal(self) -> Live | None:
        """The live line, where somebody sees it."""
        if self.quiet or sys.stderr is None or not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.live import Live

        return Live(
            console=Console(stderr=True, soft_wrap=False), transient=True, auto_refresh=False
        )

    def __enter__(self) -> Progress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def report(self, kind: str, data: Any) -> None:
        """Take a report of the worker: a new stage or its counters."""
        if kind == "stage":
            self.stage = str(data)
        elif kind == "progress":
            self.counters.update(data)
        elif kind == "members":
            self.members = data
        elif kind != "alive":
            return
        self._show()

    def _show(self) -> None:
        if self._live is not None:
            from rich.text import Text

            self._live.update(
                Text("\n".join(self.lines()), no_wrap=True, overflow="ellipsis"), refresh=True
            )
        elif not self.quiet and monotonic() - self.start >= self._next_line:
            self._next_line = 2 * (monotonic() - self.start)
            warn("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """What is shown: a line, or one for each engine of a portfolio."""
        if not self.members:
            return [self.line()]
        seconds = monotonic() - self.start
        return [f"[{seconds:6.1f} s] {member_line(m)}" for m in self.members]

    def line(self) -> str:
        """The stage, the counters, and how fast the solvers are asked."""
        seconds = monotonic() - self.start
        parts = [
            f"{name.replace('_', ' ')} {value}"
            for name, value in self.counters.items()
            if isinstance(value, int) and name in SHOWN
        ]
        calls = self.counters.get("solver_calls")
        if isinstance(calls, int) and seconds > 0:
            parts.append(f"{calls / seconds:.0f} calls/s")
        return f"[{seconds:6.1f} s] {self.stage}" + (f": {', '.join(parts)}" if parts else "")


def member_line(m: dict[str, Any]) -> str:
    """An engine of a portfolio: how it is, its stage and counters, what it uses."""
    shown = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in m["counters"].items()
        if isinstance(value, int) and name in SHOWN
    ]
    used = [f"{m['cpu_s']:.1f} s, {m['peak_mb']:.0f} MB"] if "cpu_s" in m and "peak_mb" in m else []
    stage = [m["stage"]] if m["stage"] and m["stage"] != m["engine"] else []
    return f"{m['engine']:<11} {m['ended']:<8} " + ", ".join([*stage, *shown, *used])


SHOWN = frozenset({"frontier", "obligations", "lemmas", "solver_calls"})
