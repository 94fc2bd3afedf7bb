"""The source line that a message is about, with a caret under the column."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.errors import Span

WIDTH = 160  # of what is shown of a long line
LONGEST = 1_000_000  # characters of a line that are read


def printable(text: str) -> str:
    """The text with a ? for each character that could control a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def excerpt(span: Span) -> str:
    """Two lines of text; empty where there is no such line or no regular file (what is a pipe has
    been read already)."""
    file = Path(span.file)
    try:
        if span.line <= 0 or not file.is_file():
            return ""
        with file.open(encoding="utf-8", errors="replace", newline="\n") as text:
            line = next(islice(iter(lambda: text.readline(LONGEST), ""), span.line - 1, None), "")
    except (OSError, ValueError):
        return ""
    if not line:
        return ""
    start = max(0, span.column - WIDTH // 2) if len(line) > WIDTH else 0
    shown = f"  {printable(line.rstrip()[start : start + WIDTH].expandtabs(1))}"
    return f"{shown}\n  {' ' * (span.column - 1 - start)}^" if span.column > 0 else shown
