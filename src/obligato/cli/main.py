"""The command `obligato`: its entry point and what all subcommands share (DESIGN 2).

Exit status: 0 proved, 10 refuted, 20 unknown, 2 wrong usage, 3 input refused, 4 internal error, 5
the verdict is there but not all of it could be written. Only this package prints.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from obligato.cli.examples import examples
from obligato.errors import ConfigError, InputError, Span
from obligato.reports.excerpt import excerpt

if TYPE_CHECKING:
    from obligato.api.worker import Response

EXIT_STATUS = {"true": 0, "false": 10, "unknown": 20}  # by the value of the verdict
COMPLETE = "_OBLIGATO_COMPLETE"  # a shell asks for completion by this variable
USAGE, REFUSED, INTERNAL, UNWRITTEN = 2, 3, 4, 5

# in the order of the help: the module that has the command, and the first sentence of its own help
COMMANDS = {
    "engines": ("catalogue", "List the engines."),
    "presets": ("catalogue", "List the presets with what they change."),
    "verify": ("verify", "Prove or refute FILE, or a C program in several files."),
    "check": ("check", "Re-check the certificate or trace CLAIM against FILE."),
    "replay": ("replay", "Compile FILE with the inputs of TRACE and run it: is the error reached?"),
    "crosscheck": (
        "crosscheck",
        "Compile FILE and our reading of it, and compare them on random and boundary inputs.",
    ),
    "show": ("show", "Print FILE as it looks at a stage of the pipeline."),
    "bench": ("bench", "Run task sets over engines and peers; tables and plots."),
    "completion": (
        "completion",
        "Print what completes obligato's commands in a shell: bash, zsh or fish.",
    ),
}
EXAMPLES = examples(
    ("obligato verify file.c", "are its assertions never violated?"),
    ("obligato verify main.c util.c -I include", "a program in several files"),
    ("obligato verify circuit.btor2 --timeout 60", "hardware, for a minute"),
    ("obligato verify file.c --json file.json", "keep the proof or the trace"),
    ("obligato check file.c file.json", "check it again, without an engine"),
    ("obligato COMMAND --help", "more about each command"),
    after=(
        "The last line says true, false(...) or unknown, and so does the exit status: 0 proved, 10"
        " refuted, 20 unknown; 2 wrong usage, 3 input refused, 4 internal error, 5 an output could"
        " not be written."
    ),
)


class Commands(TyperGroup):
    """The subcommands. A module is imported when its command is used: most of the start of a short
    run would be imports.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; an unknown one has all imported, so that similar names can be suggested."""
        module, _ = COMMANDS.get(cmd_name, ("", ""))
        for needed in [module] if module else dict.fromkeys(m for m, _ in COMMANDS.values()):
            import_module(f"obligato.cli.{needed}")
        self.commands.update(typer.main.get_group(app).commands)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The part of the help that lists them, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


app = typer.Typer(
    epilog=EXAMPLES,
    cls=Commands,
    name="obligato",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def tell_version(wanted: bool) -> None:
    """Print the version and end, if it is asked for."""
    if wanted:
        from obligato import __version__

        print(f"obligato {__version__}")
        raise typer.Exit


@app.callback()
def obligato(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=tell_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Prove or refute programs with IC3; every verdict is certified before it is reported."""


def main() -> None:
    """Run the command line; errors raised on purpose end with their exit status, without a
    traceback.
    """
    _open_standard_files()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(stop, interrupted) for stop in signals]  # until a supervisor takes over
    try:
        if COMPLETE in os.environ:
            from typer.completion import completion_init  # type: ignore[attr-defined]

            completion_init()
        app(prog_name="obligato")
    except InputError as problem:
        sys.exit(
            refuse(
                problem.message,
                problem.span,
                excerpt(problem.span),
                getattr(problem, "construct", ""),
            )
        )
    except ConfigError as problem:
        sys.exit(misuse(str(problem)))
    finally:
        for stop, handler in zip(signals, before, strict=True):
            signal.signal(stop, handler)


def _open_standard_files() -> None:
    """Where a standard file was closed, its number must not go to another file, which would be
    taken for it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def stopping() -> Event:
    """From now on SIGINT and SIGTERM set this event, also while results are written: what is known
    by then is told.
    """
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        if current_thread() is main_thread():
            signal.signal(number, lambda *_: stop.set())
    return stop


def warn(text: str) -> None:
    """Print to standard error. Where that is full or closed there is nobody to tell, and the run
    goes on.
    """
    if sys.stderr is not None:
        try:
            print(text, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            # what is still buffered must not fail again at the end
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def interrupted(*_: object) -> None:
    """End the command where it was interrupted before any run began."""
    from obligato.cli.outputs import Outputs

    outputs = Outputs({}, Path())
    outputs.print("interrupted\nunknown")
    sys.exit(UNWRITTEN if outputs.failed else EXIT_STATUS["unknown"])


def age() -> float:
    """Seconds since this process was started: importing counts within the time limit."""
    started = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf(
        "SC_CLK_TCK"
    )
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)


def misuse(message: str) -> int:
    """Say why the request makes no sense."""
    warn(f"error: {message}")
    return USAGE


HINTS = {  # what to do, by what is unsupported
    "file type": "the suffix says in which language a file is; `obligato verify --help` lists them",
    "no property": (
        "say in the file what must hold (bad, :invar-property, query, check), or ask by --property"
        " 'ltl: ...'"
    ),
    "no entry function": (
        "name the file that defines it, too, or say where runs start: --entry NAME"
    ),
    "missing header": "name the folder with included files: -I FOLDER",
}
NOT_MODELLED = (
    "this is not modelled, and nothing is guessed: leave it out of what is verified, or put a"
    " function without a body in its place; docs/faq.md"
)


def refuse(message: str, span: Span, shown: str, construct: str = "") -> int:
    """Say why the input is refused, and what to do where a `construct` is unsupported; `shown` is
    the source with a caret.
    """
    warn(f"{span}: error: {message}")
    if shown:
        warn(shown)
    if construct:
        warn(f"note: {HINTS.get(construct, NOT_MODELLED)}")
    return REFUSED


def complain(response: Response) -> int:
    """Report a response without outcome; the exit status."""
    if response.problem == "refused":
        return refuse(
            response.message, response.span or Span(), response.excerpt, response.construct
        )
    if response.problem == "usage":
        return misuse(response.message)
    if response.problem == "rejected":
        warn(f"rejected: {response.message}")
        return INTERNAL
    warn(f"internal error: {response.message}")
    where = f"is in {response.bundle}" if response.bundle else "could not be written"
    warn(f"what reproduces it {where}")
    return INTERNAL
