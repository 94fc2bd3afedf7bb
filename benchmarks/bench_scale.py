"""What large and easy inputs cost, stage by stage: families of inputs (`benchmarks.scale_families`)
in sizes that double.

    python benchmarks/bench_scale.py --families machines counters --sizes 100 200 400 --limit 100

Prints a table of processor seconds per stage, and as last line the same as JSON with the fitted
exponents: e where a stage costs about n^e.  An exponent is the slope of a least-squares line
through the logarithms of those sizes at which the stage costs at least `NOTED` seconds (two are
needed).  A member that is not decided within the limit ends its family. With `--peer` ABC's pdr
runs beside it on circuits with one property (`CIRCUITS`), as AIGER; its time is without that
export.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.scale_families import FAMILIES, Family

NOTED = 0.05
CIRCUITS = ("counters", "pipeline")
Row = dict[str, Any]


def measured(file: Path, limit: int) -> Row:
    """Verdict and processor seconds of one run in a process of its own."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=partial(_verified, theirs, str(file), limit))
    child.start()
    theirs.close()
    try:
        row: Row = ours.recv()
    except EOFError:
        row = {"verdict": "none"}
    child.join()
    return row


def _verified(answers: Connection, file: str, limit: int) -> None:
    from obligato.api.request import Request
    from obligato.api.worker import guarded, verify_work
    from obligato.smt import bit_solver, solver

    # wall time of solvers cannot be taken from processor time of stages
    for module in (solver, bit_solver):
        module.perf_counter = process_time  # type: ignore[attr-defined]
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    answer = guarded(verify_work, Request(file), lambda kind, data: None)
    if answer.outcome is None:
        answers.send({"verdict": answer.message or answer.problem})
        return
    stats = answer.outcome.stats
    questions = stats["solver_calls"]
    python = stats["stages_cpu_s"].get("prove", 0.0) - stats["solver_s"]
    answers.send(
        {
            "verdict": answer.outcome.verdict.value,
            "cpu_s": stats["cpu_s"],
            "peak_mb": stats["peak_mb"],
            "stages": stats["stages_cpu_s"],
            "questions": questions,
            "solver_s": stats["solver_s"],
            "python_ms_per_question": round(1000 * python / questions, 3) if questions else None,
        }
    )


def _number(x: int) -> bytes:
    return bytes([x & 127 | 128]) + _number(x >> 7) if x > 127 else bytes([x])


def binary(text: str) -> bytes:
    """A circuit in AIGER's binary format, all that ABC reads. Requires: gates in their order, as
    our writer has them.
    """
    lines = text.splitlines()
    _, _, inputs, latches, outputs, gates, *more = lines[0].split()
    first = 1 + int(inputs) + int(latches)
    rest = first + sum(map(int, (outputs, *more)))
    registers = [x.split(maxsplit=1)[1] for x in lines[1 + int(inputs) : first]]
    head = [lines[0].replace("aag", "aig", 1), *registers, *lines[first:rest]]
    ands = [list(map(int, x.split())) for x in lines[rest : rest + int(gates)]]
    body = b"".join(_number(x - max(a, b)) + _number(abs(a - b)) for x, a, b in ands)
    return "".join(x + "\n" for x in head).encode() + body


