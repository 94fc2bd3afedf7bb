"""The options of IC3IA."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options(SkeletonOptions):
    """What can be varied; defaults were chosen by measurement (docs/ic3ia.md)."""

    ctg: int = option(0, "counterexamples to generalisation handled per literal", "[HBS13]", low=0)
    initial_predicates: str = option(
        "all", "predicates at the start: atoms of initial states and property; Boolean variables besides; none (as with the "
        "reset transformation)", "[CGMT16, 3.4]", ("none", "atoms", "all"))
    annotated_predicates: bool = option(True, "start with the predicates that the input suggests as well", "[CGMT16, 5.4]")
    split_equalities: bool = option(True, "an arithmetic equality becomes two inequalities", "")
    shrink_cubes: bool = option(True, "leave out predicates that have no part in a step", "")
    combine: bool = option(True, "sums of inequalities as interpolants where they suffice", "")
    related_atoms: bool = option(True, "a new predicate brings along the system's atoms about the same variables", "")
    reduce_predicates: bool = option(False, "keep only new predicates of an unsat core", "[CGMT16, 5.5]")
    rebuild_every: int = option(250, "queries after which a solver is rebuilt", "", low=1)
    budget: int = option(0, "counted budget of a query that is not required; 0: none", "", low=0)
    backend: str = option("auto", "solver of the engine", "", BACKENDS)
