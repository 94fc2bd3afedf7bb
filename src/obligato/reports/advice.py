"""What a run had established when a limit or a signal ended it, and what to try next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from obligato.results.outcome import Outcome

REACHED = ("bound", "frontier", "lemmas")  # counters of engines that say how far they got
_UNDEFINED = re.compile(r"over-approximation used: undefined function (\w+)")
_MORE = {
    "timeout": "more time (--timeout)",
    "memory": "more memory (--memory)",
    "interrupted": "to let it go on",
}


def advice(outcome: Outcome) -> Iterator[str]:
    """How far each engine got, and what may help; nothing where no limit was reached."""
    asked = dict.fromkeys(_UNDEFINED.findall(outcome.reason or ""))
    if asked:
        known = "if such a function only returns a value (an input)"
        yield f"to try next: define {', '.join(asked)}; or --set externals=pure, {known}"
    if outcome.reason not in _MORE:
        return
    stats = outcome.stats
    members = stats.get("portfolio", {}).get("members") or [{"engine": outcome.engine, **stats}]
    reached = [f"{m['engine']} {how}" for m in members if (how := _reached(m))]
    if reached:
        yield f"so far: {'; '.join(reached)}"
    more = _MORE[outcome.reason]
    yield (
        f"to try next: {more}, another engine (`obligato engines` lists them), or a smaller part of"
        " the input"
    )


def _reached(figures: Mapping[str, Any]) -> str:
    """How far an engine got: `bound` is the depth (blocks of a program, steps of a system) that it
    was looking at."""
    parts = []
    if figures.get("bound", 0) > 0:
        parts.append(f"found no error at depths below {figures['bound']}")
    if "frontier" in figures:
        lemmas = f" with {figures['lemmas']} lemmas" if "lemmas" in figures else ""
        parts.append(f"reached frontier {figures['frontier']}{lemmas}")
    return " and ".join(parts)
