"""Queue and frames of the IC3 kernel: orders, subsumption on add and push, CTPs,
propagation.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from obligato.engines.environment import Environment
from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation
from obligato.engines.kernel.frames import CTP, Frames, propagate
from obligato.engines.kernel.queue import ObligationQueue
from obligato.errors import ConfigError


def obligation(level: int, cube: Cube, depth: int = 0) -> Obligation:
    return Obligation(level, cube, None, depth, None)


def drained(order: str, obligations: Sequence[Obligation]) -> list[Obligation]:
    queue: ObligationQueue[Obligation] = ObligationQueue(order, random.Random(1))
    for o in obligations:
        queue.push(o)
    return [queue.pop() for _ in range(len(queue))]


SMALL, LARGE, DEEP = obligation(2, (1,), 1), obligation(2, (1, 2, 3), 0), obligation(2, (1, 2), 7)
LOW = obligation(1, (1, 2, 3, 4), 3)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ascending", [LOW, SMALL, DEEP, LARGE]),
        ("descending", [LOW, LARGE, DEEP, SMALL]),
        ("longest", [LOW, DEEP, SMALL, LARGE]),
        ("shortest", [LOW, LARGE, SMALL, DEEP]),
    ],
)
def test_lowest_level_first_then_the_order(order: str, expected: list[Obligation]) -> None:
    assert drained(order, [LARGE, DEEP, SMALL, LOW]) == expected


def test_random_order_keeps_levels_and_is_reproducible() -> None:
    some = [obligation(n % 3, (n + 1,)) for n in range(30)]
    first = drained("random", some)
    assert [o.level for o in first] == sorted(o.level for o in some)
    assert first == drained("random", some) and first != drained("ascending", some)


def test_equal_obligations_by_age_and_an_unknown_order() -> None:
    twins = [obligation(1, (1,)) for _ in range(5)]
    assert drained("ascending", twins) == twins
    with pytest.raises(ConfigError):
        drained("sideways", twins)


def test_the_queue_knows_its_lowest_level() -> None:
    queue: ObligationQueue[Obligation] = ObligationQueue("ascending", random.Random())
    assert queue.level() is None
    queue.push(SMALL)
    queue.push(LOW)
    assert queue.level() == 1
    queue.clear()
    assert queue.level() is None and len(queue) == 0


def test_a_chain_ends_at_the_violation() -> None:
    last = obligation(3, (1,))
    first = Obligation(2, (2,), last, 1, None)
    assert first.chain() == [first, last]


class Told:
    """Frames that write down what their engine is told."""

    def __init__(self, top: int) -> None:
        self.said: list[tuple[str, Cube]] = []
        self.frames: Frames[Lemma] = Frames(
            top,
            Environment(),
            lambda x, old: self.said.append(("new" if old is None else "up", x.cube)),
            lambda x: self.said.append(("gone", x.cube)),
        )

    def add(self, cube: Cube, level: int) -> Lemma:
        lemma = Lemma.make(cube, level)
        self.frames.add(lemma)
        return lemma


def test_a_new_lemma_drops_what_it_subsumes_up_to_its_level() -> None:
    told = Told(3)
    low, high = told.add((1, 2), 1), told.add((1, 3), 3)
    told.add((1,), 2)
    assert low.dropped and not high.dropped and told.said[-2:] == [("gone", (1, 2)), ("new", (1,))]
    assert {x.cube for x in told.frames.at(1)} == {(1,), (1, 3)}


def test_a_pushed_lemma_drops_what_it_subsumes_there() -> None:
    told = Told(3)
    low, high = told.add((1,), 1), told.add((1, 3), 2)
    told.frames.push(low, 2)
    assert high.dropped and low.level == 2 and [x.cube for x in told.frames.at(1)] == [(1,)]
    assert told.said[-2:] == [("gone", (1, 3)), ("up", (1,))]


def test_ctps_live_until_a_lemma_of_their_level_excludes_them() -> None:
    told = Told(3)
    lemma = told.add((5,), 2)
    lemma.ctp = told.frames.ctp((0b1010, 8))  # literals 1 and 3 are true
    told.add((1, 2), 3)
    told.add((1, 3), 1)
    assert lemma.ctp.survives(2)
    told.add((1, -2), 2)
    assert not lemma.ctp.survives(2)


def test_a_ctp_does_not_survive_literals_that_it_does_not_decide() -> None:
    told = Told(2)
    ctp = told.frames.ctp((0b10, 4))
    told.add((2, 3), 2)
    assert ctp.survives(2)
    told.add((2, 7), 2)
    assert not ctp.survives(2)


def test_propagation_stops_at_equal_frames_and_asks_again_only_without_a_ctp() -> None:
    told = Told(3)
    held, pushed = told.add((1,), 1), told.add((2,), 1)
    asked: list[Cube] = []

    def refuted(lemma: Lemma) -> CTP | bool:
        asked.append(lemma.cube)
        return told.frames.ctp((0b10, 8)) if lemma is held else False

    # the other one rises from 2 to 3, which leaves level 2 empty
    assert propagate([told.frames], refuted) == 2
    assert pushed.level == 3 and held.level == 1 and asked == [(1,), (2,), (2,)]
    asked.clear()
    assert propagate([told.frames], refuted) == 2 and asked == []
    told.frames.add(Lemma.make((1, -2), 3))
    propagate([told.frames], refuted)
    assert asked[0] == (1,)


def test_what_cannot_be_decided_stays() -> None:
    told = Told(2)
    lemma = told.add((1,), 1)
    assert (
        propagate([told.frames], lambda x: True) is None and lemma.level == 1 and lemma.ctp is None
    )


def test_all_locations_must_be_equal_for_a_fixpoint() -> None:
    a, b = Told(2), Told(2)
    a.add((1,), 1)
    b.add((1,), 1)
    assert propagate([a.frames, b.frames], lambda x: x in list(b.frames.at(1))) is None
    assert propagate([a.frames, b.frames], lambda x: False) == 1
