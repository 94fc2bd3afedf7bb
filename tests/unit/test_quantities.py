"""Linear quantities of loops whose steps are relations: what is found, and that Houdini
keeps it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from obligato.analysis.houdini import houdini, seed_invariants
from obligato.analysis.quantities import quantities
from obligato.frontends import chc
from obligato.models.blocks import large_blocks
from obligato.models.importing import import_cfa
from obligato.smt import UNSAT
from obligato.smt.factory import solver_factory
from obligato.terms import INT, Op, Term, TermStore, bitvec, evaluate, free_vars

Claim = Callable[[TermStore, Term, Term, Term], Term]
CASES: dict[str, tuple[str, str, Claim]] = {
    "a choice of steps": (
        "(and (= x 0) (= y 0) (= z 0))",
        "(or (and (= a (+ x 1)) (= b y) (= c (+ z 1))) (and (= a x) (= b (+ y 1)) (= c (- z 1))))",
        lambda s, x, y, z: s.eq(z, s.sub(x, y)),
    ),
    "a bound on entry": (
        "(and (= x 0) (< x y) (= z 5))",
        "(and (= a (+ x 1)) (= b (+ y 2)) (= c z))",
        lambda s, x, y, z: s.lt(s.add(x, x), y),
    ),
    "the other bound": (
        "(and (= x 0) (< y 7) (> y 3) (= z 1))",
        "(and (= a (+ x 1)) (= b (+ y 2)) (= c (- z)))",
        lambda s, x, y, z: s.le(y, s.add(x, x, s.int_(6))),
    ),
    "a form that is kept where a bit is one": (
        "(and (= x y) (or (= z 0) (= z 1)))",
        "(and (= a (ite (= z 0) (+ x 1) x)) (= b (ite (= z 0) y (+ y 1))) (= c (ite (= z 0) 1 0)))",
        lambda s, x, y, z: s.le(s.int_(-1), s.sub(s.sub(x, y), z)),
    ),
    "parity": (
        "(and (= x y) (= z 1))",
        "(and (= a (- x 2)) (= b (+ y (* 4 z))) (or (= c 1) (= c 7)))",
        lambda s, x, y, z: s.eq(s.mod(s.add(x, y), s.int_(2)), s.int_(0)),
    ),
    "steps that the hull excludes": (
        "(and (= x y) (= z x))",
        (
            "(or (and (= a (+ x 1)) (= b (+ y 1)) (= c (+ z x))) (and (< x y) (= a 9) (= b 0) (= c"
            " z)))"
        ),
        lambda s, x, y, z: s.eq(x, y),
    ),
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
    known = seed_invariants(cfa, blocks, make)
    found = quantities(blocks, make, known)
    seeds = houdini(blocks, {loop: [*known.get(loop, ()), *found[loop]]}, make)
    assert set(seeds) == {loop}
    wanted = claim(blocks.store, *blocks.variables)
    # the seeds and not the claim: unsat - it follows
    assert make().check([*seeds[loop], blocks.store.not_(wanted)]) is UNSAT


def test_words_are_left_to_others() -> None:
    text = (
        CLAUSES.format(init="(= x y)", step="(= a b)")
        .replace("Int", "(_ BitVec 8)")
        .replace("(= x (+ y z) 77)", "(= x y)")
    )
    assert quantities(large_blocks(chc.parse(text).cfa), solver_factory([bitvec(8)]), {}) == {}


def test_an_atom_is_corrected_by_what_the_loop_counts() -> None:
    """x < y is not kept by x + 1, z - 1; x + z < y is."""
    step, query = "(and (= a (+ x 1)) (= b y) (= c (- z 1)))", "(< x y)"
    text = CLAUSES.format(init="true", step=step).replace("(= x (+ y z) 77)", query)
    blocks = large_blocks(import_cfa(chc.parse(text).cfa, TermStore()))
    x, y, z = blocks.variables
    (found,) = quantities(blocks, solver_factory([INT]), {}).values()
    claimed = [c for c in found if set(free_vars(c)) == {x, y, z} and c.op is not Op.EQ]
    assert any(evaluate(c, {x: 5, y: 3, z: 1}) != evaluate(c, {x: 5, y: 8, z: 1}) for c in claimed)
    assert all(
        evaluate(c, {x: i, y: 3, z: 7 - i}) == evaluate(c, {x: 0, y: 3, z: 7})
        for c in claimed
        for i in range(5)
    )
