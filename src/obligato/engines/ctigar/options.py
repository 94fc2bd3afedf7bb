"""The options of CTIGAR; presets/ctigar.toml has the eight configurations of its paper [BBW14,
4.3].
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ia.options import AbstractionOptions
from obligato.engines.options import option


@dataclass(frozen=True, slots=True)
class Options(AbstractionOptions):
    """What can be varied; defaults were chosen by measurement (docs/ctigar.md)."""

    annotated_predicates: bool = option(
        False, "start with the predicates that the input suggests as well", ""
    )
    orders: bool = option(
        True, "start with x <= y for all pairs of variables as well", "[BBW14, 4.1]"
    )
    affine: str = option(
        "known",
        "the equations of Karr's analysis: not used, first predicates, or (known) part of every"
        " frame, too",
        "[BBW14, 4.1; Kar76]",
        ("off", "domain", "known"),
    )
    refinement: str = option(
        "lifting",
        "which failed query a refinement makes succeed",
        "[BBW14, 3.3]",
        ("lifting", "consecution"),
    )
    spurious_limit: int = option(
        3, "spurious transitions permitted on a trace; 0: refine eagerly", "[BBW14, 4.3]", low=0
    )
    lifting_limit: int = option(
        0,
        "lifting failures permitted on a trace; 0: refine eagerly, -1: any",
        "[BBW14, 3.3]",
        low=-1,
    )
    keep_concrete: bool = option(
        False,
        "keep the concrete state after successful lifting, too, and ask its consecution",
        "[BBW14, 4.3 CCE, CCL]",
    )
    inputs: str = option(
        "free",
        "the inputs of a lifted step: fixed as in the model, or any",
        "[BBW14, 3.1]",
        ("fixed", "free"),
    )
    abstraction: str = option(
        "full",
        "abstract the whole state (full), or what concrete lifting leaves of it, by one "
        "cube (partial) or by several (allsat)",
        "[BBW14, 3.1]",
        ("full", "partial", "allsat"),
    )
    interpolants: str = option(
        "step",
        "interpolants by projection of the failed step, or of smt.interpolation",
        "",
        ("step", "solver"),
    )
    mining: int = option(
        0,
        "concrete states of a location that are searched for an equality; 0: none",
        "[BBW14, 4.1]",
        low=0,
    )
