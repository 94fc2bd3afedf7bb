"""What a claim is about, as plain data from which a page draws it: an automaton, or the variables
of a system.

Both say by `variables` the sort of each variable and the name that the user knows it by, so that
formulas of the event log can be read again. The rows of an automaton are lists to keep pages small:
a location is [number, file, line], an edge is [number, source, target, text, file, line]; files are
numbered by `files`. An edge without text is shown by its line in the source.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from obligato.api.describe import statement
from obligato.api.names import Names
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.transition_system import TransitionSystem
from obligato.reports.text import Sources
from obligato.terms import Term

MAX_TEXTS = 20_000  # edges of a larger automaton are shown by their lines only
MAX_TEXT = 120  # characters


def automaton(cfa: CFA) -> dict[str, Any]:
    """The locations and edges of an automaton."""
    files: dict[str, int] = {}
    names, sources = Names(cfa), Sources()
    texts = len(cfa.edges) <= MAX_TEXTS

    def number(file: str) -> int:
        return files.setdefault(file, len(files))

    def text(e: Edge) -> str:
        found = statement(e, names, sources) if texts else e.text
        return "" if found == sources.line(e.span.file, e.span.line) else found[:MAX_TEXT]

    locations = [[n, number(x.span.file), x.span.line] for n, x in sorted(cfa.locations.items())]
    edges = [
        [e.id, e.source, e.target, text(e), number(e.span.file), e.span.line] for e in cfa.edges
    ]
    return {
        "initial": cfa.initial,
        "error": cfa.error,
        "heads": list(cut_points(cfa)),
        "files": list(files),
        "locations": locations,
        "edges": edges,
        "unsigned": sorted(names.unsigned),
        "variables": {
            v.name: [str(v.sort), names.shown.get(v.name, v.name)]
            for v in (*cfa.variables, *cfa.inputs)
        },
    }


def signals(system: TransitionSystem) -> dict[str, Any]:
    """The variables of a transition system: its inputs and its state."""

    def shown(variables: Iterable[Term]) -> dict[str, list[str]]:
        return {v.name: [str(v.sort), system.display.get(v.name, v.name)] for v in variables}

    return {
        "variables": shown(system.inputs) | shown(system.state),
        "inputs": [v.name for v in system.inputs],
    }
