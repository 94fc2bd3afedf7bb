"""One contract for all solver backends: what `smt.solver` promises, by capability, on random
formulas of each theory.
"""

from __future__ import annotations

import gc
import resource
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.errors import InternalError, Unsupported
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult, Solver, SolverStats
from obligato.smt.factory import supports
from obligato.terms import BOOL, Op, Term, TermStore, bitvec, evaluate, free_vars
from tests.contract.backends import BACKENDS, PIPE, every_backend, maker
from tests.contract.theories import THEORIES, Theory, formulas

every_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda t: t.name)


# -- answers ---------------------------------------------------------------------------------------


def answer(solver: Solver, lasting: Sequence[Term], assumed: Sequence[Term]) -> SatResult:
    """Ask, and hold the solver to its model or core."""
    for f in lasting:
        solver.add(f)
    result = solver.check(assumed)
    if result is SAT:
        model = solver.model_of(free_vars(*lasting, *assumed))
        assert all(
            evaluate(f, model) is True and solver.value(f) is True for f in (*lasting, *assumed)
        )
    elif result is UNSAT:
        core = solver.core()
        positions = [list(assumed).index(f) for f in core]
        assert positions == sorted(set(positions)), (
            "the core keeps the order of the assumptions, each once"
        )
        assert solver.check(core) is UNSAT
        assert set(solver.core()) <= set(core)
    return result


def check_agreement(theory: Theory, data: st.DataObject) -> None:
    """Every backend that knows the theory's sorts: their answers do not contradict each other,
    models and cores are right.
    """
    terms = data.draw(formulas(theory))
    cut = data.draw(st.integers(0, len(terms)))
    answers: dict[str, SatResult] = {}
    for backend in BACKENDS:
        if backend != PIPE and supports(backend.partition("-")[0], theory.sorts):
            solver = maker(backend, theory.sorts)()
            with suppress(Unsupported):  # cvc5: a constant array of a variable
                answers[backend] = answer(solver, terms[:cut], terms[cut:])
            solver.close()
    assert len({a for a in answers.values() if a is not UNKNOWN}) == 1, answers


@every_theory
@settings(max_examples=20)
@given(data=st.data())
def test_backends_agree_with_each_other_and_with_evaluation(
    theory: Theory, data: st.DataObject
) -> None:
    check_agreement(theory, data)


@every_theory
@settings(max_examples=5)
@given(data=st.data())
def test_a_piped_solver_agrees_with_z3(theory: Theory, data: st.DataObject) -> None:
    terms = data.draw(formulas(theory))
    cut = data.draw(st.integers(0, len(terms)))
    answers = set()
    for backend in (PIPE, "z3"):
        solver = maker(backend, theory.sorts)()
        answers.add(answer(solver, terms[:cut], terms[cut:]))
        solver.close()
    assert len(answers - {UNKNOWN}) <= 1


@every_backend
@settings(max_examples=15)
@given(data=st.data())
def test_a_grown_solver_answers_like_a_fresh_one(backend: str, data: st.DataObject) -> None:
    """Formulas are added and checked under assumptions in turn; solvers that share a translation do
    not disturb each other.
    """
    theory = next(t for t in THEORIES if t.name == "bv")
    terms = data.draw(formulas(theory))
    make = maker(backend, theory.sorts)
    grown = make()
    for i, term in enumerate(terms):
        fresh = make()
        rest = terms[i + 1 :]
        assert answer(grown, [term], rest) is answer(fresh, terms[: i + 1], rest)
        fresh.close()
    grown.close()


@every_backend
def test_cores_name_each_assumption_once_in_order(backend: str) -> None:
    s = TermStore.raw()
    p, q = s.var("p", BOOL), s.var("q", BOOL)
    solver = maker(backend)()
    for assumed in (
        [q, s.not_(q), q],
        [p, s.true, s.false],
        [s.not_(s.not_(p)), p, s.not_(p)],
        [s.and_(p, s.false)],
    ):
        assert answer(solver, [], assumed) is UNSAT
        assert solver.core()
    solver.add(s.false)
    assert answer(solver, [], [p]) is UNSAT
    assert solver.core() == []
    solver.close()


@every_backend
def test_core_and_model_belong_to_the_last_check(backend: str) -> None:
    s = TermStore()
    p = s.var("p", BOOL)
    solver = maker(backend)()
    with pytest.raises(InternalError):
        solver.value(p)
    assert solver.check([p]) is SAT
    with pytest.raises(InternalError):
        solver.core()
    solver.add(s.not_(p))
    with pytest.raises(InternalError):
        solver.value(p)
    assert solver.check([p]) is UNSAT
    with pytest.raises(InternalError):
        solver.value(p)
    solver.close()
    solver.close()


@every_backend
def test_a_term_of_another_store_is_refused(backend: str) -> None:
    solver = maker(backend)()
    solver.add(TermStore().var("p", BOOL))
    with pytest.raises(InternalError):
        solver.add(TermStore().var("p", BOOL))
    with pytest.raises(InternalError):
        solver.check([TermStore().var("q", BOOL)])
    solver.close()


@every_backend
def test_calls_are_counted_by_kind(backend: str) -> None:
    stats = SolverStats()
    make = maker(backend, stats=stats)
    for _ in range(2):
        solver = make()
        solver.check(kind="push")
        solver.close()
    assert stats.calls == {"push": 2}
    assert stats.results == {"sat": 2}


