"""The certificate checker accepts proofs and rejects everything else, each obligation broken
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Choice, Seq
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.models.ts_claims import SystemCertificate
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.results.checking.hints import hints
from obligato.results.checking.solving import Link
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Certificate
from obligato.smt import SAT, UNKNOWN, SatResult
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, INT, Kind, Op, Term, TermStore, array, bitvec, evaluate, postorder
from tests.cfas import ERROR, Counter, assign, make_cfa

Z3 = Link("z3", True, Z3Solver)


def check(cfa: CFA, invariants: dict[int, Term], k: int = 1) -> CertificateCheck:
    return check_certificate(cfa, Certificate(invariants, k), [Z3])


def test_a_proof_is_accepted() -> None:
    p = Counter()
    s = p.store
    result = check(p.cfa, {1: s.le(p.x, s.int_(10))})
    assert (result.status, result.checker, result.independent) == (Status.ACCEPTED, "z3", True)
    assert result.queries == 2  # 0 -> 1; 1 -> 1 and 1 -> error at once


def test_annotations_at_every_location_are_accepted() -> None:
    p = Counter()
    s, x = p.store, p.x
    ten = s.int_(10)
    invariants = {
        0: s.true,
        1: s.le(x, ten),
        2: s.lt(x, ten),
        3: s.eq(x, ten),
        4: s.true,
        ERROR: s.false,
    }
    assert check(p.cfa, invariants).status is Status.ACCEPTED


def test_formulas_of_another_store_are_understood() -> None:
    p = Counter()
    other = TermStore()
    assert (
        check(p.cfa, {1: other.le(other.var("x", INT), other.int_(10))}).status is Status.ACCEPTED
    )


@pytest.mark.parametrize(
    ("low", "high", "broken"),
    [(1, 10, "initiation l0 -> l1"), (0, 9, "consecution l1 -> l1"), (0, 11, "safety l1 -> error")],
)
def test_each_obligation_broken_alone_is_refuted(low: int, high: int, broken: str) -> None:
    # initiation: 1 <= x fails at the start only; consecution: x <= 9 fails in the loop only;
    # safety: x <= 10 or x = 11 is initial and inductive (11 leaves the loop), but too weak
    p = Counter()
    s, x = p.store, p.x
    result = check(p.cfa, {1: s.and_(s.le(s.int_(low), x), s.le(x, s.int_(high)))})
    assert (result.status, result.obligation) == (Status.REFUTED, broken)


def test_the_refuting_state_is_reported() -> None:
    p = Counter()
    s = p.store
    result = check(p.cfa, {1: s.le(p.x, s.int_(9))})
    assert result.model == {"x": 9}


def test_a_stated_formula_at_the_initial_location_must_be_valid() -> None:
    p = Counter()
    s = p.store
    result = check(p.cfa, {0: s.eq(p.x, s.int_(0)), 1: s.le(p.x, s.int_(10))})
    assert (result.status, result.obligation) == (Status.REFUTED, "initiation l0")


def test_a_missing_loop_annotation_that_matters_is_refuted() -> None:
    p = Counter()
    assert check(p.cfa, {}).status is Status.REFUTED


def two_loops() -> tuple[TermStore, CFA, Term, Term]:
    """x := 0; y := 0; while (y < 5) y := y + 1; while (x < 10) x := x + 1; assert x == 10. Heads 2
    and 4.
    """
    s = TermStore.raw()
    x, y, one = s.var("x", INT), s.var("y", INT), s.int_(1)
    more, below, fine = s.lt(y, s.int_(5)), s.lt(x, s.int_(10)), s.eq(x, s.int_(10))
    cfa = make_cfa(
        s,
        [x, y],
        [
            (0, 1, assign(x, s.int_(0))),
            (1, 2, assign(y, s.int_(0))),
            (2, 3, Assume(more)),
            (3, 2, assign(y, s.add(y, one))),
            (2, 4, Assume(s.not_(more))),
            (4, 5, Assume(below)),
            (5, 4, assign(x, s.add(x, one))),
            (4, 6, Assume(s.not_(below))),
            (6, ERROR, Assume(s.not_(fine))),
            (6, 7, Assume(fine)),
        ],
    )
    return s, cfa, x, y


def test_a_loop_that_does_not_matter_needs_no_annotation() -> None:
    s, cfa, x, _ = two_loops()
    assert check(cfa, {4: s.le(x, s.int_(10))}).status is Status.ACCEPTED


def test_what_an_unannotated_loop_assigns_is_forgotten() -> None:
    s, cfa, x, y = two_loops()
    claim = s.and_(s.le(x, s.int_(10)), s.le(y, s.int_(5)))
    assert check(cfa, {4: claim}).obligation == "initiation l0 -> l4"
    assert (
        check(cfa, {2: s.and_(s.le(y, s.int_(5)), s.eq(x, s.int_(0))), 4: claim}).status
        is Status.ACCEPTED
    )


def test_an_assertion_inside_an_unannotated_loop_is_seen() -> None:
    s = TermStore.raw()
    x = s.var("x", INT)
    bad = s.eq(x, s.int_(3))
    cfa = make_cfa(
        s,
        [x],
        [
            (0, 1, assign(x, s.int_(0))),
            (1, ERROR, Assume(bad)),
            (1, 1, assign(x, s.add(x, s.int_(1)))),
        ],
    )
    assert check(cfa, {}).obligation == "safety l0 -> error"
    assert check(cfa, {1: s.ne(x, s.int_(3))}).status is Status.REFUTED
    assert check(cfa, {1: s.true}).status is Status.REFUTED


def test_formulas_over_unknown_variables_and_inputs_are_refused() -> None:
    s = TermStore.raw()
    x, i = s.var("x", INT), s.var("i", INT)
    cfa = make_cfa(s, [x], [(0, 1, assign(x, i)), (1, ERROR, Assume(s.false))], inputs=[i])
    for other in (i, s.var("z", INT), TermStore.raw().var("x", bitvec(8))):
        result = check(cfa, {1: other.store.eq(other, other)})
        assert (result.status, result.obligation) == (Status.REFUTED, "vocabulary")


def test_a_certificate_of_another_program_is_refused() -> None:
    p = Counter()
    s, _, x, _ = two_loops()
    assert check(p.cfa, {4: s.le(x, s.int_(10))}).status is Status.REFUTED  # 4 is no loop head here
    assert check(p.cfa, {17: s.true}).reason == "there is no location 17"
    assert check(p.cfa, {1: x}).obligation == "vocabulary"  # not a formula


def test_inputs_are_fresh_on_every_edge() -> None:
    """x := i; y := i with the same input name on two edges: x = y does not follow."""
    s = TermStore.raw()
    x, y, i = s.var("x", INT), s.var("y", INT), s.var("i", INT)
    differ = s.ne(x, y)
    cfa = make_cfa(
        s,
        [x, y],
        [(0, 1, assign(x, i)), (1, 2, assign(y, i)), (2, ERROR, Assume(differ))],
        inputs=[i],
    )
    assert check(cfa, {}).status is Status.REFUTED
    same = make_cfa(
        s, [x, y], [(0, 1, Assign(((x, i), (y, i)))), (1, ERROR, Assume(differ))], inputs=[i]
    )
    assert check(same, {}).status is Status.ACCEPTED


@pytest.mark.parametrize("second", [1, 2])
def test_every_branch_counts(second: int) -> None:
    """Parallel edges, a choice inside an edge, and a nondeterministic branch: each alternative is
    followed.
    """
    s = TermStore.raw()
    x = s.var("x", INT)
    a, b = assign(x, s.int_(1)), assign(x, s.int_(second))
    bad = Assume(s.eq(x, s.int_(2)))
    expected = Status.REFUTED if second == 2 else Status.ACCEPTED
    parallel = make_cfa(s, [x], [(0, 1, a), (0, 1, b), (1, ERROR, bad)])
    inside = make_cfa(s, [x], [(0, 1, Choice((a, Seq((b,))))), (1, ERROR, bad)])
    apart = make_cfa(
        s,
        [x],
        [
            (0, 1, a),
            (0, 2, Assume(s.true)),
            (2, 3, b),
            (3, 4, Seq(())),
            (1, 4, Seq(())),
            (4, ERROR, bad),
        ],
    )
    assert [check(c, {}).status for c in (parallel, inside, apart)] == [expected] * 3


@pytest.mark.parametrize("order", [1, -1])
def test_a_branch_that_assigns_nothing_keeps_the_value(order: int) -> None:
    s = TermStore.raw()
    x = s.var("x", INT)
    branches = [(1, 2, assign(x, s.int_(1))), (1, 2, Seq(()))][::order]
    for bad in (1, 2):  # both values arrive where the branches meet
        cfa = make_cfa(
            s,
            [x],
            [(0, 1, assign(x, s.int_(2))), *branches, (2, ERROR, Assume(s.eq(x, s.int_(bad))))],
        )
        assert check(cfa, {}).status is Status.REFUTED
    kept = make_cfa(
        s, [x], [*[(0 if a == 1 else a, b, c) for a, b, c in branches], (2, ERROR, Assume(s.false))]
    )
    assert check(kept, {}).status is Status.ACCEPTED
    unassigned = make_cfa(
        s, [x], [(0, 2, c) for _, _, c in branches] + [(2, ERROR, Assume(s.eq(x, s.int_(7))))]
    )
    assert check(unassigned, {}).status is Status.REFUTED  # x may be 7 from the start


def test_assignments_are_parallel() -> None:
    s = TermStore.raw()
    x, y = s.var("x", INT), s.var("y", INT)
    swap = Assign(((x, y), (y, x)))
    start = Assign(((x, s.int_(1)), (y, s.int_(2))))
    good = make_cfa(
        s, [x, y], [(0, 1, start), (1, 2, swap), (2, ERROR, Assume(s.not_(s.eq(x, s.int_(2)))))]
    )
    bad = make_cfa(s, [x, y], [(0, 1, start), (1, 2, swap), (2, ERROR, Assume(s.eq(y, s.int_(1))))])
    assert check(good, {}).status is Status.ACCEPTED
    assert check(bad, {}).status is Status.REFUTED


def rotation() -> tuple[TermStore, CFA, Term]:
    """a, b, c := 0, 0, 0 (or more bad: c = 1); loop: a, b, c := b, c, a; assert a == 0. `a == 0` is
    3-inductive.
    """
    s = TermStore.raw()
    a, b, c = (s.var(n, INT) for n in "abc")
    zero = s.int_(0)
    cfa = make_cfa(
        s,
        [a, b, c],
        [
            (0, 1, Assign(((a, zero), (b, zero), (c, zero)))),
            (1, 2, Assume(s.eq(a, zero))),
            (1, ERROR, Assume(s.not_(s.eq(a, zero)))),
            (2, 1, Assign(((a, b), (b, c), (c, a)))),
        ],
    )
    return s, cfa, a


def test_k_inductive_certificates() -> None:
    s, cfa, a = rotation()
    claim = {1: s.eq(a, s.int_(0))}
    assert [check(cfa, claim, k).status is Status.ACCEPTED for k in (1, 2, 3, 4)] == [
        False,
        False,
        True,
        True,
    ]


def test_a_k_inductive_claim_that_is_false_at_first_is_refuted() -> None:
    s, cfa, a = rotation()
    assert check(cfa, {1: s.eq(a, s.int_(1))}, 3).obligation == "initiation l0 -> l1"


class Narrow(Z3Solver):
    """Knows the answer where one thing is asked about."""

    def check(self, assumptions: Sequence[Term] = (), **how: Any) -> SatResult:
        if any(t.op is Op.NOT and t.args[0].op is Op.AND for t in postorder(assumptions)):
            return UNKNOWN
        return super().check(assumptions, **how)


NARROW = Link("narrow", True, Narrow, budget=1_000_000)


def test_conjuncts_are_asked_about_one_by_one_where_all_at_once_are_too_much() -> None:
    p = Counter()
    s, x = p.store, p.x
    low, high = s.le(s.int_(0), x), s.le(x, s.int_(10))
    proof = check_certificate(p.cfa, Certificate({1: s.and_(low, high)}), [NARROW])
    assert (proof.status, proof.checker) == (Status.ACCEPTED, "narrow")
    wrong = check_certificate(p.cfa, Certificate({1: s.and_(low, s.le(x, s.int_(9)))}), [NARROW])
    assert (wrong.status, wrong.obligation, wrong.model["x"]) == (
        Status.REFUTED,
        "consecution l1 -> l1",
        9,
    )
    weak = check_certificate(p.cfa, Certificate({1: s.and_(low, s.le(x, s.int_(11)))}), [NARROW])
    assert (weak.status, weak.obligation) == (Status.REFUTED, "safety l1 -> error")


def test_claims_about_a_system_are_asked_about_one_by_one_where_all_at_once_are_too_much() -> None:
    s = TermStore()
    x = s.var("x", INT)
    low, high = s.le(s.int_(0), x), s.le(x, s.int_(10))
    step = s.eq(next_var(x), s.ite(s.lt(x, s.int_(10)), s.add(x, s.int_(1)), s.int_(0)))
    system = TransitionSystem(
        s, (x,), (), s.eq(x, s.int_(0)), step, (Assertion("p", s.le(x, s.int_(12))),)
    )
    assert (
        check_system_certificate(system, SystemCertificate(s.and_(low, high)), [NARROW]).status
        is Status.ACCEPTED
    )
    wrong = s.and_(low, s.le(x, s.int_(9)))
    assert (
        check_system_certificate(system, SystemCertificate(wrong), [NARROW]).status
        is Status.REFUTED
    )


class Silent(Z3Solver):
    """A solver that never knows."""

    def _check(self, assumptions: object, budget: object) -> SatResult:
        return UNKNOWN


def test_unknown_goes_to_the_next_solver_and_is_never_an_answer() -> None:
    p = Counter()
    s = p.store
    silent = Link("silent", True, Silent)
    own = Link("own", False, Z3Solver)
    wrong_theory = Link("sat", True, Silent, frozenset({Kind.BOOL}))
    certificate = Certificate({1: s.le(p.x, s.int_(10))})
    result = check_certificate(p.cfa, certificate, [wrong_theory, silent, own])
    assert (result.status, result.checker, result.independent) == (Status.ACCEPTED, "own", False)
    assert check_certificate(p.cfa, certificate, [silent]).status is Status.UNKNOWN
    assert check_certificate(p.cfa, certificate, [wrong_theory]).status is Status.UNKNOWN


def test_a_wrong_model_refutes_nothing() -> None:
    class Liar(Z3Solver):
        def _value_of_var(self, var: Term) -> object:
            return False if var.sort is BOOL else 5

    p = Counter()
    liar = Link("liar", True, Liar)
    result = check_certificate(p.cfa, Certificate({1: p.store.true}), [liar])
    assert result.status is Status.UNKNOWN and "does not satisfy" in result.reason


def test_solvers_that_contradict_each_other_accept_nothing() -> None:
    class Liar(Z3Solver):
        def _check(self, assumptions: object, budget: object) -> SatResult:
            return SAT

        def _value_of_var(self, var: Term) -> object:
            return False if var.sort is BOOL else 5

    p = Counter()
    certificate = Certificate({1: p.store.le(p.x, p.store.int_(10))})
    result = check_certificate(p.cfa, certificate, [Link("liar", True, Liar), Z3])
    assert result.status is Status.UNKNOWN and "says unsat" in result.reason
    assert check_certificate(p.cfa, certificate, [Z3]).status is Status.ACCEPTED


def test_an_unreachable_error_needs_no_annotation() -> None:
    s = TermStore.raw()
    x = s.var("x", INT)
    assert check(make_cfa(s, [x], [(0, 1, assign(x, s.int_(0)))]), {}).status is Status.ACCEPTED


def test_irreducible_loops_are_covered() -> None:
    """Two entries into a cycle 1 <-> 2; x only grows: x >= 0 at one of them is enough, none
    is not.
    """
    s = TermStore.raw()
    x = s.var("x", INT)
    fine = s.ge(x, s.int_(0))
    cfa = make_cfa(
        s,
        [x],
        [
            (0, 3, assign(x, s.int_(0))),
            (3, 1, Seq(())),
            (3, 2, Seq(())),
            (1, 2, assign(x, s.add(x, s.int_(1)))),
            (2, 1, Seq(())),
            (2, ERROR, Assume(s.not_(fine))),
        ],
    )
    assert check(cfa, {1: fine}).status is Status.ACCEPTED
    assert check(cfa, {2: fine}).status is Status.ACCEPTED
    assert check(cfa, {}).status is Status.REFUTED


class Filled:
    """i := 0; while (i < 9) { a[i] := 7; i := i + 1 }; x := any; if (0 <= x < 9 and a[x] != 7)
    error.
    """

    def __init__(self) -> None:
        s = self.store = TermStore()
        self.i, self.x, self.a = s.var("i", INT), s.var("x", INT), s.var("a", array(INT, INT))
        self.index, choice = s.var("index", INT), s.var("choice", INT)
        nine, seven = s.int_(9), s.int_(7)
        step = Assign(
            ((self.a, s.store(self.a, self.i, seven)), (self.i, s.add(self.i, s.int_(1))))
        )
        body = Seq((Assume(s.lt(self.i, nine)), step))
        bad = s.and_(
            s.le(s.int_(0), self.x), s.lt(self.x, nine), s.ne(s.select(self.a, self.x), seven)
        )
        self.cfa = make_cfa(
            s,
            [self.i, self.x, self.a],
            [
                (0, 1, assign(self.i, s.int_(0))),
                (1, 1, body),
                (1, 2, Seq((Assume(s.not_(s.lt(self.i, nine))), assign(self.x, choice)))),
                (2, ERROR, Assume(bad)),
            ],
            [choice],
        )

    def filled(self, end: Term) -> Term:
        """0 <= index < end implies a[index] = 7."""
        s = self.store
        within = s.and_(s.le(s.int_(0), self.index), s.lt(self.index, end))
        return s.implies(within, s.eq(s.select(self.a, self.index), s.int_(7)))

    def check(
        self, end: int, index: Term | None, instances: dict[int, tuple[Term, ...]]
    ) -> CertificateCheck:
        claims = {1: self.filled(self.i), 2: self.filled(self.store.int_(end))}
        return check_certificate(self.cfa, Certificate(claims, 1, index, instances), [Z3])


def test_a_formula_for_every_index_is_used_at_its_instances() -> None:
    p = Filled()
    assert p.check(9, p.index, {2: (p.x,)}).status is Status.ACCEPTED
    # nothing says that x is of interest
    assert p.check(9, p.index, {}).obligation == "safety l2 -> error"
    assert p.check(8, p.index, {2: (p.x,)}).obligation == "safety l2 -> error"
    assert p.check(10, p.index, {2: (p.x,)}).obligation == "consecution l1 -> l2"


def test_an_index_that_cannot_be_quantified_is_refused() -> None:
    p = Filled()
    s = p.store
    wrong: list[tuple[Term | None, dict[int, tuple[Term, ...]]]] = [
        (None, {}),
        (None, {2: (p.x,)}),
        (p.i, {}),
        (s.var("choice", INT), {}),
        (p.index, {2: (p.index,)}),
        (p.index, {2: (s.true,)}),
        (s.add(p.index, s.int_(1)), {}),
        (TermStore().var("index", BOOL), {}),
    ]
    for index, instances in wrong:
        assert p.check(9, index, instances).obligation == "vocabulary"


@pytest.mark.parametrize("op", [Op.BVUREM, Op.BVSREM])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_hints_are_valid(op: Op, width: int) -> None:
    s = TermStore.raw()
    x, y = s.var("x", bitvec(width)), s.var("y", bitvec(width))
    told = hints(s.mk(op, (x, y)))
    assert told and not hints(s.mk(Op.BVUDIV, (x, y)))
    for a, b in product(range(1 << width), repeat=2):
        assert all(evaluate(f, {x: a, y: b}) for f in told), (a, b)


def test_the_arbitrary_index_is_no_variable_of_the_program() -> None:
    s = TermStore.raw()
    x, mine, k = s.var("x", INT), s.var("arbitrary index", INT), s.var("k", INT)
    cfa = make_cfa(s, [x, mine], [(0, 1, assign(x, s.int_(0))), (1, ERROR, Assume(s.true))])
    # for every k: k is the variable; at x and x + 1 that is a contradiction
    claim = Certificate({1: s.eq(k, mine)}, 1, k, {1: (x, s.add(x, s.int_(1)))})
    assert check_certificate(cfa, claim, [Z3]).status is Status.REFUTED


def test_fresh_names_are_none_of_the_program() -> None:
    # the input of the second edge gets a name of its own, whatever the program's variables are
    # called
    for n in range(30):
        s = TermStore.raw()
        x, y, i = s.var("x", INT), s.var(f"i#{n}", INT), s.var("i", INT)
        edges = [(0, 1, assign(x, i)), (1, ERROR, Assume(s.not_(s.eq(x, y))))]
        assert check(make_cfa(s, [x, y], edges, [i]), {}).status is Status.REFUTED
