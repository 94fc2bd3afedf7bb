"""The options of IC3IA, those of all engines whose frames are about predicates, and those of the
abstractions among them.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class FrameOptions(SkeletonOptions):
    """What can be varied in the questions about predicates."""

    ctg: int = option(0, "counterexamples to generalisation handled per literal", "[HBS13]", low=0)
    half_spaces: int = option(
        0,
        "CTIs for which an inductive linear inequality is looked for first",
        "[Bra12, 1.2]",
        low=0,
    )
    guidance: int = option(
        0,
        "lemmas that differ in numbers only suggest a more general one: how many cubes "
        "may be blocked in trying to prove it; 0: nothing is suggested",
        "[KGSC20]",
        low=0,
    )
    concretise: bool = option(
        False,
        "where lemmas differ in the factors of integers, an obligation comes back as a part around"
        " one of its states, too",
        "[KGSC20]",
    )
    split_equalities: bool = option(True, "an arithmetic equality becomes two inequalities", "")
    rebuild_every: int = option(250, "queries after which a solver is rebuilt", "", low=1)
    budget: int = option(
        0,
        "steps of the solver that one query may cost where the search can do without its answer; 0: any",
        "",
        low=0,
    )
    backend: str = option("auto", "solver of the engine", "", BACKENDS)


@dataclass(frozen=True, slots=True)
class AbstractionOptions(FrameOptions):
    """What can be varied in the first predicates of an abstraction."""

    initial_predicates: str = option(
        "all",
        "predicates at the start: atoms of initial states and property; Boolean variables besides;"
        " none (as with the reset transformation)",
        "[CGMT16, 3.4]",
        ("none", "atoms", "all"),
    )
    annotated_predicates: bool = option(
        True, "start with the predicates that the input suggests as well", "[CGMT16, 5.4]"
    )
    orders: bool = option(
        False, "start with x <= y for all pairs of variables as well", "[BBW14, 4.1]"
    )
    affine: str = option(
        "off",
        "the equations of Karr's analysis: not used, first predicates, or (known) part of every"
        " frame, too",
        "[BBW14, 4.1; Kar76]",
        ("off", "domain", "known"),
    )


@dataclass(frozen=True, slots=True)
class Options(AbstractionOptions):
    """What can be varied in IC3IA; defaults were chosen by measurement (docs/ic3ia.md)."""

    guidance: int = option(
        20,
        "lemmas that differ in numbers only suggest a more general one: how many cubes "
        "may be blocked in trying to prove it; 0: nothing is suggested",
        "[KGSC20]",
        low=0,
    )
    concretise: bool = option(
        True,
        "where lemmas differ in the factors of integers, an obligation comes back as a part around"
        " one of its states, too",
        "[KGSC20]",
    )
    shrink_cubes: bool = option(True, "leave out predicates that have no part in a step", "")
    combine: bool = option(True, "sums of inequalities as interpolants where they suffice", "")
    related_atoms: bool = option(
        True, "a new predicate brings along the system's atoms about the same variables", ""
    )
    reduce_predicates: bool = option(
        False, "keep only new predicates of an unsat core", "[CGMT16, 5.5]"
    )
