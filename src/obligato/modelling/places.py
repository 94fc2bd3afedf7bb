"""Where in the user's Python a part of a model was written,
so that messages and traces can name the line."""

from __future__ import annotations

import sys
from pathlib import Path

from obligato.errors import Span

_HERE = str(Path(__file__).parent)


def caller() -> Span:
    """The place of the innermost call from outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return Span(frame.f_code.co_filename, frame.f_lineno, 1)
