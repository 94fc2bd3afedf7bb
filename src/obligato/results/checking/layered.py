"""`Layered`: a mapping that never changes, of which a copy with a few new entries is cheap.

What was added lately stands in a small table over a large one that many copies share; when the
small table has more than the square root of the entries, both become a new large one. So a copy
costs the square root of what copying all would cost: programs assign to one variable at a time,
and may have thousands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
FEW = 32


class Layered(Mapping[K, V]):
    """The entries of `large`, and those of `small` over them."""

    __slots__ = ("_large", "_small")

    def __init__(self, large: dict[K, V], small: dict[K, V]) -> None:
        self._large, self._small = large, small

    @classmethod
    def of(cls, values: Mapping[K, V]) -> Layered[K, V]:
        """The same entries; nothing is copied that is of this kind already."""
        return values if isinstance(values, Layered) else cls(dict(values), {})

    def updated(self, new: Mapping[K, V]) -> Layered[K, V]:
        """A mapping with the entries of `new` over these."""
        small = {**self._small, **new}
        if len(small) <= FEW or len(small) ** 2 <= len(self._large):
            return Layered(self._large, small)
        return Layered({**self._large, **small}, {})

    def __getitem__(self, key: K) -> V:
        return self._small[key] if key in self._small else self._large[key]

    def __contains__(self, key: object) -> bool:
        return key in self._small or key in self._large

    def __iter__(self) -> Iterator[K]:
        yield from self._large
        yield from (key for key in self._small if key not in self._large)

    def __len__(self) -> int:
        return len(self._large) + sum(key not in self._large for key in self._small)
