"""What can be told of an input at a glance, to choose engines by: kind, theory, size, control.

The figures are cheap: one pass over the terms of the model as it was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from obligato.models.cfa import CFA
from obligato.models.properties import formulas_of
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Kind, Term, postorder

BITS = frozenset((Kind.BOOL, Kind.BITVEC))


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one input.

    `kind`: program; of a transition system what its properties are about: system (states), temporal (infinite runs), branching
    (trees of runs), or mixed. `bits`: all variables are Booleans, words or arrays of them. `size` counts edges of a CFA or the
    state variables of a system.
    """

    kind: str
    bits: bool = False
    arrays: bool = False
    floats: bool = False
    size: int = 0


def of_cfa(cfa: CFA) -> Features:
    """The features of a program or of Horn clauses."""
    kinds = _kinds(cfa.variables)
    return _features("program", kinds, len(cfa.edges))


def of_system(system: TransitionSystem) -> Features:
    """The features of a transition system with the properties that are asked for."""
    kinds = _kinds((*system.state, *system.inputs, *(f for p in system.properties for f in formulas_of(p))))
    groups = {"system": system.assertions, "temporal": system.temporal, "branching": system.branching}
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
    return Features(kind, kinds <= BITS | {Kind.ARRAY}, arrays, Kind.FLOAT in kinds, size)
