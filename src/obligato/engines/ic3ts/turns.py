"""Turns for a second search for violations beside IC3, in one process: one after each `every` questions that IC3 asked."""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines.environment import Environment
from obligato.models.ts_claims import SystemTrace


class Turns:
    """Calls `search`, which works a little and returns a run that violates a property as soon as it has one."""

    def __init__(self, search: Callable[[], SystemTrace | None], every: int, env: Environment) -> None:
        self.search, self.every, self.env = search, every, env
        self._due = env.questions + every

    def take(self) -> SystemTrace | None:
        """Give the search all turns that are due; the run, if it has found one."""
        while self.env.questions >= self._due:
            before = self.env.questions
            found = self.search()
            if found is not None:
                return found
            self._due += self.every + self.env.questions - before  # what the search asked itself does not count
        return None
