"""FSIS: the systems of [Bra12, 1.1] and its footnote 1, random systems against exploration,
deliberate faults.
"""

from __future__ import annotations

from typing import Any

import pytest

from obligato.engines import fsis
from obligato.engines.environment import Environment
from obligato.engines.ic3.hooks import BooleanHooks
from obligato.engines.ic3.service import cube_of_state
from obligato.engines.ic3ts import Obligation, Query, Unreached
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.results.outcome import Verdict
from obligato.terms import Op, Term, TermStore, bitvec
from tests.engines.system_judge import objections
from tests.support.systems import explore, random_system
from tests.support.volume import parts

ENGINES: list[tuple[str, Any, Any]] = [
    ("fsis", fsis.prove, fsis.Options()),
    ("without revisiting", fsis.prove, fsis.Options(revisit=False, rebuild_every=3)),
]
WIDTH = 4


def saturating(a: Term, b: Term) -> Term:
    """The sum of signed words, cut off at the largest and smallest number: order is as with
    integers.
    """
    s = a.store
    wide = s.mk(Op.BVADD, (s.mk(Op.SIGN_EXT, (a,), 1), s.mk(Op.SIGN_EXT, (b,), 1)))
    top, bottom = (1 << WIDTH - 1) - 1, 1 << WIDTH - 1
    low, high = s.extract(wide, WIDTH - 1, WIDTH - 1), s.extract(wide, WIDTH, WIDTH)
    cut = s.ite(s.eq(high, s.bv(0, 1)), s.bv(top, WIDTH), s.bv(bottom, WIDTH))
    return s.ite(s.eq(low, high), s.extract(wide, WIDTH - 1, 0), cut)


def adding(moves: dict[str, tuple[str, str]]) -> TransitionSystem:
    """Variables that begin with 1; each becomes the sum of two, or of one and the constant 1. P: y
    >= 1.
    """
    s = TermStore()
    one = s.bv(1, WIDTH)
    v = {name: s.var(name, bitvec(WIDTH)) for name in moves} | {"1": one}
    next_ = {v[x]: saturating(v[a], v[b]) for x, (a, b) in moves.items()}
    good = s.mk(Op.BVSLE, (one, v["y"]))
    return TransitionSystem(
        s,
        tuple(next_),
        (),
        s.and_(*(s.eq(x, one) for x in next_)),
        functional(s, next_),
        (Assertion("P", good),),
        next=next_,
        total=True,
    )


FIRST = {"x": ("x", "1"), "y": ("y", "x")}
SECOND = {"x": ("x", "y"), "y": ("y", "x")}
FOOTNOTE = {"x": ("x", "y"), "y": ("y", "z"), "z": ("z", "x")}  # as printed
# what it means: x >= 0 and z >= 0 need each other
MUTUAL = {"x": ("x", "z"), "y": ("y", "x"), "z": ("z", "x")}


def run(system: TransitionSystem, **options: Any) -> tuple[Verdict, dict[str, int]]:
    env = Environment()
    return fsis.prove(system, fsis.Options(**options), env).verdict, env.counters


def test_the_first_system_has_an_incremental_proof() -> None:
    """x >= 0 is inductive by itself, and P relative to it: nothing joins the target."""
    verdict, counters = run(adding(FIRST))
    assert verdict is Verdict.TRUE
    assert counters.get("joined", 0) == 0
    assert objections(adding(FIRST), ENGINES) == []


def test_the_second_system_has_one_because_p_may_be_assumed() -> None:
    """x >= 0 is inductive relative to P only [Bra12, 1.2]."""
    verdict, counters = run(adding(SECOND))
    assert verdict is Verdict.TRUE
    assert counters.get("joined", 0) == 0
    assert objections(adding(SECOND), ENGINES) == []


def inductive(moves: dict[str, tuple[str, str]], name: str) -> bool:
    """Is `name >= 0` inductive relative to P?"""
    bits = fsis._Fsis(adding(moves), fsis.Options(), Environment())
    sign = next(
        n for n, (x, k) in enumerate(bits.bits.place) if n and x.name == name and k == WIDTH - 1
    )
    return isinstance(bits.hooks.predecessor(Query((sign,), 1, "test")), Unreached)


def test_what_the_paper_says_is_inductive(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inductive(FIRST, "x")
    assert inductive(SECOND, "x")
    assert inductive(FOOTNOTE, "x")  # the footnote denies it, but x' = x + y and y >= 1
    assert not inductive(FOOTNOTE, "z")
    assert not inductive(MUTUAL, "x")
    assert not inductive(MUTUAL, "z")
    monkeypatch.setattr(fsis.FsisHooks, "_fresh", BooleanHooks._fresh)  # without assuming P
    assert inductive(FIRST, "x")
    assert not inductive(SECOND, "x")


@pytest.mark.parametrize("revisit", [True, False])
def test_where_a_clause_is_missing_states_join_the_target(revisit: bool) -> None:
    """No clause of a CTI is inductive relative to P [Bra12, footnote 1]: the target grows, and a
    proof is found.
    """
    verdict, counters = run(adding(FOOTNOTE), revisit=revisit)
    assert verdict is Verdict.TRUE
    assert counters["joined"] > 0
    assert objections(adding(FOOTNOTE), ENGINES) == []
    # clauses over bits are more than half-spaces: some of them are inductive
    assert objections(adding(MUTUAL), ENGINES) == []


@pytest.mark.parametrize("block", parts(6, 4))
def test_random_systems_against_exploration(block: int) -> None:
    for n in range(30 * block, 30 * block + 30):
        assert (
            objections(random_system(n, 8), ENGINES[n % 2 : n % 2 + 1], levels=(3 * (n % 2),)) == []
        ), n


def test_an_inductive_subclause_is_found_where_there_is_one() -> None:
    """By enumeration of all parts of a cube: where some are inductive and not initial, `_inductive`
    finds one of them.
    """
    seen = 0
    for n in range(60):
        system = random_system(n, 4)
        if explore(system).states == 0 or system.next is None:
            continue
        engine = fsis._Fsis(system, fsis.Options(), Environment())
        width = len(engine.bits.bit)
        for state in range(0, 1 << width, 2):
            cube = cube_of_state(engine.bits, state)
            parts = [
                tuple(x for k, x in enumerate(cube) if mask >> k & 1)
                for mask in range(1 << len(cube))
            ]
            good = [
                p
                for p in parts
                if not engine.hooks.meets_initial(p)
                and isinstance(engine.hooks.predecessor(Query(p, 1, "test")), Unreached)
            ]
            found = engine._inductive(cube)
            assert (found is None) == (not good)
            seen += found is not None
            assert found is None or found in good
    assert seen > 50


FAULTS: dict[str, Any] = {
    "initiation of clauses": lambda m: m.setattr(
        fsis.FsisHooks, "meets_initial", lambda self, cube: False
    ),
    "initiation of P": lambda m: m.setattr(fsis.FsisHooks, "initial_violation", lambda self: None),
    "steps into the target": lambda m: m.setattr(
        fsis._Fsis, "_join", lambda self, does: self.hooks.exclude(does.cube)
    ),
    "inputs of the last state": lambda m: m.setattr(
        fsis._Fsis, "_violation", lambda self, move: Obligation(0, (), None, 0, ())
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name](monkeypatch)
    assert any(objections(random_system(n, 6), ENGINES[:1], levels=(0,)) for n in range(120))
