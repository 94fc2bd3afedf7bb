"""Core minimisation: a subset in order, unsat, minimal; budgets and UNKNOWN only make it larger."""

from hypothesis import given
from hypothesis import strategies as st

from obligato.smt import SAT, UNSAT
from obligato.smt.cores import minimise
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import INT, Term, TermStore

STORE = TermStore()
CONTEXT = Z3Context()
VARS = [STORE.var(n, INT) for n in "abc"]


def differences() -> st.SearchStrategy[Term]:
    pairs = st.permutations(VARS).map(lambda p: (p[0], p[1]))
    return st.builds(lambda p, k: STORE.le(STORE.sub(*p), STORE.int_(k)), pairs, st.integers(-3, 1))


@given(st.lists(differences(), min_size=3, max_size=10, unique=True))
def test_minimal_core(assumptions: list[Term]) -> None:
    solver = Z3Solver(CONTEXT)
    # assumptions: sat: nothing to minimise
    if solver.check(assumptions) is not UNSAT:
        return
    core = minimise(solver, assumptions)
    assert core == [a for a in assumptions if a in core]
    # core: unsat: it is one
    assert solver.check(core) is UNSAT
    for c in core:
        # core without one: sat: it is minimal
        assert solver.check([d for d in core if d is not c]) is SAT
    assert minimise(Z3Solver(CONTEXT), assumptions) == minimise(Z3Solver(CONTEXT), assumptions)


def test_first_assumptions_go_first() -> None:
    a = VARS[0]
    bounds = [STORE.ge(a, STORE.int_(k)) for k in (5, 4, 3)] + [STORE.le(a, STORE.int_(2))]
    assert minimise(Z3Solver(CONTEXT), bounds) == bounds[2:]


def test_no_checks_allowed_keeps_everything() -> None:
    a = VARS[0]
    bounds = [STORE.ge(a, STORE.int_(k)) for k in (5, 4)] + [STORE.le(a, STORE.int_(2))]
    assert minimise(Z3Solver(CONTEXT), bounds, max_checks=0) == bounds
    assert minimise(Z3Solver(CONTEXT), bounds, max_checks=1) == bounds[1:]


def test_formulas_alone_unsat() -> None:
    solver = Z3Solver(CONTEXT)
    solver.add(STORE.false)
    assert minimise(solver, [STORE.le(VARS[0], STORE.int_(k)) for k in range(3)]) == []
