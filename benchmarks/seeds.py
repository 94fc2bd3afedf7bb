"""How much verdicts and times depend on the seed: tasks that an earlier report solved in 1 to 10 s,
with several seeds (docs/speed.md).

    python benchmarks/seeds.py run OUT auto-aiger:ic3bmc auto-chc:ic3cfa --each 8 --timeout 20
    python benchmarks/seeds.py report OUT

`run` takes of each named report in docs/results every n-th of these tasks (so many of each), and runs
the engine that is named beside it once with each seed, one run at a time; called again it goes on
where it was stopped. `report` prints,
of the seeds with which all was run, for each engine on each report and in all, the tasks solved by
seed, and how far the slowest seed of a task is from its fastest, where all seeds solve it. With the
same processor time a run is the same but for its seed and the noise of the machine: `again` is the
first seed a second time, which shows the latter. The corpus is found by OBLIGATO_CORPUS.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import sys
from pathlib import Path

REPORTS = Path(__file__).parent.parent / "docs" / "results"
SEEDS = ("0", "1", "2", "3", "4", "again")
WALL = 40  # times the limit of processor time: on a busy machine a run must not end by the clock
Times = dict[str, float | None]  # by task; None: not solved


def easy(report: str, number: int, most: float) -> list[str]:
    """So many tasks of a report, evenly taken from those that took 1 to `most` s, by name."""
    with (REPORTS / report / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tasks = sorted(
        r["task"] for r in rows if r["correct"] == "true" and 1 <= float(r["cpu_s"]) <= most
    )
    number = min(number, len(tasks))
    return [tasks[i * len(tasks) // number] for i in range(number)]


def chosen(report: str, number: int, most: float, target: Path) -> None:
    """Write the rows of the corpus that are these tasks."""
    corpus = Path(os.environ["OBLIGATO_CORPUS"]).resolve()
    names = {name.split("#")[0] for name in easy(report, number, most)}
    with (corpus / "tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if f"{r['set']}/{r['path']}" in names]
    first = {f"{r['set']}/{r['path']}": r for r in reversed(rows)}
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**r, "set": str(corpus / r["set"])} for r in first.values())


def run(out: Path, pairs: list[str], each: int, most: float, timeout: float) -> None:
    """All reports with all seeds, seed by seed."""
    for pair in pairs:
        chosen(pair.split(":")[0], each, most, out / pair / "tasks.csv")
    for seed in SEEDS:
        for pair in pairs:
            given = ["--engine", pair.split(":")[1], "--timeout", str(timeout)]
            given += ["--wall", str(WALL * timeout)]
            given += ["--engine-seed", "0" if seed == "again" else seed]
            command = [sys.executable, "-m", "obligato", "bench", "run", out / pair / "tasks.csv"]
            subprocess.run([*command, *given, "--out", out / pair / seed], check=False)


def times(folder: Path) -> Times:
    """The runs of a folder; a wrong verdict is an error."""
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = [r["task"] for r in rows if r["correct"] == "false"]
    if wrong:
        raise SystemExit(f"wrong verdict: {wrong[0]} in {folder}")
    return {r["task"]: float(r["cpu_s"]) if r["correct"] == "true" else None for r in rows}


def line(title: str, runs: dict[str, Times]) -> str:
    """One row of the table."""
    seeds = [runs[s] for s in SEEDS[:-1] if s in runs]
    solved = [sum(t is not None for t in run.values()) for run in seeds]
    always = [n for n in seeds[0] if all(run[n] is not None for run in seeds)]
    sometimes = sum(any(run[n] is not None for run in seeds) for n in seeds[0]) - len(always)
    total = [sum(run[n] or 0 for n in always) for run in seeds]
    ratios = sorted(spread([run[n] for run in seeds]) for n in always)
    noise = sorted(
        spread([runs["0"][n], runs["again"][n]])
        for n in always
        if "again" in runs and runs["again"][n] is not None
    )
    cells = [title, str(len(seeds[0])), " / ".join(map(str, solved)), str(sometimes)]
    cells += [f"{min(total):.0f} to {max(total):.0f}", quartiles(ratios), quartiles(noise)]
    return f"| {' | '.join(cells)} |"


def spread(values: list[float | None]) -> float:
    """The largest divided by the smallest."""
    known = [v for v in values if v is not None]
    return max(known) / min(known)


def quartiles(values: list[float]) -> str:
    """The median and the largest."""
    return f"{statistics.median(values):.2f} / {values[-1]:.2f}" if values else "-"


def report(out: Path) -> None:
    """The table in Markdown."""
    print(
        "| report and engine | tasks | solved with each seed | only with some seeds |"
        " s for those that all solve | slowest by fastest seed: median / most |"
        " seed 0 twice: median / most |\n| --- | --: | --: | --: | --: | --: | --: |"
    )
    folders = sorted(p for p in out.iterdir() if p.is_dir())
    done = [s for s in SEEDS if all((f / s / "results.csv").exists() for f in folders)]
    whole: dict[str, Times] = {s: {} for s in done}
    for folder in folders:
        runs = {s: times(folder / s) for s in done}
        print(line(folder.name.replace(":", ", "), runs))
        for s in done:
            whole[s] |= runs[s]
    print(line("all", whole))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("run", "report"))
    parser.add_argument("out", type=Path)
    parser.add_argument("pairs", nargs="*", metavar="REPORT:ENGINE")
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--most", type=float, default=10, help="seconds in the report")
    parser.add_argument("--timeout", type=float, default=20)
    given = parser.parse_args()
    if given.action == "run":
        run(given.out, given.pairs, given.each, given.most, given.timeout)
    else:
        report(given.out)


if __name__ == "__main__":
    main()
