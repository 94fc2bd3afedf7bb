"""The options of k-induction, on systems and on programs."""

from __future__ import annotations

from dataclasses import dataclass

from obligato.engines.options import BACKENDS, option


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in k-induction."""

    bound: int = option(
        1_000_000, "largest k; of programs counted in large blocks", "[SSS00]", low=0
    )
    distinct: bool = option(
        True, "of systems: only runs whose states are pairwise different", "[SSS00]"
    )
    invariants: bool = option(
        True,
        "assume invariants in the step: of systems from templates, of programs those that Houdini"
        " keeps",
        "[KGT11]",
    )
    relations: bool = option(
        True,
        "of systems: where that is not enough, relations of successive states and what is"
        " 2-inductive with them",
        "[KGT11]",
    )
    backend: str = option("auto", "solver", "", BACKENDS)

    @property
    def seed_invariants(self) -> bool:
        """Of programs: start from verified invariants of the static analyses."""
        return self.invariants

    @property
    def quantified(self) -> bool:
        """Of programs: those about all cells of an array, too."""
        return self.invariants

    @property
    def predicates(self) -> int:
        """Predicates for abstraction: there is none here."""
        return 0
