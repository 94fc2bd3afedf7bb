"""Turns of a second search beside IC3: never more than a third of the work, never more often than asked for."""

from obligato.engines.environment import Environment
from obligato.engines.ic3ts import Turns
from obligato.models.ts_claims import SystemTrace


class Counted:
    """A search whose turns cost `cost`, and that asks one question of its own in each."""

    def __init__(self, env: Environment, cost: int) -> None:
        self.env, self.cost, self.work, self.turns = env, cost, 0, 0

    def turn(self) -> SystemTrace | None:
        """One more."""
        self.env.questions += 1
        self.work += self.cost
        self.turns += 1
        return None


def after(questions: int, cost: int, price: int) -> Counted:
    """The search after so many questions of IC3 that cost `price` each; a turn may come after each tenth."""
    env = Environment()
    search = Counted(env, cost)
    turns = Turns(search, 10, env, lambda: (env.questions - search.turns) * price)
    for _ in range(questions):
        env.questions += 1
        assert turns.take() is None
    return search


def test_a_cheap_search_has_a_turn_after_each_tenth_question() -> None:
    assert after(1000, 5, 1).turns == 100


def test_a_dear_search_works_half_as_much_as_ic3() -> None:
    assert 500 <= after(1000, 200, 1).work <= 600
    assert 5000 <= after(1000, 2000, 10).work <= 6000


def test_work_of_ic3_that_is_not_counted_yet_stops_nothing() -> None:
    assert after(100, 3, 0).turns == 10
