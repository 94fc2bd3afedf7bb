"""Why a state satisfies or violates a formula of branching time, as text:
a tree of paths (`results.checking.explain`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obligato.results.values import to_text

MAX_STEPS = 60  # of one path; JSON has all
MAX_FORMULA = 160


def witness_lines(tree: Mapping[str, Any], depth: int = 1) -> Iterator[str]:
    """The lines of a tree."""
    margin = "  " * depth
    formula = str(tree["formula"])
    shown = formula if len(formula) <= MAX_FORMULA else f"{formula[:MAX_FORMULA]} ..."
    yield f"{margin}{shown}: {'true' if tree['holds'] else 'false'}, {tree['because']}"
    yield from _path(tree, margin + "  ")
    for part in tree.get("parts", ()):
        yield from witness_lines(part, depth + 1)


def _path(tree: Mapping[str, Any], margin: str) -> Iterator[str]:
    steps, loop = tree.get("path", ()), tree.get("loop")
    for n, step in enumerate(steps[:MAX_STEPS]):
        if n == loop:
            yield f"{margin}loop:"
        state = ", ".join(f"{name} = {to_text(v)}" for name, v in step["state"].items())
        inputs = ", ".join(f"{name} = {to_text(v)}" for name, v in step["inputs"].items())
        yield f"{margin}{n + 1:4}  {state or 'as before'}" + (f"    by {inputs}" if inputs else "")
    if len(steps) > MAX_STEPS:
        yield f"{margin}... {len(steps) - MAX_STEPS} steps left out; --json has all"
    if loop is not None:
        yield f"{margin}and again from step {loop + 1} on"
