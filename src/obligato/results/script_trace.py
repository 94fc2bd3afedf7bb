"""A run that is told by its script, as a trace of the control-flow automaton: for runs that are
short enough to be shown whole.

The automaton is executed; where a statement gives a variable any value, or chooses, the script says
which. The trace is a claim like any other: it is checked and replayed before anybody believes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from obligato.models.claims import Trace, TraceStep
from obligato.models.execution import State, execute
from obligato.models.gcl import Assign, walk
from obligato.terms import Term, Value, default_value

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge
    from obligato.models.procedures import Script


def trace_of(cfa: CFA, script: Script, longest: int) -> Trace | None:
    """The trace into the error location; None if the run does not get there in `longest` steps."""
    state = {v: script.initial.get(v.name, default_value(v.sort)) for v in cfa.variables}
    initial = {v.name: value for v, value in state.items()}
    told, chosen = iter(script.values), iter(script.choices)
    here, steps = cfa.initial, list[TraceStep]()
    while here != cfa.error and len(steps) < longest:
        step = _step(cfa, cfa.out(here), state, told, chosen)
        if step is None:
            return None
        edge, inputs, state = step
        steps.append(TraceStep(edge.id, inputs))
        here = edge.target
    return Trace(initial, tuple(steps)) if here == cfa.error else None


def _step(
    cfa: CFA,
    edges: Sequence[Edge],
    state: State,
    told: Iterator[tuple[str, Value]],
    chosen: Iterator[int],
) -> tuple[Edge, dict[str, Value], State] | None:
    """The edge that is taken, with its inputs, and the state after it."""
    if any(e.choice is not None for e in edges):
        choice = next(chosen, None)
        edges = [e for e in edges if e.choice == choice]
    for edge in edges:
        # an edge that asks is the only one
        inputs = {i: value for i, (_, value) in zip(_asked(cfa, edge), told, strict=False)}
        after = execute(edge.command, state, inputs)
        if after is not None:
            return edge, {i.name: value for i, value in inputs.items()}, after
    return None


def _asked(cfa: CFA, edge: Edge) -> list[Term]:
    """The inputs of an edge, in the order in which the interpreter asks for them."""
    return [
        e
        for c in walk(edge.command)
        if isinstance(c, Assign)
        for _, e in c.pairs
        if e in cfa.input_set
    ]
