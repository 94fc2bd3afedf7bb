"""`fair`, `l2s` and `klive` on random finite systems, judged by the checker and an explicit-state
oracle; deliberate faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from obligato.engines import fair, klive
from obligato.engines.environment import Environment
from obligato.engines.fair.skeleton import Skeletons
from obligato.engines.fair.walls import BitWall, Builder, Side
from obligato.engines.ic3.service import QuestionHooks, Service
from obligato.engines.ic3.solver import StepSolver
from obligato.errors import Unsupported
from obligato.models.live_claims import Counted, Lasso, Saved, Walls
from obligato.models.properties import Justice
from obligato.models.tableau import _Tableau
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemStep
from obligato.results.checking.certificate import Status
from obligato.results.checking.lasso import check_lasso
from obligato.results.checking.live import check_live_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.terms import BOOL, Term, TermStore
from tests.engines.live_judge import ENGINES, objection, objections
from tests.support.live import random_live_system, random_ltl_system, violated
from tests.support.volume import parts

NAMES = list(ENGINES)
LINKS = chain([BOOL], ("sat",), SolverStats())


@pytest.mark.parametrize("block", parts(6, 4))
def test_random_justice(block: int) -> None:
    for seed in range(15 * block, 15 * block + 15):
        system = random_live_system(seed)
        assert not objections(
            system, violated(system), ["fair", NAMES[1 + seed % 6]], 3 * (seed % 2)
        ), seed


@pytest.mark.parametrize("block", parts(6, 4))
def test_random_formulas(block: int) -> None:
    for seed in range(1000 + 15 * block, 1015 + 15 * block):
        system = random_ltl_system(seed)
        assert not objections(
            system, violated(system), ["fair", NAMES[1 + seed % 6]], 3 * (seed % 2)
        ), seed


# -- small systems whose answers are known ---------------------------------------------------------


def toggling(sets: Sequence[str], constraint: str = "") -> TransitionSystem:
    """x toggles, y stays 0 unless the input i sets it, then it stays 1; sets and a constraint by
    name, ~ negates.
    """
    s = TermStore.raw()
    x, y, i = (s.var(n, BOOL) for n in "xyi")
    named = {"x": x, "y": y, "i": i, "true": s.true}

    def term(name: str) -> Term:
        return s.not_(named[name[1:]]) if name.startswith("~") else named[name]

    next_ = {x: s.not_(x), y: s.or_(y, i)}
    return TransitionSystem(
        s,
        (x, y),
        (i,),
        s.and_(s.not_(x), s.not_(y)),
        functional(s, next_),
        (Justice("justice0", tuple(map(term, sets))),),
        (term(constraint),) if constraint else (),
        next=next_,
    )


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize(
    ("sets", "constraint", "expected"),
    [
        ((), "", True),  # any infinite run
        (("x", "~x"), "", True),
        (("y", "~y"), "", False),
        (("i",), "", True),
        (("i", "~y"), "", False),
        (("~i", "~y"), "", True),
        (("i", "~i"), "y", False),
        ((), "~x", False),  # every run ends: nothing is violated
        (("i",), "~i", False),
    ],
)
def test_known_answers(engine: str, sets: tuple[str, ...], constraint: str, expected: bool) -> None:
    system = toggling(sets, constraint)
    assert violated(system) is expected
    assert not objections(system, expected, [engine])


def test_lassos_that_are_none() -> None:
    system = toggling(("y", "i"))
    (p,) = system.temporal
    step = SystemStep({"x": False, "y": True}, {"i": True})
    start = SystemStep({"x": False, "y": False}, {"i": True})
    loop = (start, SystemStep({}, {"i": True}), SystemStep({}, {"i": False}))
    assert check_lasso(system, p, Lasso(loop, 1), LINKS).status is TraceStatus.CONFIRMED
    for wrong in (
        Lasso(loop, 2),
        Lasso(loop, 3),
        Lasso((), 0),
        Lasso((step, *loop[1:]), 1),
        Lasso((start, *(SystemStep({}, {"i": False}) for _ in range(2))), 1),
    ):
        assert check_lasso(system, p, wrong, LINKS).status is TraceStatus.REJECTED, wrong


def test_a_loop_that_closes_where_it_matters_only() -> None:
    s = TermStore.raw()
    x, y = s.var("x", BOOL), s.var("n", BOOL)
    next_ = {x: x, y: s.not_(y)}
    system = TransitionSystem(
        s, (x, y), (), s.not_(y), functional(s, next_), (Justice("j", (x,)),), next=next_
    )
    check = check_lasso(system, system.temporal[0], Lasso((SystemStep({"x": True}, {}),), 0), LINKS)
    assert check.status is TraceStatus.CONFIRMED and check.trace is not None
    # twice round, then n is back, too
    assert (len(check.trace.steps), check.trace.loop, check.open) == (2, 0, ())


# -- what the checker refuses ----------------------------------------------------------------------


def test_mangled_proofs_are_refused() -> None:
    system = toggling(("y", "~y"))
    (p,) = system.temporal
    result = fair.prove(system, fair.Options(merge=0, orbit=0), Environment())
    claim, s = result.certificate, system.store
    assert isinstance(claim, Walls) and len(claim.walls) == 1
    x, y = s.var("x", BOOL), s.var("y", BOOL)

    def status(c: Walls | Saved | Counted) -> Status:
        return check_live_certificate(system, p, c, LINKS).status

    assert status(claim) is Status.ACCEPTED
    assert status(Walls(claim.invariant, ())) is Status.REFUTED
    assert status(Walls(y, claim.walls)) is Status.REFUTED  # initiation
    assert status(Walls(s.not_(y), claim.walls)) is Status.REFUTED  # consecution
    wall = claim.walls[0]
    for formula, relative in (
        (x, ()),
        (wall.formula, (0,)),
        (wall.formula, (-1,)),
        (s.var("z", BOOL), ()),
        (s.true, ()),
    ):
        assert status(Walls(claim.invariant, (type(wall)(formula, relative),))) is Status.REFUTED, (
            formula
        )
    assert status(Saved(s.true)) is Status.REFUTED and status(Counted(3, s.true)) is Status.REFUTED
    assert status(Counted(-1, s.true)) is Status.REFUTED


def test_what_k_liveness_and_saved_states_prove() -> None:
    system = toggling(("y", "~y"))
    (p,) = system.temporal
    for name, kind in (("l2s", Saved), ("klive", Counted)):
        prove, options = ENGINES[name]
        result = prove(system, options, Environment())
        assert result.verdict is Verdict.TRUE and isinstance(result.certificate, kind)
        assert (
            check_live_certificate(system, p, result.certificate, LINKS).status is Status.ACCEPTED
        )
    other = toggling(("y",))
    claim = klive.prove(system, klive.Options(), Environment()).certificate
    assert (
        claim is not None
        and check_live_certificate(other, other.temporal[0], claim, LINKS).status is Status.REFUTED
    )


def test_saved_states_prove_nothing_about_infinite_ones() -> None:
    s = TermStore.raw()
    n = s.var("n", s.int_(0).sort)
    system = TransitionSystem(
        s,
        (n,),
        (),
        s.eq(n, s.int_(0)),
        s.eq(s.var("n'", n.sort), s.add(n, s.int_(1))),
        (Justice("j", ()),),
    )
    check = check_live_certificate(system, system.temporal[0], Saved(s.true), LINKS)
    assert check.status is Status.REFUTED and "infinite" in check.reason


@pytest.mark.parametrize(
    "name", ["klive round 0", "klive seen 0", "l2s saved", "l2s saved'", "l2s value 0"]
)
def test_names_of_the_product_belong_to_the_checker(name: str) -> None:
    s = TermStore.raw()
    claim = (
        Counted(0, s.true)
        if name.startswith("klive")
        else Saved(s.true, (s.true,) if "value" in name else ())
    )
    # always false: if it were the monitor's variable, the product would have no runs
    x = s.var(name, BOOL)
    system = TransitionSystem(
        s, (x,), (), s.not_(x), functional(s, {x: s.false}), (Justice("j", ()),), next={x: s.false}
    )
    with pytest.raises(Unsupported, match="is needed for the product"):
        check_live_certificate(system, system.temporal[0], claim, LINKS)


# -- deliberate faults -----------------------------------------------------------------------------


def complaints(systems: Iterable[TransitionSystem], calls: int = 3000) -> list[str]:
    """What is said against `fair` on the systems, each cancelled after so many questions."""
    out = []
    for system in systems:
        left = [calls]

        def cancelled(left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] < 0

        def prove(small: TransitionSystem, options: Any, env: Environment) -> Any:
            return fair.prove(small, options, Environment(cancelled=cancelled))

        problem = objection(system, violated(system), prove, fair.Options(merge=0, orbit=0), 0)
        out += [problem] if problem is not None else []
    return out


def test_fault_a_wall_that_hides_what_it_is_relative_to(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Builder._closure

    def forgetful(
        self: Builder, solver: StepSolver, cubes: Any, target: int, arena: Sequence[Side]
    ) -> Any:
        kept, _ = original(self, solver, cubes, target, arena)
        return kept, []

    monkeypatch.setattr(Builder, "_closure", forgetful)
    found = complaints(random_live_system(seed, 10) for seed in range(150))
    assert any("certificate: wall" in c for c in found) and all(
        "certificate" in c or "unknown" in c for c in found
    )


def test_fault_a_skeleton_without_successors(monkeypatch: pytest.MonkeyPatch) -> None:
    def separate(self: Skeletons, wall: BitWall) -> None:
        gates, side = self.context.gates, self.context.gates.input()
        for copy in self.copies:
            parts = [
                -gates.all_of([copy.now[n] if n > 0 else -copy.now[-n] for n in cube])
                for cube in wall.cubes
            ]
            place = gates.all_of([*parts, *self._sides(wall)])
            self._assert([-side, place])
            self._assert([side, -place])
        self._side.append(side)

    monkeypatch.setattr(Skeletons, "separate", separate)
    found = complaints([random_live_system(seed, 4) for seed in range(60)])
    assert any("true expected, not unknown" in c for c in found), found


def test_fault_a_promise_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dropping(dict[str, Term]):
        def __setitem__(self, key: str, value: Term) -> None:
            return None

    def init(self: _Tableau, *args: Any) -> None:
        first(self, *args)
        self.promises = Dropping()

    first = _Tableau.__init__
    monkeypatch.setattr(_Tableau, "__init__", init)
    found = complaints(random_ltl_system(seed) for seed in range(60))
    assert found and all("lasso" in c for c in found), found


def test_fault_constraints_ignored_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Service.travel

    def lawless(self: Service, *args: Any) -> Any:
        hooks, kept = self._travels, self.bits.constraints
        self.bits.constraints = []
        fresh = QuestionHooks(self, 1000)
        self._travels = fresh
        try:
            return original(self, *args)
        finally:
            self.bits.constraints, self._travels = kept, hooks
            fresh.close()

    monkeypatch.setattr(Service, "travel", lawless)
    found = complaints(random_live_system(seed) for seed in range(80))
    assert any("constraint" in c for c in found), found


def test_bits_that_only_fairness_reads_are_kept() -> None:
    assert len(BitSystem(toggling(())).bit) == 1
    system = toggling(("x",))
    assert len(BitSystem(system, system.temporal[0].sets).bit) == 2  # type: ignore[union-attr]
