"""The options of bounded model checking, of systems and of programs."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in bounded model checking."""

    bound: int = option(
        1_000_000, "steps (of a program: large blocks) after which it gives up", "[BCCZ99]", low=0
    )
    acceleration: bool = option(
        True, "of programs: rounds of a loop that only counts are taken at once", "[BFLP08]"
    )
    backend: str = option("auto", "solver", "", BACKENDS)
