"""How many interpolants are found, verified, and how fast: a table per theory (DESIGN 3.6).

    python benchmarks/bench_interpolation.py            pairs of 6 and 12 steps, sequences of 5, 11 and 20 formulas

Times are of the processor (all work is in this process), so that a busy machine does not matter much; a sequence counts
by its time per interpolant, verification included.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from time import process_time

from interpolation_pairs import problems

from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import Term, TermStore, size

Row = tuple[str, str, float, list[Term]]


def measure(name: str, theory: str, work: Callable[[], list[Term] | None]) -> Row:
    start = process_time()
    found = work()
    return name, theory, (process_time() - start) / max(1, len(found or [])), found or []


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
    print(f"\n{title:<12}{'problems':>9}{'found':>7}{'in 1 s':>8}{'median ms':>11}{'max ms':>9}{'nodes':>7}")
    out: dict[str, float] = {}
    for theory in ("lia", "lra", "bv", "all"):
        mine = [r for r in rows if theory in (r[1], "all")]
        times = [1000 * r[2] for r in mine]
        found = [r for r in mine if r[3]]
        quick = [r for r in found if r[2] <= 1]
        nodes = median(size(t) for r in found for t in r[3])
        print(f"{theory:<12}{len(mine):>9}{len(found):>7}{len(quick):>8}{median(times):>11.1f}{max(times):>9.0f}{nodes:>7.0f}")
        out[theory] = round(len(quick) / len(mine), 3)
    for name, _, seconds, found_terms in rows:
        if not found_terms or seconds > 1:
            print(f"   {'slow' if found_terms else 'not found'}: {name} ({seconds:.2f} s)")
    return out


def main() -> None:
    store = TermStore()
    interpolate(store.false, store.true)  # load the libraries
    result = {"pairs": table("pairs", pairs(store)), "sequences": table("sequences", sequences(store))}
    print(json.dumps({"interpolants_within_1s": result}))


if __name__ == "__main__":
    main()
