"""What a run gives to an engine: seed, solver statistics, cancellation, event log, progress, and
the exchange with other workers.

One object per run, no global state. `tick` is called before every solver call: it raises
`ResourceOut` when the run was cancelled, and passes progress on now and then (counted in calls, so
that a seed reproduces a run).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from obligato.errors import ResourceOut
from obligato.smt import SolverStats
from obligato.smt.factory import Make, solver_factory
from obligato.terms import Kind, Sort

if TYPE_CHECKING:
    from obligato.engines.exchange import Exchange
    from obligato.models.facts import Fact

AUTO = "auto"  # as a backend: the one that suits the sorts

PROGRESS_EVERY = 64


class Log(Protocol):
    """Where events are written."""

    def write(self, text: str, /) -> object:
        """Add a text."""


@dataclass(slots=True)
class Environment:
    """The surroundings of one engine run."""

    seed: int = 0
    stats: SolverStats = field(default_factory=SolverStats)
    cancelled: Callable[[], bool] = lambda: False
    progress: Callable[[dict[str, Any]], None] | None = None
    log: Log | None = None
    counters: dict[str, int] = field(default_factory=dict)
    debug: bool = False
    # told when a stage of the pipeline begins inside an engine's run
    stage: Callable[[str], None] = lambda name: None
    exchange: Exchange | None = None  # with other engines that work on the same input
    offers: tuple[Fact, ...] = ()  # what an earlier run has found, of whatever program: candidates
    turn: int = 0  # how many questions make a turn; 0: there are no turns
    # called at the end of each turn; returns when the next one begins
    pause: Callable[[], None] = lambda: None
    random: random.Random = field(init=False)
    questions: int = 0  # how often `tick` was called

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def tick(self) -> None:
        """Called before each solver call."""
        self.questions += 1
        if self.cancelled():
            raise ResourceOut("cancelled")
        if self.turn and self.questions % self.turn == 0:
            self.pause()
        if self.progress is not None and self.questions % PROGRESS_EVERY == 1:
            self.progress({**self.counters, "solver_calls": self.stats.total_calls})

    def undecided(self, what: str = "a query that the proof needs") -> ResourceOut:
        """What to raise where a solver gave up on a query that is required."""
        gave_up = f"incomplete: a solver could not decide {what}"
        return ResourceOut("cancelled" if self.cancelled() else gave_up)

    def solvers(self, sorts: Iterable[Sort | Kind], backend: str) -> Make:
        """A maker of solvers for these sorts; `backend` is the engine's option of that name."""
        prefer = None if backend == AUTO else backend
        return solver_factory(sorts, prefer=prefer, stats=self.stats, seed=self.seed)

    def count(self, name: str, amount: int = 1) -> None:
        """Add to a counter of the statistics."""
        self.counters[name] = self.counters.get(name, 0) + amount

    def event(self, kind: str, **data: Any) -> None:
        """One line of the event log (JSON), if there is a log."""
        if self.log is not None:
            self.log.write(json.dumps({"event": kind, **data}, default=str) + "\n")
