"""The queue of proof obligations: lowest level first, then cube size, then age [LNNK19, 5.4]."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Obligation
from obligato.errors import ConfigError

Key = tuple[int, float, int]


class ObligationQueue:
    """A priority queue; `order` compares obligations of one level."""

    def __init__(self, order: str, env: Environment) -> None:
        self._heap: list[tuple[Key, Obligation]] = []
        self._count = 0
        self._weight = self._weigher(order, env)

    @staticmethod
    def _weigher(order: str, env: Environment) -> Callable[[Obligation], float]:
        if order == "ascending":
            return lambda o: len(o.cube)
        if order == "descending":
            return lambda o: -len(o.cube)
        if order == "random":
            return lambda o: env.random.random()
        raise ConfigError(f"unknown cube order {order!r}")

    def push(self, obligation: Obligation) -> None:
        """Put an obligation in."""
        self._count += 1
        heapq.heappush(self._heap, ((obligation.level, self._weight(obligation), self._count), obligation))

    def pop(self) -> Obligation:
        """Take the first one out."""
        return heapq.heappop(self._heap)[1]

    def level(self) -> int | None:
        """The lowest level in the queue."""
        return self._heap[0][1].level if self._heap else None

    def clear(self) -> None:
        """Forget all obligations."""
        self._heap.clear()

    def __len__(self) -> int:
        return len(self._heap)
