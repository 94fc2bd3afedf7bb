"""The options of FAIR: those of the IC3 skeleton, and its own."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class Options(SkeletonOptions):
    """What can be varied in FAIR."""

    budget: int = option(
        2000,
        "solver calls after which a question is put off; doubled when no other is left",
        "",
        low=1,
    )
    stem_first: bool = option(False, "ask for the stem of a skeleton before its cycles", "[BSHZ11]")
    inner_first: bool = option(
        True, "try skeletons inside walls, where runs end, before those outside", ""
    )
    walls: str = option(
        "all", "which walls a question about a cycle uses", "[Bra12, 4]", ("all", "recent", "used")
    )
    wall_count: int = option(
        20, "for `walls` = recent or used: how many walls a question uses", "", low=1
    )
    reuse: int = option(
        0,
        "how many lemmas of earlier proofs about cycles are offered to a question",
        "[BSHZ11]",
        low=0,
    )
    merge: int = option(
        20000,
        "questions spent on finding equal and constant bits of the state; 0: none",
        "[Eij00]",
        low=0,
    )
    orbit: int = option(
        8_000_000,
        "steps taken to follow the one run of a system without inputs; 0: none",
        "[Bre80]",
        low=0,
    )
