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
from obligato.frontends.registry import (
    ASSERTIONS,
    MEMSAFETY,
    NO_OVERFLOW,
    TERMINATION,
    UNREACH_CALL,
    VALID_MEMSAFETY,
)

AUTO = "auto"  # the name of an engine: several of them, chosen by the input
DATA_MODELS = ("ILP32", "LP64")
NATIVE = "LP64" if sys.maxsize > 1 << 32 else "ILP32"  # of this machine


PURE = (
    "assumed: undefined functions only return some value (externals=pure, the convention of task"
    " files)"
)


def is_portfolio(name: str) -> bool:
    """Does the name of an engine stand for several of them?"""
    return name == AUTO or "," in name


def member_log(log: str, number: int) -> str:
    """The event log of one engine of several, which are numbered as statistics list them."""
    return f"{log}.{number}"


class ClaimRefused(ObligatoError):
    """A certificate or trace that somebody handed in is not accepted."""


@dataclass(frozen=True, slots=True)
class Request:
    """One run. An empty `engine` or `property` is the default of the input's language; `settings`
    override the preset.

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
    # the input itself, where it is no file: a Program or a TransitionSystem; `file` then names it
    model: Any = None
    events: bool = False  # the engine's events are reported, too
    log_limit: int | None = None  # after so many bytes nothing more is logged
    # the worker reports what its claims are about, so that it can be drawn (`api.drawing`)
    pictures: bool = False
    each: bool = False  # of a program: every single check gets a verdict of its own
    cover: bool = False  # of a program: find out what runs reach, too
    emit: str | None = None  # a folder for what the checker asks solvers
    turn: int = 0  # solver calls until the engine pauses and lets others run; 0: it does not
    exchange: bool = False  # one of several engines that tell each other what they find
    core: bool = False  # of a proof is said what it needs of the input
    earlier: str | None = (
        None  # the JSON outcome of an earlier run, whose invariants are tried first
    )
    several: bool = (
        False  # other engines may help the one of the input's language, where none is named
    )

    def asks_several(self) -> bool:
        """Does this ask for several engines?"""
        return is_portfolio(self.engine) or (self.several and not self.engine)

    def validate(self) -> None:
        """Refuse what no run could honour."""
        if self.data_model not in DATA_MODELS:
            raise ConfigError(
                f"the data model is one of {', '.join(DATA_MODELS)}, not {self.data_model}"
            )
        self.preprocessing.validate()
        for name, limit in (("timeout", self.timeout), ("memory", self.memory)):
            # nan is not
            if limit is not None and not (isinstance(limit, int | float) and limit > 0):
                raise ConfigError(f"{name} must be a positive number, not {limit!r}")


def from_task(request: Request) -> Request:
    """What an SV-COMP task file (.yml) asks for: its program, data model and property, and
    externals without effect.

    Of several properties the request's own is taken if it is among them, else the first.
    """
    if not request.file.endswith(".yml"):
        return request
    from obligato.frontends.c.svcomp import read_task

    tasks = read_task(request.file)
    wanted = read_property(request.property).removeprefix("valid-")
    task = next((t for t in tasks if t.property.name.removeprefix("valid-") == wanted), tasks[0])
    return replace(
        request,
        file=str(task.program),
        data_model=task.data_model,
        property=task.property.name,
        entry=task.property.entry,
        settings={"externals": "pure", **request.settings},
        notes=(*request.notes, *(() if "externals" in request.settings else (PURE,))),
    )


_CHECKS = {
    "LTL(G assert)": ASSERTIONS,
    "LTL(G ! call(reach_error()))": UNREACH_CALL,
    "LTL(G ! call(__VERIFIER_error()))": UNREACH_CALL,
    "LTL(G ! overflow)": NO_OVERFLOW,
    "LTL(F end)": TERMINATION,
}
_MEMORY = {
    ("valid-deref", "valid-free"): MEMSAFETY,
    ("valid-deref", "valid-free", "valid-memtrack"): VALID_MEMSAFETY,
}


def read_property(text: str) -> str:
    """The property's name: given as such, or by an SV-COMP property file. Whether the input has it
    is not looked at.
    """
    if not text.endswith(".prp"):
        return text
    try:
        named = property_of(Path(text).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(
            f"property file {text}: {getattr(problem, 'strerror', None) or problem}"
        ) from problem
    if not named:
        raise ConfigError(f"the property in {text} is not supported")
    return named


def property_of(text: str) -> str:
    """The property that the one CHECK of a property file (memory safety: all of them) asks for;
    empty where it is unknown.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any("init(main())" not in line for line in lines):
        return ""  # only task files name another entry
    parts = tuple(
        sorted(part[1] for line in lines if (part := re.search(r"LTL\(G (valid-\w+)\)", line)))
    )
    if len(parts) == len(lines) and parts in _MEMORY:
        return _MEMORY[parts]
    found = [name for check, name in _CHECKS.items() if lines and check in lines[0]]
    return found[0] if len(lines) == 1 and found else ""


_TRUTH = {
    "true": True,
    "on": True,
    "1": True,
    "yes": True,
    "false": False,
    "off": False,
    "0": False,
    "no": False,
}


def truth(name: str, value: Any) -> bool:
    """The value of an option that is true or false."""
    made = value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
    if made is None:
        raise ConfigError(f"{name} is true or false, not {value}")
    return made
