"""Do the members of a portfolio gain by telling each other what they find?
`python -m benchmarks.bench_exchange FILES`

Each file is verified by `--engine` (auto) without and with `exchange`, with `--cpu` seconds of
processor time for all members together, which makes them take turns on one core. Printed is, for
both: the verdict, the processor time, and the winner with its own part of that; and, with exchange,
how many facts and bounds were passed on, how many facts arrived anywhere and were kept there, and
how many depths were skipped.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from obligato.bench.limited import Limits, start
from obligato.bench.tools import OBLIGATO, OUTCOME, read_outcome

MEMORY_MB = 2000


def run(file: Path, exchange: bool, given: argparse.Namespace) -> dict[str, Any]:
    """Verdict, processor time and statistics of one run."""
    with tempfile.TemporaryDirectory() as place:
        command = [*OBLIGATO, "verify", str(file.resolve()), "--engine", given.engine, "--quiet"]
        command += ["--json", OUTCOME, "--set", f"exchange={exchange}"]
        command += [] if given.property is None else ["--property", given.property]
        limits = Limits(given.cpu, 20 * given.cpu, MEMORY_MB)
        ended = start(command, limits, Path(place)).wait()
        outcome = read_outcome(Path(place) / OUTCOME) or {}
    told = outcome.get("stats", {}).get("portfolio", {"members": []})
    return {
        "verdict": str(outcome.get("verdict", "-")) if ended.how == "exited" else "-",
        "cpu": ended.cpu_s,
        "portfolio": told,
    }


def shown(found: dict[str, Any]) -> str:
    """Verdict, processor time, winner."""
    told = found["portfolio"]
    winner = told.get("winner")
    own = next((m.get("cpu_s", 0.0) for m in told["members"] if m["engine"] == winner), 0.0)
    by = f"{winner} {own:.1f}" if winner else ""
    return f"{found['verdict']:7} {found['cpu']:5.1f} {by:16}"


def gained(found: dict[str, Any]) -> str:
    """What was told, and what came of it."""
    told = found["portfolio"]
    passed, members = told.get("exchange", {}), told["members"]
    counts = [
        sum(m.get(name, 0) for m in members)
        for name in ("facts_arrived", "facts_kept", "depths_skipped")
    ]
    return f"{passed.get('facts', 0):5} {passed.get('bounds', 0):6} " + " ".join(
        f"{n:7}" for n in counts
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--property", default=None)
    parser.add_argument("--cpu", type=float, default=40.0)
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    print(f"{'file':32} {'without':30} {'with':30} facts bounds arrived kept depths skipped")
    for file in given.files:
        off, on = run(file, False, given), run(file, True, given)
        print(f"{file.name:32} {shown(off)} {shown(on)} {gained(on)}", flush=True)


if __name__ == "__main__":
    main()