def beside(file: Path, limit: int) -> Row:
    """What ABC says about a circuit, and its processor seconds."""
    from obligato.bench.limited import Limits
    from obligato.bench.peers import abc
    from obligato.bench.tasks import Task
    from obligato.bench.tools import OBLIGATO

    exported = file.with_suffix(".aig")
    shown = subprocess.run(
        [*OBLIGATO, "show", str(file), "--as", "aiger"], capture_output=True, text=True, check=True
    )
    exported.write_bytes(binary(shown.stdout))
    command = abc.tool().command(Task("", str(exported)), Limits(limit, limit, 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=file.parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "abc": "true" if "Property proved" in done.stdout else "not decided",
        "abc_s": round(seconds, 2),
    }


def exponent(points: list[tuple[int, float]]) -> float | None:
    """The slope of the line through the logarithms of sizes and seconds, where they are large
    enough to tell.
    """
    told = [(math.log(n), math.log(s)) for n, s in points if s >= NOTED]
    if len(told) < 2:
        return None
    x, y = (sum(values) / len(told) for values in zip(*told, strict=True))
    return round(sum((a - x) * (b - y) for a, b in told) / sum((a - x) ** 2 for a, _ in told), 2)


def family_rows(
    family: Family, sizes: list[int], limit: int, folder: Path, peer: bool
) -> list[Row]:
    """The members in turn, until one is not decided."""
    rows: list[Row] = []
    for n in sizes:
        file = folder / f"{family.name}-{n}{family.suffix}"
        file.write_text(family.text(n), encoding="ascii")
        rows.append({"n": n, "bytes": file.stat().st_size, **measured(file, limit)})
        if peer and family.name in CIRCUITS:
            rows[-1] |= beside(file, limit)
        print(_shown(family, rows[-1]), file=sys.stderr, flush=True)
        if rows[-1]["verdict"] != "true":
            break
    return rows


def _shown(family: Family, row: Row) -> str:
    stages = "  ".join(
        f"{name} {seconds:.2f}"
        for name, seconds in row.get("stages", {}).items()
        if seconds >= NOTED
    )
    peer = f"  ABC: {row['abc']} {row['abc_s']}" if "abc" in row else ""
    return (
        f"{family.name:10} n={row['n']:<7} {row['verdict']:8} {row.get('cpu_s', '')!s:8}"
        f" {stages}{peer}"
    )


def summary(rows: list[Row]) -> dict[str, Any]:
    """The rows of a family with the exponents of the stages and of the whole."""
    done = [row for row in rows if row["verdict"] == "true"]
    names = dict.fromkeys(name for row in done for name in row["stages"])
    fitted = {
        name: exponent([(row["n"], row["stages"].get(name, 0.0)) for row in done]) for name in names
    }
    fitted["all"] = exponent([(row["n"], row["cpu_s"]) for row in done])
    return {"rows": rows, "exponents": {name: e for name, e in fitted.items() if e is not None}}


def table(results: dict[str, dict[str, Any]]) -> str:
    """A table in Markdown: a row per family, its sizes, its seconds and its exponents."""
    lines = ["| family | n | CPU s | exponents |", "| --- | --- | --- | --- |"]
    for name, result in results.items():
        sizes = " / ".join(str(row["n"]) for row in result["rows"])
        seconds = " / ".join(
            f"{row['cpu_s']:.1f}" if row["verdict"] == "true" else "not decided"
            for row in result["rows"]
        )
        fitted = ", ".join(f"{stage} {e}" for stage, e in result["exponents"].items())
        lines.append(f"| {name} | {sizes} | {seconds} | {fitted} |")
    return "\n".join(lines)


def drawn(results: dict[str, dict[str, Any]], path: Path) -> Path:
    """A curve for each family, both axes logarithmic; what is not decided is left out. Next to them
    a line that grows as n.
    """
    from obligato.bench.plots import figure_of_two_axes, saved

    figure, axes = figure_of_two_axes()
    for number, (name, result) in enumerate(results.items()):
        points = [(row["n"], row["cpu_s"]) for row in result["rows"] if row["verdict"] == "true"]
        axes.plot(
            *zip(*points, strict=True), marker="os^Dv<>"[number % 7], markersize=3, label=name
        )
    axes.plot((100, 10_000), (0.1, 10), color="gray", linewidth=0.6, label="0.001 n")
    axes.set(xscale="log", yscale="log", xlabel="n", ylabel="processor time (s)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return saved(figure, path)


def earlier(files: list[Path]) -> dict[str, dict[str, Any]]:
    """The results that were printed before; of a family that is there twice the sizes of both."""
    found: dict[str, list[Row]] = {}
    for file in files:
        for name, result in json.loads(file.read_text(encoding="utf-8").splitlines()[-1]).items():
            found.setdefault(name, []).extend(result["rows"])
    return {
        name: summary(sorted(rows, key=lambda row: int(row["n"]))) for name, rows in found.items()
    }


def main() -> None:
    """Measure the families that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--families", nargs="*", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--sizes", nargs="*", type=int, help="instead of the sizes of the families")
    parser.add_argument(
        "--limit", type=int, default=60, help="seconds of processor time for each run (default 60)"
    )
    parser.add_argument("--peer", action="store_true", help="run ABC beside it on circuits")
    parser.add_argument(
        "--earlier",
        nargs="*",
        type=Path,
        default=[],
        help="what was printed before, in files: added",
    )
    parser.add_argument("--plot", type=Path, help="draw the curves, to this file as PNG and SVG")
    options = parser.parse_args()
    results = earlier(options.earlier)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.families:
            family = FAMILIES[name]
            sizes = options.sizes or list(family.sizes)
            results[name] = summary(
                family_rows(family, sizes, options.limit, Path(folder), options.peer)
            )
    if options.plot:
        drawn(results, options.plot)
    print(table(results))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
