"""`obligato crosscheck`: the lowered program against the compiled original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from obligato.api.request import NATIVE, read_property
from obligato.cli.main import EXIT_STATUS, INTERNAL, app
from obligato.cli.options import DataModel, InputFile, Property
from obligato.errors import ConfigError
from obligato.frontends.registry import language_of

if TYPE_CHECKING:
    from obligato.crosscheck.comparison import Difference, Report

SHOWN_INPUTS = 12
SHOWN_DIFFERENCES = 5


@app.command()
def crosscheck(
    file: InputFile,
    runs: Annotated[int, typer.Option(help="how many inputs to try", min=1)] = 50,
    seed: Annotated[int, typer.Option(help="seed of the random inputs")] = 1,
    data_model: DataModel = NATIVE,
    property: Property = None,
) -> None:
    """Compile FILE and our reading of it, and compare them on random and boundary inputs.

    Exit status: 0 no difference, 4 a difference (our reading is wrong), 20 nothing could be
    compared, 2 no compiler, 3 refused.
    """
    from obligato.crosscheck.comparison import crosscheck as compare
    from obligato.crosscheck.native import CannotCompile

    language = language_of(file)
    if language.name != "c":
        raise ConfigError(f"crosscheck compares C programs; {file} is none")
    program = language.load(
        file, data_model=data_model, property=language.property(read_property(property or ""))
    )
    try:
        report = compare(file, program, data_model, runs, seed)
    except CannotCompile as problem:
        print(f"cannot be compiled: {problem}\nunknown")
        raise typer.Exit(EXIT_STATUS["unknown"]) from problem
    _print(report)
    if report.differences:
        raise typer.Exit(INTERNAL)
    raise typer.Exit(0 if report.compared else EXIT_STATUS["unknown"])


def _print(report: Report) -> None:
    print(f"compiled for {report.tools.data_model} by {report.tools.compiler}")
    if report.tools.remark:
        print(f"  {report.tools.remark}")
    print(
        f"compared: inputs asked for, how the run ends, the value of main, {len(report.observed)}"
        " numbers in globals"
    )
    for what, count in sorted(report.outcomes.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:6}  {what}")
    if report.complaint:
        print(f"a sanitizer says: {report.complaint}")
    for d in report.differences[:SHOWN_DIFFERENCES]:
        _print_difference(d)
    print("DIFFERENT" if report.differences else "no difference" if report.compared else "unknown")


def _print_difference(d: Difference) -> None:
    print(f"run {d.number}: {d.what}")
    given = [x.removeprefix("input ") for x in d.original.inputs]
    more = f", and {len(given) - SHOWN_INPUTS} more" if len(given) > SHOWN_INPUTS else ""
    print(f"  inputs: {', '.join(given[:SHOWN_INPUTS]) or 'none'}{more}")
