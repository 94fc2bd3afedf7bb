"""The queue of proof obligations: lowest level first, which termination needs;
the order within a level is a heuristic.

By cube size [LNNK19, 5.4]: a small cube has many states, so that blocking it may block others. By
the length of the way to the violation [Bra12, 2.2]: the longest first finds deep counterexamples,
the shortest first short ones. Then by age.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sized
from typing import Generic, Protocol, TypeVar

from obligato.errors import ConfigError

ORDERS = ("ascending", "descending", "random", "longest", "shortest")
ORDER_HELP = (
    "obligations of one level: by cube size, at random, or by the longest or shortest way to the"
    " violation"
)


class _Obligation(Protocol):
    """The part of an obligation that the queue orders by."""

    level: int
    depth: int

    @property
    def cube(self) -> Sized: ...


_O = TypeVar("_O", bound=_Obligation)


class ObligationQueue(Generic[_O]):
    """A priority queue of obligations; `order` is one of `ORDERS`."""

    def __init__(self, order: str, chance: random.Random) -> None:
        self._heap: list[tuple[int, float, int, _O]] = []
        self._count = 0
        self._rank = _rank(order, chance)

    def push(self, obligation: _O) -> None:
        """Put an obligation in. Its level must not change while it is in the queue."""
        self._count += 1
        heapq.heappush(
            self._heap, (obligation.level, self._rank(obligation), self._count, obligation)
        )

    def pop(self) -> _O:
        """Take the first one out."""
        return heapq.heappop(self._heap)[3]

    def level(self) -> int | None:
        """The lowest level in the queue; None if it is empty."""
        return self._heap[0][0] if self._heap else None

    def clear(self) -> None:
        """Forget all obligations."""
        self._heap.clear()

    def __len__(self) -> int:
        return len(self._heap)


def _rank(order: str, chance: random.Random) -> Callable[[_Obligation], float]:
    ranks: dict[str, Callable[[_Obligation], float]] = {
        "ascending": lambda o: len(o.cube),
        "descending": lambda o: -len(o.cube),
        "random": lambda o: chance.random(),
        "longest": lambda o: -o.depth,
        "shortest": lambda o: o.depth,
    }
    if order not in ranks:
        raise ConfigError(f"unknown order of obligations {order!r}")
    return ranks[order]
