"""`obligato bench`: run task sets, report, compare. ``obligato bench TASKS`` is short for
``obligato bench run TASKS``.

Exit status of `run`: 0 when the benchmark is complete and nothing is wrong, 1 when a verdict is
wrong, 20 when it was stopped.
"""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from obligato.cli.main import app
from obligato.cli.options import grouped, seconds
from obligato.errors import ConfigError

if TYPE_CHECKING:
    from obligato.bench.limited import Limits
    from obligato.bench.remote import Maker
    from obligato.bench.runexec import Isolation
    from obligato.bench.store import Store
    from obligato.bench.tasks import Task
    from obligato.bench.tools import Tool
    from obligato.cli.bench_progress import BenchProgress

STOPPED, WORSE = 20, 1


class DefaultRun(TyperGroup):
    """A group whose command may be left out: then it is `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Without a command, `bench` means `bench run`."""
        given = args and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if given else ["run", *args])


bench = typer.Typer(
    cls=DefaultRun,
    rich_markup_mode=None,
    help="Run task sets over engines and peers; tables and plots.",
)
app.add_typer(bench, name="bench")

Folder = Annotated[
    Path,
    typer.Argument(exists=True, file_okay=False, help="the folder that `bench run --out` wrote"),
]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tasks are run."""

    track: Annotated[list[str] | None, typer.Option(help="only tasks of this track")] = None
    category: Annotated[
        list[str] | None, typer.Option(help="only categories that contain this")
    ] = None
    family: Annotated[list[str] | None, typer.Option(help="only tasks of this family")] = None
    match: Annotated[list[str] | None, typer.Option(help="only names that contain this")] = None
    exclude: Annotated[list[str] | None, typer.Option(help="no names that contain this")] = None
    expected: Annotated[str, typer.Option(help="only tasks with this verdict: true or false")] = ""
    property: Annotated[str, typer.Option(help="only tasks with this property")] = ""
    sample: Annotated[
        int | None, typer.Option(min=1, help="only so many of them, chosen by the seed")
    ] = None
    seed: Annotated[int, typer.Option(help="seed of the sample")] = 0

    def of(self, places: list[Path]) -> list[Task]:
        """The tasks that are left, at least one."""
        from obligato.bench.tasks import Filter, read_tasks, select

        track, category, family, match, exclude = (
            tuple(x or ())
            for x in (self.track, self.category, self.family, self.match, self.exclude)
        )
        wanted = Filter(track, category, family, self.expected, self.property, match, exclude)
        chosen = select(read_tasks(places), wanted, self.sample, self.seed)
        if not chosen:
            raise ConfigError("no task is left after filtering")
        return chosen


@dataclass(frozen=True, slots=True)
class Choice:
    """The tools that are run on the tasks."""

    engine: Annotated[
        list[str] | None,
        typer.Option(help="one of ours, a,b, auto or all; by default as verify does"),
    ] = None
    preset: Annotated[list[str] | None, typer.Option(help="run each engine with this preset")] = (
        None
    )
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="an option for all engines"),
    ] = None
    peer: Annotated[list[str] | None, typer.Option(help="spacer, abc or abc-dprove")] = None
    command: Annotated[
        list[str] | None, typer.Option(metavar="NAME=COMMAND", help="any tool, called with {file}")
    ] = None
    engine_seed: Annotated[int, typer.Option(help="seed of the engines' random choices")] = 0
    replay: Annotated[
        bool, typer.Option("--replay", help="C: compile and run each counterexample")
    ] = False


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a run may use, and how many are run at once."""

    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", parser=seconds, help="processor time of a run with its children"
        ),
    ] = 60.0
    wall: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", parser=seconds, help="wall time of a run  [default: 3 x timeout]"
        ),
    ] = None
    within: Annotated[
        float | None,
        typer.Option(metavar="MINUTES", help="shorten the time limit to fit; stop then"),
    ] = None
    memory: Annotated[
        int, typer.Option(metavar="MB", help="resident memory of a run with its children")
    ] = 2000
    jobs: Annotated[int, typer.Option(min=1, help="runs at once")] = 1
    isolation: Annotated[
        str,
        typer.Option(
            help="what holds runs to their limits: rlimits, runexec, or the best there is"
        ),
    ] = "auto"
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="run on a cluster of dask.distributed")
    ] = ""
    local_cluster: Annotated[
        int, typer.Option(min=0, metavar="N", help="the same with N workers on this machine")
    ] = 0

    def limits(self, runs: int) -> Limits:
        """The limits of each of so many runs."""
        from obligato.bench.limited import Limits

        seconds = min(self.timeout, _share(self.within, self.local_cluster or self.jobs, runs))
        return Limits(seconds, self.wall or 3 * seconds, self.memory)

    def validate(self) -> None:
        """Refuse what cannot be had together."""
        if self.scheduler and self.local_cluster:
            raise ConfigError("--scheduler and --local-cluster exclude each other")

    def on_cluster(self) -> bool:
        """Are the runs made elsewhere than in processes of this one?"""
        return bool(self.scheduler or self.local_cluster)


