"""Forward analyses whose state maps variables to what is known of them; a variable that is missing
may have any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from obligato.analysis.commands import LeafAnalysis
from obligato.analysis.dataflow import solve
from obligato.analysis.persistent import FactMap, Keys
from obligato.analysis.variables import Needed, Numbering
from obligato.models.cfa import CFA
from obligato.terms import Term

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class NeededAt:
    """The needed variables at each location, as bit sets."""

    numbering: Numbering
    sets: Mapping[int, int]

    @classmethod
    def of(cls, cfa: CFA) -> NeededAt:
        """Solve the analysis."""
        numbering = Numbering(cfa.variables)
        return cls(numbering, solve(cfa, Needed(numbering)).everywhere())

    def at(self, location: int) -> int:
        """The set at one location; nothing is needed where no end is reached."""
        return self.sets.get(location, 0)

    def __contains__(self, key: tuple[int, Term]) -> bool:
        return bool(self.at(key[0]) & self.numbering.bit(key[1]))


class MapAnalysis(LeafAnalysis[FactMap[V]]):
    """Where flows meet only facts about needed variables are kept, so that states stay small.

    The keys are numbered as in `NeededAt`, then come the inputs, which nobody needs.
    """

    def __init__(self, cfa: CFA, needed: NeededAt | None = None) -> None:
        self.needed = needed
        self.keys = Keys((*cfa.variables, *cfa.inputs))

    def start(self) -> FactMap[V]:
        """Nothing is known."""
        return FactMap(self.keys)

    def enter(self, location: int, state: FactMap[V]) -> FactMap[V]:
        """Forget what is not needed from here on."""
        return state if self.needed is None else state.only(self.needed.at(location))


def known_of(
    states: Mapping[int, FactMap[V]], variables: Iterable[Term]
) -> dict[int, list[tuple[Term, V]]]:
    """What each state knows of `variables`, in order; the time depends on what it knows, not on how
    many there are.
    """
    rank = {x: n for n, x in enumerate(variables)}

    def told(state: FactMap[V]) -> list[tuple[Term, V]]:
        return sorted(
            ((x, fact) for x, fact in state.items() if x in rank), key=lambda known: rank[known[0]]
        )

    return {place: told(state) for place, state in states.items()}
