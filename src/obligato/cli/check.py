"""`obligato check`: re-check a certificate or trace against the input."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from obligato.api.request import NATIVE, Request
from obligato.api.supervisor import Report
from obligato.api.worker import run_isolated
from obligato.cli import reading
from obligato.cli.main import UNWRITTEN, age, app
from obligato.cli.outputs import Outputs
from obligato.cli.progress import Progress
from obligato.cli.verify import InputFile, tell
from obligato.errors import ConfigError
from obligato.frontends.preprocessing import STANDARD
from obligato.results.outcome import Outcome


def _work(claim: str, request: Request, report: Report) -> Outcome:
    from obligato.api.recheck import recheck

    return recheck(request, report, claim)


@app.command()
def check(
    file: InputFile,
    claim: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="the JSON that `verify --json` wrote")],
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="wall time")] = None,
    memory: Annotated[int | None, typer.Option(metavar="MB", help="resident memory")] = None,
    data_model: reading.DataModel = NATIVE,
    entry: reading.Entry = "main",
    folders: reading.Folders = None,
    macros: reading.Macros = None,
    undefined: reading.Undefined = None,
    included: reading.Included = None,
    standard: reading.Standard = STANDARD,
    compile_commands: reading.Commands = None,
    property: Annotated[str | None, typer.Option(help="a property's name or a .prp file")] = None,
    json_path: Annotated[str | None, typer.Option("--json", metavar="PATH|-", help="write the outcome as JSON")] = None,
    stats: Annotated[bool, typer.Option("--stats", help="print statistics")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="the verdict only")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="invariants at all locations")] = False,
) -> None:
    """Re-check the certificate or trace CLAIM against FILE, read as CLAIM says: true or false(...), or status 4 if refused."""
    request = Request(
        str(file), property=property or "", timeout=timeout, memory=memory, data_model=data_model, entry=entry,
        preprocessing=reading.preprocessing(file, folders, macros, undefined, included, standard, compile_commands),
    )
    request.validate()
    if not claim.is_file():
        raise ConfigError("the claim must be a regular file: it is read more than once")
    outputs = Outputs({"--json": json_path}, file)
    with Progress(quiet) as progress:
        answer = run_isolated(request, progress.report, work=partial(_work, str(claim)), spent=age())
    status = tell(request, answer, outputs, quiet=quiet, stats=stats, verbose=verbose)
    raise typer.Exit(UNWRITTEN if outputs.failed else status)
