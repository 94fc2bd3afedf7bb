"""Projection: the model satisfies the result, the result implies the existential, and equals it
where `exact` says so.

Over finite sorts the existential is written out value by value; over Int and Real z3 decides it.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.smt import SAT, UNSAT
from obligato.smt.implicant import implicant
from obligato.smt.projection import Projection, project
from obligato.smt.projection.qe import eliminate, eliminate_by_z3
from obligato.smt.projection.z3_terms import Z3Bridge
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import (
    BOOL,
    INT,
    REAL,
    ArrayValue,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    array,
    bitvec,
    evaluate,
    floating,
    free_vars,
    substitute,
)

STORE = TermStore()
CONTEXT = Z3Context()
BV3, FLOAT = bitvec(3), floating(2, 3)
TABLE = array(bitvec(1), bitvec(2))
I = [STORE.var(f"i{n}", INT) for n in range(4)]  # noqa: E741
R = [STORE.var(f"r{n}", REAL) for n in range(4)]
B = [STORE.var(f"b{n}", BV3) for n in range(3)]
F = [STORE.var(f"f{n}", FLOAT) for n in range(3)]
T = [STORE.var(f"t{n}", TABLE) for n in range(2)]
K = [STORE.var(f"k{n}", bitvec(1)) for n in range(2)]
E = [STORE.var(f"e{n}", bitvec(2)) for n in range(2)]


def make() -> Z3Solver:
    return Z3Solver(CONTEXT)


def model_of(cube: Sequence[Term]) -> dict[Term, Value] | None:
    solver = make()
    # the cube: sat: a model to project
    return solver.model_of(free_vars(*cube)) if solver.check(cube) is SAT else None


def unsat(*formulas: Term) -> bool:
    solver = make()
    # the formulas: unsat: as claimed
    return solver.check(formulas) is UNSAT


# -- what must hold --------------------------------------------------------------------------------

Check = Callable[[Term, Sequence[Term], Term, bool], None]


def by_quantifier(logic: str) -> Check:
    """z3 decides; where it gives up (mod and div under quantifiers are hard), a few points of the
    result are tried.
    """

    def check(cube: Term, gone: Sequence[Term], result: Term, exact: bool) -> None:
        by_points(cube, gone, result)
        if exact:
            by_points(result, [], cube)
        bridge = Z3Bridge(STORE)
        exists = z3.Exists(bridge.exprs(gone), bridge.expr(cube))
        claims = [(bridge.expr(result), z3.Not(exists))] + [
            (exists, z3.Not(bridge.expr(result)))
        ] * exact
        for claim in claims:
            solver = z3.SolverFor(logic, ctx=bridge.ctx)
            solver.set("rlimit", 60_000)
            solver.add(*claim)
            # result and not exists (or the reverse): unsat: the implication holds; sat: it does not
            assert solver.check() != z3.sat

    return check


def by_points(cube: Term, gone: Sequence[Term], result: Term) -> None:
    """Some states of the result have a value for `gone` that satisfies the cube."""
    finder, kept = make(), [v for v in free_vars(cube, result) if v not in gone]
    finder.add(result)
    for _ in range(3):
        # result and none of the points before: sat: another point
        if finder.check() is not SAT:
            return
        values = finder.model_of(kept)
        point = {v: STORE.const(values.get(v, 0), v.sort) for v in kept}
        # the cube at this point: unsat: it is no state of the existential
        assert make().check([substitute(cube, point)]) is not UNSAT
        finder.add(STORE.any_of(STORE.ne(v, k) for v, k in point.items()))


def values(sort: Sort) -> Iterable[Value]:
    if sort is TABLE:
        return (ArrayValue(p, {1: q}) for p, q in itertools.product(range(4), repeat=2))
    return (False, True) if sort is BOOL else range(1 << sort.width)


def by_expansion(cube: Term, gone: Sequence[Term], result: Term, exact: bool) -> None:
    cases = [cube]
    for x in gone:
        constants = list(dict.fromkeys(literal_of(v, x.sort) for v in values(x.sort)))
        cases = [substitute(c, {x: k}) for c in cases for k in constants]
    exists = STORE.any_of(cases)
    assert unsat(result, STORE.not_(exists))
    if exact:
        assert unsat(exists, STORE.not_(result))


def literal_of(value: Value, sort: Sort) -> Term:
    if isinstance(value, ArrayValue):
        base = STORE.const_array(sort, STORE.bv(int(str(value.get(0))), 2))
        return STORE.store(base, STORE.bv(1, 1), STORE.bv(int(str(value.get(1))), 2))
    if sort is FLOAT:
        assert isinstance(value, int)
        return STORE.mk(Op.FP_FROM_BITS, (STORE.bv(value, sort.width),), sort)
    return STORE.const(value, sort)


def judge(cube: list[Term], gone: Sequence[Term], check: Check) -> Projection | None:
    model = model_of(cube)
    if model is None:
        return None
    projection = project(cube, gone, model)
    assert all(evaluate(c, model) is True for c in projection.literals)
    assert not any(x in free_vars(*projection.literals) for x in gone)
    assert all(c.is_literal for c in projection.literals)
    check(STORE.all_of(cube), gone, STORE.all_of(projection.literals), projection.exact)
    assert projection == project(cube, gone, model)
    return projection


# -- random cubes ----------------------------------------------------------------------------------


def sums(names: list[Term], coefficients: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    monomial = st.builds(STORE.mul, coefficients, st.sampled_from(names))
    return st.builds(STORE.add, monomial, monomial, coefficients)


def comparisons(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    atoms = [st.builds(f, terms, terms) for f in (STORE.le, STORE.lt, STORE.eq, STORE.ne)]
    return st.one_of(atoms[0], atoms[1], *atoms)


def int_literals() -> st.SearchStrategy[Term]:
    linear = sums(I, st.integers(-3, 3).map(STORE.int_))
    divisor = st.sampled_from([2, 3, 4, -3]).map(STORE.int_)
    divided = st.builds(STORE.mod, linear, divisor) | st.builds(STORE.idiv, linear, divisor)
    residues = st.builds(
        lambda t, n, r: STORE.eq(STORE.mod(t, n), STORE.int_(r)), linear, divisor, st.integers(0, 1)
    )
    return st.one_of(
        comparisons(linear), comparisons(linear), residues, st.builds(STORE.le, divided, linear)
    )


def real_literals() -> st.SearchStrategy[Term]:
    coefficients = st.sampled_from([Fraction(k, 2) for k in (-4, -2, 0, 1, 2, 6)])
    return comparisons(sums(R, coefficients.map(STORE.real)))


def bitvec_literals() -> st.SearchStrategy[Term]:
    leaves = st.sampled_from(B) | st.integers(0, 7).map(lambda k: STORE.bv(k, 3))
    operators = st.sampled_from([Op.BVADD, Op.BVMUL, Op.BVXOR, Op.BVAND, Op.BVSUB])
    terms = (
        leaves
        | leaves
        | st.builds(lambda op, p, q: STORE.mk(op, (p, q)), operators, leaves, leaves)
    )
    relations = st.sampled_from([Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSLE, Op.EQ])
    atoms = st.builds(lambda op, p, q: STORE.mk(op, (p, q)), relations, terms, terms)
    wide = st.builds(
        lambda p, q: STORE.eq(STORE.sign_ext(p, 2), STORE.zero_ext(q, 2)), terms, terms
    )
    joined = st.builds(lambda p, q: STORE.eq(STORE.concat(p, q), STORE.concat(q, p)), leaves, terms)
    return st.one_of(atoms, atoms.map(STORE.not_), wide, joined)


def float_literals() -> st.SearchStrategy[Term]:
    leaves = st.sampled_from(F)
    terms = leaves | st.builds(lambda p: STORE.mk(Op.FP_NEG, (p,)), leaves)
    relations = st.sampled_from([Op.FP_LE, Op.FP_LT, Op.FP_EQ, Op.EQ])
    atoms = st.builds(lambda op, p, q: STORE.mk(op, (p, q)), relations, terms, terms)
    return st.one_of(
        atoms, atoms.map(STORE.not_), st.builds(lambda p: STORE.mk(Op.FP_IS_NEG, (p,)), terms)
    )


def array_literals() -> st.SearchStrategy[Term]:
    tables = st.sampled_from(T)
    written = tables | st.builds(STORE.store, tables, st.sampled_from(K), st.sampled_from(E))
    read = st.builds(STORE.select, written, st.sampled_from(K))
    atoms = st.one_of(
        st.builds(STORE.eq, written, written),
        st.builds(STORE.eq, read, st.sampled_from(E)),
        st.builds(STORE.eq, read, read),
        st.builds(lambda p, q: STORE.mk(Op.BVULT, (p, q)), read, st.sampled_from(E)),
    )
    return st.one_of(atoms, atoms.map(STORE.not_))


def cubes(literals: st.SearchStrategy[Term], most: int = 5) -> st.SearchStrategy[list[Term]]:
    return st.lists(literals, min_size=1, max_size=most)


@given(cubes(int_literals()))
@settings(max_examples=100)
def test_integers(cube: list[Term]) -> None:
    judge(cube, I[:1], by_quantifier("LIA"))
    judge(cube, I[:2], by_quantifier("LIA"))


@given(cubes(real_literals(), 6))
def test_reals(cube: list[Term]) -> None:
    judge(cube, R[:2], by_quantifier("LRA"))


@given(cubes(bitvec_literals()))
def test_bitvectors(cube: list[Term]) -> None:
    judge(cube, B[:1], by_expansion)
    judge(cube, B[:2], by_expansion)


@given(cubes(float_literals(), 3))
@settings(max_examples=30)
def test_floats(cube: list[Term]) -> None:
    judge(cube, F[:1], by_expansion)


@given(cubes(array_literals(), 4))
def test_arrays(cube: list[Term]) -> None:
    judge(cube, T[:1], by_expansion)
    judge(cube, [T[0], K[0], E[0]], by_expansion)


# -- cases worth a name ----------------------------------------------------------------------------


def n(k: int) -> Term:
    return STORE.int_(k)


def test_bounds_meet() -> None:
    x, y, z, _ = I
    projection = project([STORE.le(y, x), STORE.le(x, z)], [x], {x: 3, y: 2, z: 5})
    assert projection == Projection((STORE.le(y, z),), True)


def test_two_lower_bounds_are_one_disjunct() -> None:
    x, y, z, w = I
    cube = [STORE.le(y, x), STORE.le(w, x), STORE.le(x, z), STORE.le(x, n(100))]
    projection = project(cube, [x], {x: 3, y: 2, z: 5, w: 1})
    assert set(projection.literals) == {STORE.le(w, y), STORE.le(y, z), STORE.le(y, n(100))}
    assert not projection.exact


def test_coefficient_of_an_equality_becomes_a_divisor() -> None:
    x, y, z, _ = I
    projection = project([STORE.eq(STORE.mul(n(3), x), y), STORE.le(x, z)], [x], {x: 2, y: 6, z: 2})
    assert projection == Projection(
        (STORE.eq(STORE.mod(y, n(3)), n(0)), STORE.le(y, STORE.mul(n(3), z))), True
    )


def test_unbounded_variable_leaves_the_divisor() -> None:
    x, y, _, _ = I
    cube = [
        STORE.eq(STORE.mod(STORE.add(STORE.mul(n(2), x), y), n(4)), n(1)),
        STORE.ne(x, y),
        STORE.le(x, n(7)),
    ]
    projection = project(cube, [x], {x: 0, y: 1})
    assert projection == Projection((STORE.eq(STORE.mod(STORE.add(y, n(-1)), n(2)), n(0)),), True)


def test_open_interval_ignores_disequalities() -> None:
    x, y, z, _ = R
    projection = project(
        [STORE.lt(x, y), STORE.lt(z, x), STORE.ne(x, STORE.real(1))],
        [x],
        {x: 2, y: 3, z: Fraction(0)},
    )
    assert projection == Projection((STORE.lt(z, y),), True)


def test_nonlinear_falls_back_on_the_value() -> None:
    x, y, z, _ = I
    projection = project([STORE.le(STORE.mul(x, y), z)], [x], {x: 2, y: 3, z: 6})
    assert projection == Projection((STORE.le(STORE.mul(n(2), y), z),), False)


def test_nonlinear_divisibility_falls_back_on_the_value() -> None:
    x, y, _, _ = I
    cube = [STORE.eq(STORE.mod(STORE.mul(x, y), n(3)), n(0))]
    assert project(cube, [x], {x: 2, y: 3}).literals == (
        STORE.eq(STORE.mod(STORE.mul(n(2), y), n(3)), n(0)),
    )


def test_odd_coefficient_is_solved() -> None:
    x, y, z = B
    cube = [STORE.eq(STORE.mk(Op.BVMUL, (STORE.bv(3, 3), x)), y), STORE.mk(Op.BVULT, (x, z))]
    projection = project(cube, [x], {x: 1, y: 3, z: 2})
    assert projection == Projection(
        (STORE.mk(Op.BVULT, (STORE.mk(Op.BVMUL, (STORE.bv(3, 3), y)), z)),), True
    )


def test_boolean_structure_in_the_cube_ends_exactness() -> None:
    x, y, _, _ = I
    p = STORE.var("p", BOOL)
    projection = project([STORE.or_(p, STORE.le(x, y))], [x], {p: True, x: 1, y: 0})
    assert projection == Projection((p,), False)


def test_nothing_to_do() -> None:
    x, y, _, _ = I
    assert project([], [x], {}) == Projection((), True)
    assert project([STORE.le(y, n(0))], [x], {y: 0}) == Projection((STORE.le(y, n(0)),), True)


# -- quantifier elimination ------------------------------------------------------------------------


@given(st.lists(cubes(int_literals(), 3), min_size=1, max_size=3))
@settings(max_examples=40)
def test_elimination_of_integers(cases: list[list[Term]]) -> None:
    formula = STORE.any_of(STORE.all_of(c) for c in cases)
    result = eliminate(formula, I[:1], make)
    if result is not None:
        by_quantifier("LIA")(formula, I[:1], result, True)


@given(st.lists(cubes(real_literals(), 4), min_size=1, max_size=3))
@settings(max_examples=40)
def test_elimination_of_reals(cases: list[list[Term]]) -> None:
    formula = STORE.any_of(STORE.all_of(c) for c in cases)
    result, precise = eliminate(formula, R[:2], make), eliminate_by_z3(formula, R[:2])
    assert result is not None
    by_quantifier("LRA")(formula, R[:2], result, True)
    assert precise is not None
    assert unsat(STORE.xor(result, precise))


@given(st.lists(cubes(bitvec_literals(), 3), min_size=1, max_size=2))
@settings(max_examples=30)
def test_elimination_of_bitvectors(cases: list[list[Term]]) -> None:
    formula = STORE.any_of(STORE.all_of(c) for c in cases)
    result = eliminate(formula, B[:1], make)
    assert result is not None
    by_expansion(formula, B[:1], result, True)


def test_elimination_gives_up_at_its_limit() -> None:
    x, y, _, _ = I
    formula = STORE.or_(*[STORE.and_(STORE.eq(x, n(k)), STORE.eq(y, n(3 * k))) for k in range(5)])
    assert eliminate(formula, [x], make, max_disjuncts=3) is None
    assert eliminate(formula, [x], make, max_disjuncts=5) is not None


@pytest.mark.parametrize("variables", [[], I[2:3]])
def test_elimination_of_nothing(variables: list[Term]) -> None:
    formula = STORE.le(I[0], I[1])
    assert eliminate(formula, variables, make) is formula
    assert eliminate_by_z3(formula, variables) is formula


def test_implicants_are_projected_as_they_are() -> None:
    x, y, z, _ = I
    formula = STORE.and_(
        STORE.eq(y, STORE.ite(STORE.le(x, n(0)), z, STORE.add(z, n(1)))), STORE.le(n(1), x)
    )
    model: dict[Term, Value] = {x: 4, y: 1, z: 0}
    projection = project(implicant(formula, model), [x], model)
    assert projection == Projection((STORE.eq(y, STORE.add(z, n(1))),), True)


# -- integers and reals together -------------------------------------------------------------------


def test_an_integer_below_reals_is_bounded_by_floors() -> None:
    x, r, q = I[0], R[0], R[1]
    cube = [STORE.le(STORE.to_real(x), r), STORE.lt(q, STORE.to_real(x))]
    projection = project(cube, [x], {x: 2, r: Fraction(5, 2), q: Fraction(1, 2)})
    assert projection.exact
    assert projection.literals == (STORE.lt(STORE.to_int(q), STORE.to_int(r)),)
    assert projection.removed["value"] == 0


def test_integers_that_are_compared_as_reals_are_multiplied_out() -> None:
    x, y, z, _ = I
    half = STORE.mul(STORE.real(Fraction(1, 2)), STORE.to_real(x))
    cube = [STORE.le(half, STORE.to_real(y)), STORE.le(z, x)]
    assert project(cube, [x], {x: 2, y: 1, z: 0}) == Projection(
        (STORE.le(z, STORE.mul(n(2), y)),), True
    )


def test_a_real_below_a_floor_is_freed() -> None:
    r, y = R[0], I[0]
    cube = [STORE.eq(STORE.to_int(r), y), STORE.lt(r, STORE.real(Fraction(7, 2)))]
    projection = project(cube, [r], {r: Fraction(5, 2), y: 2})
    assert projection == Projection((STORE.lt(STORE.to_real(y), STORE.real(Fraction(7, 2))),), True)
