"""Characters in arrays as texts, for the lines of a trace: ``name = "abc"``, or
``name[2..4] = "cde"`` for a part.

Elements of arrays of ``char`` are shown as characters (``'a'``); elements of other small integers
are numbers, and a text only where the line of the source has that text.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

_CELL = re.compile(r"(.+)\[([0-9]+)\]")
MIN_PART = 3  # characters of a part that is shown as a text


def with_texts(values: Mapping[str, Any], line: str) -> dict[str, Any]:
    """The values that a line assigns; arrays that get texts are shown as texts."""
    arrays: dict[str, dict[int, Any]] = {}
    for name, value in values.items():
        cell = _CELL.fullmatch(name)
        if cell is not None:
            arrays.setdefault(cell[1], {})[int(cell[2])] = value
    texts = {
        name: text
        for name, cells in arrays.items()
        if (text := _shown(name, cells, line)) is not None
    }
    out: dict[str, Any] = {}
    for name, value in values.items():
        cell = _CELL.fullmatch(name)
        out |= texts[cell[1]] if cell is not None and cell[1] in texts else {name: value}
    return out


def _shown(name: str, cells: Mapping[int, Any], line: str) -> dict[str, Any] | None:
    """The elements of an array that are assigned, as texts; None if they are none."""
    codes = {i: _code(v) for i, v in cells.items()}
    text, numbers = _whole(codes), [v for v in cells.values() if isinstance(v, int)]
    if text is not None and (text in line or not any(numbers)):
        return {name: text}
    if any(numbers):
        return None
    parts = dict(_parts(name, cells, codes))
    return parts if len(parts) < len(cells) else None


def _code(value: Any) -> int | None:
    """The number of a character; numbers are their own."""
    if isinstance(value, str):
        return ord(literal_eval(value)) if value.startswith("'") else None
    return value if isinstance(value, int) else None


def _whole(codes: Mapping[int, int | None]) -> str | None:
    """A text from the first element on: characters up to a zero, then zeros;
    None if they are something else."""
    values = [codes[i] for i in range(len(codes)) if i in codes]
    if len(values) != len(codes) or len(values) < 2 or 0 not in values:
        return None
    end = values.index(0)
    return _quoted(values[:end]) if end and not any(values[end:]) else None


def _quoted(codes: list[int | None]) -> str | None:
    printable = [chr(c) for c in codes if c is not None and 32 <= c < 127]
    return json.dumps("".join(printable)) if len(printable) == len(codes) else None


def _parts(
    name: str, cells: Mapping[int, Any], codes: Mapping[int, int | None]
) -> Iterator[tuple[str, Any]]:
    """The elements in order; several printable characters side by side are one text."""
    for (printable, _), group in groupby(
        enumerate(sorted(cells)), key=lambda x: (_is_printable(codes[x[1]]), x[1] - x[0])
    ):
        places = [i for _, i in group]
        if printable and len(places) >= MIN_PART:
            yield f"{name}[{places[0]}..{places[-1]}]", _quoted([codes[i] for i in places])
        else:
            yield from ((f"{name}[{i}]", cells[i]) for i in places)


def _is_printable(code: int | None) -> bool:
    return code is not None and 32 <= code < 127
