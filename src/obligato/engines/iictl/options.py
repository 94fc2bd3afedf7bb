"""The options of IICTL: those of the IC3 skeleton, and its own."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class Options(SkeletonOptions):
    """What can be varied in IICTL."""

    generalize: bool = option(
        True, "bounds grow by sets; else by the one state that was asked for", "[HBS12]"
    )
    drop: bool = option(
        True, "drop literals of a lower bound's cube beyond the unsat core", "[HBS12]"
    )
    walks: int = option(
        100, "steps of random runs that look for a path before IC3 and FAIR do; 0: none", "", low=0
    )
    descents: int = option(
        300,
        "steps of a depth-first search for loops and dead ends, by turns with FAIR; 0: none",
        "",
        low=0,
    )
    budget: int = option(
        2000, "solver calls of a turn of FAIR; doubled when one was not enough", "", low=1
    )
    merge: int = option(
        20000,
        "questions spent on finding equal and constant bits of the state; 0: none",
        "[Eij00]",
        low=0,
    )
