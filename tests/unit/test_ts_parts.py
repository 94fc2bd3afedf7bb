"""Independent parts of a system: proved apart, claimed together, checked on the whole; and what is
broken in one is found.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest.mock import patch

import pytest

import obligato
from benchmarks.scale_families import FAMILIES, counters
from obligato.frontends.btor2.reader import load
from obligato.frontends.vmt.reader import load as read_vmt
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_parts import cases, exact, independent_parts
from obligato.results.checking.solving import Link, Questions
from obligato.results.checking.status import Status
from obligato.results.checking.system import Checker, check_system_certificate
from obligato.smt.solver import Solver
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, Op, Term, TermStore, evaluate

N = 10
Z3 = Link("z3", True, Z3Solver)


def written(folder: Path, text: str) -> Path:
    file = folder / "counters.btor2"
    file.write_text(text)
    return file


@pytest.fixture
def system(tmp_path: Path) -> TransitionSystem:
    return load(str(written(tmp_path, counters(N))))


def test_cases_are_the_formula() -> None:
    s = TermStore.raw()
    a, b, c = variables = [s.var(n, BOOL) for n in "abc"]
    for f in (
        s.and_(a, s.not_(s.or_(b, c))),
        s.not_(s.or_(a, s.or_(b, s.not_(c)))),
        s.or_(a, b),
        s.not_(s.and_(a, b)),
        a,
    ):
        for values in product((False, True), repeat=3):
            at = dict(zip(variables, values, strict=True))
            assert evaluate(f, at) == all(evaluate(p, at) for p in cases(s, f)), f


def test_each_counter_is_a_part(system: TransitionSystem) -> None:
    parts = independent_parts(system)
    assert [[x.name for x in p.state] for p in parts] == [[f"c{i}"] for i in range(N)]
    assert [[i.name for i in p.inputs] for p in parts] == [[f"go{i}"] for i in range(N)]
    assert all(p.init is not system.store.true for p in parts)


def test_what_is_connected_is_one_part(system: TransitionSystem) -> None:
    s, (x, y, *_) = system.store, system.state
    together = Assertion("both", s.not_(s.eq(x, y)))
    assert (
        len(independent_parts(replace(system, properties=(*system.properties, together)))) == N - 1
    )
    twice = replace(system, init=s.and_(system.init, s.eq(x, y)))
    # x is defined twice
    assert len(independent_parts(twice)) == N - 1 and exact(system) and not exact(twice)
    limited = replace(system, constraints=(s.not_(s.eq(x, s.const(3, x.sort))),))
    assert len(independent_parts(limited)) == N and not exact(limited)


@pytest.mark.parametrize("at", [0, 4, N - 1])
def test_a_counter_that_goes_too_far_is_found(tmp_path: Path, at: int) -> None:
    lines = counters(N).splitlines()
    limit = next(i for i, line in enumerate(lines) if line.endswith(f" ult 2 {6 + 9 * at} 5"))
    lines[limit] = lines[limit].replace(" ult ", " ulte ")
    outcome = obligato.verify(str(written(tmp_path, "\n".join(lines) + "\n")))
    assert outcome.verdict.value == "false"


def test_all_parts_together_are_a_proof(tmp_path: Path) -> None:
    outcome = obligato.verify(str(written(tmp_path, counters(N))))
    assert outcome.verdict.value == "true" and outcome.stats["parts"] == N


def test_every_property_has_its_verdict(tmp_path: Path) -> None:
    outcome = obligato.verify(str(written(tmp_path, FAMILIES["bads"].text(N))))
    assert [v.verdict.value for v in outcome.verdicts] == ["true"] * N


def bounded(system: TransitionSystem, bounds: list[int]) -> Term:
    s = system.store
    return s.and_(
        *(s.mk(Op.BVULE, (x, s.bv(b, 8))) for x, b in zip(system.state, bounds, strict=True))
    )


@pytest.mark.parametrize(
    ("near", "trials", "many"),
    [(1, -1, 200), (40, -1, 200), (1000, -1, 200), (40, 4, 200), (40, 4, 3)],
)
def test_a_certificate_is_checked_claim_by_claim(
    system: TransitionSystem, near: int, trials: int, many: int
) -> None:
    checking, cones = "obligato.results.checking.system", "obligato.results.checking.cones"
    with (
        patch(f"{checking}.MANY", 0),
        patch(f"{checking}.TRIALS", trials),
        patch(f"{cones}.NEAR", near),
        patch(f"{cones}.FAR", 4 * near),
        patch(f"{cones}.FEW", 0),
        patch(f"{cones}.MANY", many),
    ):

        def status(bounds: list[int]) -> Status:
            return check_system_certificate(
                system, SystemCertificate(bounded(system, bounds)), [Z3]
            ).status

        assert status([100] * N) is Status.ACCEPTED
        for at in (0, 5, N - 1):
            # not inductive
            assert status([50 if i == at else 100 for i in range(N)]) is Status.REFUTED
        s, x = system.store, system.state[3]
        stricter = Assertion("strict", s.not_(s.eq(x, s.bv(100, 8))))
        worse = replace(system, properties=(*system.properties, stricter))
        assert (
            check_system_certificate(
                worse, SystemCertificate(bounded(system, [100] * N)), [Z3]
            ).status
            is Status.REFUTED
        )


def test_a_certificate_that_one_solver_checks_soon_is_not_taken_apart(
    system: TransitionSystem,
) -> None:
    certificate = SystemCertificate(bounded(system, [100] * N))
    checking = "obligato.results.checking.system"
    with (
        patch(f"{checking}.MANY", 0),
        patch(f"{checking}.GROUP", 3),
        patch(f"{checking}.Local") as local,
    ):
        check = check_system_certificate(system, certificate, [Z3])
    assert (
        check.status is Status.ACCEPTED
        and check.queries == 2 * (-(-N // 3) + 1)
        and not local.called
    )


def test_few_groups_that_take_long_are_asked_of_the_solver_that_knows_the_others(
    system: TransitionSystem,
) -> None:
    made: list[Solver] = []
    link = replace(Z3, budget=10**7, make=lambda: made.append(Z3.make()) or made[-1])  # type: ignore[func-returns-value]
    real, checking = Checker._follow, "obligato.results.checking.system"

    def slow(self: Checker, questions: Questions, claims: list[Term]) -> bool:
        """The property, which is alone, takes more than a part of the budget."""
        return (len(claims) > 1 or questions.links[0].budget == link.budget) and real(
            self, questions, claims
        )

    certificate = SystemCertificate(bounded(system, [100] * N))
    with (
        patch(f"{checking}.MANY", 0),
        patch(f"{checking}.GROUP", 2),
        patch.object(Checker, "_follow", slow),
        patch(f"{checking}.Local") as local,
    ):
        assert check_system_certificate(system, certificate, [link]).status is Status.ACCEPTED
    assert len(made) == 2 and not local.called  # one of the start, one of the step


@pytest.mark.parametrize(("last", "expected"), [(2, "true"), (9, "false")])
def test_a_part_that_cannot_go_on_stops_the_others(
    tmp_path: Path, last: int, expected: str
) -> None:
    """Integers that grow from 0; all but the last must stay below 4; there is no step where the
    last is not below `last`.
    """
    names = [f"x{i}" for i in range(N)]
    lines = [
        f"(declare-fun {x} () Int)(declare-fun {x}n () Int)(define-fun .{x} () Int (! {x} :next"
        f" {x}n))"
        for x in names
    ]
    steps = " ".join(f"(= {x}n (+ {x} 1))" for x in names)
    start, claim = " ".join(f"(= {x} 0)" for x in names), " ".join(f"(< {x} 4)" for x in names[:-1])
    file = tmp_path / "growing.vmt"
    file.write_text(
        "\n".join(
            [
                *lines,
                f"(define-fun .init () Bool (! (and {start}) :init true))",
                f"(define-fun .trans () Bool (! (and {steps} (< {names[-1]} {last})) :trans true))",
                (
                    f"(define-fun .claim () Bool (! (and {claim} (<= 0 {names[-1]}))"
                    " :invar-property 0))"
                ),
            ]
        )
    )
    assert len(independent_parts(read_vmt(str(file)))) == N
    assert obligato.verify(str(file), engine="ic3ia").verdict.value == expected
