"""The choice of backends, and logged queries that replay on other backends."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.errors import ConfigError, InputError
from obligato.smt import SAT, UNSAT
from obligato.smt.factory import (
    available_backends,
    checker_chain,
    default_backend,
    make_solver,
    solver_factory,
)
from obligato.smt.querylog import QueryLog, replay
from obligato.terms import BOOL, FLOAT64, INT, REAL, Op, Sort, TermStore, array, bitvec, floating
from tests.contract.backends import PIPE, maker

X87 = floating(15, 64)


@pytest.mark.parametrize(
    ("sorts", "engine", "checker"),
    [
        ([BOOL], "sat", "bitwuzla"),
        ([bitvec(32)], "sat", "bitwuzla"),
        ([INT], "z3", "cvc5"),
        ([REAL, INT], "z3", "cvc5"),
        ([array(bitvec(32), bitvec(8))], "bitwuzla", "bitwuzla"),
        ([array(bitvec(8), INT)], "z3", "cvc5"),
        ([FLOAT64], "bitwuzla", "bitwuzla"),
        ([bitvec(8), INT], "z3", "cvc5"),
        ([X87], "z3", "z3"),
    ],
)
def test_default_per_theory(sorts: list[Sort], engine: str, checker: str) -> None:
    assert default_backend(sorts) == engine
    assert default_backend(sorts, "check") == checker
    assert make_solver(sorts).capabilities.name.partition("-")[0] == engine


def test_the_checkers_are_independent_of_the_engine_until_the_last() -> None:
    assert checker_chain([bitvec(8)], ("sat-glucose4",)) == ["bitwuzla", "cvc5", "z3", "sat"]
    assert checker_chain([bitvec(8)], ("bitwuzla",)) == ["cvc5", "z3", "sat", "bitwuzla"]
    assert checker_chain([INT], ("z3",)) == ["cvc5", "z3"]
    assert checker_chain([X87], ("z3",)) == ["z3"]


def test_unknown_and_unfit_solvers_are_refused() -> None:
    assert available_backends() == ["sat", "z3", "bitwuzla", "cvc5"]
    with pytest.raises(ConfigError, match="unknown solver"):
        solver_factory([BOOL], prefer="magic")
    with pytest.raises(ConfigError, match="does not know"):
        solver_factory([INT], prefer="bitwuzla")
    with pytest.raises(ConfigError):
        solver_factory([BOOL], prefer="sat-magic")()


def test_logged_queries_replay_on_every_solver(tmp_path: Path) -> None:
    s = TermStore()
    x, y = s.var("x", bitvec(8)), s.var("|odd name|", bitvec(8))
    log = QueryLog(tmp_path / "log")
    solver = solver_factory([x.sort], log=log)()
    solver.add(s.eq(s.mk(Op.BVMUL, (x, y)), s.bv(77, 8)))
    assert solver.check(kind="init") is SAT
    assert solver.value(s.mk(Op.BVMUL, (x, y))) == 77
    assert solver.check([s.eq(x, s.bv(2, 8)), s.mk(Op.BVULT, (y, x))], kind="push 1") is UNSAT
    assert solver.core() == [s.eq(x, s.bv(2, 8))]
    files = sorted(log.folder.iterdir())
    assert [f.name for f in files] == ["000001-init-sat.smt2", "000002-push_1-unsat.smt2"]
    for backend in ("sat", "z3", "bitwuzla", "cvc5", PIPE):
        for file in files:
            other = maker(backend, [x.sort])()
            outcome = replay(file, other)
            assert outcome.agrees
            assert outcome.result is outcome.expected
            other.close()


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "q.smt2"
    file.write_text(
        "(set-info :status unsat)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n",
        encoding="utf-8",
    )
    assert not replay(file, make_solver([BOOL])).agrees
    file.write_text("(declare-fun p () Bool)\n(assert p)\n(check-sat)\n", encoding="utf-8")
    with pytest.raises(InputError):
        replay(file, make_solver([BOOL]))


def test_a_pipe_without_a_command_is_refused() -> None:
    with pytest.raises(ConfigError, match="needs a command line"):
        make_solver([INT], prefer="pipe:")
