"""Certificates that follow all runs to their end: which are accepted, which are not, and why."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from obligato.engines.bmc import Options, prove_cfa
from obligato.engines.environment import Environment
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Certificate, Unwinding
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.checking import folding
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.solving import chain
from obligato.smt import SolverStats
from obligato.terms import BOOL, Op, Sort, Term, TermStore, evaluate, free_vars
from obligato.terms.semantics import ArrayValue
from obligato.terms.sorts import array, bitvec

LOOP = """proc main() { var i: bv8; var n: bv8; var s: bv8; i := 0; s := 0; havoc n; assume n <u 5;
    while (i <u n) { i := i + 1; s := s + 2; } assert s <=u 8 && s == i + i; }"""
FIXED = "proc main() { var i: bv32; i := 0; while (i <u 500) { i := i + 1; } assert i == 500; }"
NESTED = """proc main() { var i: bv8; var j: bv8; var k: bv8; i := 0; k := 0; while (i <u 3) { i := i + 1; j := 0;
    while (j <u i) { j := j + 1; k := k + 1; } } assert k == 6; }"""


def cfa_of(text: str) -> CFA:
    return build_cfa(inline(parse(text)))


def claimed(cfa: CFA) -> Certificate:
    """The engine's proof."""
    certificate = prove_cfa(import_cfa(cfa, TermStore()), Options(), Environment()).certificate
    assert certificate is not None and certificate.unwinding is not None
    return certificate


def judged(cfa: CFA, certificate: Certificate) -> CertificateCheck:
    return check_certificate(
        cfa,
        certificate,
        chain([v.sort for v in (*cfa.variables, *cfa.inputs)], ("sat",), SolverStats()),
    )


@pytest.mark.parametrize("text", [LOOP, FIXED, NESTED])
def test_the_depth_is_exact(text: str) -> None:
    """The engine's depth is accepted, each smaller one is refuted, a larger one is as good."""
    cfa = cfa_of(text)
    proof = claimed(cfa)
    depth = proof.unwinding.depth if proof.unwinding else 0
    for claim, expected in (
        (depth, Status.ACCEPTED),
        (depth + 9, Status.ACCEPTED),
        (depth - 1, Status.REFUTED),
        (1, Status.REFUTED),
        (0, Status.REFUTED),
    ):
        dead = proof.unwinding.dead if proof.unwinding else ()
        assert judged(cfa, replace(proof, unwinding=Unwinding(claim, dead))).status is expected, (
            claim
        )


def test_what_is_known_is_executed() -> None:
    """No solver is asked about a program without inputs."""
    assert judged(cfa_of(FIXED), claimed(cfa_of(FIXED))).queries == 0


def test_places_that_a_run_reaches_are_not_dead() -> None:
    """Each pair that is added to the dead ones and that some run reaches is noticed."""
    cfa = cfa_of(LOOP)
    proof = claimed(cfa)
    assert proof.unwinding is not None
    (head,) = proof.invariants
    for depth in range(1, 6):
        wrong = Unwinding(proof.unwinding.depth, (*proof.unwinding.dead, (depth, head)))
        assert judged(cfa, replace(proof, unwinding=wrong)).status is Status.REFUTED, depth


def test_formulas_must_hold_at_each_visit() -> None:
    cfa = cfa_of(LOOP)
    proof = claimed(cfa)
    (head,) = proof.invariants
    s, by_name = cfa.store, {v.name: v for v in cfa.variables}
    i, total = (next(v for n, v in by_name.items() if n.endswith(x)) for x in ("i", "s"))
    for bound, expected in ((9, Status.ACCEPTED), (8, Status.REFUTED), (2, Status.REFUTED)):
        claim = s.and_(s.mk(Op.BVULT, (total, s.bv(bound, 8))), s.eq(total, s.mk(Op.BVADD, (i, i))))
        assert judged(cfa, replace(proof, invariants={head: claim})).status is expected, bound
    assert (
        judged(cfa, replace(proof, invariants={head: s.true, cfa.initial: s.false})).status
        is Status.REFUTED
    )


def test_an_error_behind_the_loop_is_found() -> None:
    """The depth is right, but the program has an error."""
    wrong = cfa_of(LOOP.replace("s <=u 8", "s <=u 6"))
    assert judged(wrong, claimed(cfa_of(LOOP))).status is Status.REFUTED


def test_a_loop_outside_the_cut_set_proves_only_what_it_cannot_change() -> None:
    cfa = cfa_of(LOOP)
    assert judged(cfa, Certificate({}, unwinding=Unwinding(3))).status is Status.UNKNOWN
    harmless = cfa_of(
        "proc main() { var i: bv8; var x: bv8; x := 1; i := 0; while (i <u 9) { i := i + 1; }"
        " assert x == 1; }"
    )
    assert judged(harmless, Certificate({}, unwinding=Unwinding(3))).status is Status.ACCEPTED


def test_neither_k_nor_index_go_with_an_unwinding() -> None:
    proof = claimed(cfa_of(FIXED))
    assert judged(cfa_of(FIXED), replace(proof, k=2)).status is Status.REFUTED
    index = TermStore().var("q", bitvec(8))
    assert judged(cfa_of(FIXED), replace(proof, index=index)).status is Status.REFUTED


def _array(rng: random.Random, s: TermStore, depth: int, sort: Sort) -> Term:
    if depth == 0:
        start = ArrayValue(1, {0: 3, 2: 5})
        return s.var("a", sort) if rng.random() < 0.5 else s.const(start, sort)
    below = _array(rng, s, depth - 1, sort)
    if rng.random() < 0.4:
        return s.ite(s.var(f"c{rng.randrange(3)}", BOOL), below, _array(rng, s, depth - 1, sort))
    index = s.bv(rng.randrange(4), 2) if rng.random() < 0.7 else s.var("i", bitvec(2))
    return s.store(below, index, s.var(f"x{rng.randrange(3)}", bitvec(4)))


def test_reads_mean_what_they_meant() -> None:
    """Reads of random arrays have the same value in the folding store and as they are written."""
    sort = array(bitvec(2), bitvec(4))
    folded = 0
    for seed in range(400):
        raw, made = TermStore.raw(), folding.folding_store()
        term = raw.select(_array(random.Random(seed), raw, 4, sort), raw.bv(seed % 4, 2))
        image = made.import_term(term)
        folded += image.op is not Op.SELECT
        rng = random.Random(~seed)
        values: dict[str, object] = {"i": rng.randrange(4), "a": ArrayValue(2, {1: 9, 3: 4})}
        values |= {f"x{n}": rng.randrange(16) for n in range(3)} | {
            f"c{n}": rng.random() < 0.5 for n in range(3)
        }
        assert _value(term, values) == _value(image, values), seed
    assert folded > 100


def _value(t: Term, values: dict[str, object]) -> object:
    return evaluate(t, {v: values[v.name] for v in free_vars(t)})
