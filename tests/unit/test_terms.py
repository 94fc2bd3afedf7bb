"""The term store: interning, sorts, substitution, evaluation, depth; simplified terms mean what the
raw ones mean.
"""

import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.errors import InternalError
from obligato.terms import (
    BOOL,
    FLOAT32,
    INT,
    REAL,
    RM,
    ArrayValue,
    Op,
    Substitution,
    Term,
    TermStore,
    array,
    bitvec,
    conjuncts,
    evaluate,
    floating,
    free_vars,
    postorder,
    size,
    substitute,
)
from obligato.terms.printer import to_smtlib
from tests.termgen import SORTS, TermGen, random_value

randoms = st.randoms(use_true_random=False)


def _assignment(rng: Random, *roots: Term) -> dict[str, object]:
    return {v.name: random_value(rng, v.sort) for v in free_vars(*roots)}


def _value(t: Term, by_name: dict[str, object]) -> object:
    return evaluate(t, {v: by_name[v.name] for v in free_vars(t) if v.name in by_name})


@settings(max_examples=500)
@given(randoms)
def test_simplified_means_the_same(rng: Random) -> None:
    """evaluate(raw) == evaluate(simplified), and simplifying again changes nothing."""
    raw, simple = TermStore.raw(), TermStore()
    t = TermGen(rng, raw).term(rng.choice(SORTS), 4)
    u = simple.import_term(t)
    assert u.sort is t.sort
    for _ in range(4):
        values = _assignment(rng, t)
        assert _value(t, values) == _value(u, values), (t, u, values)
    for node in postorder((u,)):
        if node.args:
            assert simple.mk(node.op, node.args, node.data) is node, node
    assert raw.import_term(u) is not None
    assert simple.import_term(raw.import_term(u)) is u


@settings(max_examples=150)
@given(randoms)
def test_substitution_is_evaluation(rng: Random) -> None:
    """Substituting values for variables folds to the value; a reused Substitution agrees with a
    fresh one.
    """
    simple = TermStore()
    gen = TermGen(rng, simple)
    t = gen.term(rng.choice(SORTS), 4)
    values = {v: random_value(rng, v.sort) for v in free_vars(t)}
    mapping = {v: simple.const(x, v.sort) for v, x in values.items()}
    folded = substitute(t, mapping)
    assert folded.is_const
    assert folded is simple.const(evaluate(t, {v: c.data for v, c in mapping.items()}), t.sort)
    again = Substitution(mapping)
    assert again(t) is folded
    assert again(t) is folded


def test_substitution_is_simultaneous() -> None:
    """x and y swap."""
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    assert substitute(s.sub(x, y), {x: y, y: x}) is s.sub(y, x)
    assert Substitution({x: s.add(x, s.int_(1))})(x) is s.add(x, s.int_(1))


def test_same_literal_same_object() -> None:
    """Different spellings of one literal are one object."""
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    assert s.le(x, y) is s.ge(y, x)
    assert s.lt(x, y) is s.not_(s.le(y, x))
    assert s.lt(x, s.int_(5)) is s.le(x, s.int_(4)) is s.not_(s.ge(x, s.int_(5)))
    assert s.le(s.mul(s.int_(2), x), s.int_(5)) is s.le(x, s.int_(2))
    assert s.eq(s.add(x, s.int_(1)), y) is s.eq(s.sub(y, x), s.int_(1))
    a, b = s.var("a", bitvec(8)), s.var("b", bitvec(8))
    assert s.mk(Op.BVULE, (a, s.bv(4, 8))) is s.mk(Op.BVULT, (a, s.bv(5, 8)))
    assert s.mk(Op.BVUGT, (a, s.bv(4, 8))) is s.not_(s.mk(Op.BVULT, (a, s.bv(5, 8))))
    assert s.mk(Op.BVSGE, (a, b)) is s.mk(Op.BVSLE, (b, a))
    assert s.eq(s.mk(Op.BVADD, (a, s.bv(1, 8))), b) is s.eq(s.mk(Op.BVSUB, (b, a)), s.bv(1, 8))


def test_foreign_terms_are_refused() -> None:
    """A term of another store raises; so does a variable with two sorts, and an ill-sorted
    application.
    """
    s, other = TermStore(), TermStore()
    with pytest.raises(InternalError, match="another store"):
        s.not_(other.var("p", BOOL))
    s.var("x", INT)
    with pytest.raises(InternalError, match="has sort"):
        s.var("x", REAL)
    with pytest.raises(InternalError, match="cannot be applied"):
        s.mk(Op.BVADD, (s.bv(1, 8), s.bv(1, 9)))
    with pytest.raises(InternalError, match="cannot be applied"):
        s.extract(s.var("v", bitvec(8)), 8, 0)


def test_sorts_pickle_to_themselves() -> None:
    """Sorts stay unique."""
    for sort in [*SORTS, RM, FLOAT32, array(array(INT, BOOL), floating(5, 11))]:
        assert pickle.loads(pickle.dumps(sort)) is sort


