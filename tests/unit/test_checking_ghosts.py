"""Ghosts of certificates: records that a certificate keeps beside the program, and what they must
not be.
"""

from __future__ import annotations

import pytest

from obligato.models.claims import Unwinding
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.solving import Link
from obligato.results.outcome import Certificate
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, INT, Term, TermStore
from tests.cfas import ERROR, Counter

Z3 = Link("z3", True, Z3Solver)
Pairs = tuple[tuple[Term, Term], ...]


class Recorded(Counter):
    """The counter, with two ghosts at its loop."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.before = self.store.var("last", INT), self.store.var("before", INT)
        self.low = self.store.le(self.x, self.store.int_(10))

    def check(self, claim: Term, pairs: Pairs, location: int = 1) -> CertificateCheck:
        claims = {1: self.store.and_(self.low, claim)}
        return check_certificate(self.cfa, Certificate(claims, ghosts={location: pairs}), [Z3])


def test_a_record_is_made_whenever_a_run_arrives() -> None:
    p = Recorded()
    assert p.check(p.store.eq(p.last, p.x), ((p.last, p.x),)).status is Status.ACCEPTED


def test_records_get_their_values_at_once() -> None:
    p = Recorded()
    s = p.store
    pairs = ((p.last, p.x), (p.before, p.last))
    first, one = s.eq(p.x, s.int_(0)), s.eq(s.add(p.before, s.int_(1)), p.x)
    same = s.eq(p.last, p.x)
    assert p.check(s.and_(same, s.or_(first, one)), pairs).status is Status.ACCEPTED
    late = s.and_(same, s.or_(first, s.eq(p.before, p.x)))
    assert p.check(late, pairs).obligation == "consecution l1 -> l1"


def test_a_record_that_is_not_kept_has_any_value() -> None:
    p = Recorded()
    s = p.store
    assert p.check(s.eq(p.last, s.int_(0)), ((p.last, p.last),)).obligation == "initiation l0 -> l1"
    grows = ((p.last, s.add(p.last, s.int_(1))),)
    assert p.check(s.eq(p.last, s.add(p.x, s.int_(1))), grows).obligation == "initiation l0 -> l1"


def test_ghosts_of_another_store_are_understood() -> None:
    p, q = Recorded(), Recorded()
    assert p.check(p.store.eq(p.last, p.x), ((q.last, q.x),)).status is Status.ACCEPTED
    assert p.check(p.store.eq(p.last, p.x), ((q.last, q.before),)).status is Status.REFUTED


@pytest.mark.parametrize("case", ["program", "sort", "foreign", "two sorts", "term"])
def test_what_is_no_ghost_is_refused(case: str) -> None:
    p = Recorded()
    s = p.store
    other = TermStore()
    truth = other.var("truth", BOOL)
    pairs: dict[str, Pairs] = {
        "program": ((p.x, s.int_(0)),),
        "sort": ((truth, p.x),),
        "foreign": ((p.last, s.var("y", INT)),),
        "two sorts": ((p.last, p.x), (other.var("last", BOOL), other.true)),
        "term": ((s.add(p.last, p.x), p.x),),
    }
    assert p.check(s.true, pairs[case]).obligation == "vocabulary"


@pytest.mark.parametrize("location", [0, 2, 77, ERROR])
def test_a_ghost_gets_its_value_where_the_certificate_speaks(location: int) -> None:
    p = Recorded()
    assert p.check(p.store.true, ((p.last, p.x),), location).obligation == "vocabulary"


def test_a_ghost_is_not_about_the_index_and_not_in_other_certificates() -> None:
    p = Recorded()
    s = p.store
    index = s.var("index", INT)
    pairs: dict[int, Pairs] = {1: ((p.last, p.x),)}
    wrong = [
        Certificate({1: p.low}, index=index, ghosts={1: ((p.last, index),)}),
        Certificate({1: p.low}, index=p.last, ghosts=pairs),
        Certificate({1: p.low}, 2, ghosts=pairs),
        Certificate({1: p.low}, unwinding=Unwinding(20), ghosts=pairs),
    ]
    for certificate in wrong:
        assert check_certificate(p.cfa, certificate, [Z3]).obligation == "vocabulary"
    right = Certificate({1: p.low}, index=index, ghosts=pairs)
    assert check_certificate(p.cfa, right, [Z3]).status is Status.ACCEPTED
