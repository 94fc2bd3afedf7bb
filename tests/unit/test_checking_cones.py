"""Obligations in parts with cones: parts cover the whole, cones are assertions, and what is broken
in one place is found.

Each test was seen to fail with the fault that it is named after, built into the checker.
"""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import pytest

from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Choice, Seq
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.cones import Cones
from obligato.results.checking.solving import Link
from obligato.results.outcome import Certificate
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, INT, Term, TermStore, evaluate
from tests.cfas import ERROR, assign, make_cfa

Z3 = Link("z3", True, Z3Solver)


def check(cfa: CFA, invariants: dict[int, Term], near: int = 5) -> CertificateCheck:
    """The answer where every obligation is first asked about in parts, with cones of so many
    terms.
    """
    with (
        patch("obligato.results.checking.obligations.MANY", 0),
        patch("obligato.results.checking.cones.NEAR", near),
        patch("obligato.results.checking.cones.FAR", 4 * near),
        patch("obligato.results.checking.cones.FEW", 0),
    ):
        return check_certificate(cfa, Certificate(invariants), [Z3])


def test_the_parts_of_a_formula_are_the_formula() -> None:
    s = TermStore.raw()
    a, b, c, r, q = variables = [s.var(n, BOOL) for n in "abcrq"]
    definitions = [s.eq(r, s.or_(a, s.or_(b, q))), s.eq(q, s.and_(a, c)), s.or_(a, b)]
    cones = Cones(definitions)
    claim = s.and_(a, s.and_(b, s.not_(c)))
    for f in (
        r,
        s.or_(r, c),
        s.and_(r, s.not_(claim)),
        s.and_(q, s.not_(a)),
        s.or_(s.and_(r, s.not_(claim)), q),
    ):
        parts = cones.parts(f)
        for values in product((False, True), repeat=len(variables)):
            at = dict(zip(variables, values, strict=True))
            if all(evaluate(d, at) for d in definitions):
                assert evaluate(f, at) == any(evaluate(p, at) for p in parts), (f, at)
    assert len(cones.parts(r)) == 3 and len(cones.parts(s.and_(r, s.not_(claim)))) == 3


def test_a_variable_that_is_defined_by_itself_is_a_part() -> None:
    s = TermStore.raw()
    a, b, c, d = variables = [s.var(n, BOOL) for n in "abcd"]
    for assertions in (
        [s.eq(a, s.or_(a, c))],
        [s.eq(a, s.or_(b, c)), s.eq(b, s.or_(a, d))],
        [s.eq(b, s.or_(a, d)), s.eq(a, s.or_(b, c))],
        [s.or_(a, b), s.eq(b, s.or_(a, d)), s.eq(a, s.or_(b, c))],
    ):
        parts = Cones(assertions).parts(a)
        for values in product((False, True), repeat=len(variables)):
            at = dict(zip(variables, values, strict=True))
            if all(evaluate(f, at) for f in assertions):
                assert evaluate(a, at) == any(evaluate(p, at) for p in parts), (assertions, at)


def test_a_claim_about_a_variable_by_itself_proves_nothing() -> None:
    """x is true and all others are false: x = (x or ...) says nothing about the error, which
    x is.
    """
    s = TermStore.raw()
    x, *others = variables = [s.var(f"x{i}", BOOL) for i in range(6)]
    first = Assign(((x, s.true), *((y, s.false) for y in others)))
    cfa = make_cfa(s, variables, [(0, 1, first), (1, ERROR, Assume(x)), (1, 1, Assume(s.not_(x)))])
    claim = s.and_(s.eq(x, s.or_(x, *others)), *(s.not_(y) for y in others))
    assert check(cfa, {1: claim}).status is Status.REFUTED


def test_cones_are_made_of_assertions() -> None:
    s = TermStore.raw()
    names = [s.var(f"r{i}", BOOL) for i in range(20)]
    xs = [s.var(f"x{i}", INT) for i in range(20)]
    chain = [
        s.eq(r, s.and_(before, s.lt(x, s.int_(3))))
        for before, r, x in zip(names, names[1:], xs[1:], strict=False)
    ]
    about = [s.lt(x, s.int_(10)) for x in xs]
    near = Cones([*chain, *about]).near([names[10]], 12)
    assert set(near) <= {*chain, *about}
    assert chain[9] in near and about[10] in near and chain[1] not in near
    assert set(Cones([*chain, *about]).near([names[10]], 1000)) == {*chain[:10], *about[1:11]}


