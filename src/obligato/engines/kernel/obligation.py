"""Proof obligations as a chain:
each leads to its parent in one step, the last one to a violation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Self, TypeVar

if TYPE_CHECKING:
    from obligato.engines.kernel.concretise import Direction

_C = TypeVar("_C")


@dataclass(slots=True, eq=False)
class Obligation(Generic[_C]):
    """Block `cube` at all levels up to `level`. `depth` counts the steps to the violation.

    `number` names the obligation in the event log. `split`: the sums by which it is to be parted
    when it comes back (`concretise`).
    """

    level: int
    cube: _C
    parent: Self | None
    depth: int
    number: int = field(default=0, kw_only=True)
    split: tuple[Direction, ...] = field(default=(), kw_only=True)

    def chain(self) -> list[Self]:
        """From this obligation to the violation."""
        out: list[Self] = []
        here: Self | None = self
        while here is not None:
            out.append(here)
            here = here.parent
        return out
