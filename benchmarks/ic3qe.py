"""The eliminations of IC3QE side by side and against other engines: the tables and scatter plots of
docs/ic3qe.md.

    python benchmarks/ic3qe.py run FOLDER --track Lustre --timeout 5 [--only approximate,implicant]
    [--half 0] [--sample 40]
    python benchmarks/ic3qe.py report FOLDER [--half 1] [--plot docs/ic3qe-scatter.png]

`run` proves each task in a process of its own for so many seconds of processor time, checks the
certificate or the trace, and appends a line to FOLDER/CONFIGURATION.json; tasks that are there are
passed over. Times are the engine's alone (no start of Python, no reading); `spacer` is a whole
process (`bench.peers.spacer`). The corpus is found by OBLIGATO_CORPUS.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import time
from multiprocessing import Process
from pathlib import Path
from typing import Any

from obligato.api.registry import engine
from obligato.api.settings import make_options
from obligato.engines.environment import Environment
from obligato.frontends import lustre, vmt
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.smt import SolverStats

Run = dict[str, Any]
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "approximate": ("ic3qe", {}),
    "implicant": ("ic3qe", {"elimination": "implicant"}),
    "implicant-z3": ("ic3qe", {"elimination": "implicant", "precise_qe": "z3"}),
    "formula": ("ic3qe", {"elimination": "formula"}),
    "z3": ("ic3qe", {"elimination": "z3"}),
    "weaken": ("ic3qe", {"weaken": "both"}),
    "sums": ("ic3qe", {"weaken": "sums"}),
    "bounds": ("ic3qe", {"weaken": "bounds"}),
    "frame": ("ic3qe", {"frame": True}),
    "ctg": ("ic3qe", {"ctg": 2}),
    "shrink": ("ic3qe", {"shrink_implicant": True}),
    "ic3ia": ("ic3ia", {}),
    "kinduction": ("kinduction", {}),
    "spacer": ("spacer", {}),
}
CORPUS = Path(os.environ.get("OBLIGATO_CORPUS", "../shared/corpus"))
REMOVED = ("equality", "elimination", "value")


def tasks(track: str, half: int | None, sample: int, seed: int) -> list[dict[str, str]]:
    """The tasks of a track by name; every other one, or a sample of them, where so asked."""
    with (CORPUS / "tasks.csv").open(encoding="utf-8") as lines:
        rows = sorted(
            (r for r in csv.DictReader(lines) if r["track"] == track),
            key=lambda r: (r["set"], r["path"]),
        )
    chosen = rows if half is None else rows[half::2]
    return random.Random(seed).sample(chosen, min(sample, len(chosen))) if sample else chosen


def prove(row: dict[str, str], name: str, timeout: float, sink: Path) -> None:
    """One task by one configuration."""
    hard = int(timeout) + 3  # a question that does not end is ended from outside
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard + 1))
    file, (which, settings) = CORPUS / row["set"] / row["path"], CONFIGURATIONS[name]
    system = (
        vmt.parse(file.read_text(encoding="utf-8")) if file.suffix == ".vmt" else lustre.load(file)
    )
    small, lift = reduce_system(system, 3)
    start = time.process_time()
    env = Environment(cancelled=lambda: time.process_time() - start > timeout)
    chosen = engine(which)
    result = chosen.prove_system(small, make_options(chosen, None, settings)[0], env)
    record = _record(row, result.verdict.value, result.reason, time.process_time() - start)
    record.update(frames=result.stats.get("frames"), counters=env.counters)
    _store(sink, record)
    links = chain(sorts_of(system), ("z3", "sat"), SolverStats())
    if result.certificate is not None:
        record["checked"] = check_system_certificate(
            system, lift.certificate(result.certificate), links
        ).status.value
    if result.trace is not None:
        record["checked"] = check_system_trace(system, lift.trace(result.trace), links).status.value
    _store(sink, record)


def peer(row: dict[str, str], timeout: float, sink: Path) -> None:
    """One task by z3's Spacer."""
    command = [
        sys.executable,
        "-m",
        "obligato.bench.peers.spacer",
        str(CORPUS / row["set"] / row["path"]),
    ]
    resource.setrlimit(resource.RLIMIT_CPU, (int(timeout), int(timeout) + 1))
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = {0: "true", 10: "false"}.get(done.returncode, "unknown")
    _store(sink, _record(row, verdict, f"status {done.returncode}", used.ru_utime + used.ru_stime))


