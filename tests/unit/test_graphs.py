"""Depth-first search: every node after its successors, and the back edges cut every cycle."""

from __future__ import annotations

import random

import pytest

from obligato.program.graphs import depth_first, on_cycles


def test_order_and_back_edges() -> None:
    after = {0: [1, 2], 1: [3, 1], 2: [3], 3: [0], 4: [2, 4]}
    order, back = depth_first([0, 4, 0], after.__getitem__)
    assert order == [3, 1, 2, 0, 4]
    assert list(back) == [(3, 0), (1, 1), (4, 4)]


@pytest.mark.parametrize("seed", range(50))
def test_on_random_graphs(seed: int) -> None:
    rng = random.Random(seed)
    after = {n: rng.choices(range(8), k=rng.randrange(4)) for n in range(8)}
    order, back = depth_first([0, 5], after.__getitem__)
    place = {n: i for i, n in enumerate(order)}
    assert {0, 5} <= place.keys() and all(m in place for n in order for m in after[n])
    left = {n: [m for m in after[n] if (n, m) not in back] for n in order}
    assert all(place[m] < place[n] for n in order for m in left[n]) and not on_cycles(order, left)
    assert all(place[m] >= place[n] for n, m in back)
