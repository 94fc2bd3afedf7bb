"""cvc5 is told the smallest logic of what it is asked, and a larger one when more comes."""

import pytest

from obligato.smt import SAT, UNSAT
from obligato.smt.cvc5_backend import Cvc5Encoder, Cvc5Solver
from obligato.terms import BOOL, FLOAT32, INT, REAL, Op, Term, TermStore, array, bitvec
from obligato.terms.softfloat import RoundingMode

S = TermStore.raw()
X, Y, R, P = S.var("x", INT), S.var("y", INT), S.var("r", REAL), S.var("p", BOOL)
A, F, W = S.var("a", array(INT, INT)), S.var("f", FLOAT32), S.var("w", bitvec(8))
TWICE = S.fp_add(S.rm(RoundingMode.RNE), F, F)
LOGICS = {
    "QF_UF": P,
    "QF_LIA": S.le(S.mul(S.int_(3), X), S.mod(Y, S.int_(5))),
    "QF_LRA": S.lt(R, S.const(1, REAL)),
    "QF_LIRA": S.eq(S.to_int(R), X),
    "QF_NIA": S.le(S.mul(X, Y), S.idiv(X, S.int_(2))),
    "QF_AUFLIA": S.eq(S.select(A, X), S.int_(1)),
    "QF_BV": S.mk(Op.BVULT, (W, S.bv(3, 8))),
    "QF_BVFP": S.mk(Op.FP_LT, (F, TWICE)),
    "QF_BVFPLRA": S.lt(S.const(1, REAL), S.fp_to_real(F)),
}


@pytest.mark.parametrize("logic", LOGICS)
def test_the_logic_is_the_smallest_one(logic: str) -> None:
    encoder = Cvc5Encoder()
    solver = Cvc5Solver(encoder)
    solver.add(LOGICS[logic])
    assert encoder.logic == logic
    # Query: one satisfiable formula.
    assert solver.check() is SAT


def test_a_divisor_that_is_no_number_is_not_linear() -> None:
    for formula in (S.eq(S.mod(X, Y), X), S.eq(S.idiv(X, Y), X), S.eq(S.rdiv(R, R), R)):
        encoder = Cvc5Encoder()
        encoder.encode(formula)
        assert encoder.logic.startswith("QF_N")


def test_the_logic_grows_with_what_is_asked() -> None:
    solver = Cvc5Solver()
    solver.add(S.lt(X, S.int_(2)))
    positive: list[Term] = [S.lt(S.int_(1), X)]
    # Query: x < 2 and 1 < x over integers. unsat, and sat again without the assumption.
    assert solver.check(positive) is UNSAT
    solver.add(S.eq(S.mul(X, Y), S.int_(-6)))
    assert solver.check() is SAT
    assert solver.check([*positive, S.lt(S.const(0, REAL), R)]) is UNSAT
    assert solver.encoder.logic == "QF_NIRA"


@pytest.mark.parametrize("logic", LOGICS)
def test_experimental_arrays_are_for_arrays_only(logic: str) -> None:
    """Without any they let cvc5 1.4.2 crash, in a search for quantities of integers."""
    solver = Cvc5Solver(Cvc5Encoder())
    solver.add(LOGICS[logic])
    # Query: one satisfiable formula.
    assert solver.check() is SAT
    assert solver._solver.getOption("arrays-exp") == str("AUF" in logic).lower()