# -- limits ----------------------------------------------------------------------------------------


def pigeons(s: TermStore, under: Term, count: int = 12) -> list[Term]:
    """If `under`: `count` pigeons in one hole fewer. Unsatisfiable, and beyond what resolution can
    show in any time here.
    """
    at = [[s.var(f"at{i}_{j}", BOOL) for j in range(count - 1)] for i in range(count)]
    placed = [s.any_of(row) for row in at]
    alone = [
        s.or_(s.not_(at[i][k]), s.not_(at[j][k]))
        for k in range(count - 1)
        for i in range(count)
        for j in range(i)
    ]
    return [s.implies(under, f) for f in (*placed, *alone)]


def hard(backend: str) -> tuple[Solver, Term, Term]:
    """A solver, a literal under which it has a hard problem, and one under which it has an easy
    one.
    """
    s = TermStore()
    under, easy = s.var("hard", BOOL), s.var("easy", BOOL)
    solver = maker(backend)()
    for f in pigeons(s, under):
        solver.add(f)
    solver.add(s.or_(s.not_(easy), s.not_(under)))
    return solver, under, easy


@every_backend
def test_a_budget_ends_in_unknown_and_the_solver_goes_on(backend: str) -> None:
    solver, under, easy = hard(backend)
    if not solver.capabilities.budget:
        pytest.skip("it has no budgets")
    assert solver.check([under], budget=30) is UNKNOWN
    assert solver.check([under], budget=30) is UNKNOWN
    assert solver.check([easy]) is SAT
    assert solver.check([easy, under]) is UNSAT
    assert solver.core() == [easy, under]
    solver.close()


@every_backend
def test_an_interrupt_ends_in_unknown_and_the_solver_goes_on(backend: str) -> None:
    solver, under, easy = hard(backend)
    if not solver.capabilities.interruptible:
        pytest.skip("it cannot be interrupted")
    solver.interrupt()  # nothing runs: no effect
    assert solver.check([easy]) is SAT
    done = threading.Event()

    def knock() -> None:
        while not done.wait(0.05):  # the first knock may come before the check has begun
            solver.interrupt()

    thread = threading.Thread(target=knock)
    thread.start()
    try:
        assert solver.check([under]) is UNKNOWN
    finally:
        done.set()
        thread.join()
    assert solver.check([easy]) is SAT
    assert solver.check([easy, under]) is UNSAT
    solver.close()


# -- size ------------------------------------------------------------------------------------------


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


@pytest.mark.parametrize(
    ("backend", "count"),
    [
        *[(b, 2000) for b in BACKENDS if b not in ("cvc5", PIPE)],
        ("cvc5", 400),
        (PIPE, 30),
        pytest.param("cvc5", 2000, marks=pytest.mark.slow),
    ],
)
def test_thousands_of_solvers_leave_nothing_behind(backend: str, count: int) -> None:
    s = TermStore()
    x, y = s.var("x", bitvec(8)), s.var("y", bitvec(8))
    sums = [s.eq(s.mk(Op.BVADD, (x, y)), s.bv(i, 8)) for i in range(100)]
    make = maker(backend, [x.sort])

    def use(rounds: int) -> float:
        for i in range(rounds):
            solver = make()
            solver.add(sums[i % 100])
            assert solver.check([s.eq(x, s.bv(i, 8))]) is SAT
            solver.value(y)  # and dropped without close
        del solver
        gc.collect()
        return resident_mb()

    before = use(count // 10)
    assert use(count) - before < 20


@pytest.mark.parametrize("backend", [b for b in BACKENDS if b != PIPE])
def test_translations_end_with_their_solver(backend: str) -> None:
    s = TermStore()
    x = s.var("x", bitvec(8))

    def use(rounds: int) -> float:
        for i in range(rounds):
            solver = maker(backend, [x.sort])()
            solver.add(s.eq(s.mk(Op.BVMUL, (x, x)), s.bv(i, 8)))
            solver.check()
        del solver
        gc.collect()
        return resident_mb()

    before = use(30)
    assert use(100) - before < 20


@every_backend
def test_deep_terms(backend: str) -> None:
    """20,000 levels, which no recursion over the term survives."""
    s = TermStore.raw()
    p, x = s.var("p", BOOL), s.var("x", bitvec(3))
    formula, word = p, x
    for i in range(10_000):  # two levels each
        formula = s.not_(s.and_(formula, s.var(f"q{i % 20}", BOOL)))
        word = s.mk(Op.BVNOT, (s.mk(Op.BVXOR, (word, s.bv(i, 3))),))
    solver = maker(backend, [x.sort])()
    solver.add(s.eq(word, s.bv(3, 3)))
    solver.add(formula)
    assert solver.check() is SAT
    assert solver.value(formula) is True
    assert solver.value(word) == 3
    solver.close()


def test_two_solvers_at_once_from_two_threads() -> None:
    """Each thread has its own translation; nothing is shared between backends' instances."""
    found: list[SatResult] = []

    def work(backend: str) -> None:
        s = TermStore()
        x = s.var("x", bitvec(8))
        solver = maker(backend, [x.sort])()
        solver.add(s.eq(s.mk(Op.BVMUL, (x, x)), s.bv(49, 8)))
        found.append(solver.check())
        solver.close()

    threads = [
        threading.Thread(target=work, args=(b,)) for b in ("z3", "z3", "bitwuzla", "sat-minisat22")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [SAT] * 4
