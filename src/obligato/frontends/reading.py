"""Files as text, and work on them that may nest deeply: what front ends with parsers of their own
share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from obligato.errors import InputError, Span, Unsupported

T = TypeVar("T")
RECURSION_LIMIT = 400_000


def read_text(file: str | Path, errors: str = "replace") -> str:
    """The text of a file; bytes that are no UTF-8 are replaced, or refused if `errors` is strict."""
    with refused_unread(file):
        return Path(file).read_text(encoding="utf-8", errors=errors)


def read_bytes(file: str | Path) -> bytes:
    """The contents of a file."""
    with refused_unread(file):
        return Path(file).read_bytes()


@contextmanager
def refused_unread(file: str | Path) -> Iterator[None]:
    """A file that is read inside of it and cannot be, is refused by name."""
    try:
        yield
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot read the file: {reason}", Span(str(file))) from problem


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
