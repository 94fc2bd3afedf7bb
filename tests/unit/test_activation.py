"""`ActivationSolver`: what holds when, retirement, temporary formulas, and that rebuilding changes no
answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from obligato.smt import SAT, UNSAT, Solver
from obligato.smt.activation import ActivationSolver
from obligato.smt.blast import BlastContext
from obligato.smt.factory import solver_factory
from obligato.smt.sat_backend import SatSolver
from obligato.terms import BOOL, TermStore

BACKENDS = ("sat", "z3")
every_backend = pytest.mark.parametrize("backend", BACKENDS)


def maker(backend: str) -> Callable[[], Solver]:
    return solver_factory([BOOL], prefer=backend)


@every_backend
def test_a_formula_holds_while_its_literal_is_assumed(backend: str) -> None:
    s = TermStore()
    p, q = s.var("p", BOOL), s.var("q", BOOL)
    solver = ActivationSolver(s, maker(backend))
    solver.add(s.or_(p, q))
    a = solver.activate(s.not_(p))
    b = solver.activate()
    solver.add(s.not_(q), b)
    assert solver.check([a]) is SAT
    assert solver.value(q) is True
    assert solver.check([b]) is SAT
    assert solver.value(p) is True
    assert solver.check([p, a, q, b]) is UNSAT
    assert set(solver.core()) <= {p, a, q, b}
    assert solver.check() is SAT
    solver.retire(a)
    assert solver.check([p, b]) is SAT
    solver.close()


@every_backend
def test_temporary_formulas_hold_once_and_stay_out_of_the_core(backend: str) -> None:
    s = TermStore()
    p, q = s.var("p", BOOL), s.var("q", BOOL)
    solver = ActivationSolver(s, maker(backend))
    assert solver.check([q, p], temporary=[s.or_(s.not_(p), s.not_(q))]) is UNSAT
    assert solver.core() == [q, p]
    assert solver.check([q, p]) is SAT
    assert solver.check([p], temporary=[s.not_(q)]) is SAT
    assert solver.model_of([p, q]) == {p: True, q: False}
    solver.close()


def test_literals_are_used_again_only_after_a_rebuild() -> None:
    s = TermStore()
    p = s.var("p", BOOL)
    solver = ActivationSolver(s, maker("sat"), rebuild_every=10)
    for _ in range(100):
        assert solver.check([p], temporary=[s.not_(p)]) is UNSAT
    assert solver.rebuilds == 9
    literals = [name for name in s._vars if name.startswith("act!")]
    assert 10 <= len(literals) <= 12


def test_a_forgotten_formula_is_gone_after_a_rebuild() -> None:
    s = TermStore()
    p, act = s.var("p", BOOL), s.var("act", BOOL)
    solver = ActivationSolver(s, maker("sat"), rebuild_every=0)
    solver.add(p, act)
    solver.forget(p, act)
    assert solver.check([act, s.not_(p)]) is UNSAT
    solver.rebuild()
    assert solver.check([act, s.not_(p)]) is SAT


class _Lazy(SatSolver):
    """Pays off late."""

    def paid_off(self, checks: int) -> bool:
        return checks >= 25


class _Never(SatSolver):
    def paid_off(self, checks: int) -> bool:
        return False


class _Always(SatSolver):
    def paid_off(self, checks: int) -> bool:
        return True


@pytest.mark.parametrize(
    ("make", "rebuilds"), [(_Always, 24), (_Lazy, 240 // 26), (_Never, 3), (SatSolver, 24)]
)
def test_a_solver_lives_until_it_has_paid_off(make: Callable[[], Solver], rebuilds: int) -> None:
    """At least rebuild_every checks, at most eight times as many."""
    s = TermStore()
    solver = ActivationSolver(s, make, rebuild_every=10)
    for _ in range(241):
        assert solver.check([s.var("p", BOOL)]) is SAT
    assert solver.rebuilds == rebuilds


@pytest.mark.parametrize("seed", range(5))
def test_rebuilding_changes_no_answer(seed: int) -> None:
    """The same random history with a rebuild before every check, every third, and never."""
    rng = random.Random(seed)
    s = TermStore()
    xs = [s.var(f"x{i}", BOOL) for i in range(6)]
    context = BlastContext()
    solvers = [
        ActivationSolver(s, lambda: _Always(context=context), rebuild_every=n) for n in (0, 1, 3)
    ]
    live = [[f.activate() for f in solvers] for _ in range(3)]
    for _ in range(120):
        clause = s.any_of([x if rng.random() < 0.5 else s.not_(x) for x in rng.sample(xs, 2)])
        where = rng.choice(live)
        step = rng.randrange(8)
        if step == 0:
            live.remove(where)
            for f, literal in zip(solvers, where, strict=True):
                f.retire(literal)
            live.append([f.activate() for f in solvers])
        elif step < 4:
            for f, literal in zip(solvers, where, strict=True):
                f.add(clause, literal)
        else:
            temporary = [clause] if step == 4 else []
            cube = [x if rng.random() < 0.5 else s.not_(x) for x in rng.sample(xs, 2)]
            chosen = [w for w in live if rng.random() < 0.7]
            answers = [
                f.check([*(w[i] for w in chosen), *cube], temporary=temporary)
                for i, f in enumerate(solvers)
            ]
            assert len(dict.fromkeys(answers)) == 1
    assert solvers[1].rebuilds > solvers[2].rebuilds > solvers[0].rebuilds == 0
