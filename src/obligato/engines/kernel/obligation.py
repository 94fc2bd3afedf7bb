"""Proof obligations as a chain: each leads to its parent in one step, the last one to a violation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Self, TypeVar

_C = TypeVar("_C")


@dataclass(slots=True, eq=False)
class Obligation(Generic[_C]):
    """Block `cube` at all levels up to `level`. `depth` counts the steps to the violation."""

    level: int
    cube: _C
    parent: Self | None
    depth: int

    def chain(self) -> list[Self]:
        """From this obligation to the violation."""
        out: list[Self] = []
        here: Self | None = self
        while here is not None:
            out.append(here)
            here = here.parent
        return out
