"""Does a change keep what the engines do? The event logs of runs with the same seed, before and
after it.

    python benchmarks/same_events.py record before [--count 60 60 40] [--most 2]
    python benchmarks/same_events.py record after            # at the other revision
    python benchmarks/same_events.py compare before after

`record` runs tasks of the corpus that `docs/results` says were decided within `--most` seconds,
evenly taken from the list: C by `ic3cfa`, VMT by `ic3ia`, BTOR2 by `ic3bmc`. A log ends with the
verdict. A pure move keeps every log to the byte; `compare` lists the others, with the first line
that differs, and ends with status 1. Where a run was stopped by its limit the logs can end
anywhere: they are compared as far as both go.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("OBLIGATO_CORPUS", ROOT / "../shared/corpus"))
KINDS = (("c-core", "ic3cfa"), ("vmt", "ic3ia"), ("btor2", "ic3bmc"))
STOPPED = "unknown"


def tasks(results: str, engine: str, count: int, most: float) -> list[str]:
    """At most `count` tasks that the engine decided within `most` seconds."""
    with (ROOT / "docs/results" / results / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    decided = [
        r["task"]
        for r in rows
        if r["tool"] == engine and r["status"] in ("true", "false") and float(r["cpu_s"]) <= most
    ]
    return (
        [decided[i * len(decided) // count] for i in range(count)]
        if count < len(decided)
        else decided
    )


def record(arguments: argparse.Namespace) -> int:
    """One log for each task, named by the task's path."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for (results, engine), count in zip(KINDS, arguments.count, strict=True):
        for task in tasks(results, engine, count, arguments.most):
            log = arguments.folder / (task.replace("/", "+") + ".log")
            command = [
                sys.executable,
                "-m",
                "obligato",
                "verify",
                str(CORPUS / task),
                "--engine",
                engine,
                "--seed",
                "0",
                "--timeout",
                str(arguments.wall),
                "--quiet",
                "--log",
                str(log),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            with log.open("a", encoding="utf-8") as file:
                file.write((done.stdout.splitlines() or ["no verdict"])[-1] + "\n")
    return 0


def difference(a: list[str], b: list[str]) -> str | None:
    """The first place where two logs differ."""
    stopped = STOPPED in (a[-1], b[-1])
    pairs = (
        zip(a[:-1], b[:-1], strict=False)
        if stopped
        else zip_longest(a, b, fillvalue="(the log ends)")
    )
    return next(
        (f"line {i}: {x[:200]}\n  but {y[:200]}" for i, (x, y) in enumerate(pairs, 1) if x != y),
        None,
    )


def compare(arguments: argparse.Namespace) -> int:
    """List the logs of two folders that are not the same."""
    names = sorted(
        {log.name for folder in (arguments.before, arguments.after) for log in folder.glob("*.log")}
    )
    other = 0
    for name in names:
        files = [folder / name for folder in (arguments.before, arguments.after)]
        missing = [str(f) for f in files if not f.exists()]
        found = (
            f"no {missing[0]}"
            if missing
            else difference(*(f.read_text(encoding="utf-8").splitlines() for f in files))
        )
        if found:
            other += 1
            print(f"{name}: {found}")
    print(f"{len(names) - other} of {len(names)} logs are the same")
    return 1 if other else 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--count", type=int, nargs=len(KINDS), default=(60, 60, 40))
    recording.add_argument(
        "--most", type=float, default=2, help="seconds that the task took in docs/results"
    )
    recording.add_argument("--wall", type=int, default=60, help="seconds of wall time for a run")
    recording.set_defaults(action=record)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.set_defaults(action=compare)
    arguments = parser.parse_args()
    return int(arguments.action(arguments))


if __name__ == "__main__":
    sys.exit(main())
