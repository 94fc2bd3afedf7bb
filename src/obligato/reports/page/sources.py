"""The text of an input for a page:
all of it, or of a long file the lines around those that something is said about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

AROUND = 30  # lines before and after a line that something is said about
LONGEST = 2000  # characters of one line
BINARY = b"\0"


def source_data(file: str, wanted: Iterable[int], most: int) -> dict[str, Any] | None:
    """Runs of lines, each with the number of its first one, and the number of all lines;
    None where there is no text."""
    try:
        content = Path(file).read_bytes() if Path(file).is_file() else None
    except OSError:
        content = None
    if content is None or BINARY in content[:4096]:
        return None
    lines = [
        line.removesuffix("\r")[:LONGEST]
        for line in content.decode("utf-8", errors="replace").split("\n")
    ]
    if lines and not lines[-1]:
        lines.pop()
    return {"total": len(lines), "runs": _runs(lines, _kept(lines, wanted, most))}


def _kept(lines: list[str], wanted: Iterable[int], most: int) -> list[bool]:
    """Which lines are shown: all if they have at most so many characters,
    else the beginning and those around the wanted."""
    if sum(len(line) + 6 for line in lines) <= most:
        return [True] * len(lines)
    kept, size = [False] * len(lines), 0
    for line in (1, *wanted):
        for n in range(max(0, line - 1 - AROUND), min(len(lines), line + AROUND)):
            if not kept[n] and size + len(lines[n]) + 6 <= most:
                kept[n] = True
                size += len(lines[n]) + 6
    return kept


def _runs(lines: list[str], kept: list[bool]) -> list[tuple[int, list[str]]]:
    runs: list[tuple[int, list[str]]] = []
    for n, line in enumerate(lines):
        if kept[n]:
            if n == 0 or not kept[n - 1]:
                runs.append((n + 1, []))
            runs[-1][1].append(line)
    return runs
