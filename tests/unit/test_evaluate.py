"""Evaluation: interpreted and compiled terms mean what `terms.semantics` says, and what is kept for
them is bounded.
"""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.terms import (
    BOOL,
    INT,
    ArrayValue,
    Op,
    Term,
    TermStore,
    array,
    bitvec,
    default_value,
    evaluate,
    free_vars,
    postorder,
)
from obligato.terms import compiled as programs
from obligato.terms.semantics import apply
from tests.termgen import SORTS, TermGen, random_value

randoms = st.randoms(use_true_random=False)


def _reference(root: Term, values: dict[Term, Any]) -> Any:
    """Every subterm by `apply`, without laziness."""
    done: dict[Term, Any] = {}
    for t in postorder((root,)):
        if t.args:
            done[t] = apply(t, [done[a] for a in t.args])
        else:
            done[t] = t.data if t.op is Op.CONST else values.get(t, default_value(t.sort))
    return done[root]


@settings(max_examples=250)
@given(randoms, st.booleans(), st.integers(1, 4))
def test_compiled_means_the_same(rng: Random, raw: bool, depth: int) -> None:
    """The first evaluations are interpreted, the later ones compiled; some variables are left open,
    some memos reused.
    """
    s = TermStore.raw() if raw else TermStore()
    t = TermGen(rng, s).term(rng.choice(SORTS), depth)
    for _ in range(programs.OFTEN + 4):
        values = {v: random_value(rng, v.sort) for v in free_vars(t) if rng.random() < 0.8}
        memo: dict[Term, Any] = {}
        expected = _reference(t, values)
        assert evaluate(t, values, rng.choice((None, memo))) == expected, (t, values)
        assert evaluate(t, values, memo) == expected, (t, values)
        assert type(evaluate(t, values, memo)) is type(expected)


@pytest.mark.parametrize("kind", ["variable", "value", "both"])
@pytest.mark.parametrize("swap", [False, True])
def test_all_shapes_of_a_binary_application(kind: str, swap: bool) -> None:
    """Variables, values and applications as arguments, on either side."""
    s = TermStore.raw()
    x, w = s.var("x", bitvec(8)), s.mk(Op.BVNOT, (s.var("y", bitvec(8)),))
    leaf = s.bv(200, 8) if kind == "value" else x
    for other in (x, s.bv(7, 8), w):
        pair = (other, leaf) if swap else (leaf, other)
        t = s.mk(Op.BVSUB, pair if kind != "both" else (w, pair[0]))
        for value in range(0, 256, 5):
            assignment = {x: value, w.args[0]: (3 * value) & 255}
            assert evaluate(t, assignment) == _reference(t, assignment)


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many terms are evaluated, programs and counters have at most LIMIT nodes and start
    again after that.
    """
    monkeypatch.setattr(programs, "LIMIT", 100)
    s = TermStore()
    x = s.var("x", INT)
    for n in range(300):
        t = s.le(s.add(x, s.var(f"y{n % 37}", INT)), s.int_(n % 7))
        assert evaluate(t, {x: n}) is (n <= n % 7)
        kept = s.programs
        assert kept._nodes + len(kept._uses) <= 100 + programs.SMALL


def test_large_terms_are_not_compiled() -> None:
    """A shared argument would be computed again and again."""
    s = TermStore.raw()
    t = s.var("x", bitvec(8))
    for _ in range(64):
        t = s.mk(Op.BVADD, (t, t))
    for _ in range(2 * programs.OFTEN):
        assert evaluate(t, {s.var("x", bitvec(8)): 1}) == 0
    assert s.programs.get(t) is None


class _Asked(dict[Term, Any]):
    """An assignment that notes what it is asked for."""

    def __init__(self, values: dict[Term, Any]) -> None:
        super().__init__(values)
        self.asked: list[Term] = []

    def get(self, key: Term, default: Any = None) -> Any:
        self.asked.append(key)
        return super().get(key, default)


def test_values_are_asked_of_variables_only_and_lazily() -> None:
    """A model that is read on demand is not asked for what does not matter."""
    s = TermStore.raw()
    p, q, r = (s.var(n, BOOL) for n in "pqr")
    t = s.ite(p, s.or_(q, r), s.and_(q, r))
    for _ in range(2 * programs.OFTEN):
        model = _Asked({p: True, q: True, r: False})
        assert evaluate(t, model) is True
        assert model.asked == [p, q]


def test_arrays_of_arrays_are_equal_however_they_are_told() -> None:
    s = TermStore.raw()
    inner = array(bitvec(1), bitvec(2))
    a, b = (s.var(n, array(INT, inner)) for n in "ab")
    values = {
        a: ArrayValue(ArrayValue(0), {5: ArrayValue(0, {0: 3})}),
        b: ArrayValue(ArrayValue(0, {}), {5: ArrayValue(3, {1: 0})}),
    }
    assert evaluate(s.eq(a, b), values) is True
    assert evaluate(s.mk(Op.DISTINCT, (a, b)), values) is False
