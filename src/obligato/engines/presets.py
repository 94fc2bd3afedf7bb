"""Presets: named sets of options of one engine, in TOML files of one format, those of ours and
those of users.

engine = "ic3cfa"        # of ours the name of the file says it

[base]                   # optional: what the other tables start from
caching = false

[F]
about = "what this preset is for"
reuse_obligations = true
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from obligato.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of options of one engine."""

    name: str
    engine: str
    options: dict[str, Any]
    description: str = ""


def read_presets(text: str, file: str, engine: str = "") -> dict[str, Preset]:
    """The presets in the text of a file, by name; `engine` is the default for what the file does
    not say.
    """
    import tomllib

    try:
        data = tomllib.loads(text)
    except ValueError as problem:  # no TOML, or a number of thousands of digits
        raise ConfigError(f"presets {file}: {problem}") from problem
    owner = data.pop("engine", engine)
    if (
        not owner
        or not isinstance(owner, str)
        or not all(isinstance(table, dict) for table in data.values())
    ):
        raise ConfigError(f"presets {file}: only `engine` and a table for each preset are known")
    base = data.pop("base", {})
    return {
        name: _preset(name, owner, {**base, "about": "", **table}) for name, table in data.items()
    }


def _preset(name: str, engine: str, table: dict[str, Any]) -> Preset:
    return Preset(
        name, engine, {k: v for k, v in table.items() if k != "about"}, str(table["about"])
    )


def packaged_presets(engine: str) -> dict[str, Preset]:
    """The presets that come with an engine, by name."""
    from importlib.resources import files

    file = files("obligato") / "presets" / f"{engine}.toml"
    return (
        read_presets(file.read_text(encoding="utf-8"), file.name, engine) if file.is_file() else {}
    )
