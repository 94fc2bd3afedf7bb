"""`obligato verify`: prove or refute one input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from obligato.api.request import Request
from obligato.api.worker import run_isolated
from obligato.cli.main import EXIT_STATUS, age, app, complain
from obligato.cli.progress import Progress
from obligato.errors import ConfigError
from obligato.frontends.registry import SUFFIXES, find_language
from obligato.reports.json_report import json_text, to_dict
from obligato.reports.text import report, statistics
from obligato.results.outcome import Outcome

InputFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help=f"the input ({' '.join(SUFFIXES)} .yml)")]


@app.command()
def verify(
    file: InputFile,
    engine: Annotated[str | None, typer.Option(help="see `obligato engines`; by default the one for the input")] = None,
    preset: Annotated[str | None, typer.Option(help="see `obligato presets`, or a TOML file")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="an option of the engine")] = None,
    property: Annotated[str | None, typer.Option(help="a property's name or a .prp file; by default assertions (C)")] = None,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="wall time, checking included")] = None,
    memory: Annotated[int | None, typer.Option(metavar="MB", help="resident memory")] = None,
    data_model: Annotated[str, typer.Option(help="ILP32 or LP64")] = "ILP32",
    entry: Annotated[str, typer.Option(help="the procedure where runs start")] = "main",
    seed: Annotated[int, typer.Option(help="of everything random")] = 0,
    json_path: Annotated[str | None, typer.Option("--json", metavar="PATH|-", help="write the outcome as JSON")] = None,
    witness: Annotated[str | None, typer.Option(metavar="PATH", help="write a witness in the input's format")] = None,
    html: Annotated[str | None, typer.Option(metavar="PATH", help="write a page to look at")] = None,
    sarif: Annotated[str | None, typer.Option(metavar="PATH", help="write SARIF")] = None,
    harness: Annotated[str | None, typer.Option(metavar="PATH", help="write a C test harness")] = None,
    log: Annotated[str | None, typer.Option(metavar="PATH", help="write the engine's event log (JSON lines)")] = None,
    debug: Annotated[bool, typer.Option(help="the engine checks its own invariants as it goes (slow)")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="print statistics")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no report: the verdict only")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="invariants at all locations")] = False,
) -> None:
    """Prove or refute FILE. The last line is the verdict: true, false(...) or unknown."""
    refuse_later({"html": html, "sarif": sarif, "harness": harness})
    language = find_language(file)
    if witness is not None and (language is None or not language.write_witness):
        raise ConfigError("--witness is not available for this kind of input; --json has everything")
    if quiet and verbose:
        raise ConfigError("--quiet and --verbose exclude each other")
    request = Request(
        str(file), engine or "", preset, parse_settings(settings or []), property or "", timeout, memory,
        data_model, entry, seed, log, debug,
    )
    request.validate()
    with Progress(quiet) as progress:
        answer = run_isolated(request, progress.report, spent=age())
    if answer.outcome is None:
        raise typer.Exit(complain(answer))
    write(answer.outcome, json_path, quiet=quiet, stats=stats, verbose=verbose)
    if witness is not None:
        from obligato.api.system_witness import witness_text

        Path(witness).write_text(witness_text(answer.outcome), encoding="utf-8")
    raise typer.Exit(EXIT_STATUS[answer.outcome.verdict])


def refuse_later(asked: dict[str, str | None]) -> None:
    """Refuse reports that do not exist yet."""
    for name, path in asked.items():
        if path is not None:
            raise ConfigError(f"--{name} is not available yet")


def parse_settings(settings: list[str]) -> dict[str, str]:
    """key=value texts; the engine's options say what the values mean."""
    out: dict[str, str] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"--set needs KEY=VALUE, not {text!r}")
        out[key.strip().replace("-", "_")] = value.strip()
    return out


def write(outcome: Outcome, json_path: str | None, *, quiet: bool, stats: bool, verbose: bool) -> None:
    """Print the report; with `--json -` the JSON takes its place on standard output."""
    if json_path is not None:
        text = json_text(to_dict(outcome))
        if json_path == "-":
            print(text)
            return
        Path(json_path).write_text(text + "\n", encoding="utf-8")
    if outcome.reason == "interrupted" and not stats and not quiet:
        print("\n".join(statistics(outcome.stats)), file=sys.stderr)
    print(report(outcome, quiet=quiet, stats=stats, verbose=verbose))
