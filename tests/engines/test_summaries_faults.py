"""Deliberate faults of the engine `summaries`: the checker, the replay or tabulation catches each
on a few random programs that could make it answer wrong, and the executed contracts
(`Environment.debug`) catch all, those that only cost answers, too.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

from obligato.engines.summaries import rules
from obligato.engines.summaries.engine import Summaries
from obligato.engines.summaries.generalize import Generalizer
from obligato.engines.summaries.queries import RuleQueries
from obligato.errors import InternalError
from obligato.terms import conjuncts, substitute
from tests.engines.recursion_judge import decided, objection
from tests.support.recursive import PARTS, random_recursive

# those that show rare faults come first
PROGRAMS = (PARTS + 45, PARTS + 5, *range(120), *range(PARTS, PARTS + 100))
Patch = pytest.MonkeyPatch


def lemmas_rise_unasked(patch: Patch) -> None:
    """Every lemma is taken to hold one level higher."""

    def faulty(self: Summaries) -> int | None:
        for level in range(self.frontier):
            for lemma in self.known.at(level):
                lemma.level = level + 1
                for q in self.queries.values():
                    q.raised(lemma, level)
            return level
        return None

    patch.setattr(Summaries, "_propagate", faulty)


def fixpoint_too_early(patch: Patch) -> None:
    """The first frame is taken to be the last."""
    patch.setattr(Summaries, "_propagate", lambda self: 0 if self.frontier else None)


def literals_dropped_unasked(patch: Patch) -> None:
    """Generalisation leaves out a literal more than it has asked about."""
    real = Generalizer.generalize

    def faulty(self: Generalizer, cube: Any, blocked: Any) -> Any:
        found = real(self, cube, blocked)
        return found[1:] if len(found) > 1 else found

    patch.setattr(Generalizer, "generalize", faulty)


def first_rule_suffices(patch: Patch) -> None:
    """A cube is taken to be blocked if one rule does not derive it."""
    real = Summaries._blocked

    def faulty(self: Summaries, relation: str, cube: Any, level: int) -> Any:
        rules = self.rules.into.get(relation, [])
        self.rules.into[relation] = rules[:1]
        try:
            return real(self, relation, cube, level)
        finally:
            self.rules.into[relation] = rules

    patch.setattr(Summaries, "_blocked", faulty)


def facts_without_premises(patch: Patch) -> None:
    """A fact about the head says nothing about what the facts of the body demand."""
    real = RuleQueries._projected

    def faulty(self: RuleQueries, parts: Any, kept: Any, model: Any) -> Any:
        return real(self, parts[:1] if kept is self.rule.parameters else parts, kept, model)

    patch.setattr(RuleQueries, "_projected", faulty)


def facts_too_large(patch: Patch) -> None:
    """Projection loses a literal of a fact."""
    real = RuleQueries._projected

    def faulty(self: RuleQueries, parts: Any, kept: Any, model: Any) -> Any:
        found = real(self, parts, kept, model)
        return found[1:] if kept is self.rule.parameters else found

    patch.setattr(RuleQueries, "_projected", faulty)


def frames_of_the_level_below(patch: Patch) -> None:
    """The body is taken from a frame that is too small."""
    real = RuleQueries.ask

    def faulty(self: RuleQueries, cube: Any, level: int, *more: Any, **options: Any) -> Any:
        return real(self, cube, max(level - 1, min(level, 0)), *more, **options)

    patch.setattr(RuleQueries, "ask", faulty)


def equations_dropped(patch: Patch) -> None:
    """An equation that determines a variable says nothing else: x = zero_extend(t) holds of large
    x, too.
    """

    def faulty(facts: Any, kept: Any) -> Any:
        todo = [c for f in facts for c in conjuncts(f)]
        while (found := next((f for f in todo if rules._definition(f, kept)), None)) is not None:
            put = dict([rules._definition(found, kept)])  # type: ignore[list-item]
            todo = [c for f in todo if f is not found for c in conjuncts(substitute(f, put))]
        return todo

    patch.setattr(rules, "_solved", faulty)


def obligations_too_large(patch: Patch) -> None:
    """Projection loses a literal of an obligation."""
    real = RuleQueries._projected

    def faulty(self: RuleQueries, parts: Any, kept: Any, model: Any) -> Any:
        found = real(self, parts, kept, model)
        return found if kept is self.rule.parameters else found[1:]

    patch.setattr(RuleQueries, "_projected", faulty)


def obligations_for_anything(patch: Patch) -> None:
    """An obligation asks for a step to anywhere."""
    real = RuleQueries.before

    def faulty(
        self: RuleQueries, target: int, cube: Any, level: int, below: Any, model: Any
    ) -> Any:
        return real(self, target, (), level, below, model)

    patch.setattr(RuleQueries, "before", faulty)


def premises_of_others(patch: Patch) -> None:
    """A fact names the first fact of each atom as its premises, whichever the model used."""
    patch.setattr(RuleQueries, "support", lambda self, k, model: next(iter(self._tags[k].values())))


def lemmas_untold(patch: Patch) -> None:
    """Every second rule does not hear of a lemma."""
    real = RuleQueries.learn

    def faulty(self: RuleQueries, lemma: Any) -> None:
        if not self.rule.number % 2:
            real(self, lemma)

    patch.setattr(RuleQueries, "learn", faulty)


def cubes_are_blocked_unasked(patch: Patch) -> None:
    """The last rule is not examined."""
    real = Summaries._examine_all

    def faulty(self: Summaries, o: Any) -> Any:
        rules = self.rules.into.get(o.relation, [])
        self.rules.into[o.relation] = rules[:-1] or rules
        try:
            return real(self, o)
        finally:
            self.rules.into[o.relation] = rules

    patch.setattr(Summaries, "_examine_all", faulty)


WRONG = (
    lemmas_rise_unasked,
    fixpoint_too_early,
    literals_dropped_unasked,
    first_rule_suffices,
    facts_without_premises,
    facts_too_large,
    frames_of_the_level_below,
    equations_dropped,
)
COSTLY = (
    obligations_too_large,
    obligations_for_anything,
    premises_of_others,
    lemmas_untold,
    cubes_are_blocked_unasked,
)


def caught(seed: int) -> bool:
    """Does the program of this number object, or the engine stop with an error of its own?"""
    try:
        return objection(seed) is not None
    except Exception:  # noqa: BLE001 - a crash is no answer, so the fault did no harm unseen
        return True


@pytest.mark.parametrize("fault", WRONG, ids=lambda f: f.__name__)
def test_a_fault_is_caught(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    assert any(caught(seed) for seed in PROGRAMS)


def breaks_a_contract(seed: int) -> bool:
    """Does an executed contract stop the search for the program of this number?"""
    try:
        decided(random_recursive(seed), debug=True)
    except InternalError as error:
        return traceback.extract_tb(error.__traceback__)[-1].filename.endswith("debug.py")
    except AssertionError:
        return False
    return False


@pytest.mark.parametrize("fault", [*WRONG, *COSTLY], ids=lambda f: f.__name__)
def test_a_fault_breaks_a_contract(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    assert any(breaks_a_contract(seed) for seed in PROGRAMS)
