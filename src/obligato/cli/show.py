"""`obligato show`: look at any stage of the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from obligato.cli.main import app
from obligato.cli.verify import InputFile
from obligato.errors import ConfigError
from obligato.program.syntax import Program


def _ivl(program: Program, blocks: bool) -> str:
    from obligato.program.printer import program_text

    return program_text(program)


def _cfa(program: Program, blocks: bool) -> str:
    from obligato.api.reading import original_cfa
    from obligato.models.blocks import large_blocks
    from obligato.reports.graph import cfa_text

    cfa = original_cfa(program)
    return cfa_text(large_blocks(cfa) if blocks else cfa)


def _dot(program: Program, blocks: bool) -> str:
    from obligato.api.reading import original_cfa
    from obligato.models.blocks import large_blocks
    from obligato.reports.graph import cfa_dot

    cfa = original_cfa(program)
    return cfa_dot(large_blocks(cfa) if blocks else cfa)


FORMS: dict[str, Callable[[Program, bool], str]] = {"ivl": _ivl, "cfa": _cfa, "dot": _dot}
PLANNED = ("ts", "smt2", "vmt", "btor2", "chc")


@app.command()
def show(
    file: InputFile,
    form: Annotated[str, typer.Option("--as", help=", ".join(FORMS))] = "cfa",
    blocks: Annotated[bool, typer.Option("--blocks", help="after large-block encoding (cfa, dot)")] = False,
    data_model: Annotated[str, typer.Option(help="ILP32 or LP64")] = "ILP32",
    entry: Annotated[str, typer.Option(help="the procedure where runs start")] = "main",
) -> None:
    """Print FILE as it looks at a stage of the pipeline."""
    from obligato.api import load

    if form not in FORMS:
        why = "is not available yet" if form in PLANNED else "is unknown"
        raise ConfigError(f"--as {form} {why}; there are: {', '.join(FORMS)}")
    print(FORMS[form](load(file, data_model=data_model, entry=entry), blocks).rstrip("\n"))
