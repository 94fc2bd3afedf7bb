"""The eight configurations of CTIGAR on its paper's programs: Table 2, Fig. 3 and 4 of [BBW14]
(docs/ctigar.md).

    python benchmarks/ctigar.py run FOLDER --timeout 5 [--only LLE,CAL] [--tasks ex1,up]
    python benchmarks/ctigar.py report FOLDER [--plot docs/ctigar-predicates.png]

`run` proves each task in a process of its own, without annotated predicates, for so many seconds of
processor time, checks the certificate, and appends a line to FOLDER/CONFIGURATION.json. `report`
prints the tables and what each configuration solves of every other task and of the rest, and plots
predicates against time. The corpus is found by OBLIGATO_CORPUS.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from multiprocessing import Process
from pathlib import Path
from typing import Any

from obligato.engines import ctigar
from obligato.engines.environment import Environment
from obligato.engines.presets import packaged_presets
from obligato.frontends import vmt
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.smt import SolverStats

Run = dict[str, Any]
PRESETS = packaged_presets("ctigar")
TRIGGERS = ("counterexample", "initial", "spurious", "lifting")


def prove(file: Path, name: str, timeout: float, sink: Path) -> None:
    """One task by one configuration."""
    start = time.process_time()
    system = vmt.parse(file.read_text(encoding="utf-8"))
    small, lift = reduce_system(system, 3)
    env = Environment(cancelled=lambda: time.process_time() - start > timeout)
    result = ctigar.prove(small, ctigar.Options(**PRESETS[name].options), env)
    record: Run = {
        "task": file.name,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "time": round(time.process_time() - start, 2),
        "counters": env.counters,
    }
    if result.certificate is not None:
        links = chain(sorts_of(system), ("z3",), SolverStats())
        record["checked"] = check_system_certificate(
            system, lift.certificate(result.certificate), links
        ).status.value
    with sink.open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")


def run(folder: Path, names: list[str], timeout: float, tasks: list[str]) -> None:
    """All tasks by all configurations that are named."""
    corpus = Path(os.environ.get("OBLIGATO_CORPUS", "../shared/corpus")) / "vmt" / "ctigar"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        for file in sorted(corpus.glob("*.vmt")):
            if not tasks or any(file.name.startswith(t) for t in tasks):
                process = Process(target=prove, args=(file, name, timeout, folder / f"{name}.json"))
                process.start()
                process.join()


def load(folder: Path) -> dict[str, dict[str, Run]]:
    """The runs of each configuration by task; of several the last."""
    out: dict[str, dict[str, Run]] = {}
    for name in PRESETS:
        path = folder / f"{name}.json"
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            out[name] = {r["task"]: r for r in map(json.loads, lines)}
    return out


def solved(runs: dict[str, Run]) -> list[Run]:
    """The runs with an answer."""
    return [r for r in runs.values() if r["verdict"] in ("true", "false")]


def total(runs: dict[str, Run], counter: str) -> int:
    """A counter over all runs, those without answer included."""
    return sum(r["counters"].get(counter, 0) for r in runs.values())


def share(part: int, whole: int) -> str:
    """In percent."""
    return f"{100 * part / whole:.0f} %" if whole else "none"


def report(found: dict[str, dict[str, Run]]) -> None:
    """Tables in Markdown."""
    titles = (
        "configuration",
        "solved",
        "time of these, s",
        "liftings that succeed",
        "unlifted at the frontier",
        *TRIGGERS,
    )
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    for name, runs in found.items():
        tries = total(runs, "liftings")
        failed = (
            total(runs, "lifting_failures")
            + total(runs, "trigger_initial")
            + total(runs, "trigger_lifting")
        )
        unlifted, lifted = total(runs, "frontier_unlifted"), total(runs, "frontier_lifted")
        fired = " | ".join(str(total(runs, f"trigger_{t}")) for t in TRIGGERS)
        print(
            f"| {name} | {len(solved(runs))} | {sum(r['time'] for r in solved(runs)):.1f} |"
            f" {share(tries - failed, tries)} | {share(unlifted, unlifted + lifted)} | {fired} |"
        )
    tasks = sorted({t for runs in found.values() for t in runs})
    for name, runs in found.items():
        first, second = (
            [r["time"] for r in solved(runs) if r["task"] in half]
            for half in (tasks[::2], tasks[1::2])
        )
        print(
            f"{name}: {len(first)} of {len(tasks[::2])} in the first half (every other task), in"
            f" {sum(first):.1f} s; {len(second)} of {len(tasks[1::2])} in the second, in"
            f" {sum(second):.1f} s"
        )


def plot(found: dict[str, dict[str, Run]], path: Path) -> None:
    """Predicates against time of the solved tasks, both axes logarithmic [BBW14, Fig. 3]."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4))
    for name, runs in found.items():
        done = solved(runs)
        axes.scatter(
            [r["counters"].get("predicates", 1) for r in done],
            [max(r["time"], 0.01) for r in done],
            s=12,
            label=name,
        )
    axes.set(xscale="log", yscale="log", xlabel="predicates", ylabel="processor time, s")
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main() -> None:
    """Run or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--only", default=",".join(PRESETS))
    parser.add_argument("--tasks", default="")
    parser.add_argument("--plot", type=Path)
    o = parser.parse_args()
    if o.what == "run":
        run(o.folder, o.only.split(","), o.timeout, [t for t in o.tasks.split(",") if t])
        return
    found = load(o.folder)
    report(found)
    if o.plot is not None:
        plot(found, o.plot)


if __name__ == "__main__":
    main()
