"""Transition systems with large arrays (`benchmarks.array_families`): what is decided, and how long
it takes.

    python benchmarks/bench_arrays.py [--limit 60] [--only PART_OF_A_NAME] [--write FOLDER]

Each system is written as BTOR2 or VMT, read and verified by the engine for it in a process of its
own, with a limit of processor time. Prints a table, and as last line how many are decided and
wrong. With --write the files are written, and nothing is run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.array_families import TASKS, Task
from benchmarks.bench_scale import Row, measured


def _measured(task: Task, folder: Path, limit: int) -> Row:
    file = folder / task.name
    file.write_text(task.text(), encoding="utf-8")
    return measured(file, limit)


def main() -> int:
    """Run the tasks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=Path)
    o = parser.parse_args()
    tasks = [t for t in TASKS if o.only in t.name]
    if o.write is not None:
        o.write.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            (o.write / task.name).write_text(task.text(), encoding="utf-8")
        return 0
    decided = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks:
            row, right = _measured(task, Path(folder), o.limit), "true" if task.holds else "false"
            decided += row["verdict"] == right
            wrong += row["verdict"] in ("true", "false") and row["verdict"] != right
            print(
                f"{task.name:42} {row['verdict']:8} {row.get('cpu_s', o.limit):6.1f} s", flush=True
            )
    print(
        f"{len(tasks)} systems, {decided} decided, {wrong} wrong, limit {o.limit} s of processor"
        " time"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
