"""How much of the C corpus loads: a table of refusals by construct, and the times (front end, to the CFA).

    python benchmarks/c_load.py [--track C-core] [--show CONSTRUCT] [--cfa] [--match TEXT]
"""

from __future__ import annotations

import argparse
import collections
import csv
import os
import sys
import time
import traceback
from pathlib import Path

from obligato.errors import InputError, Unsupported
from obligato.frontends.c import load
from obligato.models.build import build_cfa
from obligato.program.inline import inline
from obligato.program.validate import validate

CORPUS = Path(os.environ.get("OBLIGATO_CORPUS", Path(__file__).parents[2] / "shared" / "corpus"))


def main() -> None:
    """Load every task of a track, print what happened."""
    options = argparse.ArgumentParser()
    options.add_argument("--track", default="C-core")
    options.add_argument("--show", help="list the files refused for this construct")
    options.add_argument("--match", default="", help="only paths that contain this")
    options.add_argument("--cfa", action="store_true", help="inline and build the CFA, too")
    o = options.parse_args()
    refusals: collections.Counter[str] = collections.Counter()
    times: list[tuple[float, str]] = []
    loaded = total = 0
    for task in csv.DictReader((CORPUS / "tasks.csv").open()):
        if task["track"] != o.track or o.match not in task["path"] or (o.track == "C-core" and "/recursive" in task["path"]):
            continue
        total += 1
        path = CORPUS / task["set"] / task["path"]
        start = time.perf_counter()
        construct = attempt(path, "LP64" if task["note"] == "64" else "ILP32", o.cfa, o.show)
        times.append((time.perf_counter() - start, task["path"]))
        if construct is None:
            loaded += 1
        else:
            refusals[construct] += 1
    times.sort()
    print(f"{o.track}: {loaded} of {total} load ({100 * loaded / max(1, total):.1f} %)")
    for construct, count in refusals.most_common():
        print(f"{count:5}  {construct}")
    if times:
        print(f"time: median {times[len(times) // 2][0]:.3f} s, 95 % {times[int(len(times) * 0.95)][0]:.3f} s, "
              f"largest {times[-1][0]:.3f} s ({times[-1][1]})")


def attempt(path: Path, data_model: str, cfa: bool, show: str | None) -> str | None:
    """None if the file loads, else the construct that is refused."""
    try:
        program = load(path, data_model=data_model, externals="pure")
        validate(program)
        if cfa:
            build_cfa(inline(program))
        return None
    except Unsupported as e:
        construct, text = e.construct, str(e)
    except InputError as e:
        construct, text = f"error: {e.message}", str(e)
    except Exception as e:  # noqa: BLE001 - a benchmark reports defects instead of stopping
        construct, text = f"DEFECT {type(e).__name__}: {str(e)[:100]}", traceback.format_exc()
    if show is not None and show in construct:
        print(text if "DEFECT" in construct else f"{path}\n  {text}", file=sys.stderr)
    return construct


if __name__ == "__main__":
    main()
