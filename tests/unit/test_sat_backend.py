"""What is particular to the SAT backend: shared circuits, forms of assertions, slices, wide random
terms.

The contract that it shares with the other backends is tested in tests/contract.
"""

from __future__ import annotations

import random
from threading import Timer

import pytest

from obligato.errors import ConfigError, InternalError, Unsupported
from obligato.smt import SAT, UNKNOWN, UNSAT
from obligato.smt.blast import BlastContext
from obligato.smt.sat_backend import SatSolver
from obligato.terms import BOOL, INT, Op, Term, TermStore, Value, bitvec, evaluate
from tests.termgen import BV_BINARY

ENGINES = ("minisat22", "glucose4", "cadical153")
every_engine = pytest.mark.parametrize("engine", ENGINES)
RELATIONS = (Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSGE, Op.EQ)


def random_term(rng: random.Random, store: TermStore, variables: list[Term], depth: int) -> Term:
    """A random word over `variables`."""
    width = variables[0].width
    if depth == 0:
        interesting = rng.choice(
            (0, 1, rng.randrange(width), 1 << (width - 1), rng.getrandbits(width))
        )
        return rng.choice(variables) if rng.random() < 0.8 else store.bv(interesting, width)
    a, b = (random_term(rng, store, variables, depth - 1) for _ in range(2))
    kind = rng.randrange(8)
    if kind == 0:
        return store.ite(store.mk(rng.choice(RELATIONS), (a, b)), a, b)
    if kind == 1:
        return store.concat(store.extract(a, width - 2, 0), store.extract(b, width - 1, width - 1))
    if kind == 2:
        return store.mk(Op.BVNEG, (a,))
    return store.mk(rng.choice(BV_BINARY), (a, b))


@pytest.mark.parametrize("width", [32, 64])
def test_wide_random_terms_have_the_value_of_the_evaluator(width: int) -> None:
    rng = random.Random(width)
    for i in range(30):
        store = TermStore.raw() if i % 2 else TermStore()
        variables = [store.var(n, bitvec(width)) for n in "xyz"]
        term = random_term(rng, store, variables, 2)
        values: dict[Term, Value] = {
            v: rng.choice((rng.getrandbits(width), rng.randrange(9))) for v in variables
        }
        fixed = [store.eq(v, store.const(k, v.sort)) for v, k in values.items()]
        right = store.eq(term, store.const(evaluate(term, values), term.sort))
        solver = SatSolver(engine=ENGINES[i % 3])
        # the variables have these values and the term has the evaluator's: sat, and not so: unsat
        assert solver.check([*fixed, right]) is SAT
        assert solver.check([*fixed, store.not_(right)]) is UNSAT
        solver.close()


@every_engine
def test_models_satisfy_and_inputs_of_a_product_are_found(engine: str) -> None:
    store = TermStore()
    x, y = store.var("x", bitvec(16)), store.var("y", bitvec(16))
    formula = store.and_(
        store.eq(store.mk(Op.BVMUL, (x, y)), store.bv(12_345, 16)),
        store.mk(Op.BVULT, (x, y)),
        store.mk(Op.BVUGT, (x, store.bv(3, 16))),
    )
    solver = SatSolver(engine=engine)
    solver.add(formula)
    assert solver.check() is SAT
    assert solver.value(formula) is True
    assert evaluate(formula, solver.model_of([x, y])) is True


@every_engine
def test_every_form_of_assertion(engine: str) -> None:
    store = TermStore.raw()
    p, q = store.var("p", BOOL), store.var("q", BOOL)
    x, y = store.var("x", bitvec(4)), store.var("y", bitvec(4))
    forms = [
        store.and_(p, store.and_(q, store.not_(p))),
        store.and_(store.or_(p, q), store.not_(q), store.not_(p)),
        store.and_(store.eq(x, y), store.not_(store.eq(x, y))),
        store.not_(store.or_(p, store.not_(p))),
        store.false,
        store.and_(store.eq(x, store.bv(3, 4)), store.eq(store.bv(4, 4), x)),
        store.eq(store.bv(1, 4), store.bv(2, 4)),
        store.and_(store.implies(p, q), p, store.not_(q)),
        store.and_(store.xor(p, q), store.eq(p, q)),
    ]
    for form in forms:
        solver = SatSolver(engine=engine)
        solver.add(store.true)
        assert solver.check([p]) is SAT
        solver.add(form)
        assert solver.check([p]) is UNSAT
        assert solver.core() == []


