"""Replay of a trace on a CFA that comes from no program:
its commands are executed by evaluation, edge by edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.models.execution import execute
from obligato.terms import default_value

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.results.outcome import Trace


def replay_cfa(cfa: CFA, trace: Trace) -> str | None:
    """None: the trace is a run to the error location; else what happens instead."""
    state = {v: trace.initial.get(v.name, default_value(v.sort)) for v in cfa.variables}
    here = cfa.initial
    for n, step in enumerate(trace.steps, 1):
        edge = cfa.by_id[step.edge]
        inputs = {i: step.inputs.get(i.name, default_value(i.sort)) for i in cfa.edge_inputs(edge)}
        after = execute(edge.command, state, inputs) if edge.source == here else None
        if after is None:
            return f"step {n}: edge {edge.id} cannot be taken"
        state, here = after, edge.target
    return None if here == cfa.error else "the run does not end in the error location"
