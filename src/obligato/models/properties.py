"""Properties of transition systems:
assertions about states, justice [BHW11] and temporal logic about infinite runs.

A *fairness set* is a formula over state and inputs; an infinite run is fair if it takes a step in
each set of the system's `fairness` infinitely often. Temporal properties are about fair runs only.
Finite runs, such as those into a state without a step, violate none of them. The `span` of a
property is its place in the input, where that is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from obligato.errors import NO_SPAN, InternalError, Span
from obligato.models.ltl import Formula, atoms, map_atoms

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem
    from obligato.terms import Term


@dataclass(frozen=True, slots=True)
class Assertion:
    """In every reached state, `formula` holds for all inputs the constraints allow."""

    name: str
    formula: Term
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class Justice:
    """No fair run takes a step in each of `sets` infinitely often."""

    name: str
    sets: tuple[Term, ...]
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class LtlProperty:
    """Every fair run satisfies `formula` at its beginning."""

    name: str
    formula: Formula
    span: Span = field(default=NO_SPAN, compare=False)


@dataclass(frozen=True, slots=True)
class CtlProperty:
    """Every initial state satisfies `formula`, which is of branching time (`models.ctl`);
    paths are fair runs."""

    name: str
    formula: Formula
    span: Span = field(default=NO_SPAN, compare=False)


LiveProperty = Justice | LtlProperty
TemporalProperty = LiveProperty | CtlProperty
Property = Assertion | TemporalProperty


def formulas_of(p: Property) -> list[Term]:
    """The formulas over state and inputs that a property is made of."""
    match p:
        case Assertion():
            return [p.formula]
        case Justice():
            return list(p.sets)
        case LtlProperty() | CtlProperty():
            return atoms(p.formula)


def map_formulas(p: Property, change: Callable[[Term], Term]) -> Property:
    """The property with these formulas changed."""
    match p:
        case Assertion():
            return Assertion(p.name, change(p.formula), p.span)
        case Justice():
            return Justice(p.name, tuple(map(change, p.sets)), p.span)
        case LtlProperty():
            return LtlProperty(p.name, map_atoms(p.formula, change), p.span)
        case CtlProperty():
            return CtlProperty(p.name, map_atoms(p.formula, change), p.span)


def fairness_sets(system: TransitionSystem) -> list[Term]:
    """The sets of the one justice property of a system, and the system's own; at least one."""
    (p,) = system.temporal
    if not isinstance(p, Justice):
        raise InternalError("a temporal formula must have been translated before")
    return [*p.sets, *system.fairness] or [system.store.true]
