"""Equations between polynomials of words: a solver that multiplies out, and the invariants that
engines get by it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.results.outcome import Verdict
from obligato.smt import SAT, UNSAT
from obligato.smt.factory import polynomial_solver
from obligato.smt.z3_polynomials import multiplies
from obligato.terms import Op, Term, TermStore, bitvec

STORE = TermStore.raw()
X, Y, Z = (STORE.var(n, bitvec(64)) for n in "xyz")
ONE = STORE.bv(1, 64)


def op(o: Op, *args: Term) -> Term:
    return STORE.mk(o, args)


def series(x: Term, y: Term) -> Term:
    """x * z - x - y + 1 == 0."""
    return STORE.eq(
        op(Op.BVADD, op(Op.BVSUB, op(Op.BVSUB, op(Op.BVMUL, x, Z), x), y), ONE), STORE.bv(0, 64)
    )


@pytest.mark.parametrize(("step", "expected"), [(ONE, UNSAT), (STORE.bv(2, 64), SAT)])
def test_a_sum_of_powers_stays_one(step: Term, expected: object) -> None:
    solver = polynomial_solver()
    after = series(op(Op.BVADD, op(Op.BVMUL, X, Z), step), op(Op.BVMUL, Y, Z))
    assert solver.check([series(X, Y), STORE.not_(after)]) is expected
    solver.add(series(X, Y))
    assert solver.check([STORE.not_(after)]) is expected


def test_the_same_polynomial_on_either_side() -> None:
    solver = polynomial_solver()
    xy, xz = op(Op.BVMUL, X, Y), op(Op.BVMUL, X, Z)
    one = STORE.eq(xy, op(Op.BVADD, xz, ONE))
    other = STORE.eq(op(Op.BVMUL, Z, X), op(Op.BVSUB, op(Op.BVMUL, Y, X), ONE))
    assert solver.check([one, STORE.not_(other)]) is UNSAT
    assert solver.core() == [one, STORE.not_(other)]
    assert solver.check([one, other]) is SAT


def test_which_terms_multiply() -> None:
    assert multiplies(op(Op.BVMUL, X, Y)) and not multiplies(
        op(Op.BVMUL, X, ONE), op(Op.BVADD, X, Y)
    )


LOOP = """
unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
void check(int c) { if (!c) reach_error(); }
int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a, y = b, u = b, v = 0;
  while (x != y) {
    check(x * u + y * v == a * b);
    if (x > y) { x -= y; v += u; } else { y -= x; u += v; }
  }
  check(u * y + v * y == a * b);
  return 0;
}
"""


def test_products_in_a_loop(tmp_path: Path) -> None:
    file = tmp_path / "loop.c"
    file.write_text(LOOP)
    outcome = obligato.verify(file, property="unreach-call", engine="ic3cfa", isolated=False)
    assert outcome.verdict is Verdict.TRUE
    assert outcome.certificate is not None and "polynomials" in outcome.certificate.checker
