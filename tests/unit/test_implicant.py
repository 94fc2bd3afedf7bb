"""Implicants: true under the model, imply the formula, no ite, deterministic, no recursion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obligato.errors import InternalError
from obligato.smt import UNSAT
from obligato.smt.implicant import implicant
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import BOOL, INT, Op, Term, TermStore, evaluate, postorder

STORE = TermStore()
CONTEXT = Z3Context()
P, Q, R = (STORE.var(n, BOOL) for n in "pqr")
X, Y = (STORE.var(n, INT) for n in "xy")


def integers() -> st.SearchStrategy[Term]:
    leaves = st.sampled_from([X, Y]) | st.integers(-3, 3).map(STORE.int_)
    atoms = st.builds(STORE.le, leaves, leaves) | st.sampled_from([P, Q, R])
    return (
        leaves | st.builds(STORE.ite, atoms, leaves, leaves) | st.builds(STORE.add, leaves, leaves)
    )


def formulas() -> st.SearchStrategy[Term]:
    atoms = (
        st.sampled_from([P, Q, R])
        | st.builds(STORE.le, integers(), integers())
        | st.builds(STORE.eq, integers(), integers())
    )

    def larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return (
            st.builds(STORE.and_, inner, inner)
            | st.builds(STORE.or_, inner, inner)
            | st.builds(STORE.not_, inner)
            | st.builds(STORE.ite, inner, inner, inner)
            | st.builds(STORE.eq, inner, inner)
            | st.builds(STORE.xor, inner, inner)
        )

    return st.recursive(atoms, larger, max_leaves=12)


def models() -> st.SearchStrategy[dict[Term, object]]:
    return st.fixed_dictionaries(
        {v: st.booleans() for v in (P, Q, R)} | {v: st.integers(-4, 4) for v in (X, Y)}
    )


@given(formulas(), models())
def test_implicant_is_a_cube_that_holds_and_implies_the_formula(
    formula: Term, model: dict[Term, object]
) -> None:
    if not evaluate(formula, model):
        formula = STORE.not_(formula)
    cube = implicant(formula, model)
    assert all(evaluate(c, model) is True and c.is_literal for c in cube)
    assert not any(t.op is Op.ITE for t in postorder(cube))
    solver = Z3Solver(CONTEXT)
    solver.add(STORE.not_(formula))
    # cube and not formula: unsat: the cube implies the formula
    assert solver.check(cube) is UNSAT
    assert cube == implicant(formula, model)


def test_a_literal_of_the_cube_is_preferred() -> None:
    formula = STORE.and_(Q, STORE.or_(P, Q))
    assert implicant(formula, {P: True, Q: True}) == [Q]


def test_ite_in_an_atom_adds_its_condition() -> None:
    formula = STORE.le(STORE.ite(P, X, Y), STORE.int_(3))
    assert implicant(formula, {P: False, Y: 2, X: 9}) == [STORE.not_(P), STORE.le(Y, STORE.int_(3))]


def test_model_must_satisfy() -> None:
    with pytest.raises(InternalError):
        implicant(P, {P: False})


def test_deep_formula_without_recursion() -> None:
    term, formula = X, P
    for i in range(5_000):
        formula = STORE.or_(
            STORE.and_(formula, STORE.le(X, STORE.int_(i))),
            STORE.and_(Q, STORE.le(Y, STORE.int_(i))),
        )
        term = STORE.ite(STORE.le(Y, STORE.int_(i)), STORE.add(term, Y), X)
    cube = implicant(STORE.and_(formula, STORE.le(term, STORE.int_(0))), {P: True, X: 0, Y: 0})
    assert len(cube) > 1
