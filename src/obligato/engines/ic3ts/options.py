"""The options that all instances of the skeleton share; an engine's own options extend them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def option(default: Any, help: str, paper: str = "", values: tuple[Any, ...] = (), low: int | None = None) -> Any:
    """A dataclass field with its documentation."""
    return field(default=default, metadata={"help": help, "paper": paper, "values": values, "low": low})


@dataclass(frozen=True, slots=True)
class SkeletonOptions:
    """What can be varied in the skeleton."""

    reuse_obligations: bool = option(True, "keep obligations for the next frontier", "[Bra12, 2.2]")
    drop_literals: bool = option(True, "drop literals of a blocked cube beyond the unsat core", "[Bra11]")
    ctg: int = option(3, "counterexamples to generalisation handled per literal", "[HBS13]", low=0)
    ctg_depth: int = option(1, "how deep counterexamples to generalisation of their own are handled", "[HBS13]", low=0)
    ctg_yield: int = option(0, "percent of the CTGs that must have been blocked, or else fewer are tried", "", low=0)
    joins: bool = option(True, "a literal that cannot go alone takes others with it", "[HBS13]")
    give_up_after: int = option(0, "failed attempts after which dropping literals ends; 0: never", "", low=0)
