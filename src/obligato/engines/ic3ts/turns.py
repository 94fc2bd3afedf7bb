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
EARLY = 10_000_000  # work of the other searches before that: a second and a half


class Search(Protocol):
    """A search that takes turns with IC3."""

    @property
    def work(self) -> int:
        """The work that this search has done so far."""

    def turn(self) -> SystemTrace | None:
        """Work a little; a run that violates a property, if it has one now."""


class Shared:
    """Searches that share their turns:
    the next one is whose work, divided by its share, is least."""

    def __init__(self, searches: Sequence[tuple[Search, int]]) -> None:
        self.searches = searches

    @property
    def work(self) -> int:
        """The work that the searches have done so far."""
        return sum(search.work for search, _ in self.searches)

    def turn(self) -> SystemTrace | None:
        """Let one of the searches work for a turn; a run that violates a property, if it has found
        one.
        """
        return min(self.searches, key=lambda x: x[0].work // x[1])[0].turn()


class Turns:
    """Gives the search its turns; `work` is what IC3 has done so far.
    In the first `early` units of its work the search works as much as IC3 does."""

    def __init__(
        self, search: Search, every: int, work: Callable[[], int], early: int = EARLY
    ) -> None:
        self.search, self.every, self.work, self.early = search, every, work, early
        self._due = every

    def take(self) -> SystemTrace | None:
        """Give the search all turns that are due: several, if an obligation took long;
        the run, if it has found one."""
        now = self.work()
        while now >= self._due:
            worked = self.search.work
            found = self.search.turn()
            if found is not None:
                return found
            ahead = 1 if self.search.work <= self.early else AHEAD
            self._due += max(self.every, ahead * (self.search.work - worked))
        return None
