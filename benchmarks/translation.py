"""Translating terms to z3: our binding of the C library against z3py, per new node.

`translate_vs_z3py()` is how many times faster ours is, on linear integer and bit-vector formulas
with sharing.
"""

from __future__ import annotations

import random
from time import perf_counter

from benchmarks.z3py_solver import translate
from obligato.smt.z3_context import Z3Context
from obligato.terms import INT, Op, Sort, Term, TermStore, bitvec


def sample(formulas: int, seed: int = 0) -> list[Term]:
    """Random formulas, half over Int, half over bit-vectors."""
    s, rng = TermStore(), random.Random(seed)
    return [_formula(s, rng, rng.choice((INT, bitvec(32)))) for _ in range(formulas)]


def _formula(s: TermStore, rng: random.Random, sort: Sort) -> Term:
    def variable() -> Term:
        return s.var(f"{'i' if sort is INT else 'b'}{rng.randrange(40)}", sort)

    def number() -> Term:
        return s.const(rng.randrange(2, 1000), sort)

    plus, times, less = (Op.ADD, Op.MUL, Op.LT) if sort is INT else (Op.BVADD, Op.BVMUL, Op.BVULT)
    atoms = []
    for _ in range(rng.randrange(2, 5)):
        left = s.mk(plus, (s.mk(times, (number(), variable())), variable(), number()))
        right = s.ite(s.eq(variable(), number()), variable(), s.mk(plus, (variable(), variable())))
        atoms.append(s.mk(less, (left, right)))
    return s.or_(*atoms[1:], s.not_(atoms[0]))


def translate_vs_z3py(formulas: int = 3000, rounds: int = 3) -> float:
    """Seconds of z3py over ours for the same new nodes; the best of some rounds each."""
    ours, theirs = [], []
    for r in range(rounds):
        terms = sample(formulas, seed=r)
        context, start = Z3Context(), perf_counter()
        for t in terms:
            context.ast(t)
        middle = perf_counter()
        memo: dict[Term, object] = {}
        for t in terms:
            translate(t, memo)
        ours.append(middle - start)
        theirs.append(perf_counter() - middle)
        context.close()
    return min(theirs) / min(ours)
