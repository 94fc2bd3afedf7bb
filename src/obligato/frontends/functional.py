"""A transition system in the form that hardware formats can say: next-state functions and constant
start values only.

What they cannot say becomes a constraint, exactly: a bit `first` is true in the first state only,
and there the rest of `init` must hold; a bit `stepped` remembers whether the last step satisfied
the relation (or the filter beside the functions), and must be true. Where there are no functions,
an equation x' = e of the relation gives one; else the next value is a fresh input.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.errors import Unsupported
from obligato.models.properties import Justice, LtlProperty
from obligato.models.tableau import with_justice
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_functions import functions
from obligato.terms import BOOL, Term, assigned_constant, conjuncts


@dataclass(frozen=True, slots=True)
class Circuit:
    """States with their next values and constant start values (where they have one), inputs,
    constraints.
    """

    start: dict[Term, Term]
    next: dict[Term, Term]
    inputs: tuple[Term, ...]
    constraints: tuple[Term, ...]


def circuit(system: TransitionSystem) -> Circuit:
    """The system as a circuit; its properties keep their formulas."""
    s = system.store
    start: dict[Term, Term] = {}
    rest: list[Term] = []
    for fact in conjuncts(system.init):
        x, value = assigned_constant(fact)
        if x is None or value is None or x in start:
            rest.append(fact)
        else:
            start[x] = value
    constraints, inputs = list(system.constraints), list(system.inputs)
    next_, filter_ = functions(system, inputs)
    if filter_ is not None:
        stepped = s.fresh("stepped", BOOL)
        start[stepped], next_[stepped] = s.true, filter_
        constraints.append(stepped)
    if rest:
        first = s.fresh("first", BOOL)
        start[first], next_[first] = s.true, s.false
        constraints.append(s.implies(first, s.and_(*rest)))
    return Circuit(start, next_, tuple(inputs), tuple(constraints))


def with_justice_only(system: TransitionSystem) -> TransitionSystem:
    """The system in a form that a format with justice can say: one temporal formula, alone, becomes
    its tableau.
    """
    match system.properties:
        case (LtlProperty() as p,):
            return with_justice(system, p)
    return system


def justices(system: TransitionSystem) -> list[Justice]:
    """The temporal properties of a system for a format that knows justice only; other ones are
    refused by name.
    """
    for p in system.temporal:
        if not isinstance(p, Justice):
            raise Unsupported(
                f"the format has no temporal formulas; one alone (--property {p.name}) is written"
                " by a tableau",
                construct="temporal formula",
            )
    return [p for p in system.temporal if isinstance(p, Justice)]
