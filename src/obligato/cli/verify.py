"""`obligato verify`: prove or refute one input."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from obligato.api.members import helped
from obligato.api.request import Request
from obligato.api.supervisor import Report
from obligato.api.worker import Response, run_isolated
from obligato.cli.examples import examples
from obligato.cli.main import EXIT_STATUS, UNWRITTEN, age, app, complain, stopping, warn
from obligato.cli.options import (
    InputFiles,
    JsonPath,
    Limits,
    Method,
    Property,
    Reading,
    Shown,
    grouped,
    make_request,
    parse_settings,
)
from obligato.cli.outputs import STDOUT, Outputs
from obligato.cli.progress import Progress
from obligato.cli.recording import recording
from obligato.errors import ConfigError, ObligatoError, Span
from obligato.frontends.registry import find_language
from obligato.reports.registry import NAMES, report_format
from obligato.results.outcome import Outcome, Verdict

HTML = "html"  # the report that needs more than the outcome


@dataclass(frozen=True, slots=True)
class Written:
    """What is written of an outcome, and where."""

    json_path: JsonPath = None
    witness: Annotated[
        str | None, typer.Option(metavar="PATH", help="write a witness in the input's format")
    ] = None
    reports: Annotated[
        list[str] | None,
        typer.Option("--report", metavar="NAME=PATH", help=f"write a report: {NAMES}"),
    ] = None
    html: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="write a page that shows the outcome and the search"),
    ] = None
    log: Annotated[
        str | None, typer.Option(metavar="PATH", help="write the engine's event log (JSON lines)")
    ] = None

    @property
    def wanted(self) -> dict[str, str]:
        """The reports that are asked for, by their names, with their paths."""
        named = parse_settings(self.reports or [], "--report")
        if self.html is not None and named.setdefault(HTML, self.html) != self.html:
            raise ConfigError("--html and --report html name two files")
        return named

    def needs_witness(self, source: Path) -> bool:
        """Is the run itself to make a witness in the input's format? That of a C program is made of
        its outcome.
        """
        if self.witness is None or is_c(source):
            return False
        language = find_language(source)
        if language is None or not language.write_witness:
            raise ConfigError(
                "--witness is not available for this kind of input; --json has everything"
            )
        return True

    def outputs(self, source: Path) -> Outputs:
        """Where to write; destinations and the names of reports are tested now."""
        for name in self.wanted:
            report_format(name)
        paths = {f"--report {name}": path for name, path in self.wanted.items()}
        return Outputs(
            {"--json": self.json_path, "--witness": self.witness, "--log": self.log, **paths},
            source,
        )

    def write(self, outputs: Outputs, outcome: Outcome) -> None:
        """Write reports and witness; `tell` writes the JSON, the worker its log."""
        for name in self.wanted:
            self._report(outputs, f"--report {name}", name, outcome)
        language = find_language(outcome.file)
        if self.witness is not None and is_c(Path(outcome.file)):
            self._report(outputs, "--witness", "witness", outcome)
        elif language is not None and self.witness is not None:
            from obligato.api.system_witness import witness_text

            outputs.write("--witness", witness_text(language, outcome))

    def _report(self, outputs: Outputs, option: str, name: str, outcome: Outcome) -> None:
        """Write one report; one that cannot be made any more (the source has changed) is lost."""
        if option in outputs.paths:
            try:
                text = report_format(name).text(outcome)
            except (ObligatoError, OSError) as problem:
                outputs.lost(f"{option}: {problem}")
            else:
                outputs.write(option, text.rstrip("\n") + "\n")


def is_c(file: Path) -> bool:
    """Is it a C program, or a task about one?"""
    language = find_language(file)
    return file.suffix == ".yml" or (language is not None and "markers" in language.reading)


EXAMPLES = examples(
    ("obligato verify file.c", "its assertions, and calls of reach_error"),
    ("obligato verify file.c --property memsafety,no-overflow", "or all: each check has a verdict"),
    ("obligato verify main.c util.c -I include -D N=8", "several files, read as a compiler would"),
    ("obligato verify task.yml", "an SV-COMP task"),
    ("obligato verify circuit.aig --witness run.wit", "a counterexample in the format's own way"),
    ("obligato verify model.smv --property 'ltl: G (req -> F ack)'", "a temporal formula"),
    ("obligato verify file.c --timeout 300", "several engines, for five minutes"),
    ("obligato verify file.c --engine bmc --set bound=50", "one engine, one of its options"),
    ("obligato verify new.c --from old.json", "again after an edit, by what was found before"),
    ("obligato verify file.c -q", "the verdict only, for scripts"),
    after=(
        "Exit status: 0 proved, 10 refuted, 20 unknown, 2 wrong usage, 3 input refused, 4 internal"
        " error, 5 output lost."
    ),
)


@app.command(epilog=EXAMPLES)
@grouped
def verify(
    files: InputFiles,
    method: Method,
    limits: Limits,
    how: Reading,
    written: Written,
    shown: Shown,
    property: Property = None,
    earlier: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="OLD.json", help="try the invariants of an earlier outcome first"
        ),
    ] = None,
    core: Annotated[
        bool, typer.Option("--core", help="name the lines or equations that a proof needs")
    ] = False,
    each: Annotated[
        bool,
        typer.Option("--each", help="programs: a verdict for every single check of a property"),
    ] = False,
    cover: Annotated[
        bool, typer.Option("--cover", help="programs: which assertions and branches do runs reach?")
    ] = False,
    debug: Annotated[
        bool, typer.Option(help="the engine checks its own invariants as it goes (slow)")
    ] = False,
    scheduler: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="engines or files on a cluster of dask.distributed"),
    ] = "",
) -> None:
    """Prove or refute FILE, or a C program in several files. The last line is the verdict: true,
    false(...) or unknown.
    """
    shown.validate()
    if scheduler:
        from obligato.cli import spread

        spread.refuse_files(written, how, earlier, property)
        flags = {"--core": core, "--each": each, "--cover": cover, "--debug": debug}
        options = spread.words(property, how, limits, method, shown) + tuple(
            name for name, given in flags.items() if given
        )
        raise typer.Exit(
            spread.spread(scheduler, files, tuple((method.engine or "").split(",")), options)
        )
    request = make_request(
        files,
        property,
        how,
        limits,
        method,
        log=written.log,
        debug=debug,
        earlier=earlier,
        core=core,
        each=each,
        cover=cover,
        witness=written.needs_witness(files[0]),
    )
    request = helped(request)
    outputs = written.outputs(files[0])
    with recording(request, HTML in written.wanted) as recorded:
        with Progress(shown.quiet) as progress:
            report = recorded.heard(also_lost(outputs, progress.report))
            response = run_isolated(recorded.request, report, spent=age(), stop=stopping())
        status = tell(request, response, outputs, shown)
        if response.outcome is not None:
            written.write(outputs, recorded.added(response.outcome))
    raise typer.Exit(UNWRITTEN if outputs.failed else status)


def also_lost(outputs: Outputs, report: Report) -> Report:
    """Reports go to `report`; what the worker could not write counts as a lost output."""
    return lambda kind, data: outputs.lost(str(data)) if kind == "lost" else report(kind, data)


def tell(request: Request, response: Response, outputs: Outputs, shown: Shown) -> int:
    """Print and write a response, the verdict first of all; the exit status that it stands for.

    With `--json -` the JSON takes the place of the report on standard output.
    """
    from obligato.reports.text import report, statistics

    outcome = response.outcome
    text = ""
    if "--json" in outputs.paths:
        from obligato.reports.json_report import json_text, to_dict

        text = json_text(error_dict(request, response) if outcome is None else to_dict(outcome))
    outputs.print_first("--json", text)
    if outcome is None:
        status = complain(response)
    else:
        status = EXIT_STATUS[outcome.verdict.value]
        if outcome.reason == "interrupted" and not shown.stats and not shown.quiet:
            warn("\n".join(statistics(outcome.stats)))
        if outputs.paths.get("--json") != STDOUT:
            outputs.print(
                report(outcome, quiet=shown.quiet, stats=shown.stats, verbose=shown.verbose)
            )
    outputs.write("--json", f"{text}\n")
    return status


def error_dict(request: Request, response: Response) -> dict[str, Any]:
    """The JSON of a response without outcome: an unknown whose field `error` says why."""
    from obligato.reports.json_report import to_dict

    outcome = Outcome(
        file=request.file,
        property=request.property,
        verdict=Verdict.UNKNOWN,
        reason=f"{response.problem}: {response.message}",
        engine=request.engine,
        preset=request.preset,
        options=dict(request.settings),
        seed=request.seed,
        stats={"wall_s": round(age(), 3)},
    )
    span = response.span or Span(request.file)
    place = {"file": span.file, "line": span.line, "column": span.column}
    error = {
        "kind": response.problem,
        "message": response.message,
        **place,
        "bundle": response.bundle or None,
    }
    return {**to_dict(outcome), "error": error}
