"""What a user asks for: one input, one property, one engine, limits."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError, ObligatoError
from obligato.frontends.preprocessing import DEFAULT, Preprocessing
from obligato.frontends.registry import MEMSAFETY, NO_OVERFLOW, UNREACH_CALL, VALID_MEMSAFETY

DATA_MODELS = ("ILP32", "LP64")
NATIVE = "LP64" if sys.maxsize > 1 << 32 else "ILP32"  # of this machine


PURE = "assumed: undefined functions only return some value (externals=pure, the convention of task files)"


class ClaimRefused(ObligatoError):
    """A certificate or trace that somebody handed in is not accepted."""


@dataclass(frozen=True, slots=True)
class Request:
    """One run. An empty `engine` or `property` is the default of the input's language; `settings` override the preset.

    Times are in seconds, memory in MB; None is no limit.
    """

    file: str
    engine: str = ""
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    property: str = ""
    timeout: float | None = None
    memory: int | None = None
    data_model: str = NATIVE
    entry: str = "main"
    seed: int = 0
    log: str | None = None  # a file for the engine's event log
    debug: bool = False  # the engine checks its own invariants
    witness: bool = False  # a violation is wanted in the input's own format, too
    notes: tuple[str, ...] = ()  # about how the request came to be
    preprocessing: Preprocessing = DEFAULT  # of a C program
    turn: int = 0  # solver calls until the engine pauses and lets others run; 0: it does not

    def validate(self) -> None:
        """Refuse what no run could honour."""
        if self.data_model not in DATA_MODELS:
            raise ConfigError(f"the data model is one of {', '.join(DATA_MODELS)}, not {self.data_model}")
        self.preprocessing.validate()
        for name, limit in (("timeout", self.timeout), ("memory", self.memory)):
            if limit is not None and not limit > 0:  # nan is not
                raise ConfigError(f"{name} must be positive, not {limit}")


def from_task(request: Request) -> Request:
    """What an SV-COMP task file (.yml) asks for: its program, data model and property, and externals without effect.

    Of several properties the request's own is taken if it is among them, else the first.
    """
    if not request.file.endswith(".yml"):
        return request
    from obligato.frontends.c.svcomp import read_task

    tasks = read_task(request.file)
    wanted = read_property(request.property).removeprefix("valid-")
    task = next((t for t in tasks if t.property.name.removeprefix("valid-") == wanted), tasks[0])
    return replace(
        request, file=str(task.program), data_model=task.data_model, property=task.property.name,
        entry=task.property.entry, settings={"externals": "pure", **request.settings},
        notes=(*request.notes, *(() if "externals" in request.settings else (PURE,))),
    )


_CHECKS = {"LTL(G ! call(reach_error()))": UNREACH_CALL, "LTL(G ! call(__VERIFIER_error()))": UNREACH_CALL,
           "LTL(G ! overflow)": NO_OVERFLOW}
_MEMORY = {("valid-deref", "valid-free"): MEMSAFETY, ("valid-deref", "valid-free", "valid-memtrack"): VALID_MEMSAFETY}


def read_property(text: str) -> str:
    """The property's name: given as such, or by an SV-COMP property file. Whether the input has it is not looked at."""
    if not text.endswith(".prp"):
        return text
    try:
        named = _named(Path(text).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"property file {text}: {getattr(problem, 'strerror', None) or problem}") from problem
    if not named:
        raise ConfigError(f"the property in {text} is not supported")
    return named


def _named(text: str) -> str:
    """The property that the one CHECK of a property file (memory safety: all of them) asks for; empty where it is unknown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any("init(main())" not in line for line in lines):
        return ""  # only task files name another entry
    parts = tuple(sorted(part[1] for line in lines if (part := re.search(r"LTL\(G (valid-\w+)\)", line))))
    if len(parts) == len(lines) and parts in _MEMORY:
        return _MEMORY[parts]
    found = [name for check, name in _CHECKS.items() if lines and check in lines[0]]
    return found[0] if len(lines) == 1 and found else ""
