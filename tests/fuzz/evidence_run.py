"""Evidence on real programs: are witnesses confirmed in a run that starts from the witness alone,
do harnesses reach the error?

    python tests/fuzz/evidence_run.py --track C-core --seconds 4 --records records.jsonl --within 10

`--seconds` is processor time of each process. Prints a line for each task and a summary of all
records. A task with a record is not run again, so a campaign can be done in parts. `in time` counts
confirmations that took no more processor time than the original run, both with all their processes.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.corpus import corpus_root

OBLIGATO = str(Path(sys.executable).with_name("obligato"))
Record = dict[str, Any]


def spent() -> float:
    """Processor time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command: list[str], seconds: float) -> tuple[int, str, float]:
    """Exit status, last words and processor time of a command."""
    before = spent()
    try:
        limit = ["prlimit", f"--cpu={int(seconds)}"]
        done = subprocess.run(
            [*limit, OBLIGATO, *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=20 * seconds + 60,
        )
    except subprocess.TimeoutExpired:
        return -1, "hangs", spent() - before
    said = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode, " / ".join(said[-2:]), spent() - before


def judge(task: dict[str, str], root: Path, folder: Path, seconds: float) -> Record:
    """One task: verify, check the witness, replay."""
    program = root / task["set"] / task["path"]
    outcome, witness = folder / "outcome.json", folder / "witness.yml"
    model = ["--data-model", "ILP32" if task["note"] == "32" else "LP64", "--set", "externals=pure"]
    more = ["--property", task["property"], "--timeout", str(10 * seconds), *model]
    status, said, cpu = run(
        ["verify", str(program), *more, "--json", str(outcome), "--witness", str(witness), "-q"],
        seconds,
    )
    record: Record = {
        "task": task["path"],
        "property": task["property"],
        "status": status,
        "cpu": cpu,
        "said": said[-100:],
    }
    if status not in (0, 10):
        return record
    limit = max(seconds, 10.0)
    found, said, again = run(
        ["check", str(program), str(witness), *model, "--timeout", str(10 * limit), "-q"], limit
    )
    record |= {"check": found, "check_cpu": again, "check_said": said[-100:]}
    if status == 10:
        reached, why, _ = run(["replay", str(program), str(outcome)], 60)
        record |= {"replay": reached, "replay_said": why[-100:]}
    return record


def summary(records: list[Record]) -> Counter[str]:
    """How many of what."""
    counts: Counter[str] = Counter()
    for r in records:
        counts[f"verify {r['status']}"] += 1
        if "check" in r:
            kind = "true" if r["status"] == 0 else "false"
            counts[
                f"{kind}:"
                f" {'confirmed' if r['check'] == r['status'] else 'check ' + str(r['check'])}"
            ] += 1
            counts[f"{kind}: in time"] += r["check"] == r["status"] and r["check_cpu"] <= r["cpu"]
        if "replay" in r:
            counts["harness reached" if r["replay"] == 10 else "harness failed"] += 1
    return counts


def tasks(given: argparse.Namespace, root: Path) -> list[dict[str, str]]:
    """The chosen tasks, in an order that the seed gives."""
    with (root / "tasks.csv").open(newline="") as file:
        rows = [
            r
            for r in csv.DictReader(file)
            if r["track"] == given.track and r["path"].endswith((".c", ".i"))
        ]
    rows = [
        r
        for r in rows
        if given.property in ("", r["property"]) and given.expected in ("", r["expected"])
    ]
    return random.Random(given.seed).sample(rows, min(given.count, len(rows)))


def main() -> None:
    """All chosen tasks that have no record yet, for so many minutes."""
    parser = argparse.ArgumentParser()
    for name, default in (("track", "C-core"), ("property", ""), ("expected", ""), ("records", "")):
        parser.add_argument(f"--{name}", default=default)
    for name, number in (("count", 10**6), ("seconds", 10), ("seed", 1), ("within", 10**6)):
        parser.add_argument(f"--{name}", default=number, type=type(number))
    given = parser.parse_args()
    root = corpus_root()
    assert root is not None, "there is no corpus: set OBLIGATO_CORPUS"
    file = Path(given.records) if given.records else None
    ends = time.monotonic() + 60 * given.within
    records = (
        [json.loads(line) for line in file.read_text().splitlines()]
        if file and file.exists()
        else []
    )
    done = {(r["task"], r["property"]) for r in records}
    for task in tasks(given, root):
        if (task["path"], task["property"]) in done or time.monotonic() > ends:
            continue
        with TemporaryDirectory() as folder:
            records.append(judge(task, root, Path(folder), given.seconds))
        print(records[-1], flush=True)
        if file:
            file.write_text("".join(json.dumps(r) + "\n" for r in records))
    for what, count in sorted(summary(records).items()):
        print(f"{count:5} {what}")


if __name__ == "__main__":
    main()
