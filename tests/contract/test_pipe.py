"""What only a solver in another process can get wrong: its death, its absence, its nonsense, odd
names.
"""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from obligato.errors import SolverFailure
from obligato.smt import SAT, UNSAT
from obligato.smt.pipe import PipeSolver
from obligato.terms import BOOL, INT, REAL, ArrayValue, TermStore, array
from tests.contract.backends import PIPE, maker


def piped() -> PipeSolver:
    solver = maker(PIPE)()
    assert isinstance(solver, PipeSolver)
    return solver


@pytest.mark.parametrize("command", [["no-such-solver-anywhere"], ["true"]])
def test_a_command_that_is_no_solver_is_a_failure(command: list[str]) -> None:
    with pytest.raises(SolverFailure):
        PipeSolver(command)


def test_nonsense_is_a_failure() -> None:
    with pytest.raises(SolverFailure, match="cannot be read"):
        PipeSolver(["sh", "-c", "while read line; do echo ')'; done"])


def test_an_error_about_a_formula_is_not_overlooked() -> None:
    """print-success is off, so an error comes before the answer of the next check."""
    s = TermStore()
    solver = piped()
    solver._script.append("(assert (= undeclared 1))")
    solver.add(s.var("p", BOOL))
    with pytest.raises(SolverFailure, match="undeclared"):
        solver.check()
    solver.close()


def test_a_death_is_a_failure_and_the_next_check_starts_anew() -> None:
    s = TermStore()
    p = s.var("p", BOOL)
    solver = piped()
    solver.add(p)
    assert solver.check() is SAT
    assert solver._process is not None
    os.kill(solver._process.pid, 9)
    with pytest.raises(SolverFailure, match="status -9"):
        solver.check()
    assert solver.check([s.not_(p)]) is UNSAT
    solver.close()


def test_close_ends_the_process() -> None:
    solver = piped()
    assert solver._process is not None
    pid = solver._process.pid
    solver.close()
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_odd_names_and_values_survive() -> None:
    s = TermStore()
    x, n, a = s.var("x y", REAL), s.var("let", INT), s.var("#a", array(INT, INT))
    solver = piped()
    solver.add(s.eq(s.mul(s.real(3), x), s.real(-2)))
    solver.add(s.eq(n, s.int_(-(10**30))))
    solver.add(s.eq(s.select(a, n), s.int_(7)))
    assert solver.check([s.var("p q", BOOL), s.not_(s.var("p q", BOOL))]) is UNSAT
    assert len(solver.core()) == 2
    assert solver.check() is SAT
    model = solver.model_of([x, n, a])
    assert model[x] == Fraction(-2, 3)
    assert model[n] == -(10**30)
    value = model[a]
    assert isinstance(value, ArrayValue)
    assert value.get(-(10**30)) == 7
    solver.close()
