"""Pictures of a CFA: Graphviz text, and a layered layout as JSON-ready data that needs nothing more
to become SVG.

Layers are the longest distance from the initial location, back edges left out; within a layer
locations stand in the order in which they were reached.  Coordinates count in layers and places, so
that whoever draws chooses the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Assume, Choice, Command, Tagged
from obligato.program.graphs import depth_first

TEXT = 120  # characters of an edge's text


def to_dot(cfa: CFA) -> str:
    """The CFA in Graphviz' language."""
    lines = [
        f"digraph {_quoted(cfa.file or 'cfa')} {{",
        '  node [shape=circle, fontname="monospace"];',
        '  edge [fontname="monospace"];',
    ]
    for n, loc in cfa.locations.items():
        style = {"initial": ", shape=doublecircle", "error": ", shape=octagon, color=red"}.get(
            _role(cfa, n), ""
        )
        lines.append(f"  {n} [label={_quoted(loc.name)}{style}];")
    lines.extend(f"  {e.source} -> {e.target} [label={_quoted(edge_text(e))}];" for e in cfa.edges)
    return "\n".join([*lines, "}", ""])


def to_json(cfa: CFA) -> dict[str, Any]:
    """Locations with layer and place, edges with their text:
    only dicts, lists, strings and numbers."""
    layers = _layers(cfa)
    width: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []
    for n, layer in layers.items():
        place = width[layer] = width.get(layer, -1) + 1
        loc = cfa.locations[n]
        nodes.append(
            {
                "id": n,
                "name": loc.name,
                "role": _role(cfa, n),
                "line": loc.span.line,
                "layer": layer,
                "place": place,
            }
        )
    edges = [
        {
            "id": e.id,
            "source": e.source,
            "target": e.target,
            "text": edge_text(e),
            "line": e.span.line,
            "back": layers.get(e.target, 0) <= layers.get(e.source, 0),
        }
        for e in cfa.edges
    ]
    return {
        "file": cfa.file,
        "layers": max(layers.values(), default=0) + 1,
        "width": max(width.values(), default=0) + 1,
        "nodes": nodes,
        "edges": edges,
    }


def edge_text(edge: Edge) -> str:
    """The statement as the user wrote it, else the command; at most `TEXT` characters."""
    text = edge.text or command_text(edge.command)
    return text if len(text) <= TEXT else text[: TEXT - 3] + "..."


def command_text(command: Command) -> str:
    """A command as one line: assignments, [conditions], choices in parentheses."""
    out: list[str] = []
    stack: list[Command | str] = [command]
    while stack:
        c = stack.pop()
        if isinstance(c, str):
            out.append(c)
        elif isinstance(c, Assign):
            out.append(", ".join(f"{x.name} := {e!r}" for x, e in c.pairs) or "skip")
        elif isinstance(c, Assume):
            out.append(f"[{c.condition!r}]")
        elif isinstance(c, Tagged):
            stack.append(c.command)
        elif isinstance(c, Choice):
            stack.extend(reversed(["(", *_between(c.branches, " | "), ")"]))
        else:
            stack.extend(reversed(_between(c.parts, "; ") or ["skip"]))
    return "".join(out)


def _between(parts: Sequence[Command], separator: str) -> list[Command | str]:
    return [x for part in parts for x in (separator, part)][1:]


def _role(cfa: CFA, location: int) -> str:
    return "initial" if location == cfa.initial else "error" if location == cfa.error else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _layers(cfa: CFA) -> dict[int, int]:
    """Longest distances from the initial location in the graph without back edges;
    other locations come last."""
    order, back = depth_first([cfa.initial], lambda n: [e.target for e in cfa.out(n)])
    layer = dict.fromkeys(reversed(order), 0)
    for n in list(layer):
        for e in cfa.out(n):
            if (n, e.target) not in back:
                layer[e.target] = max(layer[e.target], layer[n] + 1)
    last = max(layer.values(), default=0) + 1
    return {**layer, **{n: last for n in cfa.locations if n not in layer}}
