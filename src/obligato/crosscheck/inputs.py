"""Inputs for compared runs: words at the boundaries of C's types, small numbers,
and random ones, reproducible by seed."""

from __future__ import annotations

import random

_FLOATS = (
    0x3FF0000000000000,
    0xBFF8000000000000,
    0x7FF0000000000000,
    0x3F800000,
    0xC0200000,
    0x4059000000000000,
)
BOUNDARIES = (
    tuple(
        dict.fromkeys(
            x & (1 << 64) - 1
            for w in (1, 7, 8, 15, 16, 31, 32, 63)
            for x in ((1 << w) - 1, 1 << w, (1 << w) + 1, -(1 << w), 1 - (1 << w))
        )
    )
    + _FLOATS
)


def words(seed: int, run: int, count: int) -> list[int]:
    """The inputs of one run. In the first runs all inputs are the same constant; each later run
    draws from several kinds of values, with weights of its own.
    """
    if run < 3:
        return [(0, 1, (1 << 64) - 1)[run]] * count
    rng = random.Random(f"{seed} {run}")
    small, boundary = rng.choice(((0.9, 0.05), (0.5, 0.4), (0.2, 0.2), (0.1, 0.8)))
    limit = rng.choice((2, 5, 12, 100))

    def word() -> int:
        kind = rng.random()
        if kind < small:
            return rng.randrange(-1 if rng.random() < 0.1 else 0, limit) & (1 << 64) - 1
        return rng.choice(BOUNDARIES) if kind < small + boundary else rng.getrandbits(64)

    return [word() for _ in range(count)]
