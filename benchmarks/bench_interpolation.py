"""How many interpolants are found, verified, and how fast: a table per theory (DESIGN 3.6).

    python benchmarks/bench_interpolation.py    # pairs of 6 and 12 steps, sequences of 5, 11 and 20

All work is in this process. `cpu` is processor time, `wall` what a clock shows, which a busy
machine inflates; both are of a whole problem, verification included: for a sequence, of all its
interpolants together.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

from interpolation_pairs import problems

from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import Term, TermStore, size

Row = tuple[str, str, float, float, list[Term]]  # name, theory, cpu, wall, what was found


def measure(name: str, theory: str, work: Callable[[], list[Term] | None]) -> Row:
    cpu, wall = process_time(), perf_counter()
    found = work()
    return name, theory, process_time() - cpu, perf_counter() - wall, found or []


def pairs(store: TermStore) -> list[Row]:
    rows = []
    for problem in problems(store, 6, 12):
        for cut in (2, len(problem.formulas) // 2, len(problem.formulas) - 1):
            a, b = problem.pair(cut)

            def work(a: Term = a, b: Term = b) -> list[Term] | None:
                found = interpolate(a, b)
                return None if found is None else [found]

            rows.append(measure(f"{problem.name}:{cut}", problem.theory, work))
    return rows


def sequences(store: TermStore) -> list[Row]:
    return [
        measure(p.name, p.theory, lambda p=p: sequence_interpolants(p.formulas))  # type: ignore[misc]
        for p in problems(store, 3, 9, 18)
    ]


def table(title: str, rows: list[Row]) -> dict[str, float]:
    heads = ("problems", "found", "cpu<=1s", "wall<=1s", "cpu ms", "max cpu", "max wall", "nodes")
    print(f"\n{title:<12}" + "".join(f"{h:>10}" for h in heads))
    out: dict[str, float] = {}
    for theory in ("lia", "lra", "bv", "all"):
        mine = [r for r in rows if theory in (r[1], "all")]
        found = [r for r in mine if r[4]]
        quick, prompt = sum(r[2] <= 1 for r in found), sum(r[3] <= 1 for r in found)
        cpu, wall = [1000 * r[2] for r in mine], [1000 * r[3] for r in mine]
        nodes = median(size(t) for r in found for t in r[4])
        cells = (len(mine), len(found), quick, prompt, median(cpu), max(cpu), max(wall), nodes)
        print(f"{theory:<12}" + "".join(f"{c:>10.0f}" for c in cells))
        out[theory] = round(quick / len(mine), 3)
    for name, _, seconds, _, terms in rows:
        if not terms or seconds > 1:
            print(f"   {'slow' if terms else 'not found'}: {name} ({seconds:.2f} s cpu)")
    return out


def main() -> None:
    store = TermStore()
    interpolate(store.false, store.true)  # load the libraries
    result = {
        "pairs": table("pairs", pairs(store)),
        "sequences": table("sequences", sequences(store)),
    }
    print(json.dumps({"found_within_1s_cpu": result}))


if __name__ == "__main__":
    main()
