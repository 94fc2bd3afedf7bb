"""Candidates that the input itself states: the assertions of a witness, at the locations where an
engine can use them.
"""

from __future__ import annotations

from collections.abc import Container

from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assume
from obligato.program.syntax import WITNESS
from obligato.terms import Op, Term


def stated(cfa: CFA, locations: Container[int]) -> dict[int, list[Term]]:
    """By location, the parts of what a witness asserts there, or right behind it."""
    found: dict[int, list[Term]] = {}
    for e in cfa.edges:
        if _is_stated(e) and isinstance(e.command, Assume):
            asserted = cfa.store.not_(e.command.condition)
            where = _before(cfa, e.source, locations)
            parts = asserted.args if asserted.op is Op.AND else (asserted,)
            found.setdefault(where, []).extend(p for p in parts if not p.is_const)
    return {
        loc: list(dict.fromkeys(formulas)) for loc, formulas in found.items() if loc in locations
    }


def _is_stated(e: Edge) -> bool:
    return e.violation is not None and e.violation.label.startswith(WITNESS)


def _before(cfa: CFA, location: int, locations: Container[int]) -> int:
    """The location (of these) from which a location is reached by nothing but assertions of the
    witness.
    """
    while location not in locations:
        edges = cfa.into(location)
        if len(edges) != 1 or not isinstance(edges[0].command, Assume):
            break
        plain = edges[0].command.condition is cfa.store.true
        if not plain and not any(_is_stated(e) for e in cfa.out(edges[0].source)):
            break
        location = edges[0].source
    return location