@bench.command()
@grouped
def run(
    choice: Choice,
    selection: Selection,
    allowance: Allowance,
    tasks: Annotated[
        list[Path] | None,
        typer.Argument(
            help=(
                "folders with tasks.csv, .csv, .set, .yml, or files to verify; default: the folder"
                " $OBLIGATO_CORPUS"
            )
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="for results and report; the same folder again resumes")
    ] = None,
    title: Annotated[str, typer.Option(help="title of the report")] = "",
    any_revision: Annotated[
        bool, typer.Option("--any-revision", help="resume though the sources have changed")
    ] = False,
    load_only: Annotated[
        bool, typer.Option("--load-only", help="only load each task; counts what is refused")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="a line per run; with --load-only per refusal")
    ] = False,
) -> None:
    """Run tasks over engines and peers, store the results, write the report; or go on where a run
    was stopped.
    """
    from obligato.bench.runexec import isolation

    chosen = selection.of(_places(tasks))
    if load_only:
        from obligato.cli.bench_load import load_only as load_all

        load_all(chosen, allowance.wall or allowance.timeout, allowance.memory, verbose)
        return
    allowance.validate()
    tools = _tools(choice)
    limits = allowance.limits(sum(tool.accepts(task) for task in chosen for tool in tools.values()))
    kept = isolation(allowance.isolation)
    raise typer.Exit(
        _run(chosen, tools, limits, allowance, kept, out, title, any_revision, verbose)
    )


def _share(within: float | None, jobs: int, runs: int) -> float:
    """Processor time of each run if all are to be over in so many minutes on idle cores; to begin
    and to end takes a moment.
    """
    if within is None:
        return float("inf")
    seconds = float(int(within * 60 * jobs / max(runs, 1) - 1))
    if seconds < 1:
        raise ConfigError(f"{runs} runs do not fit into {within:g} minutes")
    return seconds


def _places(tasks: list[Path] | None) -> list[Path]:
    corpus = os.environ.get("OBLIGATO_CORPUS")
    if not tasks and not corpus:
        raise ConfigError("which tasks? name them, or set OBLIGATO_CORPUS")
    return tasks or [Path(corpus or "")]


def _tools(choice: Choice) -> dict[Maker, Tool]:
    """All tools of a run and what makes them; wrong names and options are refused before anything
    runs.
    """
    from functools import partial

    from obligato.bench.peers import abc, spacer
    from obligato.bench.replayed import replaying
    from obligato.bench.tools import DEFAULT, any_command

    known: dict[str, Maker] = {
        "spacer": spacer.tool,
        **{name: partial(abc.tool, name) for name in abc.COMMANDS},
    }
    unknown = [name for name in choice.peer or [] if name not in known]
    if unknown:
        raise ConfigError(f"unknown peer {unknown[0]!r}; there are: {', '.join(known)}")
    makers = _own(choice, choice.engine or ([] if choice.peer or choice.command else [DEFAULT]))
    if choice.replay:
        makers = [partial(replaying, maker) for maker in makers]
    makers += [known[name] for name in choice.peer or []] + [
        partial(any_command, text) for text in choice.command or []
    ]
    tools = {maker: maker() for maker in makers}
    if len({t.name for t in tools.values()}) < len(makers):
        raise ConfigError("a tool is named twice")
    return tools


def _own(choice: Choice, engines: list[str]) -> list[Maker]:
    """What makes the tools that run our own engines."""
    from functools import partial
    from importlib import metadata

    from obligato.api.members import named_members
    from obligato.api.registry import ENGINES, engine
    from obligato.api.request import is_portfolio
    from obligato.api.settings import find_preset, make_options
    from obligato.bench.tools import DEFAULT, obligato
    from obligato.cli.options import parse_settings

    makers: list[Maker] = []
    settings = choice.settings or []
    for e in [name for name, e in ENGINES.items() if not e.live] if engines == ["all"] else engines:
        for p in [*choice.preset] if choice.preset else [None]:
            if is_portfolio(e):
                named_members(e)
                if p is not None:
                    raise ConfigError("a preset belongs to one engine")
            elif e != DEFAULT:
                found = None if p is None else find_preset(p, e)
                make_options(engine(e), found, parse_settings(settings))
            elif p is not None or settings:
                raise ConfigError("--preset and --set need an --engine")
            makers.append(
                partial(
                    obligato,
                    e,
                    p,
                    tuple(settings),
                    metadata.version("obligato"),
                    choice.engine_seed,
                )
            )
    return makers


