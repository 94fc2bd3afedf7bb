"""Concrete execution along a trace: how a trace of a slice becomes one of the CFA before slicing.

Outside idle branches the trace says which edge is taken.  From an idle branch to its post-dominator
the CFA before is executed freely, with default values for inputs: whatever happens there has no
influence.  Where that gets stuck or takes more than `LIMIT` steps (a loop that does not end was
sliced away) the trace is returned as it is, and its replay will fail.
"""

from __future__ import annotations

from collections.abc import Mapping

from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate, Trace, TraceStep
from obligato.models.execution import State, execute
from obligato.terms import Value, default_value

LIMIT = 20_000


class SliceLift:
    """The lift of slicing; `idle` maps branches that were made straight to their
    post-dominators.
    """

    def __init__(self, before: CFA, idle: Mapping[int, int]) -> None:
        self.before = before
        self.idle = idle

    def certificate(self, certificate: Certificate) -> Certificate:
        """As it is: every run of the CFA before is one of the slice."""
        return certificate

    def trace(self, trace: Trace) -> Trace:
        """The trace with the detours that the slice left out."""
        if trace.repeats or not any(
            self.before.by_id[s.edge].source in self.idle for s in trace.steps
        ):
            # where rounds are written once nothing is executed: the trace is lost if something was
            # left out
            return trace
        return _Detours(self.before, self.idle).run(trace) or trace


class _Detours:
    def __init__(self, cfa: CFA, idle: Mapping[int, int]) -> None:
        self.cfa, self.idle = cfa, idle
        self.steps: list[TraceStep] = []
        self.state: State = {}
        self.inputs = {i.name: i for i in cfa.inputs}

    def run(self, trace: Trace) -> Trace | None:
        """The whole run, or None where it is lost."""
        self.state = {
            v: trace.initial.get(v.name, default_value(v.sort)) for v in self.cfa.variables
        }
        initial = {v.name: value for v, value in self.state.items()}
        position, ahead = self.cfa.initial, list(reversed(trace.steps))
        while ahead:
            if position in self.idle:
                end = self.idle[position]
                if not self._wander(position, end):
                    return None
                while ahead and self.cfa.by_id[ahead[-1].edge].source != end:
                    ahead.pop()
                position = end
                continue
            step = ahead.pop()
            edge = self.cfa.by_id[step.edge]
            if edge.source != position or not self._take(edge, step.inputs):
                return None
            position = edge.target
        return Trace(initial, tuple(self.steps)) if position == self.cfa.error else None

    def _take(self, edge: Edge, given: Mapping[str, Value]) -> bool:
        inputs = {i: given.get(i.name, default_value(i.sort)) for i in self.cfa.edge_inputs(edge)}
        after = execute(edge.command, self.state, inputs)
        if after is None:
            return False
        self.state = after
        self.steps.append(TraceStep(edge.id, {i.name: v for i, v in inputs.items()}))
        return True

    def _wander(self, position: int, end: int) -> bool:
        """Execute freely from `position` to `end`."""
        for _ in range(LIMIT):
            if position == end:
                return True
            taken = next((e for e in self.cfa.out(position) if self._take(e, {})), None)
            if taken is None:
                return False
            position = taken.target
        return False
