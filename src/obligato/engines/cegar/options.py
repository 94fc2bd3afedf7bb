"""The options of CEGAR."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied."""

    abstraction: str = option(
        "cartesian",
        "what is kept of the states after a step: each predicate by itself, or all combinations of"
        " them",
        "[BPR01]",
        ("cartesian", "boolean"),
    )
    refinement: str = option(
        "wp",
        "new predicates: from sequence interpolants (from weakest preconditions where "
        "there are none), or always from weakest preconditions",
        "[HJMM04; HJMS02]",
        ("interpolants", "wp"),
    )
    large_blocks: bool = option(True, "large-block encoding before the engine", "[BCGKS09]")
    seed_invariants: bool = option(
        True, "start from verified invariants of the static analyses", ""
    )
    quantified: bool = option(
        True, "seeds about all cells of an array at once, with a quantifier", "[MG16]"
    )
    predicates: int = option(0, "mined predicates per location to start from", "", low=0)
    shape_limit: int = option(
        150,
        "predicates at one location that differ in constants only; with more of them the refinement"
        " diverges",
        "",
        low=1,
    )
    budget: int = option(
        200_000,
        "steps of the solver that one query may cost where the search can do without its answer",
        "",
        low=1,
    )
    backend: str = option("auto", "solver of the engine", "", BACKENDS)
