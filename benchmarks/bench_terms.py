"""Our term layer against z3's, driven from Python: a table of microseconds, and as last line the
ratios as JSON.

- substitute_vs_z3: literals through the assignments of a program's edges, one reused `Substitution`
  per edge, against `z3.substitute`. The stream repeats pairs of edge and literal as IC3 does (about
  5 times each); the table also shows the first time alone, in a fresh store where every result is a
  new node.
- evaluate_vs_z3: literals under assignments of all variables, without a memo, against
  `ModelRef.eval`. IC3 evaluates a literal hundreds of times, so it is compiled after a few
  (terms.compiled); the table also shows the first time alone.
- translate_vs_z3py: see benchmarks.translation.

Both sides take turns, and each counts with its best round: the machine may be busy.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import z3

from benchmarks.streams import make_program
from benchmarks.translation import translate_vs_z3py
from obligato.terms import INT, Op, Sort, Substitution, Term, TermStore, bitvec, evaluate, free_vars
from obligato.terms.compiled import OFTEN, Programs
from obligato.terms.printer import declaration, to_smtlib

THEORIES = {"lia": INT, "bv": bitvec(32)}


@dataclass(frozen=True, slots=True)
class Workload:
    """Literals over the variables of a program, and the assignments of its edges, for us and for
    z3.
    """

    variables: list[Term]
    literals: list[Term]
    edges: list[dict[Term, Term]]
    ast: dict[Term, Any]


def workload(sort: Sort, literals: int, seed: int) -> Workload:
    """A program of 20 variables and literals such as x < 7, x + y <= 3, 2x - y != z."""
    rng, store = random.Random(seed), TermStore()
    program = make_program(rng, store, sort)
    pool = list(dict.fromkeys(_literal(rng, store, program.state) for _ in range(literals)))
    edges = [e.wep.mapping for e in program.edges if e.wep.mapping]
    terms = (*pool, *program.state, *(t for e in edges for pair in e.items() for t in pair))
    return Workload(program.state, pool, edges, {t: to_z3(t) for t in terms})


def to_z3(t: Term) -> Any:
    """The z3py expression of a term."""
    text = to_smtlib(t)
    declarations = "".join(map(declaration, free_vars(t)))
    return z3.parse_smt2_string(f"{declarations}(assert (= {text} {text}))")[0].arg(0)


def _literal(rng: random.Random, s: TermStore, variables: Sequence[Term]) -> Term:
    x, y, z = rng.sample(list(variables), 3)
    k, sort = s.const(rng.randrange(100), x.sort), x.sort
    plus, times, less = (Op.ADD, Op.MUL, Op.LT) if sort is INT else (Op.BVADD, Op.BVMUL, Op.BVSLT)
    left = rng.choice(
        (x, x, s.mk(plus, (x, y)), s.mk(plus, (s.mk(times, (s.const(2, sort), x)), y)))
    )
    right = rng.choice((k, k, z, s.mk(plus, (z, k))))
    atom = s.eq(left, right) if rng.random() < 0.3 else s.mk(less, (left, right))
    return s.not_(atom) if rng.random() < 0.5 else atom


def best(rounds: int, *works: Callable[[], None]) -> list[float]:
    """The best seconds of each work; they take turns."""
    seconds = [float("inf")] * len(works)
    for _ in range(rounds):
        for i, work in enumerate(works):
            gc.collect()
            start = perf_counter()
            work()
            seconds[i] = min(seconds[i], perf_counter() - start)
    return seconds


def measure_substitute(w: Workload, rounds: int, seed: int) -> tuple[float, float, float]:
    """Microseconds per literal: ours along the stream, ours the first time, z3."""
    rng = random.Random(seed)
    pairs = [(e, t) for e in range(len(w.edges)) for t in w.literals]
    stream = rng.choices(pairs, k=5 * len(pairs))
    some = rng.sample(stream, 2000)
    z3_pairs = [[(w.ast[x], w.ast[t]) for x, t in e.items()] for e in w.edges]

    def ours() -> None:
        weps = [Substitution(e) for e in w.edges]
        for e, t in stream:
            weps[e](t)

    def z3_work() -> None:
        for e, t in some:
            z3.substitute(w.ast[t], *z3_pairs[e])

    fresh = iter([workload(w.variables[0].sort, len(w.literals), seed=1) for _ in range(rounds)])

    def first_time() -> None:
        new = next(fresh)
        for e in new.edges:
            wep = Substitution(e)
            for t in new.literals:
                wep(t)

    warm, cold, theirs = best(rounds, ours, first_time, z3_work)
    return 1e6 * warm / len(stream), 1e6 * cold / len(pairs), 1e6 * theirs / len(some)


def measure_evaluate(w: Workload, rounds: int, seed: int) -> tuple[float, float, float]:
    """Microseconds per literal: ours, ours the first time, z3."""
    rng = random.Random(seed)
    assignment: dict[Term, Any] = {v: rng.randrange(100) for v in w.variables}
    solver = z3.Solver()
    for v, value in assignment.items():
        solver.add(w.ast[v] == value)
    if solver.check() != z3.sat:
        raise RuntimeError("the assignment has no model")
    model = solver.model()
    for t in w.literals:
        if evaluate(t, assignment) != z3.is_true(model.eval(w.ast[t], model_completion=True)):
            raise RuntimeError(f"evaluation differs on {t}")

    def ours() -> None:
        for t in w.literals:
            evaluate(t, assignment)

    def z3_work() -> None:
        for t in w.literals:
            z3.is_true(model.eval(w.ast[t], model_completion=True))

    def first_time() -> None:
        w.literals[0].store.programs = Programs()
        ours()

    (cold,) = best(rounds, first_time)
    for _ in range(OFTEN):
        ours()
    mine, theirs = best(rounds, ours, z3_work)
    return (
        1e6 * mine / len(w.literals),
        1e6 * cold / len(w.literals),
        1e6 * theirs / len(w.literals),
    )


def main() -> None:
    """Print the table and the ratios; of two theories the smaller ratio counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--literals", type=int, default=400, help="literals per theory (default 400)"
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="how often each side runs (default 7)"
    )
    options = parser.parse_args()
    substitutions, evaluations = [], []
    print(f"{'':24} {'ours':>8} {'z3':>8}  µs/literal {'ratio':>8}")
    for theory, sort in THEORIES.items():
        w = workload(sort, options.literals, seed=1)
        warm, cold, theirs = measure_substitute(w, options.rounds, seed=2)
        substitutions.append(theirs / warm)
        print(
            f"{theory} substitute, stream   {warm:8.2f} {theirs:8.2f} {'':11} {theirs / warm:8.1f}"
        )
        print(
            f"{theory} substitute, first    {cold:8.2f} {theirs:8.2f} {'':11} {theirs / cold:8.1f}"
        )
        warm, cold, theirs = measure_evaluate(w, options.rounds, seed=3)
        evaluations.append(theirs / warm)
        print(
            f"{theory} evaluate             {warm:8.2f} {theirs:8.2f} {'':11} {theirs / warm:8.1f}"
        )
        print(
            f"{theory} evaluate, first      {cold:8.2f} {theirs:8.2f} {'':11} {theirs / cold:8.1f}"
        )
    translated = translate_vs_z3py()
    print(f"translate {'':42} {translated:8.1f}")
    ratios = {
        "substitute_vs_z3": min(substitutions),
        "evaluate_vs_z3": min(evaluations),
        "translate_vs_z3py": translated,
    }
    print(json.dumps({key: round(value, 2) for key, value in ratios.items()}))


if __name__ == "__main__":
    main()
