"""The options of IC3QE."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ia.options import FrameOptions
from obligato.engines.options import option

PRECISE = ("implicant", "formula")


@dataclass(frozen=True, slots=True)
class Options(FrameOptions):
    """What can be varied; defaults were chosen by measurement (docs/ic3qe.md)."""

    elimination: str = option(
        "approximate",
        "predecessors: by model-based projection of an implicant (ours, or z3's), or by quantifier"
        " elimination of the implicant or of the whole formula",
        "[Tin12]",
        ("approximate", "z3", *PRECISE),
    )
    precise_qe: str = option(
        "projection",
        "quantifier elimination: by repeated projection, or by z3's tactic qe2",
        "[Tin12]",
        ("projection", "z3"),
    )
    frame: bool = option(
        False,
        "predecessors lie in the frame, as on the slides of the paper; else they may be any states",
        "[Tin12]",
    )
    shrink_implicant: bool = option(
        False, "leave out literals of the implicant that the step does not need", ""
    )
    weaken: str = option(
        "off",
        "beyond dropping literals of a lemma: sums of its inequalities, relaxed bounds, or both",
        "[HB12; CGMT16, 5.3]",
        ("off", "sums", "bounds", "both"),
    )
