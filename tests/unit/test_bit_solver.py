"""Clauses for one question only, in all SAT solvers that answer questions about bits."""

import pytest

from obligato.smt import SAT, UNSAT, SolverStats, bit_solver
from obligato.smt.bit_solver import BitSolver
from obligato.smt.blast import BlastContext
from obligato.smt.relevant import Relevant
from obligato.smt.sat_backend import DEFAULT_ENGINE, HARD_ENGINE, RELEVANT

ENGINES = [DEFAULT_ENGINE, HARD_ENGINE, *([] if Relevant is None else [RELEVANT])]


def made(engine: str) -> tuple[BitSolver, list[int]]:
    """A solver that knows  a or b,  and the literals of a, b and of  a and b."""
    context = BlastContext()
    a, b = context.gates.input(), context.gates.input()
    solver = BitSolver(SolverStats(), context, engine)
    literals = [solver.load(x) for x in (a, b, context.gates.and_(a, b))]
    solver.add_clause(literals[:2])
    return solver, literals


@pytest.mark.parametrize("engine", ENGINES)
def test_a_clause_for_one_question_is_gone_after_it(engine: str) -> None:
    solver, (a, b, both) = made(engine)
    for _ in range(3):
        assert solver.solve([-a], "test", [-b, both]) is UNSAT and -a in solver.failed()
        assert solver.solve([-a], "test") is SAT and solver.model()[b] > 0
        assert solver.solve([], "test", [both]) is SAT and solver.model()[a] > 0
    assert solver.questions == 9


@pytest.mark.parametrize("engine", ENGINES)
def test_the_empty_clause_is_false_and_the_same_clause_may_come_again(engine: str) -> None:
    solver, (a, b, _) = made(engine)
    nothing: list[int] = []
    clause = [-a]
    assert solver.solve([], "test", nothing) is UNSAT and not {a, b, -a, -b} & solver.failed()
    assert [solver.solve([x], "test", clause) for x in (a, b, -b)] == [UNSAT, SAT, UNSAT]
    assert solver.solve([a], "test") is SAT


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hard_question_takes_its_clause_to_the_second_solver(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bit_solver, "PATIENCE", 5)
    context, holes = BlastContext(), 7
    # pigeons in holes, one more than these
    gates = [[context.gates.input() for _ in range(holes)] for _ in range(holes + 1)]
    solver = BitSolver(SolverStats(), context, engine)
    at = [[solver.load(x) for x in row] for row in gates]
    for p, row in enumerate(at):
        for q in range(p):
            for x, y in zip(row, at[q], strict=True):
                solver.add_clause((-x, -y))
    for row in at[:-1]:
        solver.add_clause(row)
    for _ in range(2):
        assert solver.solve([], "test", at[-1]) is UNSAT
        assert solver.solve([at[0][0]], "test") is SAT and solver.model()[at[0][0]] > 0
