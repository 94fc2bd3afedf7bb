"""No formula about floats is refuted that holds of floats chosen beforehand, of formats as large as
those of C; what holds is computed by exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from obligato.smt import UNSAT
from obligato.smt.factory import real_solver
from obligato.smt.ranges import RangeSolver
from obligato.terms import BOOL, FLOAT32, FLOAT64, Op, Sort, Term, TermStore, bitvec, evaluate
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import floating
from tests.support.exact_floats import decoded, worth

FORMATS = (floating(5, 11), FLOAT32, FLOAT64)
MODES = list(RoundingMode)
NEAREST = RoundingMode.RNE
COMPARED = (Op.FP_LE, Op.FP_LT, Op.FP_GE, Op.FP_GT, Op.FP_EQ, Op.EQ)
FLIPPED = {Op.FP_LE: Op.FP_GE, Op.FP_LT: Op.FP_GT, Op.FP_GE: Op.FP_LE, Op.FP_GT: Op.FP_LT}
EASY = [(1, 10), (1, 4), (2, 3), (-3, 2), (5, 1), (-7, 10), (100, 1), (0, 1), (9, 10), (-1, 8)]


@dataclass
class Planted:
    """Variables with their values, and formulas that hold of these."""

    rng: Random
    store: TermStore
    model: dict[Term, object]
    sort: Sort

    def pattern(self) -> int:
        """A float: mostly a decimal, else one near the ends of the format, or anything."""
        sign = self.rng.randrange(2) << (self.sort.width - 1)
        infinity = ((1 << self.sort.eb) - 1) << (self.sort.sb - 1)
        kind = self.rng.random()
        if kind < 0.75:
            a, b = self.rng.choice(EASY)
            return self.constant(a, b)
        if kind < 0.85:
            return sign | infinity - self.rng.randrange(4)
        if kind < 0.9:
            return sign | self.rng.randrange(4)
        return (
            infinity + (1 << (self.sort.sb - 2))
            if kind > 0.97
            else sign | self.rng.randrange(infinity)
        )

    def constant(self, a: int, b: int) -> int:
        """The pattern nearest to a fraction."""
        s = self.store
        value = s.mk(Op.FP_DIV, (s.rm(NEAREST), s.fp_of(a, self.sort), s.fp_of(b, self.sort)))
        made = evaluate(value, {})
        assert isinstance(made, int)
        return made

    def beside(self, pattern: int) -> int:
        """The same or one a few units away. Requires: no infinity and no NaN."""
        infinity = ((1 << self.sort.eb) - 1) << (self.sort.sb - 1)
        sign = pattern & 1 << (self.sort.width - 1)
        near = (pattern ^ sign) + self.rng.choice((0, 0, 0, 1, -1, 3, -3))
        return sign | min(max(near, 0), infinity)

    def value(self, depth: int) -> Term:
        """A term over the variables."""
        s, rng = self.store, self.rng
        if depth == 0 or rng.random() < 0.15:
            floats = [v for v in self.model if v.sort is self.sort]
            return rng.choice([*floats, *floats, s.fp(self.pattern(), self.sort)])
        op, a, b = rng.choice(OPERATIONS), self.value(depth - 1), self.value(depth - 1)
        mode = s.rm(NEAREST if rng.random() < 0.6 else rng.choice(MODES))
        if op in (Op.FP_NEG, Op.FP_ABS):
            return s.mk(op, (a,))
        if op is Op.ITE:
            return s.ite(self.comparison(depth - 1), a, b)
        if op is Op.FP_FROM_FP:
            return s.fp_from_fp(mode, s.fp_from_fp(mode, a, rng.choice(FORMATS)), self.sort)
        if op is Op.FP_FROM_SBV:
            word = next(v for v in self.model if v.sort is bitvec(5))
            signed = rng.random() < 0.5
            return (s.fp_from_sbv if signed else s.fp_from_ubv)(mode, word, self.sort)
        return s.mk(op, (mode, a, a if rng.random() < 0.15 else b))

    def comparison(self, depth: int) -> Term:
        """Of two terms, or of a term with a constant near to what it is worth."""
        a, op = self.value(depth), self.rng.choice(COMPARED)
        if self.rng.random() < 0.4:
            return self.store.mk(op, (a, self.value(depth)))
        return self.store.mk(op, (a, self.near(a)))

    def near(self, a: Term) -> Term:
        """A constant near to what a term is worth."""
        value = evaluate(a, self.model)
        assert isinstance(value, int)
        known = decoded(value, self.sort)
        ordinary = known is not None and not known.infinite
        return self.store.fp(self.beside(value) if ordinary else self.pattern(), self.sort)

    def bound(self, v: Term) -> Term:
        """A comparison of a variable with a constant, written in one of several ways."""
        s, rng = self.store, self.rng
        op = rng.choice(list(FLIPPED))
        k = self.near(v)
        if rng.random() < 0.3:
            k = s.fp(self.pattern(), self.sort)
        if rng.random() < 0.3:
            k = s.fp_neg(s.fp_neg(k))
        return s.mk(FLIPPED[op], (k, v)) if rng.random() < 0.4 else s.mk(op, (v, k))

    def true(self, formula: Term) -> Term:
        """The formula, or its negation, whichever holds."""
        return formula if evaluate(formula, self.model) else self.store.not_(formula)

    def formulas(self) -> list[Term]:
        """What holds: bounds of the variables, alone or on one of two paths, and comparisons."""
        s, rng, out = self.store, self.rng, list[Term]()
        c = next(v for v in self.model if v.sort is BOOL)
        for v in self.model:
            for _ in range(rng.choice((2, 2, 3)) if v.sort is self.sort else 0):
                bound = self.bound(v)
                path = s.or_(rng.choice((c, s.not_(c))), bound)
                out.append(self.true(path if rng.random() < 0.4 else bound))
        return out + [self.true(self.comparison(3)) for _ in range(rng.choice((1, 2)))]


OPERATIONS = (
    *(Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV) * 2,
    *(Op.FP_NEG, Op.FP_ABS, Op.ITE, Op.FP_FROM_FP, Op.FP_FROM_SBV),
)


def planted(seed: int) -> Planted:
    """Values for three floats, a word and a Boolean."""
    rng, s = Random(seed), TermStore.raw()
    made = Planted(rng, s, {}, rng.choice(FORMATS))
    made.model = {s.var("c", BOOL): rng.random() < 0.5, s.var("n", bitvec(5)): rng.randrange(32)}
    for name in ("x", "y", "z"):
        made.model[s.var(name, made.sort)] = made.pattern()
    return made


def objection(seed: int, budget: int = 1_500) -> str | None:
    """What is wrong with what is said of one question."""
    case = planted(seed)
    formulas = case.formulas()
    for f in formulas:
        if worth(f, case.model) is not True:
            return f"fractions do not agree with evaluation about {f}"
    for make in (real_solver, RangeSolver):
        solver = make()
        for f in formulas:
            solver.add(f)
        answer = solver.check(budget=budget)
        solver.close()
        if answer is UNSAT:
            return f"{solver.capabilities.name} refutes {formulas}, which hold of {case.model}"
    return None


@pytest.mark.parametrize("part", range(4))
def test_what_holds_of_chosen_floats_is_not_refuted(part: int) -> None:
    for seed in range(60):
        assert (found := objection(1000 * part + seed)) is None, found
