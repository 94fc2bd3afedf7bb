"""Turns for other searches for violations beside IC3, in one process,
such that they work at most a third of the time.

A turn comes after IC3 has worked `every` at least, and `AHEAD` times as much as the last turn did.
Work is counted, not timed, so that a seed reproduces a run:
in propagations, by each of the two for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from obligato.models.ts_claims import SystemTrace


AHEAD = 2  # what is left unsolved for long is mostly true


class Search(Protocol):
    """The other search."""

    @property
    def work(self) -> int:
        """What it has done so far."""

    def turn(self) -> SystemTrace | None:
        """Work a little; a run that violates a property, if it has one now."""


class Shared:
    """Searches that share their turns:
    the next one is whose work, divided by its share, is least."""

    def __init__(self, searches: Sequence[tuple[Search, int]]) -> None:
        self.searches = searches

    @property
    def work(self) -> int:
        """What they have done so far."""
        return sum(search.work for search, _ in self.searches)

    def turn(self) -> SystemTrace | None:
        """One of them works a little; a run that violates a property, if it has one now."""
        return min(self.searches, key=lambda x: x[0].work // x[1])[0].turn()


class Turns:
    """Gives the search its turns; `work` is what IC3 has done so far.
    The first turn comes at once."""

    def __init__(self, search: Search, every: int, work: Callable[[], int]) -> None:
        self.search, self.every, self.work = search, every, work
        self._due = 0

    def take(self) -> SystemTrace | None:
        """Give the search its turn if it is due; the run, if it has found one."""
        now = self.work()
        if now < self._due:
            return None
        worked = self.search.work
        found = self.search.turn()
        self._due = now + max(self.every, AHEAD * (self.search.work - worked))
        return found
