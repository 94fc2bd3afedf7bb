"""Files as text, and work on them that may nest deeply: what front ends with parsers of their own
share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from obligato.errors import InputError, Span, Unsupported

T = TypeVar("T")
RECURSION_LIMIT = 400_000


def read_text(file: str | Path) -> str:
    """The text of a file."""
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as problem:
        raise InputError(f"cannot read the file: {problem}", Span(str(file))) from problem


def nested(work: Callable[[], T], file: str) -> T:
    """The result of `work`, which may nest as deeply as expressions and definitions do."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        return work()
    except RecursionError as e:
        raise Unsupported(
            "expressions or definitions are nested too deeply", Span(file, 1, 1), "deep nesting"
        ) from e
    finally:
        sys.setrecursionlimit(limit)
