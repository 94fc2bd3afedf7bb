"""Linear quantities of loops whose steps are relations: what is found, and that Houdini keeps it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from obligato.analysis.houdini import houdini
from obligato.analysis.quantities import quantities
from obligato.frontends import chc
from obligato.models.blocks import large_blocks
from obligato.models.importing import import_cfa
from obligato.smt import UNSAT
from obligato.smt.factory import solver_factory
from obligato.terms import INT, Term, TermStore, bitvec

Claim = Callable[[TermStore, Term, Term, Term], Term]
CASES: dict[str, tuple[str, str, Claim]] = {
    "a choice of steps": (
        "(and (= x 0) (= y 0) (= z 0))",
        "(or (and (= a (+ x 1)) (= b y) (= c (+ z 1))) (and (= a x) (= b (+ y 1)) (= c (- z 1))))",
        lambda s, x, y, z: s.eq(z, s.sub(x, y))),
    "a bound on entry": (
        "(and (= x 0) (< x y) (= z 5))", "(and (= a (+ x 1)) (= b (+ y 2)) (= c z))",
        lambda s, x, y, z: s.lt(s.add(x, x), y)),
    "the other bound": (
        "(and (= x 0) (< y 7) (> y 3) (= z 1))", "(and (= a (+ x 1)) (= b (+ y 2)) (= c (- z)))",
        lambda s, x, y, z: s.le(y, s.add(x, x, s.int_(6)))),
    "parity": (
        "(and (= x y) (= z 1))", "(and (= a (- x 2)) (= b (+ y (* 4 z))) (or (= c 1) (= c 7)))",
        lambda s, x, y, z: s.eq(s.mod(s.add(x, y), s.int_(2)), s.int_(0))),
    "steps that the hull excludes": (
        "(and (= x y) (= z x))",
        "(or (and (= a (+ x 1)) (= b (+ y 1)) (= c (+ z x))) (and (< x y) (= a 9) (= b 0) (= c z)))",
        lambda s, x, y, z: s.eq(x, y)),
}
CLAUSES = """
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> {init} (inv x y z))))
(assert (forall ((x Int) (y Int) (z Int) (a Int) (b Int) (c Int)) (=> (and (inv x y z) {step}) (inv a b c))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inv x y z) (= x (+ y z) 77)) false)))
"""


@pytest.mark.parametrize("name", CASES)
def test_what_is_found_is_inductive(name: str) -> None:
    """The claim follows from what is found and inductive at the loop."""
    init, step, claim = CASES[name]
    cfa = import_cfa(chc.parse(CLAUSES.format(init=init, step=step)).cfa, TermStore())
    blocks, make = large_blocks(cfa), solver_factory([INT])
    (loop,) = [e.target for e in blocks.edges if e.source == e.target]
    found = quantities(blocks, make)
    seeds = houdini(blocks, found, make)
    assert set(seeds) == {loop}
    wanted = claim(blocks.store, *blocks.variables)
    # the seeds and not the claim: unsat - it follows
    assert make().check([*seeds[loop], blocks.store.not_(wanted)]) is UNSAT


def test_words_are_left_to_others() -> None:
    text = CLAUSES.format(init="(= x y)", step="(= a b)").replace("Int", "(_ BitVec 8)").replace("(= x (+ y z) 77)", "(= x y)")
    assert quantities(large_blocks(chc.parse(text).cfa), solver_factory([bitvec(8)])) == {}
