"""The options of IC3 on watched cells."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3.run import Options as BooleanOptions
from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class Options(BooleanOptions):
    """What can be varied."""

    reuse_obligations: bool = option(
        False,
        "keep obligations for the next frontier; with watched cells many of them rest on "
        "reads that are impossible",
        "[Bra12, 2.2]",
    )
    keep_parent: bool = option(
        False,
        "literals of a lemma of the level below are not dropped from a cube that extends it",
        "[XBCGLP23]",
    )
    indices: int = option(2, "arbitrary indices of each sort that are watched at most", "", low=0)
