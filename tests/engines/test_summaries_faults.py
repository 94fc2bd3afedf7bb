"""Deliberate faults of the engine `summaries`: the checker, the replay or tabulation catches each on a few random programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from obligato.engines.summaries.engine import Summaries
from obligato.engines.summaries.generalize import Generalizer
from obligato.engines.summaries.queries import RuleQueries
from tests.engines.recursion_judge import objection

PROGRAMS = 120
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


FAULTS = (lemmas_rise_unasked, fixpoint_too_early, literals_dropped_unasked, first_rule_suffices, facts_without_premises,
          facts_too_large, frames_of_the_level_below)


def caught(seed: int) -> bool:
    """Does the program of this number object, or the engine stop with an error of its own?"""
    try:
        return objection(seed) is not None
    except Exception:  # noqa: BLE001 - a crash is no answer, so the fault did no harm unseen
        return True


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_fault_is_caught(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    assert any(caught(seed) for seed in range(PROGRAMS))