def _record(row: dict[str, str], verdict: str, reason: str | None, seconds: float) -> Run:
    return {
        "task": row["path"],
        "expected": row["expected"],
        "verdict": verdict,
        "reason": reason,
        "time": round(seconds, 2),
        "counters": {},
    }


def _store(sink: Path, record: Run) -> None:
    with sink.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def run(folder: Path, names: list[str], rows: list[dict[str, str]], timeout: float) -> None:
    """All tasks by all configurations; a process that dies without a result has none."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        sink, known = folder / f"{name}.json", load(folder).get(name, {})
        for row in (r for r in rows if r["path"] not in known):
            work = (
                Process(target=peer, args=(row, timeout, sink))
                if name == "spacer"
                else Process(target=prove, args=(row, name, timeout, sink))
            )
            work.start()
            work.join()
            if row["path"] not in load(folder).get(name, {}):
                _store(sink, _record(row, "unknown", "ended from outside", timeout))


def load(folder: Path) -> dict[str, dict[str, Run]]:
    """The runs of each configuration by task; of several the last."""
    files = {name: folder / f"{name}.json" for name in CONFIGURATIONS}
    return {
        name: {r["task"]: r for r in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
        for name, file in files.items()
        if file.exists()
    }


def solved(runs: dict[str, Run]) -> list[Run]:
    """The runs with the expected answer."""
    return [r for r in runs.values() if r["verdict"] == r["expected"]]


def report(found: dict[str, dict[str, Run]]) -> None:
    """A table in Markdown; on the tasks that all configurations have."""
    common = set.intersection(*(set(runs) for runs in found.values()))
    print(
        f"{len(common)} tasks in common\n\n| configuration | solved | true | false | wrong |"
        " checked | time of these, s | "
        + " | ".join(f"by {r}" for r in REMOVED)
        + " |\n|---"
        + "|--:" * 9
        + "|"
    )
    for name, every in found.items():
        runs = {t: r for t, r in every.items() if t in common}
        good = solved(runs)
        wrong = sum(
            r["verdict"] in ("true", "false") and r["verdict"] != r["expected"]
            for r in runs.values()
        )
        counts = [sum(r["counters"].get(f"removed_{x}", 0) for r in runs.values()) for x in REMOVED]
        checked = sum(r.get("checked") in ("accepted", "confirmed") for r in good)
        proved = sum(r["verdict"] == "true" for r in good)
        print(
            f"| {name} | {len(good)} | {proved} | {len(good) - proved} | {wrong} | {checked} | "
            f"{sum(r['time'] for r in good):.1f} | " + " | ".join(map(str, counts)) + " |"
        )


def plot(found: dict[str, dict[str, Run]], path: Path, limit: float) -> None:
    """Times of the first configuration against each of the others, logarithmic; what is not solved
    is beyond the limit.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    first, *others = found
    figure, panels = pyplot.subplots(
        1, len(others), figsize=(3.2 * len(others), 3.2), squeeze=False
    )
    for axes, other in zip(panels[0], others, strict=True):
        for verdict, marker, colour in (("true", "o", "tab:blue"), ("false", "x", "tab:red")):
            pairs = [
                (found[first][t], r)
                for t, r in found[other].items()
                if t in found[first] and r["expected"] == verdict
            ]
            points = [
                tuple(
                    max(r["time"], 0.01) if r["verdict"] == verdict else 1.5 * limit for r in pair
                )
                for pair in pairs
            ]
            axes.scatter(
                [p[0] for p in points],
                [p[1] for p in points],
                s=10,
                marker=marker,
                c=colour,
                label=verdict,
            )
        axes.plot((0.01, 2 * limit), (0.01, 2 * limit), color="gray", linewidth=0.6)
        axes.set(xscale="log", yscale="log", xlabel=f"{first}, s", ylabel=f"{other}, s")
        axes.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main() -> None:
    """Run or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--track", default="Lustre")
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--only", default="approximate")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path)
    o = parser.parse_args()
    rows = tasks(o.track, o.half, o.sample, o.seed)
    if o.what == "run":
        run(o.folder, o.only.split(","), rows, o.timeout)
        return
    names = dict.fromkeys(r["path"] for r in rows)
    found = {
        n: {t: r for t, r in runs.items() if t in names}
        for n, runs in load(o.folder).items()
        if n in o.only.split(",")
    }
    report(found)
    if o.plot is not None:
        plot(found, o.plot, o.timeout)


if __name__ == "__main__":
    main()