def _run(
    tasks: list[Task],
    tools: dict[Maker, Tool],
    limits: Limits,
    allowance: Allowance,
    isolation: Isolation,
    out: Path | None,
    title: str,
    any_revision: bool,
    verbose: bool,
) -> int:
    from math import inf
    from time import monotonic

    from obligato.bench import machine
    from obligato.bench.store import Store, lock
    from obligato.cli.bench_progress import BenchProgress

    until = inf if allowance.within is None else monotonic() + 60 * allowance.within
    made = [*tools.values()]
    folder = out or Path(
        "out", "bench", f"{machine.sources()}-{_digest(tasks, made, limits, isolation)}"
    )
    with lock(folder):
        store = Store(folder, create=True)
        store.begin(
            tasks, made, {"title": title, **_about(limits, allowance, isolation)}, any_revision
        )
        with BenchProgress(store, verbose) as progress:
            complete = _executed(store, tasks, tools, limits, allowance, isolation, until, progress)
        if complete or monotonic() >= until:
            _show(store, folder)
        if not complete:
            left = f"{len(store.pending())} of {store.total()} runs are left"
            print(f"stopped: {left}; the same command with --out {folder} goes on")
            return STOPPED
        return WORSE if any(r.wrong for r in store.results()) else 0


def _about(limits: Limits, allowance: Allowance, isolation: Isolation) -> dict[str, Any]:
    """The lines of the report about machine, limits and revision."""
    from dataclasses import asdict
    from datetime import UTC, datetime

    from obligato.bench import machine

    return {
        "command": shlex.join(["obligato", *sys.argv[1:]]),
        "revision": machine.revision(),
        "source": machine.sources(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.machine(),
        "limits": asdict(limits),
        "jobs": allowance.local_cluster or allowance.jobs,
        "isolation": isolation.name,
        **(
            {"cluster": allowance.scheduler or "workers on one machine"}
            if allowance.on_cluster()
            else {}
        ),
    }


def _executed(
    store: Store,
    tasks: list[Task],
    tools: dict[Maker, Tool],
    limits: Limits,
    allowance: Allowance,
    isolation: Isolation,
    until: float,
    progress: BenchProgress,
) -> bool:
    """Run what is pending, here or on a cluster; is nothing left?"""
    from time import monotonic

    if not allowance.on_cluster():
        from obligato.bench.runner import Runner

        made = [*tools.values()]
        return Runner(store, tasks, made, limits, allowance.jobs, isolation.program, until).run(
            progress.observe
        )
    from obligato.bench.cluster import ClusterRunner, connected

    with connected(allowance.scheduler, allowance.local_cluster) as client:
        runner = ClusterRunner(store, tasks, tools, limits, isolation.name, client, until)
        slots, before, started = sum(client.nthreads().values()), store.finished(), monotonic()
        complete = runner.run(progress.observe)
        runs = store.finished() - before
        beside = ((monotonic() - started) * slots - runner.busy_s) / max(runs, 1)
        print(
            f"cluster: {runs} runs on {slots} slots, {1000 * beside:.0f} ms of a slot per run"
            " beside the command"
        )
        return complete


def _digest(tasks: list[Task], tools: list[Tool], limits: Limits, isolation: Isolation) -> str:
    """Names a benchmark, so that the same command finds its folder again."""
    from hashlib import sha256

    return sha256(
        repr(([t.name for t in tasks], [t.name for t in tools], limits, isolation.name)).encode()
    ).hexdigest()[:8]


def _show(store: Store, folder: Path) -> None:
    from obligato.bench import tables
    from obligato.bench.plots import missing
    from obligato.bench.report import write_reports

    results = store.results()
    print(tables.text(results))
    warnings = [
        f"{k}: {v}"
        for k, v in tables.facts(store)
        if k in ("mixed", "incomplete", "near the limit")
    ]
    for text in (tables.notable_text(results), *warnings):
        if text:
            print(f"\n{text}")
    write_reports(store, folder)
    if missing():
        print(f"\nnote: {missing()}")
    print(f"\nreport: {folder / 'report.html'}")


@bench.command()
def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(help="where to write  [default: the same folder]")
    ] = None,
) -> None:
    """Write tables, plots, page, JSON and CSV of results that are there, complete or not."""
    from obligato.bench.store import Store

    _show(Store(folder), out or folder)


@bench.command()
def compare(
    a: Folder,
    b: Folder,
    noise: Annotated[
        float,
        typer.Option(
            help="a lost task counts as noise if so many times its cost reaches the limit", min=1.0
        ),
    ] = 2.0,
    same: Annotated[
        bool, typer.Option("--same", help="status 1 on any difference that is not near a limit")
    ] = False,
) -> None:
    """Compare results B with results A: status 1 if B has wrong verdicts or lost tasks beyond
    noise.
    """
    from obligato.bench import compare as comparing
    from obligato.bench.store import Store

    found = comparing.compare(Store(a), Store(b), noise)
    print("\n\n".join(map(comparing.comparison_text, found)))
    if any(not c.same if same else c.failed for c in found):
        raise typer.Exit(WORSE)
