"""The single checks of a program: each thing that a property demands at one place of the source.

A check is one assertion of the program as it was read; the edges of all its copies in inlined calls
and in loops that are written out share it. It is violated by a run that fails it, having failed
nothing before, because a failed assertion ends a run. So a check does not depend on which others
are asked for: leaving out the error edges of the others (`only`) does not change which runs fail
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from obligato.program.syntax import PROPERTY

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge

Key = tuple[str, int, int, str, str]  # file, line, column, label and statement
AT = "@"  # between the name of a property and the place of a check
# of calls, and of temporary variables in loops that are written out
_INSTANCE = re.compile(r"[#$][0-9]+")


@dataclass(frozen=True, slots=True)
class Check:
    """A check by its name, ``property@line`` or ``property@file:line``, with ``.2``, ``.3``,
    ... for others in the line."""

    name: str
    key: Key


def key_of(cfa: CFA, edge: Edge) -> Key | None:
    """The check that an edge to the error location violates; None: it is none, or a limit. The
    statement tells checks at one place apart, but for those of functions that are copied.
    """
    v = edge.violation
    if v is None or v.kind != PROPERTY:
        return None
    text = "" if v.span.function in cfa.places.copied else _INSTANCE.sub("", edge.text)
    return v.span.file, v.span.line, v.span.column, v.label, text


def checks(cfa: CFA, property: str) -> list[Check]:
    """The checks of a program that was read for a property, in the order of the source."""
    first: dict[Key, int] = {}
    for edge in cfa.edges:
        key = key_of(cfa, edge)
        if key is not None:
            first.setdefault(key, edge.id)
    found, used = [], Counter[str]()
    for key in sorted(first, key=lambda k: (k[0] != cfa.file, *k[:3], first[k])):
        name = f"{property}{AT}{_place(key, cfa.file)}"
        used[name] += 1
        found.append(Check(name if used[name] == 1 else f"{name}.{used[name]}", key))
    return found


def _place(key: Key, main: str) -> str:
    name = PurePath(key[0]).name.replace(",", "_")  # commas separate names
    return str(key[1]) if key[0] in ("", main) else f"{name}:{key[1]}"


def only(cfa: CFA, keys: Container[Key]) -> CFA:
    """The program in which only these checks, and limits, are errors;
    runs that fail another one end there."""

    def kept(edge: Edge) -> bool:
        key = key_of(cfa, edge)
        return key is None or key in keys

    return replace(cfa, edges=tuple(e for e in cfa.edges if kept(e)))
