"""How an engine declares an option: the command line, presets and reference pages are generated
from these fields.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from obligato.smt import factory

# the last one stands for any SMT-LIB 2 solver, which is named by its command line
BACKENDS = ("auto", *factory.BACKENDS, "sat-cadical153", "pipe:COMMAND")


def option(
    default: Any, help: str, paper: str = "", values: tuple[Any, ...] = (), low: int | None = None
) -> Any:
    """A dataclass field with its documentation: what it does, the paper it is from, its values or
    its least value.
    """
    return field(
        default=default, metadata={"help": help, "paper": paper, "values": values, "low": low}
    )
