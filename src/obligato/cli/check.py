"""`obligato check`: re-check a certificate or trace against the input."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from obligato.api.request import Request
from obligato.api.supervisor import Report
from obligato.api.worker import run_isolated
from obligato.cli.examples import examples
from obligato.cli.main import UNWRITTEN, age, app, stopping
from obligato.cli.options import (
    InputFile,
    JsonPath,
    Limits,
    Method,
    Property,
    Reading,
    Shown,
    grouped,
    make_request,
)
from obligato.cli.outputs import Outputs
from obligato.cli.progress import Progress
from obligato.cli.verify import tell
from obligato.errors import ConfigError
from obligato.results.outcome import Outcome


def _work(claim: str, request: Request, report: Report) -> Outcome:
    from obligato.api.recheck import recheck

    return recheck(request, report, claim)


def _assisted(request: Request, claim: str) -> Request:
    from obligato.api.recheck import assisted

    return assisted(request, claim)


EXAMPLES = examples(
    ("obligato verify file.c --json file.json", "keep what was found"),
    ("obligato check file.c file.json", "true or false(...) again, or status 4: refused"),
)


@app.command(epilog=EXAMPLES)
@grouped
def check(
    file: InputFile,
    claim: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="what `verify --json` wrote, or a witness"
        ),
    ],
    limits: Limits,
    how: Reading,
    shown: Shown,
    method: Method,
    emit: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="write each proof obligation as SMT-LIB with its expected answer"
        ),
    ] = None,
    property: Property = None,
    json_path: JsonPath = None,
) -> None:
    """Re-check the certificate or trace CLAIM against FILE. FILE is read as CLAIM says; true or
    false(...), or status 4.
    """
    shown.validate()
    if emit is not None and emit.exists() and (not emit.is_dir() or any(emit.iterdir())):
        raise ConfigError(f"--emit needs a new or an empty folder, which {emit} is not")
    request = make_request(
        [file], property, how, limits, method, emit=None if emit is None else str(emit.resolve())
    )
    if not claim.is_file():
        raise ConfigError("the claim must be a regular file: it is read more than once")
    outputs = Outputs({"--json": json_path}, file)
    request = _assisted(request, str(claim))
    with Progress(shown.quiet) as progress:
        response = run_isolated(
            request, progress.report, work=partial(_work, str(claim)), spent=age(), stop=stopping()
        )
    status = tell(request, response, outputs, shown)
    raise typer.Exit(UNWRITTEN if outputs.failed else status)
