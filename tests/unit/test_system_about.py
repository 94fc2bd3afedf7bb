"""A system with some of its properties: `TransitionSystem.about`, and its sorts."""

from dataclasses import replace

from obligato.models.properties import Assertion, Justice
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, TermStore, bitvec

S = TermStore()
X, B = S.var("x", bitvec(4)), S.var("b", BOOL)
SAFE, TWICE, LIVE = Assertion("safe", B), Assertion("twice", B), Justice("live", (B,))


def system(*properties: Assertion | Justice) -> TransitionSystem:
    next_ = {X: X, B: S.eq(X, S.bv(1, 4))}
    return TransitionSystem(
        S, (X, B), (), B, functional(S, next_), properties, next=next_, fairness=(B,)
    )


def test_fairness_goes_with_the_properties_of_infinite_runs() -> None:
    whole = system(SAFE, LIVE)
    assert whole.about((SAFE,)).fairness == ()
    assert whole.about((LIVE,)).fairness == (B,)
    assert whole.about((SAFE,)).properties == (SAFE,)


def test_compassion_is_left_to_the_formulas() -> None:
    assert replace(system(LIVE), compassion=((B, B),)).about((LIVE,)).compassion == ()


def test_nothing_is_copied_where_nothing_changes() -> None:
    whole = system(SAFE, LIVE)
    assert whole.about((SAFE, LIVE)) is whole
    states = whole.about((SAFE,))
    assert states.about((SAFE,)) is states
    assert system(SAFE, TWICE).about((TWICE,)).properties == (TWICE,)


def test_sorts_are_those_of_all_subterms() -> None:
    assert set(system(SAFE).sorts) == {BOOL, bitvec(4)}
