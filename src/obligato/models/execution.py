"""Concrete execution of one command of a CFA, by evaluation.
Trusted: replay of traces of Horn clauses rests on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

from obligato.models.effect import paths
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import Term, Value, evaluate

_PATHS = 64  # paths that are tried through a command with choices
State = dict[Term, Value]


def execute(
    command: Command, state: Mapping[Term, Value], inputs: Mapping[Term, Value]
) -> State | None:
    """The state after `command`; None if it is stuck. Of several paths, the first that passes."""
    for path in islice(paths(command), _PATHS):
        end = _along(command, iter(path).__next__, {**state, **inputs})
        if end is not None:
            return {x: end[x] for x in state}
    return None


def _along(command: Command, decide: Callable[[], int], values: State) -> State | None:
    stack: list[Command] = [command]
    while stack:
        c = stack.pop()
        if isinstance(c, Assign):
            memo: dict[Term, object] = {}
            values.update([(x, evaluate(e, values, memo)) for x, e in c.pairs])
        elif isinstance(c, Assume):
            if not evaluate(c.condition, values):
                return None
        elif isinstance(c, Seq):
            stack.extend(reversed(c.parts))
        elif isinstance(c, Choice):
            stack.append(c.branches[decide()])
        else:
            assert isinstance(c, Tagged)
            stack.append(c.command)
    return values
