"""Where in the user's Python a part of a model was written,
so that messages and traces can name the line."""

from __future__ import annotations

import sys
from pathlib import Path

from obligato.errors import Span

_HERE = str(Path(__file__).parent)


def caller() -> Span:
    """The place of the innermost call from outside this package."""
    call = sys._getframe(1)
    while call.f_back is not None and call.f_code.co_filename.startswith(_HERE):
        call = call.f_back
    return Span(call.f_code.co_filename, call.f_lineno, 1)
