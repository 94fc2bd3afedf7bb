"""The stages of the pipeline as text: CFA, transition system.
Horn clauses are in `reports.horn`."""

from __future__ import annotations

from collections.abc import Iterator

from obligato.models.cfa import CFA, Edge, Location
from obligato.models.dot import command_text
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term
from obligato.terms.printer import to_smtlib


def cfa_text(cfa: CFA) -> str:
    """Locations with their edges, in the order of their numbers."""
    return "\n".join(_cfa_lines(cfa))


def _cfa_lines(cfa: CFA) -> Iterator[str]:
    yield f"variables: {_typed(cfa.variables)}"
    yield (
        f"initial: {cfa.initial}   error: {cfa.error}   {len(cfa.locations)} locations,"
        f" {len(cfa.edges)} edges"
    )
    for number, location in sorted(cfa.locations.items()):
        yield f"{number} ({location.name}){_place(location)}"
        for e in cfa.out(number):
            yield f"    edge {e.id} -> {e.target}: {command_text(e.command)}{_remark(e)}"


def _typed(variables: tuple[Term, ...]) -> str:
    return ", ".join(f"{v.name}: {v.sort}" for v in variables)


def _place(location: Location) -> str:
    return f" {location.span.file}:{location.span.line}" if location.span.line else ""


def _remark(e: Edge) -> str:
    violated = f"   [violates {e.violation.kind} {e.violation.label}]" if e.violation else ""
    return violated + (f"   [approximates {e.approximates}]" if e.approximates else "")


def ts_text(system: TransitionSystem) -> str:
    """The formulas of a transition system."""
    lines = [
        f"state: {_typed(system.state)}",
        f"inputs: {_typed(system.inputs)}",
        f"init: {to_smtlib(system.init)}",
    ]
    if system.next is not None:
        lines += [f"next {x.name}: {to_smtlib(e)}" for x, e in system.next.items()]
    else:
        lines.append(f"trans: {to_smtlib(system.trans)}")
    lines += [f"constraint: {to_smtlib(c)}" for c in system.constraints]
    return "\n".join(
        [*lines, *(f"property {p.name}: {to_smtlib(p.formula)}" for p in system.assertions)]
    )
