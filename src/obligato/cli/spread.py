"""`obligato verify ... --scheduler ADDRESS`: the engines, or the files, of one call on a cluster
(`bench.spread`).
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from obligato.cli.main import INTERNAL
from obligato.errors import ConfigError
from obligato.frontends.registry import find_language

if TYPE_CHECKING:
    from obligato.cli.options import Limits, Method, Reading, Shown
    from obligato.cli.verify import Written


def words(
    property: str | None, how: Reading, limits: Limits, method: Method, shown: Shown
) -> tuple[str, ...]:
    """The options for each call on a worker."""
    single = {
        "--property": property,
        "--data-model": how.data_model,
        "--entry": how.entry,
        "--std": how.standard,
        "--timeout": limits.timeout,
        "--memory": limits.memory,
        "--preset": method.preset,
        "--seed": method.seed,
    }
    several = {"-D": how.macros, "-U": how.undefined, "--set": method.settings}
    out = [w for name, value in single.items() if value is not None for w in (name, str(value))]
    out += [w for name, values in several.items() for value in values or () for w in (name, value)]
    out += [f"--{name}" for name in ("stats", "quiet", "verbose") if getattr(shown, name)]
    return tuple(out)


def refuse_files(written: Written, how: Reading, earlier: str | None, property: str | None) -> None:
    """Refuse options that name files of this machine: only inputs are shipped, and only text comes
    back.
    """
    if how.folders or how.included or how.compile_commands is not None or earlier is not None:
        raise ConfigError(
            "-I, --include, --compile-commands and --from name files of this machine: not with"
            " --scheduler"
        )
    if property is not None and re.search(r"\.(prp|ltl|ctl)\b", property):
        raise ConfigError(
            f"the property {property} is in a file of this machine: with --scheduler write it out"
        )
    if any(getattr(written, f.name) for f in fields(written)):
        raise ConfigError(
            "with --scheduler only text comes back: no --json, --witness, --report, --html or --log"
        )


def spread(
    scheduler: str, files: list[Path], engines: tuple[str, ...], options: tuple[str, ...]
) -> int:
    """Print what the workers said, file by file; the exit status for all of them."""
    from obligato.bench.cluster import connected
    from obligato.bench.shipping import packed
    from obligato.bench.spread import TEXT, Spread, summary_status
    from obligato.bench.tasks import Task

    others = _others(files)
    tasks = {str(f): Task(str(f), str(f.absolute())) for f in (files[:1] if others else files)}
    bundles = {
        name: packed(task, [f.absolute() for f in files[1:]] if others else ())
        for name, task in tasks.items()
    }
    with connected(scheduler, 0) as client:
        told = Spread(client, bundles, engines, options, others).run()
    for t in told:
        if len(told) > 1:
            print(f"{t.file}:")
        print(str(t.conclusion.stats.get(TEXT, "")).rstrip("\n") or t.conclusion.reason)
        print(t.errors, file=sys.stderr, end="")
    status = summary_status(told)
    return INTERNAL if status is None or status < 0 else status


def _others(files: list[Path]) -> tuple[str, ...]:
    """The further files of a C program, seen from its first one; none where each file is an input
    of its own.
    """
    language = find_language(files[0])
    if len(files) == 1 or language is None or language.name != "c":
        return ()
    return tuple(os.path.relpath(f.absolute(), files[0].absolute().parent) for f in files[1:])
