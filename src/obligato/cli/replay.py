"""`obligato replay`: compile and run a counterexample of a C program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from obligato.cli.main import EXIT_STATUS, app
from obligato.cli.options import InputFile, seconds
from obligato.errors import ConfigError
from obligato.frontends.registry import language_of


@app.command()
def replay(
    file: InputFile,
    trace: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="what `verify --json` wrote of a violation"
        ),
    ],
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", parser=seconds, help="processor time of the compiled program"
        ),
    ] = 10,
    memory: Annotated[
        int, typer.Option(metavar="MB", help="memory of the compiled program")
    ] = 2000,
) -> None:
    """Compile FILE with the inputs of TRACE and run it: is the error reached? This runs the program
    that FILE is.

    Exit status: 10 the error is reached, 20 it is not (the line before says what happened), 2 no
    compiler, 3 refused.
    """
    from obligato.api.recheck import read_outcome
    from obligato.bench.replayed import replay as run

    if language_of(file).name != "c":
        raise ConfigError(f"replay compiles C programs; {file} is none")
    done = run(file, read_outcome(str(trace)), str(trace), timeout, memory)
    print("the error is reached" if done.reached else f"{done.reason}\nthe error is not reached")
    raise typer.Exit(EXIT_STATUS["false" if done.reached else "unknown"])