def _deep(s: TermStore, kind: str, levels: int) -> Term:
    n, p, f, v = s.var("n", INT), s.var("p", BOOL), s.var("f", FLOAT32), s.var("v", bitvec(8))
    t: Term = {"ite": n, "bool": p, "float": f, "bv": v, "and": p}[kind]
    for i in range(levels):
        if kind == "ite":
            t = s.ite(s.le(n, s.int_(i % 7)), t, s.int_(i % 5))
        elif kind == "bool":
            t = s.eq(s.var(f"p{i % 3}", BOOL), s.or_(t, s.var(f"q{i % 3}", BOOL)))
        elif kind == "and":
            t = s.and_(t, s.var(f"p{i}", BOOL))
        elif kind == "float":
            t = (
                s.fp_abs(s.fp_neg(t))
                if not s.simplifies
                else s.fp_from_bits(s.mk(Op.BVNOT, (s.fp_to_bits(t),)), FLOAT32)
            )
        else:
            t = s.mk(Op.BVUDIV if i % 2 else Op.BVADD, (t, v))
    return t


@pytest.mark.parametrize(
    ("kind", "simplify", "levels"),
    [
        ("ite", True, 10_000),
        ("ite", False, 10_000),
        ("bool", True, 10_000),
        ("float", True, 10_000),
        ("bv", False, 10_000),
        ("and", True, 10_000),
        ("and", False, 10_000),
        pytest.param("ite", True, 100_000, marks=pytest.mark.slow),
    ],
)
def test_deep_terms(kind: str, simplify: bool, levels: int) -> None:
    """Terms deeper than any stack: building, walking, evaluating, substituting, importing and
    printing do not recurse.
    """
    s = TermStore() if simplify else TermStore.raw()
    t = _deep(s, kind, levels)
    assert size(t) > 1000
    evaluate(t, {})
    assert free_vars(t)
    first = next(iter(free_vars(t)))
    substitute(t, {first: s.fresh("z", first.sort)})
    TermStore().import_term(t)
    assert len(to_smtlib(t)) > 1000
    assert len(repr(t)) < 50_000


def test_conjuncts() -> None:
    """Nested conjunctions come apart in order."""
    s = TermStore.raw()
    p = [s.var(f"p{i}", BOOL) for i in range(4)]
    assert conjuncts(s.and_(s.and_(p[0], p[1]), s.true, s.and_(p[2], p[0]), p[3])) == p
    assert conjuncts(s.true) == []


def test_division_by_zero_is_fixed() -> None:
    """x div 0 = 0, x mod 0 = x, x / 0 = 0, in evaluation and as explicit cases."""
    for s in (TermStore(), TermStore.raw()):
        x, y = s.var("x", INT), s.var("y", INT)
        r, q = s.var("r", REAL), s.var("q", REAL)
        assert evaluate(s.idiv(x, y), {x: 7, y: 0}) == 0
        assert evaluate(s.mod(x, y), {x: 7, y: 0}) == 7
        assert evaluate(s.rdiv(r, q), {r: 7, q: 0}) == 0
        assert s.idiv(x, y).op is Op.ITE
        assert evaluate(s.idiv(x, y), {x: -7, y: 2}) == -4
        assert evaluate(s.idiv(x, y), {x: -7, y: -2}) == 4
        assert evaluate(s.mod(x, y), {x: -7, y: -2}) == 1


def test_arrays_over_finite_indices() -> None:
    """Arrays are equal as functions, also where every index is written."""
    s = TermStore()
    sort = array(bitvec(1), bitvec(4))
    full = s.store(
        s.store(s.const_array(sort, s.bv(9, 4)), s.bv(0, 1), s.bv(1, 4)), s.bv(1, 1), s.bv(2, 4)
    )
    other = s.store(s.const_array(sort, s.bv(1, 4)), s.bv(1, 1), s.bv(2, 4))
    assert s.eq(full, other) is s.true
    raw = TermStore.raw()
    a = raw.var("a", sort)
    assert evaluate(raw.eq(a, raw.import_term(other)), {a: ArrayValue(2, {0: 1})}) is True


def test_equations_of_a_counter_that_is_reset_again_and_again() -> None:
    s = TermStore()
    x, resets = s.var("x", bitvec(8)), [s.var(f"c{i}", BOOL) for i in range(2000)]
    t = x
    for c in resets:
        t = s.ite(c, s.bv(0, 8), s.mk(Op.BVADD, (t, s.bv(1, 8))))
    equation = s.eq(t, s.bv(7, 8))
    for last, value in ((1992, True), (1991, False), (None, False)):
        env = {c: i == last for i, c in enumerate(resets)} | {x: 8}
        assert evaluate(equation, env) is value
    assert evaluate(equation, dict.fromkeys(resets, False) | {x: 7 - 2000 & 255}) is True
