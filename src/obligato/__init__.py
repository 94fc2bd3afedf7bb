"""Obligato: a model checker built around IC3, for programs and transition systems.

`obligato.load` and `obligato.verify` (see `obligato.api`) are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obligato.api import Outcome, Verdict, load, verify

__all__ = ["Outcome", "Verdict", "load", "verify"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from obligato import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
