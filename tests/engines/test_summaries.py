"""Summaries on Horn clauses: verdicts, that frames stay above and facts below the least model, and
that claims are checked.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from obligato.engines import summaries
from obligato.engines.environment import Environment
from obligato.engines.summaries.engine import Refuted, Summaries
from obligato.engines.summaries.rules import RuleSet
from obligato.engines.summaries.run import prove_horn
from obligato.frontends.chc import parse_system
from obligato.models.horn import Definition, Derivation, DerivationStep, HornModel, HornSystem
from obligato.results.checking.certificate import Status
from obligato.results.checking.horn import check_derivation, check_model
from obligato.results.checking.solving import Link, chain
from obligato.results.outcome import HornResult, Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import INT, ArrayValue, TermStore, evaluate
from tests.support.horn import RANGE, heights, random_system

FIB = """
(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (<= n 1) (fib n n))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (> n 1) (fib (- n 1) a) (fib (- n 2) b)) (fib n (+ a b)))))
(assert (forall ((n Int) (r Int)) (=> (and (fib n r) BAD) false)))
(check-sat)
"""
TWO = """
(declare-fun even (Int) Bool) (declare-fun odd (Int) Bool) (declare-fun both (Int) Bool)
(assert (even 0))
(assert (forall ((n Int)) (=> (even n) (odd (+ n 1)))))
(assert (forall ((n Int)) (=> (odd n) (even (+ n 1)))))
(assert (forall ((n Int)) (=> (and (even n) (odd n)) (both n))))
(assert (forall ((n Int)) (=> (both n) false)))
(check-sat)
"""

NARROW = """
(declare-fun p ((_ BitVec 8) (_ BitVec 8)) Bool)
(assert (forall ((t (_ BitVec 4))) (p ((_ zero_extend 4) t) ((_ zero_extend 4) t))))
(assert (forall ((a (_ BitVec 8)) (b (_ BitVec 8))) (=> (p a b) (p b a))))
(assert (forall ((a (_ BitVec 8)) (b (_ BitVec 8))) (=> (and (p a b) (p b a) BAD) false)))
"""


def links() -> list[Link]:
    return chain([INT], ("z3",), SolverStats())


def solved(system: HornSystem) -> HornResult:
    """The engine's answer, checked; its contracts are executed."""
    result = prove_horn(system, summaries.Options(bound=60), Environment(debug=True))
    if result.verdict is Verdict.TRUE:
        assert result.model is not None
        assert check_model(system, result.model, links()).status is Status.ACCEPTED
    if result.verdict is Verdict.FALSE:
        assert result.derivation is not None
        assert check_derivation(system, result.derivation) is None
    return result


@pytest.mark.parametrize(
    ("bad", "verdict"),
    [
        ("(and (>= n 1) (< r 1))", Verdict.TRUE),
        ("(and (= n 7) (= r 13))", Verdict.FALSE),
        ("(< r (- n 1))", Verdict.TRUE),
        ("(and (= n 6) (not (= r 8)))", Verdict.TRUE),
        ("(and (> n 3) (= r n))", Verdict.FALSE),
    ],
)
def test_fibonacci(bad: str, verdict: Verdict) -> None:
    assert solved(parse_system(FIB.replace("BAD", bad))).verdict is verdict


@pytest.mark.parametrize(
    ("bad", "verdict"),
    [
        ("(not (= a b))", Verdict.TRUE),
        ("(bvuge a #x10)", Verdict.TRUE),
        ("(= a #x0f)", Verdict.FALSE),
    ],
)
def test_a_narrow_value_stays_narrow(bad: str, verdict: Verdict) -> None:
    """The equation that determines t says more about a than that."""
    system = parse_system(NARROW.replace("BAD", bad))
    assert (
        prove_horn(system, summaries.Options(bound=30), Environment(debug=True)).verdict is verdict
    )


def test_relations_that_are_resolved_away_need_no_formula() -> None:
    system = parse_system(TWO)
    result = solved(system)
    assert result.verdict is Verdict.TRUE and result.model is not None
    assert "both" not in result.model.definitions and set(result.model.definitions) < {
        "even",
        "odd",
    }


@pytest.mark.parametrize("seed", range(150))
def test_random_clauses_against_saturation(seed: int) -> None:
    system = random_system(seed)
    least = heights(system)
    result = solved(system)
    assert result.verdict is (Verdict.FALSE if None in least else Verdict.TRUE)


