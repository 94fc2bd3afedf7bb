"""Would members of a portfolio gain by what others have found?
`python -m benchmarks.bench_exchange FILES`

For each file: `--giver` (ic3cfa) searches for `--give` seconds of processor time; its lemmas are
then offered to `--taker`
(kinduction) by `--from`, which checks all of them. Printed is what the giver makes of the file if
it goes on as long as both have together, and the taker within `--take` seconds without and with the
offer: verdict, processor time, and how many of the offered conjuncts Houdini has kept.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from obligato.bench.limited import Limits, start
from obligato.bench.tools import OBLIGATO, OUTCOME, read_outcome

MEMORY_MB = 2000


def run(
    file: Path, engine: str, seconds: float, folder: Path, *more: str
) -> tuple[str, float, dict[str, Any]]:
    """Verdict, processor time and statistics of one run."""
    (folder / OUTCOME).unlink(missing_ok=True)
    command = [
        *OBLIGATO,
        "verify",
        str(file.resolve()),
        "--engine",
        engine,
        "--quiet",
        "--json",
        OUTCOME,
        *more,
    ]
    ended = start(command, Limits(seconds, 20 * seconds, MEMORY_MB), folder).wait()
    outcome = read_outcome(folder / OUTCOME) or {}
    return (
        (str(outcome.get("verdict", "-")) if ended.how == "exited" else "-"),
        ended.cpu_s,
        outcome.get("stats", {}),
    )


def lemmas(log: Path) -> list[dict[str, Any]]:
    """The lemmas in an event log that were not dropped, those of the highest levels first, as
    invariants of an outcome.
    """
    found: dict[tuple[int, tuple[str, ...]], int] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line) if line.endswith("}") else {}
        key = event.get("location", 0), tuple(event.get("cube", ()))
        if event.get("event") in ("lemma", "push"):
            found[key] = event["level"]
        elif event.get("event") == "drop":
            found.pop(key, None)
    order = sorted(found, key=lambda key: -found[key])
    return [
        {"location": loc, "formula": f"(not (and {' '.join(cube)} true))"} for loc, cube in order
    ]


def compared(file: Path, given: argparse.Namespace) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first = run(file, given.giver, given.give, folder, "--log", str(folder / "log"))
        offer = lemmas(folder / "log") if first[0] == "-" else []
        (folder / "old").write_text(
            json.dumps({"verdict": "true", "certificate": {"invariants": offer}}), encoding="utf-8"
        )
        goes_on = run(file, given.giver, given.give + given.take, folder)
        alone = run(file, given.taker, given.take, folder)
        helped = (
            run(file, given.taker, given.take, folder, "--from", str(folder / "old"))
            if offer
            else ("", 0.0, {})
        )
    kept = f"{helped[2].get('offers_kept', '-')} of {helped[2].get('offered', '-')}"
    told = "   ".join(f"{verdict:6} {cpu:5.1f}" for verdict, cpu, _ in (goes_on, alone, helped))
    return f"{file.name:32} {len(offer):5}   {told}   {kept}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--giver", default="ic3cfa")
    parser.add_argument("--taker", default="kinduction")
    parser.add_argument("--give", type=float, default=4.0)
    parser.add_argument("--take", type=float, default=8.0)
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    print(f"{'file':32} offer   giver  cpu s   taker  cpu s   helped cpu s   kept")
    for file in given.files:
        print(compared(file, given), flush=True)


if __name__ == "__main__":
    main()
