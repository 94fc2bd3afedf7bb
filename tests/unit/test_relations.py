"""Relations of successive states: what is found holds of every step, proofs by them are checked,
and wrong ones are refused.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import obligato
from obligato.analysis.relations import successive
from obligato.analysis.templates import Survivors, random_runs, state_candidates
from obligato.api.system_recheck import read_certificate
from obligato.engines import kinduction
from obligato.engines.environment import Environment
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.reports.json_report import to_dict
from obligato.results.checking.certificate import Status
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, REAL, Term, TermStore, evaluate
from obligato.terms.printer import to_smtlib
from tests.engines.system_judge import objections
from tests.support.systems import assignments, random_system, successors

GROWING = """
node top (start, other: real) returns (x: real);
let
  assert start > other + 1.0 and other > 4.25;
  x = start -> 3.0 * pre x - 10.0;
  check x >= 2.0;
tel
"""


def growing() -> TransitionSystem:
    """x grows from 11/2 on: x' = 3 x - 10 is greater than x from 5 on. That x >= 2 is k-inductive
    for no k: there are ever longer runs from below 5 to below 2.
    """
    s = TermStore()
    x, z = s.var("x", REAL), s.var("z", REAL)
    one, two, three, ten, begin = (s.const(Fraction(n), REAL) for n in ("1", "2", "3", "10", "9/2"))
    next_ = {x: s.sub(s.mul(three, x), ten), z: z}
    init = s.and_(s.eq(z, begin), s.eq(x, s.add(z, one)))
    return TransitionSystem(
        s, (x, z), (), init, functional(s, next_), (Assertion("p", s.le(two, x)),), next=next_
    )


def status(system: TransitionSystem, certificate: SystemCertificate) -> Status:
    """What the checker says."""
    return check_system_certificate(
        system, certificate, chain(sorts_of(system), (), SolverStats())
    ).status


@pytest.mark.parametrize(("relations", "verdict"), [(True, Verdict.TRUE), (False, Verdict.UNKNOWN)])
def test_they_prove_what_is_not_proved_without(relations: bool, verdict: Verdict) -> None:
    system = growing()
    result = kinduction.prove(
        system, kinduction.Options(bound=8, distinct=False, relations=relations), Environment()
    )
    assert result.verdict is verdict
    if result.certificate is not None:
        assert result.certificate.k == 2 and status(system, result.certificate) is Status.ACCEPTED
        assert status(system, replace(result.certificate, relation=None)) is Status.REFUTED
        assert status(system, replace(result.certificate, k=1)) is Status.REFUTED


def test_wrong_relations_are_refused() -> None:
    """x <= x' proves the property with k = 2; what does not hold of the first step, of some step,
    or by itself does not.
    """
    system = growing()
    s, (x, z) = system.store, system.state
    later = system.primed[x]
    grows, hundred = s.le(x, later), s.const(Fraction(100), REAL)

    def judged(relation: Term, k: int = 2, invariant: Term = s.true) -> Status:
        return status(system, SystemCertificate(invariant, k, relation=relation))

    assert judged(grows) is Status.ACCEPTED and judged(grows, 3) is Status.ACCEPTED
    # not of the first step
    for wrong in (s.false, s.le(later, x), s.eq(later, x), s.le(s.const(Fraction(7), REAL), x)):
        assert judged(wrong) is Status.REFUTED, wrong
        assert judged(s.and_(grows, wrong)) is Status.REFUTED, wrong
    for wrong in (s.le(later, hundred), s.le(s.sub(later, x), hundred)):  # of the first steps only
        assert judged(s.and_(grows, wrong)) is Status.REFUTED, wrong
    # true of every step, but no proof
    for useless in (s.true, s.le(z, later), s.eq(system.primed[z], z)):
        assert judged(useless) is Status.REFUTED, useless
    assert judged(grows, 1) is Status.REFUTED  # with k = 1 nothing may be assumed
    for stranger in (
        s.var("y", BOOL),
        s.eq(x, s.var("x''", REAL)),
        later,
        s.le(x, s.var("'", REAL)),
    ):
        assert judged(stranger) is Status.REFUTED, stranger


def test_a_name_that_means_two_variables_is_refused() -> None:
    """Is x' the next value of x, or the variable of that name?"""
    s = TermStore()
    x, y = s.var("x", BOOL), s.var("x'", BOOL)
    trans = s.not_(s.var("x''", BOOL))
    system = TransitionSystem(s, (x, y), (), s.and_(x, s.not_(y)), trans, (Assertion("p", s.true),))
    assert status(system, SystemCertificate(s.true, 2)) is Status.ACCEPTED
    assert status(system, SystemCertificate(s.true, 2, relation=s.or_(x, y))) is Status.REFUTED
    assert (
        status(system, SystemCertificate(s.true, 2, relation=s.not_(s.var("x''", BOOL))))
        is Status.ACCEPTED
    )


