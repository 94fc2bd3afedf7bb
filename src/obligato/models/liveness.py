"""Properties of infinite runs: justice [BHW11] and linear temporal logic.

A *fairness set* is a formula over state and inputs; an infinite run is fair if it takes a step in each set of the system's
`fairness` infinitely often. Both kinds of properties are about fair runs only. Finite runs, such as those into a state without
a step, violate neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.errors import InternalError
from obligato.models.ltl import Formula, atoms, map_atoms
from obligato.terms import Term

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem


@dataclass(frozen=True, slots=True)
class Justice:
    """No fair run takes a step in each of `sets` infinitely often."""

    name: str
    sets: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class LtlProperty:
    """Every fair run satisfies `formula` at its beginning."""

    name: str
    formula: Formula


LiveProperty = Justice | LtlProperty


def formulas_of(p: LiveProperty) -> list[Term]:
    """The formulas over state and inputs that a property is made of."""
    return list(p.sets) if isinstance(p, Justice) else atoms(p.formula)


def fairness_sets(system: TransitionSystem) -> list[Term]:
    """The sets of the one justice property of a system, and the system's own; at least one."""
    (p,) = system.liveness
    if not isinstance(p, Justice):
        raise InternalError("a temporal formula must have been translated before")
    return [*p.sets, *system.fairness] or [system.store.true]


def map_formulas(p: LiveProperty, change: Callable[[Term], Term]) -> LiveProperty:
    """The property with these formulas changed."""
    if isinstance(p, Justice):
        return Justice(p.name, tuple(map(change, p.sets)))
    return LtlProperty(p.name, map_atoms(p.formula, change))
