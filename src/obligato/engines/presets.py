"""Named option sets from TOML files beside the package: one file per engine, one table per preset.

A table `base`, if there is one, is what the presets named by a single capital letter start from; `about` describes a preset.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def load_presets(engine: str) -> dict[str, dict[str, Any]]:
    """The presets of an engine: option values by preset name."""
    text = (files("obligato") / "presets" / f"{engine}.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = tomllib.loads(text)
    base = found.pop("base", {})
    return {name: _options({**base, **table} if len(name) == 1 else table) for name, table in found.items()}


def _options(table: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in table.items() if k != "about"}
