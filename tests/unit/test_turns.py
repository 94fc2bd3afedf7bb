"""Turns of a second search beside IC3: a third of the work at most, not more often than
asked for.
"""

from obligato.engines.ic3ts import Turns
from obligato.models.ts_claims import SystemTrace


class Counted:
    """A search whose turns cost `cost`."""

    def __init__(self, cost: int) -> None:
        self.cost, self.work, self.turns = cost, 0, 0

    def turn(self) -> SystemTrace | None:
        """One more."""
        self.work += self.cost
        self.turns += 1
        return None


def after(questions: int, cost: int, price: int, early: int = 0) -> Counted:
    """The search after so many questions of IC3 that cost `price` each; a turn may come after each
    tenth unit of work.
    """
    search, done = Counted(cost), 0
    turns = Turns(search, 10, lambda: done, early)
    for _ in range(questions):
        assert turns.take() is None
        done += price
    return search


def test_a_cheap_search_has_a_turn_after_each_tenth_question() -> None:
    assert after(1001, 5, 1).turns == 100


def test_a_dear_search_works_half_as_much_as_ic3() -> None:
    assert 400 <= after(1000, 200, 1).work <= 600
    assert 4000 <= after(1000, 2000, 10).work <= 6000


def test_at_first_it_works_as_much_as_ic3() -> None:
    assert 800 <= after(1000, 200, 1, 10_000).work <= 1000
    assert 600 <= after(1000, 200, 1, 400).work <= 800


def test_few_hard_questions_do_not_keep_it_waiting() -> None:
    assert after(5, 100, 1000).turns == 20


def test_without_work_of_ic3_there_is_no_turn() -> None:
    assert after(100, 3, 0).turns == 0