def found(system: TransitionSystem) -> tuple[list[Term], list[Term]]:
    """More formulas and relations, with no other invariant."""
    make = solver_factory(sorts_of(system), stats=SolverStats())
    runs = random_runs(system, make, 0)
    return successive(
        system, runs, system.store.true, state_candidates(system, runs), Survivors(make)
    )


def holds_everywhere(system: TransitionSystem, formulas: list[Term], relations: list[Term]) -> bool:
    """Do formulas hold in all reachable states and relations of all steps between them?"""
    inputs = list(assignments(system.inputs))
    todo = [s for s in assignments(system.state) if evaluate(system.init, s)]
    seen = {tuple(s.values()) for s in todo}
    begun = []  # states with inputs that satisfy the constraints, and where the step leads
    while todo:
        state = todo.pop()
        for now in ({**state, **i} for i in inputs):
            if all(evaluate(c, now) for c in system.constraints):
                begun += [(state, after) for after in successors(system, now, {})]
        for _, after in begun[-len(inputs) :]:
            if tuple(after.values()) not in seen:
                seen.add(tuple(after.values()))
                todo.append(after)
    alive = {
        tuple(s.values())
        for s in assignments(system.state)
        if any(all(evaluate(c, {**s, **i}) for c in system.constraints) for i in inputs)
    }
    steps = [
        {**a, **{system.primed[x]: v for x, v in b.items()}}
        for a, b in begun
        if tuple(b.values()) in alive
    ]
    states = [dict(zip(system.state, values, strict=True)) for values in seen & alive]
    return all(evaluate(f, s) for f in formulas for s in states) and all(
        evaluate(r, s) for r in relations for s in steps
    )


def test_what_is_found_holds_of_all_steps() -> None:
    """Of random systems, by exploration and by the checker."""
    told = 0
    for seed in range(60):
        system = replace(random_system(seed, max_bits=5), properties=())
        if system.next is None:
            continue
        system, _ = reduce_system(
            replace(system, properties=(Assertion("nothing", system.store.true),)), 0
        )
        formulas, relations = found(system)
        told += len(relations)
        assert holds_everywhere(system, formulas, relations), seed
        claim = SystemCertificate(
            system.store.and_(*formulas), 2, relation=system.store.and_(*relations)
        )
        assert status(system, claim) is Status.ACCEPTED, seed
    assert told > 50


@pytest.mark.parametrize("distinct", [False, True])
def test_random_systems_are_judged_right(distinct: bool) -> None:
    options = kinduction.Options(bound=6, distinct=distinct)
    for seed in range(3000, 3050):
        assert (
            objections(
                random_system(seed, max_bits=6),
                [("kinduction", kinduction.prove, options)],
                levels=(0,),
            )
            == []
        ), seed


def test_from_lustre_to_json_and_back(tmp_path: Path) -> None:
    """The relation is shown in Lustre's words, written as JSON, read back and checked; a wrong one
    in its place is refused.
    """
    source = tmp_path / "growing.lus"
    source.write_text(GROWING)
    outcome = obligato.verify(source, "kinduction", bound=8, distinct=False)
    assert outcome.verdict is Verdict.TRUE
    data = to_dict(outcome)
    state, step = data["certificate"]["invariants"]
    assert "((pre x) + ((-1.0) * x)) <= 0.0" in step["source"] and "'" not in state["formula"]
    assert obligato.check(source, data).verdict is Verdict.TRUE
    for wrong in ("false", "true"):
        step["formula"] = wrong
        with pytest.raises(obligato.ClaimRefused):
            obligato.check(source, data)


def test_reading_a_relation() -> None:
    system = growing()
    later = to_smtlib(system.primed[system.state[0]])
    data = {"k": 2, "invariants": [{"formula": "true"}, {"formula": f"(<= x {later})"}]}
    assert status(system, read_certificate(system, data, "f")) is Status.ACCEPTED


COUNTERS = """
node top (a, b, c: bool) returns (x, y: int);
let
  x = if b or c then 0 else if a and (0 -> pre x) < 100 then (0 -> pre x) + 1 else 0 -> pre x;
  y = if c then 0 else if a and (0 -> pre y) < 60 then (0 -> pre y) + 1 else 0 -> pre y;
  check x = 100 => y = 60;
tel
"""


@pytest.mark.parametrize(("relations", "verdict"), [(True, Verdict.TRUE), (False, Verdict.UNKNOWN)])
def test_orders_up_to_a_bound(relations: bool, verdict: Verdict) -> None:
    """Two counters that stop at different values: x <= y until y has stopped."""
    outcome = obligato.verify(
        COUNTERS, "kinduction", language="lustre", bound=5, distinct=False, relations=relations
    )
    assert outcome.verdict is verdict
