"""The options of `rank`."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied."""

    budget: int = option(
        1500,
        "solver calls for one question to IC3CFA before others get their turn; doubled each time",
        "",
        low=1,
    )
    rounds: int = option(
        80,
        "ranks that are tried for the loops of one component of the program before IC3 is asked",
        "",
        low=1,
    )
    walks: int = option(16, "random runs that are looked at first", "", low=0)
    walk_steps: int = option(1500, "steps of one random run", "", low=1)
    cycle: int = option(
        3,
        "an infinite run that returns to the same state is looked for with a loop of at "
        "most so many blocks",
        "",
        low=1,
    )
    recurrence: bool = option(True, "look for recurrence sets", "[GHMRX08]")
    counters: bool = option(True, "where no rank is found, count the rounds of a loop", "[CS12]")
    lasso_steps: int = option(
        12, "of transition systems: steps of a lasso that is looked for first", "[BAS02]", low=0
    )
