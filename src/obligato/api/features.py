"""What can be told of an input at a glance, to choose engines by: kind, theory, size, control.

The figures are cheap: one pass over the terms of the model as it was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from obligato.api.members import Features
from obligato.models.properties import formulas_of
from obligato.terms import Kind, Term, postorder

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.transition_system import TransitionSystem

BITS = frozenset((Kind.BOOL, Kind.BITVEC))


def of_cfa(cfa: CFA, kind: str = "program") -> Features:
    """The features of a program or of Horn clauses."""
    return _features(kind, _kinds(cfa.variables), len(cfa.edges))


def of_system(system: TransitionSystem) -> Features:
    """The features of a transition system with the properties that are asked for."""
    kinds = _kinds(
        (*system.state, *system.inputs, *(f for p in system.properties for f in formulas_of(p)))
    )
    groups = {
        "system": system.assertions,
        "temporal": system.temporal,
        "branching": system.branching,
    }
    there = [name for name, properties in groups.items() if properties]
    return _features(there[0] if len(there) == 1 else "mixed", kinds, len(system.state))


def _kinds(terms: Iterable[Term]) -> set[Kind]:
    """The kinds of the sorts of all terms; of arrays those of index and elements besides."""
    found: set[Kind] = set()
    for sort in dict.fromkeys(t.sort for t in postorder(terms)):
        while sort.kind is Kind.ARRAY:
            found |= {Kind.ARRAY, sort.index.kind}
            sort = sort.element
        found.add(sort.kind)
    return found


def _features(kind: str, kinds: set[Kind], size: int) -> Features:
    arrays = Kind.ARRAY in kinds
    return Features(kind, kinds <= BITS | {Kind.ARRAY}, arrays, size, kinds <= {Kind.BOOL})
