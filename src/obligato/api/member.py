"""One engine of a portfolio as the supervisor sees it, and what it may claim of the processor time.

Time is given by weight: who has had the least for its weight is next. One that has found a claim,
and only states and checks it, comes before all others: the check is half of the time of many
proofs, and nearly all claims are accepted. This priority ends when it has cost `SETTLE_S` and as
much again as the search. What it cost counts only once the claim has turned out to decide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from obligato.api.supervisor import Child
from obligato.api.worker import Response
from obligato.reports.advice import REACHED

LIVES = 2  # how often a member that dies is started
SETTLING = ("lift", "check")  # stages of a member that has a claim already
# counters of what a member told and heard
EXCHANGED = ("facts_sent", "bounds_sent", "facts_arrived", "facts_kept", "depths_skipped")
SETTLE_S = 5.0  # processor time to state and check a claim, beside as much as it took to find it


@dataclass(slots=True, eq=False)
class Member:
    """One engine of a portfolio. `how`: waiting, running, stopped, or how it ended; `told` is what
    it has reported so far.
    """

    name: str
    weight: float = 1.0
    child: Child | None = None
    how: str = "waiting"
    lives: int = LIVES
    turn_ends: float = 0.0  # in the member's own processor time
    found_at: float = inf  # in the same, when it began to state and check a claim
    response: Response | None = None
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def cpu_s(self) -> float:
        """The processor time it has used, as far as it was sampled."""
        return self.child.usage.get("cpu_s", 0.0) if self.child is not None else 0.0

    @property
    def settled_s(self) -> float:
        """The processor time that stating and checking its claim has taken, at most what has
        priority for that.
        """
        if self.found_at == inf:
            return 0.0
        return min(self.cpu_s - self.found_at, self.found_at + SETTLE_S)

    @property
    def settling(self) -> bool:
        """Has the engine a result that only has to be stated and checked, and may it still take
        time for that?
        """
        return self.found_at < inf and self.cpu_s - self.found_at <= self.settled_s

    @property
    def had(self) -> float:
        """The processor time that is counted for its weight: all but that for its claim which has
        priority. The member that had least is next.
        """
        return (self.cpu_s - self.settled_s) / self.weight

    def enters(self, stage: str) -> None:
        """It has come to a stage of its run."""
        self.told["stage"] = stage
        if stage not in SETTLING:
            self.found_at = inf
        elif self.found_at == inf:
            self.found_at = self.cpu_s

    def figures(self) -> dict[str, Any]:
        """The member's figures for the statistics."""
        usage = self.child.usage if self.child is not None else {}
        outcome = None if self.response is None else self.response.outcome
        reached = self.told.get("counters") or {} if outcome is None else outcome.stats
        return {
            "engine": self.name,
            "ended": self.how,
            **usage,
            **{k: reached[k] for k in (*REACHED, *EXCHANGED) if k in reached},
        }

    def shown(self) -> dict[str, Any]:
        """The line that a live view shows."""
        counters = self.told.get("counters")
        return {
            **self.figures(),
            "stage": self.told.get("stage", ""),
            "counters": counters if isinstance(counters, dict) else {},
        }


def rank(member: Member) -> tuple[bool, float]:
    """The order of the members: the one with the smallest rank runs next."""
    return not member.settling, member.had
