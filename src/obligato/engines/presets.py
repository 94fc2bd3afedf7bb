"""Named option sets, from TOML files beside the package: one file per engine, one table per preset.

A table `base`, if there is one, is what the presets named by a single capital letter start from.
"""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from importlib.resources import files
from typing import Any, TypeVar

from obligato.errors import ConfigError

T = TypeVar("T")


def tables(engine: str) -> dict[str, dict[str, Any]]:
    """The presets of an engine as they stand in its file; none if it has no file."""
    path = files("obligato") / "presets" / f"{engine}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def preset(engine: str, name: str, defaults: T) -> T:
    """`defaults` changed by the preset `name`."""
    found = tables(engine)
    if name not in found or name == "base":
        known = ", ".join(n for n in found if n != "base") or "none"
        raise ConfigError(f"unknown preset {name!r} of {engine}; there are: {known}")
    start = found.get("base", {}) if len(name) == 1 else {}
    values = {k: v for k, v in {**start, **found[name]}.items() if k != "about"}
    return override(defaults, values)


def override(defaults: T, values: dict[str, Any]) -> T:
    """`defaults` with some options replaced, types checked; text is converted as the command line needs it."""
    known = {f.name: f for f in fields(defaults)}  # type: ignore[arg-type]
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"unknown option {key!r}; there are: {', '.join(known)}")
        changes[key] = convert(key, value, getattr(defaults, key), known[key].metadata)
    return replace(defaults, **changes)  # type: ignore[type-var]


def convert(key: str, value: Any, default: Any, metadata: Any) -> Any:
    """One option's value, from text if need be, checked against its type, values and lower limit."""
    if isinstance(value, str) and isinstance(default, bool):
        if value.lower() not in ("true", "false"):
            raise ConfigError(f"{key} is true or false, not {value!r}")
        value = value.lower() == "true"
    elif isinstance(value, str) and isinstance(default, int):
        try:
            value = int(value)
        except ValueError:
            raise ConfigError(f"{key} is a whole number, not {value!r}") from None
    if type(value) is not type(default):
        raise ConfigError(f"{key} is of type {type(default).__name__}, not {value!r}")
    allowed, low = metadata.get("values"), metadata.get("low")
    if allowed and value not in allowed:
        raise ConfigError(f"{key} is one of {', '.join(map(str, allowed))}, not {value!r}")
    if low is not None and value < low:
        raise ConfigError(f"{key} is at least {low}, not {value!r}")
    return value
