"""Infinite runs of systems over integers and reals: random ones against explicit states, faults in
claims, examples.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from obligato import ClaimRefused, check, verify
from obligato.engines import rank
from obligato.engines.environment import Environment
from obligato.frontends.vmt.reader import parse
from obligato.models.live_claims import Ranked, Saved
from obligato.models.tableau import with_justice
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.reports.json_report import to_dict
from obligato.results.checking.live import check_live_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.status import Status
from obligato.smt import SolverStats
from obligato.terms import BOOL, INT, Term, TermStore
from tests.engines.live_judge import objections
from tests.support.int_live import has_fair_run, random_int_live
from tests.support.live import random_live_system, random_ltl_system, violated
from tests.support.volume import parts


@pytest.mark.parametrize("block", parts(1, 5))
def test_random_integers(block: int) -> None:
    for seed in range(5 * block, 5 * block + 5):
        system = random_int_live(seed)
        assert objections(system, has_fair_run(system), ["rank", "klive", "l2s"]) == [], seed


@pytest.mark.parametrize("seed", [5000, pytest.param(6067, marks=pytest.mark.slow)])
def test_walls_from_proofs(seed: int) -> None:
    """No condition of these systems separates what their runs do; the sets that are never left are
    IC3's.
    """
    system, env = random_int_live(seed), Environment()
    (p,) = system.temporal
    small, _ = reduce_system(with_justice(system, p), 3)
    claim = rank.prove_live(small, rank.Options(), env).certificate
    assert (
        isinstance(claim, Ranked)
        and env.counters["walls"] > 0
        and judged(system, claim) is Status.ACCEPTED
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_bits(seed: int) -> None:
    system = random_live_system(seed, 4) if seed % 2 else random_ltl_system(seed, 3, 2)
    assert objections(system, violated(system), ["rank"], level=0) == []


def test_a_system_without_a_first_state() -> None:
    """No way leads to its locations: their invariant is false, and a rank need not decrease
    there.
    """
    system = random_live_system(0, 4)
    empty = replace(system, init=system.store.false)
    assert objections(empty, False, ["rank"], level=0) == []


HEAD = """(declare-fun x () {0}) (declare-fun x1 () {0}) (declare-fun y () {0}) (declare-fun y1 () {0}) (declare-fun in () {0})
(define-fun sx () {0} (! x :next x1)) (define-fun sy () {0} (! y :next y1))
(define-fun init () Bool (! (and (>= x 0) (>= y 0)) :init true))
(define-fun trans () Bool (! {1} :trans true))
(define-fun p () Bool (! {2} :live-property 0))
"""
DOWN = "(and (= x1 (ite (> x 0) (- x 1) x)) (= y1 y))"
LEXICAL = (
    "(ite (> y 0) (and (= x1 x) (= y1 (- y 1))) (ite (> x 0) (and (= x1 (- x 1)) (= y1 in)) (and (="
    " x1 x) (= y1 y))))"
)
PHASES = "(ite (= x 5) 2 (ite (= x 2) 7 (ite (= x 7) 3 x)))"  # no linear expression decreases
ROUND = "(and (= x1 (ite (> x 0) (- x 1) 3)) (= y1 y))"


@pytest.mark.parametrize(
    ("sort", "step", "claim", "verdict"),
    [
        ("Int", DOWN, "(<= x 0)", "true"),
        ("Int", DOWN, "(> x 0)", "false"),
        ("Int", LEXICAL, "(and (<= x 0) (<= y 0))", "true"),
        ("Int", ROUND, "(<= x 3)", "true"),
        ("Int", ROUND, "(<= x 2)", "false"),
        ("Real", DOWN.replace("1)", "0.25)"), "(<= x 0)", "true"),
        ("Real", DOWN, "(<= x (- 1))", "false"),
        ("Int", "(and (= x1 (ite (> x 0) (- x 1) (+ x 1))) (= y1 in))", "(> x 0)", "false"),
        (
            "Int",
            f"(and (= y1 (+ y 1)) (= x1 {PHASES}))",
            "(not (or (= x 5) (= x 2) (= x 7)))",
            "true",
        ),
        (
            "Int",
            f"(ite (= x 3) (and (= x1 5) (= y1 (- y 1)) (> y 0)) (and (= y1 y) (= x1 {PHASES})))",
            "(not (= x 5))",
            "true",
        ),
    ],
)
def test_numbers(sort: str, step: str, claim: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "n.vmt"
    file.write_text(HEAD.format(sort, step, claim))
    outcome = verify(file, engine="rank", property="live0", timeout=60)
    assert outcome.verdict.value == verdict
    assert check(file, outcome).verdict is outcome.verdict
    if verdict == "true":
        report = to_dict(outcome)
        report["certificate"]["invariants"][0]["rank"] = ["1"]  # never decreases
        with pytest.raises(ClaimRefused):
            check(file, report)


@pytest.mark.parametrize(
    ("step", "claim", "verdict"),
    [
        (f"(and (= y1 (+ y 1)) (= x1 {PHASES}))", "(not (or (= x 5) (= x 2) (= x 7)))", "true"),
        (ROUND, "(<= x 2)", "false"),
    ],
)
def test_liveness_to_safety(step: str, claim: str, verdict: str, tmp_path: Path) -> None:
    """Values of predicates are saved: no linear rank decreases in the first case, whose states
    never come back.
    """
    file = tmp_path / "n.vmt"
    file.write_text(HEAD.format("Int", step, claim))
    outcome = verify(file, engine="l2s", property="live0", timeout=60)
    assert outcome.verdict.value == verdict and check(file, outcome).verdict is outcome.verdict
    if verdict == "true":
        report = to_dict(outcome)
        assert (
            report["certificate"]["kind"] == "saved"
            and report["certificate"]["invariants"][0]["watched"]
        )
        for watched in ([], ["true"], ["x"], ["z"]):
            report["certificate"]["invariants"][0]["watched"] = watched
            with pytest.raises(ClaimRefused):
                check(file, report)


def test_faults_in_watched_terms() -> None:
    """A run that increases x for ever is fair; no claim about saved values may deny it."""
    up = HEAD.format("Int", "(and (= x1 (+ x 1)) (= y1 y))", "(< x 0)")
    s = TermStore()
    x, gone = s.var("x", INT), s.not_(s.var("l2s saved", BOOL))
    # x is larger than the one that was saved: inductive
    never = s.or_(gone, s.lt(s.var("l2s value 0", INT), x))
    for watched in (
        (x,),
        (s.le(x, s.int_(5)),),
        (s.var("z", BOOL),),
        (s.eq(x, x), s.to_real(x)),
        (),
    ):
        system = parse(up, "up.vmt")
        assert judged(system, Saved(s.true, watched)) is Status.REFUTED
    assert judged(parse(up, "up.vmt"), Saved(never, (x,))) is Status.REFUTED


def judged(system: TransitionSystem, claim: Ranked | Saved) -> Status:
    (p,) = system.temporal
    return check_live_certificate(
        system, p, claim, chain(sorts_of(system), (), SolverStats())
    ).status


def test_faults_in_ranks() -> None:
    system = parse(HEAD.format("Int", DOWN, "(<= x 0)"), "down.vmt")
    (p,) = system.temporal
    small, _ = reduce_system(with_justice(system, p), 3)
    claim = rank.prove_live(small, rank.Options(), Environment()).certificate
    assert isinstance(claim, Ranked) and judged(system, claim) is Status.ACCEPTED
    s = claim.invariant.store
    x: Term = s.var("x", INT)
    assert judged(system, replace(claim, rank=())) is Status.REFUTED
    assert judged(system, replace(claim, rank=(x,))) is Status.REFUTED  # it stays where x is zero
    assert judged(system, replace(claim, rank=(s.neg(x),))) is Status.REFUTED  # it increases
    # about something else
    assert judged(system, replace(claim, rank=(s.var("z", INT),))) is Status.REFUTED
    # real numbers are not well-founded
    assert judged(system, replace(claim, rank=(s.to_real(x),))) is Status.REFUTED
    # does not hold at the beginning
    assert judged(system, replace(claim, invariant=s.lt(x, s.int_(0)))) is Status.REFUTED
    assert (
        judged(system, replace(claim, invariant=s.not_(s.var("rank round", BOOL))))
        is Status.REFUTED
    )
    away = parse(HEAD.format("Int", DOWN.replace("(> x 0)", "true"), "(<= x 0)"), "away.vmt")
    # decreases, but from negative values, too
    assert judged(away, Ranked(s.true, (x,))) is Status.REFUTED