def counters(broken: int | None = None, unsafe: int | None = None) -> tuple[CFA, dict[int, Term]]:
    """Six counters that are stepped one after the other in a loop, up to 5, and asked about; the
    certificate bounds each.

    `broken` is stepped further than its bound, `unsafe` is asked to stay below what it reaches.
    """
    s, n = TermStore.raw(), 6
    xs = [s.var(f"x{i}", INT) for i in range(n)]
    edges = [(i, i + 1, assign(x, s.int_(0))) for i, x in enumerate(xs)]
    at = head = n
    for i, x in enumerate(xs):
        more = s.lt(x, s.int_(6 if i == broken else 5))
        fine = s.le(x, s.int_(4 if i == unsafe else 5))
        step = assign(x, s.add(x, s.int_(1)))
        edges += [
            (at, at + 1, Assume(more)),
            (at + 1, at + 2, step),
            (at, at + 2, Assume(s.not_(more))),
            (at + 2, ERROR, Assume(s.not_(fine))),
            (at + 2, at + 3 if i < n - 1 else head, Assume(fine)),
        ]
        at += 3
    claim = s.and_(*(s.and_(s.le(s.int_(0), x), s.le(x, s.int_(5))) for x in xs))
    return make_cfa(s, xs, edges), {head: claim}


@pytest.mark.parametrize("near", [1, 5, 20, 500])
def test_a_proof_is_accepted_whatever_the_cones(near: int) -> None:
    assert check(*counters(), near=near).status is Status.ACCEPTED


@pytest.mark.parametrize("near", [5, 500])
@pytest.mark.parametrize("at", range(6))
def test_one_obligation_among_many_is_seen_to_be_broken(at: int, near: int) -> None:
    assert check(*counters(unsafe=at), near=near).status is Status.REFUTED
    assert check(*counters(broken=at), near=near).status is Status.REFUTED
    cfa, claims = counters()
    s = cfa.store
    weaker = s.and_(
        *(
            s.and_(s.le(s.int_(0), x), s.le(x, s.int_(9 if i == at else 5)))
            for i, x in enumerate(cfa.variables)
        )
    )
    assert check(cfa, dict.fromkeys(claims, weaker), near=near).status is Status.REFUTED


@pytest.mark.parametrize("lifts", [0, 1, 50])
def test_branches_within_branches_are_told_apart_where_they_meet(lifts: int) -> None:
    """x = a ? (b ? 1 : 2) : (b ? 3 : 4), by four paths that meet in one place."""
    s = TermStore.raw()
    a, b, x = s.var("a", BOOL), s.var("b", BOOL), s.var("x", INT)
    cfa = make_cfa(
        s,
        [a, b, x],
        [
            (0, 1, Assume(a)),
            (0, 2, Assume(s.not_(a))),
            (1, 3, Assume(b)),
            (1, 4, Assume(s.not_(b))),
            (2, 7, Assume(b)),
            (2, 8, Assume(s.not_(b))),
            (3, 5, assign(x, s.int_(1))),
            (4, 5, assign(x, s.int_(2))),
            (7, 5, assign(x, s.int_(3))),
            (8, 5, assign(x, s.int_(4))),
            (5, 6, assign(x, x)),
            (6, ERROR, Assume(s.false)),
        ],
    )
    value = s.ite(a, s.ite(b, s.int_(1), s.int_(2)), s.ite(b, s.int_(3), s.int_(4)))
    with patch("obligato.results.checking.encoding.LIFTS", lifts):
        assert check(cfa, {6: s.eq(x, value)}).status is Status.ACCEPTED
        for k in (1, 2, 3, 4):
            assert check(cfa, {6: s.not_(s.eq(x, s.int_(k)))}).status is Status.REFUTED


@pytest.mark.parametrize("tail", [(), (7,)])
def test_what_is_assumed_between_choices_of_one_edge_counts(tail: tuple[int, ...]) -> None:
    """x := 1 or x := 2; assume x = 2; y := x or y := x + 1; perhaps once more: x is 2 and y is 2 or
    3, and both may be.
    """
    s = TermStore.raw()
    x, y = s.var("x", INT), s.var("y", INT)
    one, two, three = (s.int_(k) for k in (1, 2, 3))
    second = Choice((assign(y, x), assign(y, s.add(x, one))))
    again = [Seq((Assume(s.ge(y, two)), Choice((assign(x, x), assign(x, two)))))] * len(tail)
    cfa = make_cfa(
        s,
        [x, y],
        [
            (
                0,
                1,
                Seq(
                    (Choice((assign(x, one), assign(x, two))), Assume(s.eq(x, two)), second, *again)
                ),
            ),
            (1, ERROR, Assume(s.false)),
        ],
    )
    either = s.or_(s.eq(y, two), s.eq(y, three))
    assert check(cfa, {1: s.and_(s.eq(x, two), either)}).status is Status.ACCEPTED
    for wrong in (s.eq(x, one), s.eq(y, two), s.eq(y, three), s.eq(y, one)):
        assert check(cfa, {1: wrong}).status is Status.REFUTED
