"""What a user asks for: one input, one property, one engine, limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError, ObligatoError

ASSERTIONS = "assertions"  # C only: failed assertions, besides calls of error functions
UNREACH_CALL = "unreach-call"  # SV-COMP's reading: calls of error functions only
NO_OVERFLOW = "no-overflow"  # C only
MEMSAFETY = "memsafety"  # C only: valid-deref and valid-free
VALID_MEMSAFETY = "valid-memsafety"  # C only: valid-memtrack besides
PROPERTIES = (ASSERTIONS, UNREACH_CALL, NO_OVERFLOW, MEMSAFETY, VALID_MEMSAFETY)
DATA_MODELS = ("ILP32", "LP64")


def default_property(file: str | Path) -> str:
    """What is checked where the user names no property: the assertions of a C program, else what the input calls an error."""
    return ASSERTIONS if Path(file).suffix in (".c", ".i") else UNREACH_CALL


class ClaimRefused(ObligatoError):
    """A certificate or trace that somebody handed in is not accepted."""


@dataclass(frozen=True, slots=True)
class Request:
    """One run. `settings` override the preset; times in seconds, memory in MB; None is no limit."""

    file: str
    engine: str = "ic3cfa"
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    property: str = UNREACH_CALL
    timeout: float | None = None
    memory: int | None = None
    data_model: str = "ILP32"
    entry: str = "main"
    seed: int = 0
    log: str | None = None  # a file for the engine's event log
    debug: bool = False  # the engine checks its own invariants

    def validate(self) -> None:
        """Refuse what no run could honour."""
        if self.data_model not in DATA_MODELS:
            raise ConfigError(f"the data model is one of {', '.join(DATA_MODELS)}, not {self.data_model}")
        for name, limit in (("timeout", self.timeout), ("memory", self.memory)):
            if limit is not None and limit <= 0:
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
    )


_CHECKS = {"LTL(G ! call(reach_error()))": UNREACH_CALL, "LTL(G ! call(__VERIFIER_error()))": UNREACH_CALL,
           "LTL(G ! overflow)": NO_OVERFLOW}
_MEMORY = {("valid-deref", "valid-free"): MEMSAFETY, ("valid-deref", "valid-free", "valid-memtrack"): VALID_MEMSAFETY}


def read_property(text: str) -> str:
    """The property's name: given as such, or by an SV-COMP property file."""
    wanted = text
    if text.endswith(".prp"):
        try:
            wanted = _named(Path(text).read_text(encoding="utf-8"))
        except OSError as problem:
            raise ConfigError(f"property file {text}: {problem.strerror}") from problem
    if wanted not in PROPERTIES:
        raise ConfigError(f"property {text!r} is not supported; there are: {', '.join(PROPERTIES)}")
    return wanted


def _named(text: str) -> str:
    """The property that the one CHECK of a property file (memory safety: all of them) asks for, or the text itself."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any("init(main())" not in line for line in lines):
        return text  # only task files name another entry
    parts = tuple(sorted(part[1] for line in lines if (part := re.search(r"LTL\(G (valid-\w+)\)", line))))
    if len(parts) == len(lines) and parts in _MEMORY:
        return _MEMORY[parts]
    found = [name for check, name in _CHECKS.items() if lines and check in lines[0]]
    return found[0] if len(lines) == 1 and found else text
