"""The queue of proof obligations: lowest level first (required for termination), then cube size, then age [Bra12, 2.2]."""

from __future__ import annotations

import heapq

from obligato.engines.ic3ts.cube import Obligation


class ObligationQueue:
    """A priority queue."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, Obligation]] = []
        self._count = 0

    def push(self, obligation: Obligation) -> None:
        """Put an obligation in."""
        self._count += 1
        heapq.heappush(self._heap, (obligation.level, len(obligation.cube), self._count, obligation))

    def pop(self) -> Obligation:
        """Take the first one out."""
        return heapq.heappop(self._heap)[3]

    def level(self) -> int | None:
        """The lowest level in the queue."""
        return self._heap[0][0] if self._heap else None

    def clear(self) -> None:
        """Forget all obligations."""
        self._heap.clear()

    def __len__(self) -> int:
        return len(self._heap)
