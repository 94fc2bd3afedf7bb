"""`crosscheck` over many C files: those of the corpus (by default), or files and folders that are
named.

    python tests/fuzz/crosscheck_run.py [FILE...] [--runs 200] [--seed 1] [--log FILE] [--track
    C-core --track C-ext]

The log has one line per program and data model (tab-separated: file, model, runs, seed, outcome); a
program whose line is there for the same runs and seed is passed over, so a run can be stopped and
goes on when it is asked again.  Exit status 1 if a program differs, 2 if there is neither corpus
nor compiler.
"""

from __future__ import annotations

import argparse
import collections
import csv
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from obligato.crosscheck.comparison import Report, crosscheck
from obligato.crosscheck.native import CannotCompile, toolchain
from obligato.errors import ConfigError, InputError, Unsupported
from obligato.frontends.c import load

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.corpus import corpus_root  # noqa: E402

LOAD_S = 60  # of CPU time


class TooLong(Exception):
    """Loading takes too long."""


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument(
        "files", nargs="*", type=Path, help="instead of the corpus, for both data models"
    )
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--log", type=Path, default=Path("crosscheck.tsv"))
    options.add_argument(
        "--track", action="append", help="of the corpus; C-core and C-ext by default"
    )
    o = options.parse_args()
    signal.signal(signal.SIGVTALRM, _over)
    done = _logged(o.log, o.runs, o.seed)
    outcomes: collections.Counter[str] = collections.Counter()
    try:
        for file, model in _tasks(o.files, o.track or ["C-core", "C-ext"]):
            key = (str(file), model)
            if key not in done:
                done[key] = compare(file, model, o.runs, o.seed)
                with o.log.open("a", encoding="utf-8") as log:
                    log.write("\t".join([*key, str(o.runs), str(o.seed), done[key]]) + "\n")
                if done[key].startswith("DIFFERENT"):
                    print(f"{file} {model}: {done[key]}", flush=True)
            outcomes[done[key].partition(":")[0]] += 1
    except ConfigError as problem:
        print(problem, file=sys.stderr)
        return 2
    for what, count in outcomes.most_common():
        print(f"{count:6}  {what}")
    return 1 if outcomes["DIFFERENT"] else 0


def _over(number: int, frame: FrameType | None) -> None:
    raise TooLong


def _logged(log: Path, runs: int, seed: int) -> dict[tuple[str, str], str]:
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    rows = [line.split("\t") for line in lines]
    return {(r[0], r[1]): r[4] for r in rows if r[2:4] == [str(runs), str(seed)]}


def _tasks(files: list[Path], tracks: list[str]) -> Iterator[tuple[Path, str]]:
    """Each program once per data model."""
    if files:
        for f in files:
            for program in sorted(f.rglob("*.[ci]")) if f.is_dir() else [f]:
                yield from ((program, model) for model in ("LP64", "ILP32"))
        return
    root = corpus_root()
    if root is None:
        raise ConfigError("there is no corpus (OBLIGATO_CORPUS)")
    seen: dict[tuple[Path, str], None] = {}
    with (root / "tasks.csv").open(encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["track"] in tracks:
                seen[
                    root / row["set"] / row["path"], "LP64" if "64" in row["note"] else "ILP32"
                ] = None
    yield from seen


def compare(file: Path, model: str, runs: int, seed: int) -> str:
    """What became of one program: agree, DIFFERENT, refused, ..., with a detail after a colon."""
    toolchain(model)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, LOAD_S)
        program = load(file, data_model=model)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return _told(crosscheck(file, program, model, runs, seed))
    except TooLong:
        return "loading takes too long"
    except CannotCompile as problem:
        return f"cannot be compiled: {problem}"
    except Unsupported as problem:
        return (
            f"{'cannot be printed' if problem.construct == 'printing as C' else 'refused'}:"
            f" {problem.construct}"
        )
    except InputError as problem:
        return f"refused: {problem.message}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _told(report: Report) -> str:
    counts = ", ".join(f"{n} {what}" for what, n in report.outcomes.most_common())
    if report.differences:
        return (
            f"DIFFERENT: run {report.differences[0].number}: {report.differences[0].what}"
            f" [{counts}]"
        )
    return f"{'agree' if report.compared else 'nothing compared'}: {counts}"


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
