"""Progress of a benchmark on standard error: a bar with live counts on a terminal, plain lines
otherwise.
"""

from __future__ import annotations

import sys
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from obligato.bench.score import Result
from obligato.bench.store import Run, Store

_EVERY_S = 30.0  # between plain lines


class BenchProgress:
    """Counts what ends. Use as a context manager."""

    def __init__(self, store: Store, verbose: bool) -> None:
        self.verbose = verbose
        self.total, done = store.total(), store.results()
        self.left = self.total - len(done)
        self.solved, self.wrong = sum(r.solved for r in done), sum(r.wrong for r in done)
        self.started, self.ended = monotonic(), 0
        self._last_line = monotonic()
        console = Console(stderr=True)
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(self.line(), total=self.total, completed=len(done))

    def __enter__(self) -> BenchProgress:
        self._bar.start()
        self._say(f"{self.total} runs, {self.left} left")
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        self._say(self.line())

    def observe(self, run: Run | None) -> None:
        """A run has ended, or time goes by."""
        if run is not None:
            self._count(run)
        self._bar.update(
            self._task, completed=self.total - self.left, description=self.line(), refresh=True
        )
        if monotonic() - self._last_line >= _EVERY_S:
            self._say(self.line())

    def _count(self, run: Run) -> None:
        task, e = run.task, run.ended
        result = Result(
            task.name,
            run.tool.name,
            run.conclusion.status,
            "",
            task.expected,
            task.category,
            e.cpu_s,
            e.wall_s,
            0.0,
        )
        self.left -= 1
        self.ended += 1
        self.solved += result.solved
        self.wrong += result.wrong
        if self.verbose or result.wrong:
            line = f"{result.column:9} {e.cpu_s:7.1f} s  {run.tool.name}  {task.name}"
            self._bar.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def line(self) -> str:
        """The counts and when it will be over."""
        text = f"solved {self.solved}, wrong {self.wrong}, left {self.left}"
        if self.ended and self.left:
            text += (
                f", about {self.left * (monotonic() - self.started) / self.ended / 60:.0f} min"
                " to go"
            )
        return text

    def _say(self, text: str) -> None:
        self._last_line = monotonic()
        if self._bar.disable:
            print(text, file=sys.stderr, flush=True)