@pytest.mark.parametrize("seed", range(150, 200))
def test_frames_are_above_and_facts_below(seed: int) -> None:
    system = random_system(seed)
    least = heights(system)
    rules = RuleSet(system, TermStore())
    search = Summaries(rules, summaries.Options(bound=60), Environment(), solver_factory([INT]))
    assert isinstance(search.decide(), Refuted) is (None in least)
    for name, mine in rules.parameters.items():
        for values in product(range(-1, RANGE[-1] + 2), repeat=len(mine)):
            model, height = dict(zip(mine, values, strict=True)), least.get((name, values))
            if any(evaluate(f.formula, model) for f in search.known.facts.get(name, ())):
                assert height is not None
            for lemma in search.known.lemmas.get(name, ()):
                assert (
                    height is None
                    or height > lemma.level
                    or evaluate(lemma.formula, model)
                    or _resolved(system, rules)
                )
    search.close()


def _resolved(system: HornSystem, rules: RuleSet) -> bool:
    """Relations were resolved away: derivations of the rules are lower than those of the
    clauses.
    """
    return len(rules.parameters) < len(system.relations)


def test_a_wrong_model_is_refuted() -> None:
    system = parse_system(FIB.replace("BAD", "(and (>= n 1) (< r 1))"))
    result = solved(system)
    assert result.model is not None
    definition = result.model.definitions["fib"]
    for wrong in (definition.formula.store.true, definition.formula.store.false):
        model = HornModel({"fib": Definition(definition.parameters, wrong)})
        assert check_model(system, model, links()).status is Status.REFUTED
    assert (
        check_model(system, HornModel({}), links()).reason
        == "fib has no formula and depends on itself"
    )
    other = HornModel({"fib": Definition(definition.parameters[:1], definition.formula)})
    assert check_model(system, other, links()).status is Status.REFUTED
    swapped = HornModel({"fib": Definition(definition.parameters[::-1], definition.formula)})
    assert check_model(system, swapped, links()).status is Status.REFUTED


def test_a_wrong_derivation_is_rejected() -> None:
    system = parse_system(FIB.replace("BAD", "(and (= n 4) (= r 3))"))
    result = solved(system)
    assert result.derivation is not None
    steps = result.derivation.steps
    assert check_derivation(system, Derivation(())) is not None
    assert check_derivation(system, Derivation(steps[:-1])) is not None
    for n, step in enumerate(steps):
        for name in step.values:
            value = step.values[name]
            assert isinstance(value, int)
            changed = replace(step, values={**step.values, name: value + 1})
            assert (
                check_derivation(system, Derivation((*steps[:n], changed, *steps[n + 1 :])))
                is not None
            )
        if step.premises:
            lost = replace(step, premises=(len(steps) - 1, *step.premises[1:]))
            assert (
                check_derivation(system, Derivation((*steps[:n], lost, *steps[n + 1 :])))
                is not None
            )
        other = replace(step, clause=(step.clause + 1) % len(system.clauses))
        assert (
            check_derivation(system, Derivation((*steps[:n], other, *steps[n + 1 :]))) is not None
        )


def test_one_array_may_be_told_in_two_ways() -> None:
    """(3, 0) is 0 but for 3 at 0, and 3 but for 0 at 1."""
    sort = "(Array (_ BitVec 1) (_ BitVec 2))"
    text = f"""(declare-fun p ({sort} (_ BitVec 2)) Bool)
    (assert (forall ((m {sort})) (p m (select m #b0))))
    (assert (forall ((x (_ BitVec 2))) (=> (p (store ((as const {sort}) #b00) #b0 x) x) false)))"""
    system = parse_system(text)
    (m,), (x,) = (c.variables for c in system.clauses)
    for told in (ArrayValue(0, {0: 3}), ArrayValue(3, {1: 0})):
        steps = (DerivationStep(0, {m.name: told}, ()), DerivationStep(1, {x.name: 3}, (0,)))
        assert check_derivation(system, Derivation(steps)) is None


def test_what_division_by_zero_gives_refutes_nothing() -> None:
    text = """(declare-fun p (Int) Bool) (assert (p 0)) (assert (forall ((x Int)) (=> (and (p x) (p (* x x))) (p (div 1 x)))))
    (assert (forall ((x Int)) (=> (and (p x) (p (+ x 1)) (> x 6)) false)))"""
    assert (
        prove_horn(parse_system(text), summaries.Options(bound=20), Environment()).verdict
        is not Verdict.FALSE
    )
