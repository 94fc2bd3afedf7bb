"""What a run is worth: its status against the expected verdict,
and the score that SV-COMP gives it.

Correct: 2 for true, 1 for false. Wrong:
-32 for a claimed proof, -16 for a claimed violation. Everything else 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

TRUE, FALSE, UNKNOWN, TIMEOUT = "true", "false", "unknown", "timeout"
MEMORY, REFUSED, INTERNAL = "memory", "refused", "internal"
WRONG = "wrong"
NOISE = 2.0  # between two runs of the same, at most by this factor in time and memory
COLUMNS = (TRUE, FALSE, UNKNOWN, TIMEOUT, MEMORY, REFUSED, WRONG, INTERNAL)


@dataclass(frozen=True, slots=True)
class Result:
    """One run of one tool on one task, as it is stored.
    Times in seconds, processor time of the whole process tree."""

    task: str
    tool: str
    status: str
    reason: str
    expected: str | None
    category: str
    cpu_s: float
    wall_s: float
    peak_mb: float
    stats: dict[str, object] = field(default_factory=dict)
    source: str = ""

    @property
    def wrong(self) -> bool:
        """Is it a verdict, and not the expected one?"""
        return (
            self.status in (TRUE, FALSE)
            and self.expected is not None
            and self.status != self.expected
        )

    @property
    def solved(self) -> bool:
        """Is it a verdict that nobody contradicts?"""
        return self.status in (TRUE, FALSE) and not self.wrong

    @property
    def column(self) -> str:
        """Where it counts in a table."""
        return WRONG if self.wrong else self.status

    @property
    def score(self) -> int:
        """SV-COMP's points."""
        if self.wrong:
            return -32 if self.status == TRUE else -16
        return {TRUE: 2, FALSE: 1}.get(self.status, 0)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: how many of each column,
    processor time of all and of the solved, score."""

    label: str
    counts: dict[str, int]
    cpu_s: float
    solved_cpu_s: float
    score: int

    @property
    def tasks(self) -> int:
        """How many tasks the row counts."""
        return sum(self.counts.values())


def row(label: str, results: Iterable[Result]) -> Row:
    """One row of a table: the counts, times and points of some results."""
    runs = list(results)
    counts = {c: sum(r.column == c for r in runs) for c in COLUMNS}
    return Row(
        label,
        counts,
        sum(r.cpu_s for r in runs),
        sum(r.cpu_s for r in runs if r.solved),
        sum(r.score for r in runs),
    )


def rows(results: Iterable[Result]) -> list[Row]:
    """One row per category and one for all."""
    runs = list(results)
    categories = sorted({r.category for r in runs})
    each = [row(c, [r for r in runs if r.category == c]) for c in categories]
    return [*each, row("all", runs)]
