"""The command `obligato`: its entry point and what all subcommands share (DESIGN 2).

Exit status: 0 proved, 10 refuted, 20 unknown, 2 wrong usage, 3 input refused, 4 internal error. Only this package prints.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import typer

from obligato.api.worker import Answer
from obligato.errors import ConfigError, InputError, Span
from obligato.results.outcome import Verdict

EXIT_STATUS = {Verdict.TRUE: 0, Verdict.FALSE: 10, Verdict.UNKNOWN: 20}
USAGE, REFUSED, INTERNAL = 2, 3, 4

app = typer.Typer(
    name="obligato", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Prove or refute programs with IC3; every verdict is certified before it is reported.",
)


def main() -> None:
    """Run the command line; errors raised on purpose end with their exit status, without a traceback."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(stop, interrupted) for stop in signals]  # until a supervisor takes over
    try:
        from obligato.cli import bench, catalogue, check, crosscheck, show, verify  # noqa: F401 - they register themselves

        app()
    except InputError as problem:
        sys.exit(refuse(problem.message, problem.span))
    except ConfigError as problem:
        sys.exit(misuse(str(problem)))
    finally:
        for stop, handler in zip(signals, before, strict=True):
            signal.signal(stop, handler)


def interrupted(*_: object) -> None:
    """Nothing has begun yet, so nothing is known."""
    print("interrupted\nunknown")
    sys.exit(EXIT_STATUS[Verdict.UNKNOWN])


def age() -> float:
    """Seconds since this process was started: importing counts within the time limit."""
    started = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)


def misuse(message: str) -> int:
    """Say why the request makes no sense."""
    print(f"error: {message}", file=sys.stderr)
    return USAGE


def refuse(message: str, span: Span) -> int:
    """Say why the input is refused, with the source line and a caret."""
    print(f"{span}: error: {message}", file=sys.stderr)
    line = source_line(span)
    if line is not None:
        print(f"  {line.expandtabs(1)}", file=sys.stderr)
        if span.column > 0:
            print(f"  {' ' * (span.column - 1)}^", file=sys.stderr)
    return REFUSED


def source_line(span: Span) -> str | None:
    """The line that a span is on, if it can be read."""
    if span.line <= 0:
        return None
    try:
        lines = Path(span.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return lines[span.line - 1] if span.line <= len(lines) else None


def complain(answer: Answer) -> int:
    """Report an answer without outcome; the exit status."""
    if answer.problem == "refused":
        return refuse(answer.message, answer.span or Span())
    if answer.problem == "usage":
        return misuse(answer.message)
    if answer.problem == "rejected":
        print(f"rejected: {answer.message}", file=sys.stderr)
        return INTERNAL
    print(f"internal error: {answer.message}", file=sys.stderr)
    print(f"what reproduces it is in {answer.bundle}", file=sys.stderr)
    return INTERNAL
