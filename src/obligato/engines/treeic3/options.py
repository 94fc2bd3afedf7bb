"""The options of Tree-IC3."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied."""

    interpolants: str = option(
        "never",
        "refute a path to the error by interpolants: first, as a fallback where "
        "obligations become too many, or never",
        "[CG12, 3.3]",
        ("first", "fallback", "never"),
    )
    abstraction: bool = option(
        False, "obligations are cubes over predicates: implicit abstraction", "[CGMT16, 5.1]"
    )
    relative: bool = option(
        True,
        "lemmas of a loop are shown relative to themselves, at all its nodes along the path",
        "[CG12, 3.2]",
    )
    large_blocks: bool = option(True, "large-block encoding before the engine", "[BCGKS09]")
    seed_invariants: bool = option(
        True, "start from verified invariants of the static analyses", ""
    )
    quantified: bool = option(
        True, "seeds about all cells of an array at once, with a quantifier", "[MG16]"
    )
    predicates: int = option(
        0, "mined predicates per location to start from; needs abstraction", "[BBW14, 3.1]", low=0
    )
    patience: int = option(
        200, "obligations of one path before interpolants are tried as a fallback", "", low=1
    )
    budget: int = option(
        200_000,
        "steps of the solver that one query may cost where the search can do without its answer",
        "",
        low=1,
    )
    backend: str = option("auto", "solver of the engine", "", BACKENDS)
