"""Evidence on real programs: are witnesses confirmed in a run that starts from the witness alone, do harnesses reach the error?

    python tests/fuzz/evidence_run.py --track C-core --count 25 --seconds 10 --seed 1

`--seconds` is processor time of each process. Prints a line for each task and a summary. `same time` counts confirmations that
took no more processor time than the original run.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.corpus import corpus_root

OBLIGATO = str(Path(sys.executable).with_name("obligato"))


def run(command: list[str], seconds: float) -> tuple[int, str]:
    """Exit status and last words of a command."""
    try:
        limit = ["prlimit", f"--cpu={int(seconds)}"]
        done = subprocess.run(
            [*limit, OBLIGATO, *command], capture_output=True, text=True, check=False, timeout=20 * seconds + 60)
    except subprocess.TimeoutExpired:
        return -1, "hangs"
    said = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, " / ".join(said[-2:])


def cpu(file: Path) -> float:
    """The processor time that an outcome says."""
    data: dict[str, Any] = json.loads(file.read_text())
    return float(data["stats"]["cpu_s"])


def judge(task: dict[str, str], root: Path, folder: Path, seconds: float, counts: Counter[str]) -> str:
    """One task: verify, check the witness, replay."""
    program = root / task["set"] / task["path"]
    outcome, witness, again = folder / "outcome.json", folder / "witness.yml", folder / "again.json"
    model = ["--data-model", "ILP32" if task["note"] == "32" else "LP64", "--set", "externals=pure"]
    more = ["--property", task["property"], "--timeout", str(20 * seconds), *model]
    status, last = run(["verify", str(program), *more, "--json", str(outcome), "--witness", str(witness), "-q"], seconds)
    counts[f"verify {status}"] += 1
    if status not in (0, 10):
        return f"{status} {last[:100]}"
    limit = max(seconds, 10.0)
    options = [*model, "--timeout", str(20 * limit), "--json", str(again), "-q"]
    found, said = run(["check", str(program), str(witness), *options], limit)
    kind = "true" if status == 0 else "false"
    counts[f"{kind}: {'confirmed' if found == status else f'check {found}'}"] += 1
    line = f"{status} {cpu(outcome):.1f} s; witness {found} {said[-80:]}"
    if found == status:
        counts[f"{kind}: same time"] += cpu(again) <= cpu(outcome)
        line += f" {cpu(again):.1f} s"
    if status == 10:
        reached, why = run(["replay", str(program), str(outcome)], 60)
        counts["harness reached" if reached == 10 else "harness failed"] += 1
        line += f"; replay {reached} {why[-80:]}"
    return line


def main() -> None:
    """All tasks of a random sample."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--track", default="C-core")
    parser.add_argument("--property", default="")
    parser.add_argument("--expected", default="")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    root = corpus_root()
    assert root is not None, "there is no corpus: set OBLIGATO_CORPUS"
    with (root / "tasks.csv").open(newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["track"] == given.track and r["path"].endswith((".c", ".i"))]
    rows = [r for r in rows if given.property in ("", r["property"]) and given.expected in ("", r["expected"])]
    counts: Counter[str] = Counter()
    for task in random.Random(given.seed).sample(rows, min(given.count, len(rows))):
        with TemporaryDirectory() as folder:
            print(task["path"], judge(task, root, Path(folder), given.seconds, counts), flush=True)
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")


if __name__ == "__main__":
    main()
