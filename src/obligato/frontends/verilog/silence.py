"""What Yosys says nothing about, or in a warning only: bits with several drivers, of which it keeps
one, and assertions in modules that are not part of the design that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MODULE = re.compile(r"^module (?P<name>\S+)\n(?P<body>.*?)^end$", re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"^  cell \S*(?P<type>\\\S+) ", re.MULTILINE)
_CLAIM = re.compile(r"^  cell \$(?:assert|assume|check|live|fair) ", re.MULTILINE)


def several_drivers(module: dict[str, Any]) -> str:
    """The name of an input or of a wire that has several drivers, as JSON has a flat module; empty
    if there is none. (One that is driven by a constant, too, has this as its bit.)
    """
    seen: set[Any] = set()
    for bit in _driven(module):
        if not isinstance(bit, int) or bit in seen:
            return _name(module, bit)
        seen.add(bit)
    return ""


def _driven(module: dict[str, Any]) -> Iterator[Any]:
    for port in module["ports"].values():
        if port["direction"] != "output":
            yield from port["bits"]
    for cell in module["cells"].values():
        for name, bits in cell["connections"].items():
            if cell.get("port_directions", {}).get(name) == "output":
                yield from bits


def _name(module: dict[str, Any], bit: Any) -> str:
    """How the design calls a bit, by preference not by the name of an input."""
    named = [name for name, net in module.get("netnames", {}).items() if bit in net["bits"]]
    found = sorted(named, key=lambda name: (name.startswith("$"), name in module["ports"]))
    return found[0] if found else "a wire"


def left_out(rtlil: str, top: str) -> str:
    """A module with an assertion or assumption that is not part of the design below `top`; empty if
    there is none. `rtlil` has all modules as they were read.
    """
    bodies = {m["name"]: m["body"] for m in _MODULE.finditer(rtlil)}
    todo, used = [top], set[str]()
    while todo:
        name = todo.pop()
        if name not in used:
            used.add(name)
            todo += [m["type"] for m in _INSTANCE.finditer(bodies.get(name, ""))]
    left = (n for n, body in bodies.items() if n not in used and _CLAIM.search(body))
    return next(left, "").removeprefix("\\")
