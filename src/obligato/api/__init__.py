"""Obligato as a library (`api.library`); imported when it is first used, because every module of
this package imports this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from obligato.api.library import check, load, report, start, verify

__all__ = ["check", "load", "report", "start", "verify"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from obligato.api import library

        return getattr(library, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
