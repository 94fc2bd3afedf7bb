"""SV-COMP witnesses in the older format 1.0 (GraphML):
the same content as the YAML one (svcomp.py), as an automaton."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from typing import Any

import yaml

from obligato.reports.escaped import xml_text
from obligato.reports.svcomp import witness_text
from obligato.results.outcome import Outcome

_BOOLEAN = ("entry", "violation", "sink", "enterLoopHead")
_KEYS = {  # what each datum belongs to
    "entry": "node",
    "violation": "node",
    "sink": "node",
    "invariant": "node",
    "invariant.scope": "node",
    "startline": "edge",
    "endline": "edge",
    "enterLoopHead": "edge",
    "assumption": "edge",
    "assumption.scope": "edge",
    "assumption.resultfunction": "edge",
    "witness-type": "graph",
    "sourcecodelang": "graph",
    "producer": "graph",
    "specification": "graph",
    "programfile": "graph",
    "programhash": "graph",
    "architecture": "graph",
    "creationtime": "graph",
}


def graphml_text(outcome: Outcome) -> str:
    """The witness of a verdict; a comment where there is none."""
    data = yaml.safe_load(witness_text(outcome))
    if not data:
        return f"<!-- There is no witness: {outcome.verdict.value} -->\n"
    (entry,) = data
    root = xml.Element("graphml", {"xmlns": "http://graphml.graphdrawing.org/xmlns"})
    for name, owner in _KEYS.items():
        kind = "boolean" if name in _BOOLEAN else "int" if name.endswith("line") else "string"
        key = xml.SubElement(
            root, "key", {"id": name, "attr.name": name, "attr.type": kind, "for": owner}
        )
        if kind == "boolean":
            xml.SubElement(key, "default").text = "false"
    graph = xml.SubElement(root, "graph", {"edgedefault": "directed"})
    for name, value in _about(entry).items():
        _datum(graph, name, value)
    if entry["entry_type"] == "violation_sequence":
        _violation(graph, entry["content"], _calls(outcome, len(entry["content"]) - 1))
    else:
        _correctness(graph, entry["content"])
    xml.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"
    )


def _about(entry: dict[str, Any]) -> dict[str, str]:
    task = entry["metadata"]["task"]
    kind = (
        "violation_witness"
        if entry["entry_type"] == "violation_sequence"
        else "correctness_witness"
    )
    file, digest = next(iter(task["input_file_hashes"].items()))
    return {
        "witness-type": kind,
        "sourcecodelang": "C",
        "producer": "Obligato",
        "specification": task["specification"],
        "programfile": file,
        "programhash": digest,
        "creationtime": entry["metadata"]["creation_time"],
        "architecture": "32bit" if task["data_model"] == "ILP32" else "64bit",
    }


def _calls(outcome: Outcome, waypoints: int) -> list[str]:
    """The functions of the environment whose results the waypoints give;
    empty where not each call has a waypoint."""
    found = [s.call for s in outcome.trace.steps if s.call] if outcome.trace is not None else []
    return found if len(found) == waypoints else []


def _violation(graph: xml.Element, content: list[Any], calls: list[str]) -> None:
    """A path with one edge for each waypoint."""
    _node(graph, 0, entry="true")
    for n, item in enumerate(content):
        waypoint = item["segment"][-1]["waypoint"]
        last = n == len(content) - 1
        _node(graph, n + 1, **({"violation": "true"} if last else {}))
        line = str(waypoint["location"]["line"])
        more = (
            {}
            if last
            else {
                "assumption": f"{waypoint['constraint']['value']};",
                "assumption.scope": waypoint["location"]["function"],
                **({"assumption.resultfunction": calls[n]} if calls else {}),
            }
        )
        _edge(graph, n, n + 1, startline=line, endline=line, **more)


def _correctness(graph: xml.Element, content: list[Any]) -> None:
    """A node for each invariant, entered at its line."""
    _node(graph, 0, entry="true")
    for n, item in enumerate(content, 1):
        i = item["invariant"]
        _node(graph, n, **{"invariant": i["value"], "invariant.scope": i["location"]["function"]})
        head = {"enterLoopHead": "true"} if i["type"] == "loop_invariant" else {}
        _edge(graph, n - 1, n, startline=str(i["location"]["line"]), **head)


def _node(graph: xml.Element, number: int, **data: str) -> None:
    node = xml.SubElement(graph, "node", {"id": f"N{number}"})
    for name, value in data.items():
        _datum(node, name, value)


def _edge(graph: xml.Element, source: int, target: int, **data: str) -> None:
    edge = xml.SubElement(graph, "edge", {"source": f"N{source}", "target": f"N{target}"})
    for name, value in data.items():
        _datum(edge, name, value)


def _datum(owner: xml.Element, key: str, value: str) -> None:
    xml.SubElement(owner, "data", {"key": key}).text = xml_text(value)
