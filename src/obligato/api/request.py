"""What a user asks for: one input, one property, one engine, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError, ObligatoError

UNREACH_CALL = "unreach-call"
DATA_MODELS = ("ILP32", "LP64")


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


def read_property(text: str) -> str:
    """The property's name: given as such, or by an SV-COMP property file. Only unreachability is supported so far."""
    wanted = text
    if text.endswith(".prp"):
        try:
            wanted = Path(text).read_text(encoding="utf-8")
        except OSError as problem:
            raise ConfigError(f"property file {text}: {problem.strerror}") from problem
    if wanted == UNREACH_CALL or ("LTL(G ! call(" in wanted and wanted.strip().count("CHECK(") == 1):
        return UNREACH_CALL
    raise ConfigError(f"property {text!r} is not supported; there is: {UNREACH_CALL}")
