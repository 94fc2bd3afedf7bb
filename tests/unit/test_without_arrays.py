"""Reads written out over writes: whatever satisfies a formula about arrays satisfies what is
written out.
"""

from __future__ import annotations

import random

import pytest

from obligato.smt import SAT, UNKNOWN, UNSAT
from obligato.smt.factory import make_solver, word_solver
from obligato.smt.without_arrays import Reads, ReadsWrittenOut
from obligato.terms import (
    Kind,
    Op,
    Term,
    TermStore,
    Value,
    array,
    bitvec,
    default_value,
    evaluate,
    free_vars,
)
from obligato.terms.semantics import ArrayValue

WORD, ARRAY = bitvec(2), array(bitvec(2), bitvec(2))


class Terms:
    """Random terms over two arrays and two words of two bits."""

    def __init__(self, seed: int) -> None:
        self.random, self.store = random.Random(seed), TermStore.raw()

    def word(self, depth: int) -> Term:
        s, kind = self.store, self.random.randrange(4 if depth else 2)
        if kind == 0:
            return s.var(self.random.choice("ij"), WORD)
        if kind == 1:
            return s.bv(self.random.randrange(4), 2)
        if kind == 2:
            return s.mk(Op.BVADD, (self.word(depth - 1), self.word(depth - 1)))
        return s.select(self.array(depth - 1), self.word(depth - 1))

    def array(self, depth: int) -> Term:
        s, kind = self.store, self.random.randrange(5 if depth else 2)
        if kind == 0:
            return s.var(self.random.choice("ab"), ARRAY)
        if kind == 1:
            return s.const(self.value(), ARRAY)
        if kind == 2:
            return s.ite(self.formula(depth - 1), self.array(depth - 1), self.array(depth - 1))
        return s.store(self.array(depth - 1), self.word(depth - 1), self.word(depth - 1))

    def formula(self, depth: int) -> Term:
        return self.store.eq(self.word(depth), self.word(depth))

    def value(self) -> ArrayValue:
        return ArrayValue(self.random.randrange(4), {k: self.random.randrange(4) for k in range(2)})


def _extended(reads: Reads, model: dict[Term, Value]) -> dict[Term, Value]:
    """The model, in which the fresh words are what is read in it; in the order in which they were
    made.
    """
    out = dict(model)
    made = [
        (word, a, index) for a, places in reads._places.items() for index, word in places.items()
    ]
    while made:
        ready = [m for m in made if free_vars(m[2]).keys() <= out.keys()]
        assert ready
        for word, a, index in ready:
            held = out[a]
            assert isinstance(held, ArrayValue)
            out[word] = held.get(evaluate(index, out))
        made = [m for m in made if m not in ready]
    return out


@pytest.mark.parametrize("seed", range(300))
def test_what_is_written_out_has_the_same_value(seed: int) -> None:
    terms, reads = Terms(seed), Reads()
    formulas = [terms.formula(4) for _ in range(3)]
    written = [reads.written_out(f) for f in formulas]
    assert all(v.sort.kind is not Kind.ARRAY for v in free_vars(*written, *reads.equal))
    for _ in range(8):
        model: dict[Term, Value] = {
            terms.store.var(n, WORD): terms.random.randrange(4) for n in "ij"
        }
        model |= {terms.store.var(n, ARRAY): terms.value() for n in "ab"}
        larger = _extended(reads, model)
        assert [evaluate(f, model) for f in formulas] == [evaluate(f, larger) for f in written]
        assert all(evaluate(f, larger) for f in reads.equal)


@pytest.mark.parametrize("seed", range(60))
def test_it_refutes_what_another_solver_refutes(seed: int) -> None:
    terms = Terms(seed)
    formulas = [terms.formula(3) for _ in range(4)]
    solver, other = word_solver(), make_solver([WORD, ARRAY], "check", "bitwuzla")
    for f in formulas[:2]:
        solver.add(f)
        other.add(f)
    expected = other.check(formulas[2:])
    assert solver.check(formulas[2:]) is (UNSAT if expected is UNSAT else UNKNOWN)


def test_a_comparison_of_arrays_is_left_out() -> None:
    s = TermStore.raw()
    a, b, i = s.var("a", ARRAY), s.var("b", ARRAY), s.var("i", WORD)
    solver = word_solver()
    solver.add(s.eq(a, b))
    differ = s.not_(s.eq(s.select(a, i), s.select(b, i)))
    assert solver.check([differ]) is UNKNOWN
    assert solver.check([differ, s.eq(s.select(a, i), s.select(b, i))]) is UNSAT


@pytest.mark.parametrize("seed", range(60))
def test_it_has_models_where_everything_is_written_out(seed: int) -> None:
    terms = Terms(seed)
    formulas = [terms.formula(3) for _ in range(4)]
    solver = ReadsWrittenOut(make_solver([Kind.BITVEC], "check", "sat"))
    other = make_solver([WORD, ARRAY], "check", "bitwuzla")
    for f in formulas[:2]:
        solver.add(f)
        other.add(f)
    answer = solver.check(formulas[2:])
    assert answer is other.check(formulas[2:])
    if answer is SAT:
        model = solver.model_of(free_vars(*formulas))
        known = {v: model.get(v, default_value(v.sort)) for v in free_vars(*formulas)}
        assert all(evaluate(f, known) for f in formulas)


def test_what_is_left_out_has_no_model() -> None:
    s = TermStore.raw()
    a, b, i = s.var("a", ARRAY), s.var("b", ARRAY), s.var("i", WORD)
    solver = ReadsWrittenOut(make_solver([Kind.BITVEC], "check", "sat"))
    solver.add(s.eq(s.select(a, i), s.bv(1, 2)))
    assert solver.check([]) is SAT
    solver.add(s.eq(a, b))
    assert solver.check([]) is UNKNOWN
    assert solver.check([s.eq(s.select(a, i), s.bv(2, 2))]) is UNSAT
