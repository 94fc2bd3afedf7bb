"""What the members of a portfolio tell each other goes through the process that supervises them. It
believes none of it, and passes it on: to the others that run or are stopped at once, to those that
have not begun when they begin. There are limits, and what is beyond them is dropped: news are hints.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from obligato.models.facts import Bound, Fact, News

if TYPE_CHECKING:
    from obligato.api.member import Member

MOST = 1000  # news of one member that are passed on
LONGEST = 4000  # characters of a fact
AT_ONCE = 50  # news in a message


class Relay:
    """The post office of one portfolio."""

    def __init__(self) -> None:
        self._kept: list[tuple[Member, list[News]]] = []
        self._passed: dict[int, int] = {}  # news by members, in the order in which they send
        self.figures = {"facts": 0, "bounds": 0, "dropped": 0}

    def passes(self, sender: Member, told: Any, members: Iterable[Member]) -> None:
        """Pass on what a member tells."""
        news = [n for n in told if isinstance(n, Bound) or len(n.formula) <= LONGEST]
        passed = self._passed.get(id(sender), 0)
        del news[max(0, MOST - passed) :]
        self._passed[id(sender)] = passed + len(news)
        facts = sum(isinstance(n, Fact) for n in news)
        self.figures["facts"] += facts
        self.figures["bounds"] += len(news) - facts
        self.figures["dropped"] += len(told) - len(news)
        for start in range(0, len(news), AT_ONCE):
            self._pass(sender, news[start : start + AT_ONCE], members)

    def _pass(self, sender: Member, news: list[News], members: Iterable[Member]) -> None:
        self._kept.append((sender, news))
        for m in members:
            reached = m is sender or m.child is None or m.response is not None or m.child.send(news)
            self.figures["dropped"] += 0 if reached else len(news)

    def so_far(self, member: Member) -> list[list[News]]:
        """What the others have told before this member begins."""
        return [news for sender, news in self._kept if sender is not member]
