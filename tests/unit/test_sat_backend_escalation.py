"""`EscalatingSolver`: who answers, that the second solver knows everything, and that the streams
get the same answers.
"""

from __future__ import annotations

from threading import Timer

import pytest

from benchmarks.streams import make_stream, replay
from obligato.errors import InternalError
from obligato.smt import SAT, UNKNOWN, UNSAT
from obligato.smt.blast import BlastContext
from obligato.smt.escalation import EscalatingSolver
from obligato.smt.factory import solver_factory
from obligato.smt.sat_backend import SatSolver
from obligato.smt.solver import SolverStats
from obligato.terms import BOOL, Op, TermStore, bitvec


def escalating(patience: int, stats: SolverStats | None = None) -> EscalatingSolver:
    context = BlastContext()
    return EscalatingSolver(
        SatSolver(context=context),
        lambda: SatSolver(engine="cadical153", context=context),
        patience,
        name="both",
        stats=stats,
    )


@pytest.mark.parametrize("patience", [0, 1000])
def test_core_and_model_come_from_whoever_answered(patience: int) -> None:
    s = TermStore()
    p, q, r = (s.var(n, BOOL) for n in "pqr")
    stats = SolverStats()
    solver = escalating(patience, stats)
    solver.add(s.or_(p, q))
    assert solver.check([s.not_(p)]) is SAT
    assert solver.value(q) is True
    solver.add(s.or_(s.not_(p), s.not_(q)))
    with pytest.raises(InternalError):
        solver.value(q)
    assert solver.check([r, p, q]) is UNSAT
    assert solver.core() == [p, q]
    assert solver.check([r, p]) is SAT
    assert solver.model_of([p, q, r]) == {p: True, q: False, r: True}
    assert (solver._second is None) == (patience > 0)
    assert stats.total_calls == 3
    solver.close()


def test_budget_and_interrupt_reach_the_second_solver() -> None:
    s = TermStore()
    x, y = (s.zero_ext(s.var(n, bitvec(32)), 32) for n in "xy")
    solver = escalating(100)
    solver.add(s.eq(s.mk(Op.BVMUL, (x, y)), s.bv(1_879_048_201 * 1_610_612_741, 64)))
    solver.add(s.mk(Op.BVUGT, (x, s.bv(1, 64))))
    solver.add(s.mk(Op.BVUGT, (y, s.bv(1, 64))))
    assert solver.check(budget=100) is UNKNOWN
    assert solver._second is None
    assert solver.check(budget=300) is UNKNOWN
    assert solver._second is not None
    timer = Timer(0.1, solver.interrupt)
    timer.start()
    assert solver.check() is UNKNOWN
    timer.join()
    assert solver.check([s.eq(x, s.bv(1_610_612_741, 64))]) is SAT
    solver.close()


@pytest.mark.parametrize("theory", ["bool", "bv"])
def test_streams_have_the_same_answers_everywhere(theory: str) -> None:
    stream = make_stream(theory, queries=300, seed=20)
    assert stream.queries == 300
    for make in (lambda: escalating(0), solver_factory([bitvec(32)], prefer="z3")):
        replay(stream, make)  # raises if an answer differs
