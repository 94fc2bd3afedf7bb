"""The command `obligato`: its entry point and what all subcommands share (DESIGN 2).

Exit status: 0 proved, 10 refuted, 20 unknown, 2 wrong usage, 3 input refused, 4 internal error, 5 the answer is there but not
all of it could be written. Only this package prints.
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
from obligato.reports.excerpt import excerpt
from obligato.results.outcome import Verdict

EXIT_STATUS = {Verdict.TRUE: 0, Verdict.FALSE: 10, Verdict.UNKNOWN: 20}
USAGE, REFUSED, INTERNAL, UNWRITTEN = 2, 3, 4, 5

app = typer.Typer(
    name="obligato", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Prove or refute programs with IC3; every verdict is certified before it is reported.",
)


def main() -> None:
    """Run the command line; errors raised on purpose end with their exit status, without a traceback."""
    _open_standard_files()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(stop, interrupted) for stop in signals]  # until a supervisor takes over
    try:
        from obligato.cli import bench, catalogue, check, crosscheck, show, verify  # noqa: F401 - they register themselves

        app()
    except InputError as problem:
        sys.exit(refuse(problem.message, problem.span, excerpt(problem.span)))
    except ConfigError as problem:
        sys.exit(misuse(str(problem)))
    finally:
        for stop, handler in zip(signals, before, strict=True):
            signal.signal(stop, handler)


def _open_standard_files() -> None:
    """Where a standard file was closed, its number must not go to another file, which would be taken for it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


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


def refuse(message: str, span: Span, shown: str) -> int:
    """Say why the input is refused; `shown` is the source line with a caret."""
    print(f"{span}: error: {message}", file=sys.stderr)
    if shown:
        print(shown, file=sys.stderr)
    return REFUSED


def complain(answer: Answer) -> int:
    """Report an answer without outcome; the exit status."""
    if answer.problem == "refused":
        return refuse(answer.message, answer.span or Span(), answer.excerpt)
    if answer.problem == "usage":
        return misuse(answer.message)
    if answer.problem == "rejected":
        print(f"rejected: {answer.message}", file=sys.stderr)
        return INTERNAL
    print(f"internal error: {answer.message}", file=sys.stderr)
    where = f"is in {answer.bundle}" if answer.bundle else "could not be written"
    print(f"what reproduces it {where}", file=sys.stderr)
    return INTERNAL
