"""Where the time of a run goes: 20 fixed tasks of all kinds, each with a few seconds of processor
time, as JSON.

For each task: processor time, its share inside solvers, solver calls per second, microseconds of
Python beside each call, and seconds by package. A sample is taken every two milliseconds of
processor time: what passed since the last one goes to the package of the innermost function of ours
that runs, or to `check` if that waits for a solver's answer. Functions of a solver's library other
than a check (adding clauses, reading models) count to the package that calls them.

    python benchmarks/bench_profile.py --seconds 8 --match aig > before.json
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import process_time
from types import FrameType
from typing import Any

STEP = 0.002
# the functions of the backends that call a library's check
SEARCH = ("<lambda>", "_check", "_search")
TASKS = (
    "aig-technion/tests/hwmcc20/aig/2019/beem/msmie.3.prop1-func-interl.aig",
    "aig-technion/tests/hwmcc20/aig/2019/goel/industry/cal119/cal119.aig",
    "aig-technion/tests/hwmcc20/aig/2019/goel/industry/cal142/cal142.aig",
    "aig-technion/tests/hwmcc20/aig/2019/goel/industry/cal35/cal35.aig",
    "hwmcc19/hwmcc19-single-benchmarks/aig/beem/brp.2.prop1-func-interl.aig",
    "hwmcc19/hwmcc19-single-benchmarks/aig/mann/data-integrity/unsafe/shift_register_top_w32_d8_e0.aig",
    "btor2-hwmcc/benchmarks/bv/beem/fischer.1.prop1-func-interl.btor2",
    "btor2-hwmcc/benchmarks/bv/goel-industry/gen72.btor2",
    "btor2-hwmcc/benchmarks/bv/wolf-2018D/zipcpu-busdelay-p46.btor2",
    "btor2-hwmcc/benchmarks/bv/wolf-2019C/qspiflash_qflexpress_divfive-p121.btor2",
    "svcomp/c/systemc/pipeline.cil-2.c",
    "svcomp/c/systemc/token_ring.06.cil-2.c",
    "svcomp/c/systemc/transmitter.11.cil.c",
    "svcomp/c/ntdrivers-simplified/cdaudio_simpl1.cil-1.c",
    "vmt/bv/s3_clnt_3_safe.BV.c.cil.c.vmt",
    "vmt/cav12/s3_srvr_3.cil.vmt",
    "vmt/lustre/swimmingpool_8.vmt",
    "chc25/sally-chc-benchmarks/hacms/eventclock3_000.smt2",
    "kind2-lustre/kind2_models/single-prop/int-real/Uptane__8.lus",
    "kind2-lustre/kind2_models/single-prop/int32/int32_FIREFLY_a3_e1_3233.lus",
)


class Sampler:
    """Attributes processor time to packages, and ends the run when `limit` seconds are over."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.packages: dict[str, float] = {}
        self.start = self._last = process_time()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a sample."""
        from obligato.errors import ResourceOut

        now = process_time()
        passed, self._last = now - self._last, now
        package = _package(frame)
        self.packages[package] = self.packages.get(package, 0.0) + passed
        if now - self.start > self.limit:
            signal.setitimer(signal.ITIMER_PROF, 0)
            raise ResourceOut("timeout")


def _package(frame: FrameType | None) -> str:
    """The package of the innermost frame of ours, two names deep in engines and smt; `check` inside
    a solver's search.
    """
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith("obligato."):
            parts = name.split(".")[1:]
            if name.endswith("_backend") and frame.f_code.co_name in SEARCH:
                return "check"
            return ".".join(parts[: 2 if parts[0] in ("engines", "smt") else 1])
        frame = frame.f_back
    return "other"


def profile(file: str, seconds: float) -> dict[str, Any]:
    """Verify a file in this process, and say where the time went."""
    from obligato.api.pipeline import Run
    from obligato.api.request import Request
    from obligato.smt import bit_solver, solver

    for module in (solver, bit_solver):
        module.perf_counter = process_time  # type: ignore[attr-defined]
    run = Run(Request(file), lambda kind, data: None)
    sampler = Sampler(seconds)
    signal.signal(signal.SIGPROF, sampler)
    signal.setitimer(signal.ITIMER_PROF, STEP, STEP)
    try:
        outcome = run.outcome()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    cpu = process_time() - sampler.start
    calls, inside = run.stats.total_calls, run.stats.total_seconds
    return {
        "verdict": outcome.verdict.value,
        "cpu_s": round(cpu, 2),
        "calls": calls,
        "calls_per_s": round(calls / cpu),
        "solver_share": round((inside + run.check_stats.total_seconds) / cpu, 3),
        "solver_us_per_call": round(1e6 * inside / max(1, calls), 1),
        "python_us_per_call": round(
            1e6 * (cpu - inside - run.check_stats.total_seconds) / max(1, calls), 1
        ),
        "by_package_s": {
            k: round(v, 2)
            for k, v in sorted(sampler.packages.items(), key=lambda item: -item[1])
            if v >= 0.01
        },
    }


def main() -> None:
    """Print the profiles of all tasks as JSON; those that are not there are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--seconds", type=float, default=8.0, help="of processor time, for each task"
    )
    parser.add_argument("--match", default="", help="only tasks whose names contain this")
    parser.add_argument("--one", help="a file, in this process")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(profile(asked.one, asked.seconds)))
        return
    corpus = Path(os.environ.get("OBLIGATO_CORPUS", "../shared/corpus"))
    found: dict[str, Any] = {}
    for task in TASKS:
        if asked.match not in task:
            continue
        if not (corpus / task).exists():
            found[task] = "not in the corpus"
            continue
        command = [
            sys.executable,
            __file__,
            "--one",
            str(corpus / task),
            "--seconds",
            str(asked.seconds),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found[task] = (
            json.loads(done.stdout)
            if done.returncode == 0
            else done.stderr.strip().splitlines()[-1:]
        )
        print(f"{task}: {found[task]}", file=sys.stderr, flush=True)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