def test_solvers_of_one_context_load_only_what_they_use() -> None:
    store, context = TermStore(), BlastContext()
    x, y, z = (store.var(n, bitvec(32)) for n in "xyz")
    first, second = SatSolver(context=context), SatSolver(context=context)
    first.add(store.eq(store.mk(Op.BVMUL, (x, y)), store.bv(77, 32)))
    second.add(store.mk(Op.BVULT, (z, store.bv(5, 32))))
    assert first.check() is SAT
    assert second.check() is SAT
    assert x not in second.model_of([x, z])
    assert z not in first.model_of([x, z])
    assert len(second._local) < 200 < len(first._local)
    second.add(store.eq(x, z))
    assert second.check() is SAT
    model = second.model_of([x, z])
    assert model[x] == model[z]


def test_a_partly_loaded_variable_has_a_value() -> None:
    store = TermStore()
    x = store.var("x", bitvec(8))
    solver = SatSolver()
    solver.add(store.eq(store.extract(x, 5, 4), store.bv(2, 2)))
    assert solver.check() is SAT
    assert solver.value(x) >> 4 & 3 == 2
    solver.add(store.eq(store.extract(x, 1, 0), store.bv(3, 2)))
    assert solver.check() is SAT
    assert solver.value(x) & 0b110011 == 0b100011


def test_assumptions_that_are_the_same_literal() -> None:
    store = TermStore.raw()
    p, q = store.var("p", BOOL), store.var("q", BOOL)
    solver = SatSolver()
    solver.add(store.not_(store.and_(p, q)))
    twice = store.not_(store.not_(p))
    assert solver.check([twice, p, q, p]) is UNSAT
    assert solver.core() == [twice, q]
    assumptions = [p, q]
    assert solver.check(assumptions) is UNSAT
    assumptions.clear()
    assert solver.core() == [p, q]


def hard(store: TermStore, engine: str) -> SatSolver:
    """A solver that would have to factor the product of two primes of 31 bits."""
    x, y = (store.zero_ext(store.var(n, bitvec(32)), 32) for n in "xy")
    solver = SatSolver(engine=engine)
    solver.add(store.eq(store.mk(Op.BVMUL, (x, y)), store.bv(1_879_048_201 * 1_610_612_741, 64)))
    solver.add(store.mk(Op.BVUGT, (x, store.bv(1, 64))))
    solver.add(store.mk(Op.BVUGT, (y, store.bv(1, 64))))
    return solver


@every_engine
def test_budget_and_interrupt_leave_the_solver_usable(engine: str) -> None:
    store = TermStore()
    solver = hard(store, engine)
    solver.interrupt()  # nothing runs: no effect
    assert solver.check(budget=0) is UNKNOWN
    assert solver.check(budget=50) is UNKNOWN
    assert solver.check(budget=2500) is UNKNOWN  # more than one slice
    timer = Timer(0.1, solver.interrupt)
    timer.start()
    assert solver.check() is UNKNOWN
    timer.join()
    with pytest.raises(InternalError):
        solver.core()
    x = store.var("x", bitvec(32))
    assert solver.check([store.eq(x, store.bv(1_610_612_741, 32))]) is SAT
    assert solver.value(store.var("y", bitvec(32))) == 1_879_048_201
    assert solver.check([store.eq(x, store.bv(1_610_612_743, 32))]) is UNSAT
    solver.close()


def test_misuse_is_refused() -> None:
    store = TermStore()
    p, i = store.var("p", BOOL), store.var("i", INT)
    with pytest.raises(ConfigError):
        SatSolver(engine="minisat23")
    solver = SatSolver()
    with pytest.raises(Unsupported):
        solver.add(store.le(i, store.int_(3)))
    assert solver.check([p]) is SAT
    solver.close()
    solver.close()
    solver.interrupt()
    for use in (lambda: solver.add(p), solver.check, lambda: solver.value(p), solver.core):
        with pytest.raises(InternalError):
            use()
