"""Interpolants: pairs and sequences from unrolled loops, judged by z3 whatever solver made them;
what is refused and how.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.interpolation_pairs import BITS, GENERIC, Problem, Program, unroll
from obligato.errors import SolverFailure
from obligato.smt import UNSAT
from obligato.smt.interpolation import interpolate, methods, sequence_interpolants
from obligato.smt.interpolation.by_bitwuzla import by_bitwuzla
from obligato.smt.interpolation.by_projection import by_projection
from obligato.smt.interpolation.by_spacer import by_spacer
from obligato.smt.interpolation.by_templates import by_templates
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import (
    BOOL,
    INT,
    Op,
    Term,
    TermStore,
    array,
    bitvec,
    conjuncts,
    floating,
    free_vars,
    size,
)

STORE = TermStore()
CONTEXT = Z3Context()
TASKS = [(p, theory) for p in [*GENERIC, *BITS] for theory in p.domains]


def make() -> Z3Solver:
    return Z3Solver(CONTEXT)


def unsat(*formulas: Term) -> bool:
    # the formulas: unsat: as claimed
    return make().check(formulas) is UNSAT


def expect_interpolant(found: Term | None, a: Term, b: Term) -> None:
    assert found is not None
    assert all(v in free_vars(a) and v in free_vars(b) for v in free_vars(found))
    assert unsat(a, STORE.not_(found))
    assert unsat(found, b)


def expect_sequence(found: list[Term] | None, formulas: Sequence[Term]) -> None:
    assert found is not None and len(found) == len(formulas) - 1
    before = STORE.true
    for k, (formula, after) in enumerate(zip(formulas, [*found, STORE.false], strict=True), 1):
        assert unsat(before, formula, STORE.not_(after))
        left, right = free_vars(*formulas[:k]), free_vars(*formulas[k:])
        assert all(v in left and v in right for v in free_vars(after))
        before = after


def identify(task: object) -> str:
    return task.name if isinstance(task, Program) else str(task)


# -- loops -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("program", "theory"), TASKS, ids=identify)
def test_pairs(program: Program, theory: str) -> None:
    problem = unroll(STORE, program, theory, 6)
    for cut in (2, 4, 7):
        a, b = problem.pair(cut)
        expect_interpolant(interpolate(a, b), a, b)


@pytest.mark.parametrize(("program", "theory"), TASKS, ids=identify)
def test_sequences(program: Program, theory: str) -> None:
    formulas = unroll(STORE, program, theory, 4).formulas
    expect_sequence(sequence_interpolants(formulas), formulas)


LONG = [
    ("bounded", "lia"),
    ("up_down", "lia"),
    ("clocks", "lra"),
    ("average", "lra"),
    ("double", "bv"),
    ("saturate", "bv"),
]


@pytest.mark.parametrize(("name", "theory"), LONG)
def test_long_sequences(name: str, theory: str) -> None:
    formulas = named(name, theory, 18).formulas
    found = sequence_interpolants(formulas)
    expect_sequence(found, formulas)
    assert found is not None
    assert max(map(size, found)) < 100


@pytest.mark.slow
@pytest.mark.parametrize(("program", "theory"), TASKS, ids=identify)
def test_all_long_sequences(program: Program, theory: str) -> None:
    formulas = unroll(STORE, program, theory, 18).formulas
    expect_sequence(sequence_interpolants(formulas), formulas)


def named(name: str, theory: str, steps: int) -> Problem:
    return unroll(STORE, next(p for p in [*GENERIC, *BITS] if p.name == name), theory, steps)


# -- each method alone -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "theory"), [("bounded", "lia"), ("drift", "lia"), ("modulo", "lia"), ("clocks", "lra")]
)
def test_projection_and_spacer_on_arithmetic(name: str, theory: str) -> None:
    a, b = named(name, theory, 5).pair(3)
    p = methods.problem(a, b, make, None)
    expect_interpolant(by_projection(a, b, p.shared, make, rounds=100, budget=None), a, b)
    expect_interpolant(by_spacer(a, b, p.shared, None), a, b)


@pytest.mark.parametrize("name", ["lockstep", "countdown", "choice", "low_bit"])
def test_every_method_on_bitvectors(name: str) -> None:
    a, b = named(name, "bv", 4).pair(2)
    p = methods.problem(a, b, make, None)
    expect_interpolant(by_bitwuzla(a, b, None), a, b)
    expect_interpolant(by_templates(a, b, p.shared, make, budget=None), a, b)
    for found in (
        by_spacer(a, b, p.shared, 200_000),
        by_projection(a, b, p.shared, make, rounds=5, budget=None),
    ):
        if found is not None:
            expect_interpolant(found, a, b)


def test_projection_finds_the_relation() -> None:
    x, y, z, w = (STORE.var(n, INT) for n in "xyzw")
    a = STORE.and_(STORE.le(y, z), STORE.le(z, x))
    b = STORE.and_(STORE.lt(x, w), STORE.lt(w, y))
    assert interpolate(a, b) is STORE.le(y, STORE.add(x, STORE.int_(1)))


def test_projection_finds_the_divisor() -> None:
    x, y, z = (STORE.var(n, INT) for n in "xyz")
    a = STORE.eq(x, STORE.mul(STORE.int_(2), y))
    b = STORE.eq(x, STORE.add(STORE.mul(STORE.int_(2), z), STORE.int_(1)))
    found = interpolate(a, b)
    expect_interpolant(found, a, b)


def test_templates_find_order_and_range() -> None:
    formulas = named("choice", "bv", 8).formulas
    expect_sequence(sequence_interpolants(formulas), formulas)


# -- corners ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("theory", ["lia", "bv"])
def test_one_side_alone_is_unsat(theory: str) -> None:
    p, q = STORE.var("p", BOOL), STORE.var("q", BOOL)
    x = STORE.var("n", INT) if theory == "lia" else STORE.var("m", bitvec(8))
    never = STORE.and_(STORE.eq(x, STORE.const(1, x.sort)), STORE.eq(x, STORE.const(2, x.sort)))
    some = STORE.or_(p, q)
    assert interpolate(never, some) is STORE.false
    assert interpolate(some, never) is STORE.true
    assert interpolate(STORE.and_(p, some), STORE.not_(p)) is p


def test_satisfiable_pair_has_none() -> None:
    for sort in (INT, bitvec(8)):
        x, one = STORE.var(f"sat!{sort}", sort), STORE.const(1, sort)
        assert interpolate(STORE.eq(x, one), STORE.eq(x, one)) is None
        assert sequence_interpolants([STORE.eq(x, one), STORE.true, STORE.eq(x, one)]) is None


def test_short_sequences() -> None:
    x = STORE.var("n", INT)
    assert sequence_interpolants([STORE.false]) == []
    assert sequence_interpolants([STORE.le(x, STORE.int_(0))]) is None


def test_arrays() -> None:
    table = array(bitvec(8), bitvec(8))
    t, u = STORE.var("t", table), STORE.var("u", table)
    i, j, k = (STORE.var(n, bitvec(8)) for n in ("i", "j", "k"))
    a = STORE.and_(STORE.eq(u, STORE.store(t, i, k)), STORE.eq(k, STORE.bv(7, 8)), STORE.eq(i, j))
    b = STORE.eq(STORE.select(u, j), STORE.bv(3, 8))
    expect_interpolant(interpolate(a, b), a, b)


def test_floats_by_projection() -> None:
    sort = floating(3, 4)
    x, y, z = (STORE.var(f"float!{n}", sort) for n in "xyz")
    le, lt = Op.FP_LE, Op.FP_LT
    a = STORE.and_(STORE.mk(lt, (x, y)), STORE.mk(le, (y, z)))
    b = STORE.mk(Op.FP_EQ, (x, z))
    found = interpolate(a, b, make=make)
    if found is not None:
        expect_interpolant(found, a, b)


def test_budget_ends_the_search() -> None:
    a, b = named("drift", "lia", 8).pair(4)
    assert interpolate(a, b, make=make, budget=1) is None


def test_a_wrong_interpolant_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = named("lockstep", "lia", 3).pair(2)
    module = "obligato.smt.interpolation.verified.search"
    monkeypatch.setattr(module, lambda p, ranked: (STORE.true, None))
    with pytest.raises(SolverFailure, match="refuted"):
        interpolate(a, b)
    monkeypatch.setattr(
        module, lambda p, ranked: (STORE.le(STORE.var("alien", INT), STORE.int_(0)), None)
    )
    with pytest.raises(SolverFailure, match="alien"):
        interpolate(a, b)


def test_same_problem_same_interpolant() -> None:
    for theory in ("lia", "lra", "bv"):
        a, b = named("drift", theory, 4).pair(3)
        assert interpolate(a, b) is interpolate(a, b)


def test_shared_parts_of_conjunctions_are_opened_once() -> None:
    atoms = [STORE.var(f"atom{n}", BOOL) for n in range(100)]
    nest = STORE.and_(*atoms)
    for n in range(60):
        fresh = [STORE.var(f"nest{n}!{m}", BOOL) for m in range(2)]
        nest = STORE.and_(STORE.and_(nest, *atoms, fresh[0]), STORE.and_(nest, *atoms, fresh[1]))
    assert len(conjuncts(nest)) == 220


# -- random formulas -------------------------------------------------------------------------------

LEFT, RIGHT, BOTH = (
    [STORE.var(f"{side}{n}", INT) for n in range(2)] for side in ("left", "right", "both")
)


def cubes(names: list[Term]) -> st.SearchStrategy[Term]:
    monomials = st.builds(
        lambda k, v: STORE.mul(STORE.int_(k), v), st.integers(-2, 2), st.sampled_from(names)
    )
    atoms = st.builds(
        lambda p, q, k, op: op(STORE.add(p, q), STORE.int_(k)),
        monomials,
        monomials,
        st.integers(-3, 3),
        st.sampled_from([STORE.le, STORE.ge, STORE.eq]),
    )
    return st.builds(STORE.all_of, st.lists(atoms, min_size=1, max_size=4))


@given(*[st.lists(cubes(names + BOTH), min_size=1, max_size=3) for names in (LEFT, RIGHT)])
@settings(max_examples=60)
def test_random_pairs(left: list[Term], right: list[Term]) -> None:
    a, b = STORE.any_of(left), STORE.any_of(right)
    found = interpolate(a, b, make=make)
    if unsat(a, b):
        expect_interpolant(found, a, b)
    else:
        assert found is None
