"""What the outcome of an earlier run offers to a new one: the formulas of its certificates,
whatever they were about.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from obligato.errors import ConfigError
from obligato.models.facts import Fact
from obligato.results.values import whole


def facts_in(file: str) -> tuple[Fact, ...]:
    """The invariants in a JSON outcome; none where it has no certificate."""
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        claims = [data, *data.get("properties", ())]
        found = [_invariants(claim.get("certificate") or {}) for claim in claims]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as problem:
        reason = getattr(problem, "strerror", None) or repr(problem)
        raise ConfigError(f"--from {file}: no outcome of an earlier run ({reason})") from problem
    return tuple(dict.fromkeys(fact for facts in found for fact in facts))


def _invariants(certificate: dict[str, Any]) -> list[Fact]:
    return [
        Fact(str(i["formula"]), whole(i.get("location", 0)))
        for i in certificate.get("invariants", ())
    ]
