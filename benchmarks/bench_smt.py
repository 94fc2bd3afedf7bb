"""Our backends on IC3-like query streams (`benchmarks.streams`): a table of seconds, and as last
line the ratios as JSON.

A ratio says how many times faster our default backend of the theory is: bool_vs_z3, bv_vs_z3,
bv_vs_bitwuzla against the z3 and bitwuzla backends of ours, lia_vs_z3py against z3 driven through
z3py. Backends take turns, and each counts with its best round: the machine may be busy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.streams import THEORIES, Stream, make_stream, replay
from benchmarks.z3py_solver import Z3PySolver
from obligato.smt import Solver
from obligato.smt.factory import default_backend, solver_factory
from obligato.terms import BOOL, INT, Sort, Term, bitvec

Make = Callable[[], Solver]
SORTS: dict[str, Sort] = {"bool": BOOL, "bv": bitvec(32), "lia": INT}
RIVALS = {"bool": ("z3", "bitwuzla"), "bv": ("z3", "bitwuzla"), "lia": ("z3py", "cvc5")}
RATIOS = {
    "bool_vs_z3": ("bool", "z3"),
    "bv_vs_z3": ("bv", "z3"),
    "bv_vs_bitwuzla": ("bv", "bitwuzla"),
    "lia_vs_z3py": ("lia", "z3py"),
}


def maker(backend: str, sort: Sort) -> Make:
    """A factory with a translation of its own."""
    if backend == "z3py":
        memo: dict[Term, object] = {}
        return lambda: Z3PySolver(memo)
    return solver_factory([sort], prefer=backend)


def measure(stream: Stream, sort: Sort, backends: list[str], rounds: int) -> dict[str, float]:
    """The best seconds of each backend, which take turns."""
    best: dict[str, float] = {}
    for _ in range(rounds):
        for backend in backends:
            seconds = replay(stream, maker(backend, sort))
            best[backend] = min(seconds, best.get(backend, seconds))
    return best


def main() -> None:
    """Print the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--queries", type=int, default=1000, help="length of each stream (default 1000)"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often each backend replays it (default 3)"
    )
    options = parser.parse_args()
    seconds: dict[tuple[str, str], float] = {}
    default = {theory: default_backend([SORTS[theory]]) for theory in THEORIES}
    print(f"{'theory':8} {'backend':10} {'ms/query':>9} {'our default is':>14} ... times faster")
    for theory in THEORIES:
        stream = make_stream(theory, queries=options.queries)
        backends = [default[theory], *RIVALS[theory]]
        for backend, time in measure(stream, SORTS[theory], backends, options.rounds).items():
            seconds[theory, backend] = time
            ratio = time / seconds[theory, default[theory]]
            print(f"{theory:8} {backend:10} {1000 * time / options.queries:9.3f} {ratio:14.2f}")
    ratios = {
        key: seconds[theory, rival] / seconds[theory, default[theory]]
        for key, (theory, rival) in RATIOS.items()
    }
    print(json.dumps({key: round(value, 2) for key, value in ratios.items()}))


if __name__ == "__main__":
    main()
