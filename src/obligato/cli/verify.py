"""`obligato verify`: prove or refute one input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from obligato.api.request import NATIVE, Request
from obligato.api.supervisor import Report
from obligato.api.worker import Answer, run_isolated
from obligato.cli import reading
from obligato.cli.main import EXIT_STATUS, UNWRITTEN, age, app, complain
from obligato.cli.outputs import STDOUT, Outputs
from obligato.cli.progress import Progress
from obligato.errors import ConfigError, Span
from obligato.frontends.preprocessing import STANDARD
from obligato.frontends.registry import SUFFIXES, find_language
from obligato.reports.json_report import json_text, to_dict
from obligato.reports.registry import NAMES, report_format
from obligato.reports.text import report, statistics
from obligato.results.outcome import Outcome, Verdict

InputFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help=f"the input ({' '.join(SUFFIXES)} .yml)")]

InputFiles = Annotated[list[Path], typer.Argument(
    exists=True, dir_okay=False, metavar="FILE...", help=f"the input ({' '.join(SUFFIXES)} .yml); of C all files")]


@app.command()
def verify(
    files: InputFiles,
    engine: Annotated[str | None, typer.Option(help="see `obligato engines`; auto: several at once; a,b: these")] = None,
    preset: Annotated[str | None, typer.Option(help="see `obligato presets`, or a TOML file")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="an option of the engine")] = None,
    property: Annotated[str | None, typer.Option(help="a property's name or a .prp file; by default assertions (C)")] = None,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="wall time, checking included")] = None,
    memory: Annotated[int | None, typer.Option(metavar="MB", help="resident memory")] = None,
    data_model: reading.DataModel = NATIVE,
    entry: reading.Entry = "main",
    folders: reading.Folders = None,
    macros: reading.Macros = None,
    undefined: reading.Undefined = None,
    included: reading.Included = None,
    standard: reading.Standard = STANDARD,
    compile_commands: reading.Commands = None,
    seed: Annotated[int, typer.Option(help="of everything random")] = 0,
    json_path: Annotated[str | None, typer.Option("--json", metavar="PATH|-", help="write the outcome as JSON")] = None,
    witness: Annotated[str | None, typer.Option(metavar="PATH", help="write a witness in the input's format")] = None,
    reports: Annotated[list[str] | None, typer.Option("--report", metavar="NAME=PATH", help=f"write a report: {NAMES}")] = None,
    log: Annotated[str | None, typer.Option(metavar="PATH", help="write the engine's event log (JSON lines)")] = None,
    debug: Annotated[bool, typer.Option(help="the engine checks its own invariants as it goes (slow)")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="print statistics")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no report: the verdict only")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="invariants at all locations")] = False,
) -> None:
    """Prove or refute FILE, or a C program in several files. The last line is the verdict: true, false(...) or unknown."""
    file, *others = files
    reading.only_c(others, file)
    language = find_language(file)
    if witness is not None and (language is None or not language.write_witness):
        raise ConfigError("--witness is not available for this kind of input; --json has everything")
    if quiet and verbose:
        raise ConfigError("--quiet and --verbose exclude each other")
    request = Request(
        str(file), engine or "", preset, parse_settings(settings or []), property or "", timeout, memory,
        data_model, entry, seed, log, debug, witness is not None,
        preprocessing=reading.preprocessing(file, folders, macros, undefined, included, standard, compile_commands, others),
    )
    request.validate()
    wanted = parse_settings(reports or [], "--report")
    formats = {f"--report {name}": report_format(name) for name in wanted}
    paths = {f"--report {name}": path for name, path in wanted.items()}
    outputs = Outputs({"--json": json_path, "--witness": witness, "--log": log, **paths}, file)
    with Progress(quiet) as progress:
        answer = run_isolated(request, also_lost(outputs, progress.report), spent=age())
    status = tell(request, answer, outputs, quiet=quiet, stats=stats, verbose=verbose)
    if answer.outcome is not None:
        for option, form in formats.items():
            outputs.write(option, form.text(answer.outcome).rstrip("\n") + "\n")
    if language is not None and witness is not None and answer.outcome is not None:
        from obligato.api.system_witness import witness_text

        outputs.write("--witness", witness_text(language, answer.outcome))
    raise typer.Exit(UNWRITTEN if outputs.failed else status)


def also_lost(outputs: Outputs, report: Report) -> Report:
    """Reports go to `report`; what the worker could not write counts as a lost output."""
    return lambda kind, data: outputs.lost(str(data)) if kind == "lost" else report(kind, data)


def parse_settings(settings: list[str], option: str = "--set") -> dict[str, str]:
    """key=value texts; the engine's options say what the values mean."""
    out: dict[str, str] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"{option} needs KEY=VALUE, not {text!r}")
        out[key.strip().replace("-", "_")] = value.strip()
    return out


def tell(request: Request, answer: Answer, outputs: Outputs, *, quiet: bool, stats: bool, verbose: bool) -> int:
    """Print and write an answer, the verdict first of all; the exit status that it stands for.

    With `--json -` the JSON takes the place of the report on standard output.
    """
    outcome = answer.outcome
    text = ""
    if "--json" in outputs.paths:
        text = json_text(error_dict(request, answer) if outcome is None else to_dict(outcome))
    outputs.print_first("--json", text)
    if outcome is None:
        status = complain(answer)
    else:
        status = EXIT_STATUS[outcome.verdict]
        if outcome.reason == "interrupted" and not stats and not quiet:
            print("\n".join(statistics(outcome.stats)), file=sys.stderr)
        if outputs.paths.get("--json") != STDOUT:
            outputs.print(report(outcome, quiet=quiet, stats=stats, verbose=verbose))
    outputs.write("--json", f"{text}\n")
    return status


def error_dict(request: Request, answer: Answer) -> dict[str, Any]:
    """The JSON of an answer without outcome: an unknown whose field `error` says why."""
    outcome = Outcome(
        file=request.file, property=request.property, verdict=Verdict.UNKNOWN, reason=f"{answer.problem}: {answer.message}",
        engine=request.engine, preset=request.preset, options=dict(request.settings), seed=request.seed,
        stats={"wall_s": round(age(), 3)},
    )
    span = answer.span or Span(request.file)
    place = {"file": span.file, "line": span.line, "column": span.column}
    error = {"kind": answer.problem, "message": answer.message, **place, "bundle": answer.bundle or None}
    return {**to_dict(outcome), "error": error}
