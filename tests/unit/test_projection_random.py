"""Projection on random formulas: right, with a finite image; faults in it are caught. More by
tests/fuzz/projection_run.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from obligato.smt.implicant import implicant
from obligato.smt.projection import equality, integers, reals, witness
from obligato.smt.projection.by_z3 import Z3Projection
from obligato.smt.projection.elimination import Elimination
from obligato.smt.projection.linear import Constraint, Rel
from obligato.terms import INT, REAL, Op, Term, TermStore, bitvec, evaluate
from tests.support.projections import KINDS, Case, Model, by_us, objections, random_case
from tests.support.volume import parts


@pytest.mark.parametrize("block", parts(8, 7))
def test_random_formulas(block: int) -> None:
    tally: Counter[str] = Counter()
    for seed in range(20 * block, 20 * block + 20):
        assert not list(objections(random_case(seed)[1], tally)), seed
    assert tally["implication decided"] > tally["implication not decided"]


def test_z3_projects_random_formulas() -> None:
    """Where it has an answer, and it has one most of the time."""
    answers: list[bool] = []

    def by_z3(formula: Term, gone: Any, model: Model) -> Sequence[Term]:
        found = Z3Projection(formula.store).project(implicant(formula, model), gone, model)
        answers.append(found is not None)
        return by_us(formula, gone, model) if found is None else found

    for seed in range(60):
        kind, case = random_case(seed)
        if kind in ("int", "real"):
            assert not list(objections(case, Counter(), by_z3, few=True)), seed
    assert sum(answers) > len(answers) * 0.8


def test_z3_refuses_what_it_cannot_tell() -> None:
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    z3 = Z3Projection(s)
    assert z3.project([s.le(y, s.int_(3))], [x], {y: 1}) == [s.le(y, s.int_(3))]
    assert z3.project([s.le(y, x), s.le(x, s.int_(3))], [x], {x: 2, y: 1}) == [s.le(y, s.int_(3))]
    a = s.var("a", bitvec(4))
    found = z3.project([s.mk(Op.BVULT, (a, s.bv(3, 4)))], [a], {a: 1})
    assert found is None or all(evaluate(f, {}) for f in found)


# -- deliberate faults -----------------------------------------------------------------------------

_replace, _scaled, _by_equality = integers._replace, integers._scaled, integers._by_equality
_by_bound, _bound = integers._by_bound, reals._bound
_compare, _substitute = reals._compare, reals._substitute
_invert = equality._invert


def _strict(c: Constraint) -> Constraint:
    return Constraint(Rel.LE, c.a, c.rest) if c.rel is Rel.LT else c


def _signless(x: Term, left: Term, right: Term) -> tuple[Term, Term] | None:
    """x + t = r gives x = r + t."""
    if left.op is Op.BVADD and sum(x is t for t in left.args) == 1:
        return x, x.store.mk(Op.BVADD, (right, *(t for t in left.args if t is not x)))
    return _invert(x, left, right)


FAULTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "the virtual term is off by one": (
        integers,
        "_replace",
        lambda s, cs, image, f: _replace(s, cs, (image[0], image[1] + 1), f),
    ),
    "the virtual term is not asked to be divisible": (
        integers,
        "_replace",
        lambda s, cs, image, f: _replace(s, cs, image, f)[1 if f > 1 else 0 :],
    ),
    "the residue is forgotten": (
        integers,
        "_by_bound",
        lambda x, cs, m: ([t for t in _by_bound(x, cs, m)[0] if t.op is not Op.EQ], False),
    ),
    "the modulus is not scaled": (
        integers,
        "_scaled",
        lambda c, f: Constraint(c.rel, _scaled(c, f).a, _scaled(c, f).rest, c.modulus),
    ),
    "the divisor of an equality is dropped": (
        integers,
        "_by_equality",
        lambda s, e, cs: [t for t in _by_equality(s, e, cs) if t.op is not Op.EQ],
    ),
    "the far bound does not matter": (
        integers,
        "_replace",
        lambda s, cs, image, f: _replace(s, [c for c in cs if c.a < 0], image, f),
    ),
    "strictness is lost": (reals, "_bound", lambda c, m: _bound(_strict(c), m)),
    "the other bounds are not compared": (reals, "_compare", lambda s, best, same, other, sign: []),
    "the best bound does not dominate its side": (
        reals,
        "_compare",
        lambda s, best, same, other, sign: _compare(s, best, [best], other, sign),
    ),
    "a sum is inverted with the wrong sign": (equality, "_invert", _signless),
    "a witness is not tried": (witness, "_holds", lambda *args: True),
    "disequalities of words always leave room": (
        witness,
        "_only_disequalities",
        lambda x, cs: all(c.op is Op.NOT for c in cs),
    ),
    "the value may stand for all": (
        witness,
        "_by_value",
        lambda x, cs, m: Elimination([], False, by_value=True),
    ),
}


@pytest.mark.parametrize("name", list(FAULTS))
def test_faults_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, fault = FAULTS[name]
    monkeypatch.setattr(owner, attribute, fault)
    first = KINDS.index({integers: "int", reals: "real"}.get(owner, "words"))
    cases = (random_case(seed)[1] for seed in range(first, 800, len(KINDS)))
    assert any(list(objections(case, Counter())) for case in (bounded(), divided(), *cases))


def bounded() -> Case:
    """Two bounds of a real on each side."""
    s = TermStore()
    x, a, b, c, d = (s.var(n, REAL) for n in "xabcd")
    return Case(s.and_(s.le(a, x), s.lt(b, x), s.le(x, c), s.le(x, d)), [x])


def divided() -> Case:
    """An integer with coefficients and a divisibility."""
    s = TermStore()
    x, y, z = (s.var(n, INT) for n in "xyz")
    odd = s.eq(s.mod(x, s.int_(2)), s.int_(1))
    return Case(s.and_(s.le(y, s.mul(s.int_(2), x)), s.le(s.mul(s.int_(3), x), z), odd), [x])
