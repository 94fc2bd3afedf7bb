"""A CFA for the eye: as a list of edges, and as a graph in DOT."""

from __future__ import annotations

from collections.abc import Iterator

from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms.printer import to_smtlib


def cfa_text(cfa: CFA) -> str:
    """Locations with their edges, in the order of their numbers."""
    return "\n".join(_lines(cfa))


def _lines(cfa: CFA) -> Iterator[str]:
    yield f"variables: {', '.join(f'{v.name}: {v.sort}' for v in cfa.variables)}"
    yield f"initial: {cfa.initial}   error: {cfa.error}   {len(cfa.locations)} locations, {len(cfa.edges)} edges"
    for number, location in sorted(cfa.locations.items()):
        yield f"{number} ({location.name}){_place(location)}"
        for e in cfa.out(number):
            yield f"    edge {e.id} -> {e.target}: {command_text(e.command)}{_remark(e)}"


def _place(location: Location) -> str:
    return f" {location.span.file}:{location.span.line}" if location.span.line else ""


def _remark(e: Edge) -> str:
    violated = f"   [violates {e.violation.kind} {e.violation.label}]" if e.violation else ""
    return violated + (f"   [approximates {e.approximates}]" if e.approximates else "")


def command_text(command: Command) -> str:
    """A guarded command, terms in SMT-LIB."""
    match command:
        case Assume():
            return f"assume {to_smtlib(command.condition)}"
        case Assign():
            targets = ", ".join(x.name for x, _ in command.pairs)
            return f"{targets} := {', '.join(to_smtlib(e) for _, e in command.pairs)}"
        case Seq():
            return "; ".join(map(command_text, command.parts)) or "skip"
        case Choice():
            return f"({' [] '.join(map(command_text, command.branches))})"
        case Tagged():
            return command_text(command.command)


def cfa_dot(cfa: CFA) -> str:
    """The CFA as a DOT graph; edges carry the statements as the user wrote them."""
    lines = ["digraph cfa {", "  node [shape=circle];"]
    for number, location in sorted(cfa.locations.items()):
        shape = ", shape=doublecircle" if number in (cfa.initial, cfa.error) else ""
        lines.append(f"  n{number} [label={_quoted(location.name)}{shape}];")
    for e in cfa.edges:
        lines.append(f"  n{e.source} -> n{e.target} [label={_quoted(e.text or command_text(e.command))}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
