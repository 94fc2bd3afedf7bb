"""Completing a path: values for all start variables and inputs along which a sequence of edges can
be taken.

A reduction may have dropped inputs, and an engine may name the edges only. The path is executed
symbolically on the original CFA (rounds that are written once only the first and the last time:
what is between is extrapolated): values that are given are constants, the others variables, and
what remains of the guards is put to a solver. This happens in a simplifying store and with any
solver: nobody has to believe the result, because the interpreter replays it (`checking.trace`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.errors import InternalError
from obligato.models.gcl import Assign, Assume, Choice, walk
from obligato.results.checking.solving import SAT, UNSAT, Link, Questions
from obligato.results.outcome import Trace, TraceStep
from obligato.terms import Kind, Op, Term, TermStore, Value, default_value, evaluate, free_vars
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge
    from obligato.models.claims import Repeat
    from obligato.smt import SatResult


@dataclass(frozen=True, slots=True)
class Completion:
    """SAT with the completed trace (states after each step included), UNSAT,
    or UNKNOWN with a reason."""

    result: SatResult
    trace: Trace | None = None
    reason: str = ""


def complete(
    cfa: CFA,
    trace: Trace,
    links: Sequence[Link],
    *,
    keep_values: bool,
    tick: Callable[[], None] = lambda: None,
) -> Completion:
    """Values for the path of `trace`;
    with `keep_values` the ones it gives are kept, else they are free too."""
    given = (
        trace
        if keep_values
        else Trace({}, tuple(TraceStep(s.edge, {}) for s in trace.steps), trace.repeats)
    )
    path = _Path(cfa, given)
    if any(g.op is Op.CONST and g.data is False for g in path.guards):
        return Completion(UNSAT)
    with closing(Questions(links, list(path.guards), tick)) as questions:
        # guards of the path over start values and inputs: sat - a run;
        # unsat - this path cannot be taken   (required)
        reply = questions.ask((), "path")
    if reply.result is SAT:
        return Completion(SAT, path.trace(reply.model))
    return Completion(reply.result, reason=reply.reason)


class _Path:
    """Symbolic execution of a path in a simplifying store."""

    def __init__(self, cfa: CFA, trace: Trace) -> None:
        self.cfa = cfa
        self.store = TermStore()
        self.guards: dict[Term, None] = {}
        self._edge_inputs: dict[int, list[Term]] = {}
        # variables of the expressions: a path through a loop meets them again
        self._free: dict[Term, tuple[Term, ...]] = {}
        self.initial = {v: self._start(v, trace.initial) for v in cfa.variables}
        self.state = dict(self.initial)
        self.repeats = {r.end: r for r in trace.repeats}
        self.steps: list[tuple[int, dict[str, Term], dict[str, Term]]] = []
        starts = {r.start for r in trace.repeats}
        for n, step in enumerate(trace.steps):
            if n in starts:
                before = dict(self.state)
            self.steps.append(self._step(n, step))
            if n + 1 in self.repeats:
                self._repeat(before, self.repeats[n + 1])

    def _start(self, variable: Term, given: Mapping[str, Value]) -> Term:
        if variable.name in given:
            return self.store.const(given[variable.name], variable.sort)
        return self.store.var(f"{variable.name}@start", variable.sort)

    def _step(self, n: int, step: TraceStep) -> tuple[int, dict[str, Term], dict[str, Term]]:
        edge = self.cfa.by_id[step.edge]
        inputs = {i: self._input(i, n, step.inputs) for i in self._inputs_of(edge)}
        changed = {x.name: self.state[x] for x in self._execute(edge, inputs)}
        return edge.id, {i.name: t for i, t in inputs.items()}, changed

    def _repeat(self, before: Mapping[Term, Term], repeat: Repeat) -> None:
        """The state after rounds of which one was taken:
        words go on changing by the same amount, and the last is executed."""
        for x, value in self.state.items():
            old, new = before[x].data, value.data
            if (
                value is not before[x]
                and x.sort.kind is Kind.BITVEC
                and isinstance(old, int)
                and isinstance(new, int)
            ):
                self.state[x] = self.store.const(old + (repeat.times - 1) * (new - old), x.sort)
        if repeat.times > 1:
            for number, inputs, _ in self.steps[repeat.start :]:
                edge = self.cfa.by_id[number]
                self._execute(edge, {i: inputs[i.name] for i in self._inputs_of(edge)})

    def _inputs_of(self, edge: Edge) -> list[Term]:
        if edge.id not in self._edge_inputs:
            self._edge_inputs[edge.id] = self.cfa.edge_inputs(edge)
        return self._edge_inputs[edge.id]

    def _input(self, term: Term, n: int, given: Mapping[str, Value]) -> Term:
        if term.name in given:
            return self.store.const(given[term.name], term.sort)
        return self.store.var(f"{term.name}@{n}", term.sort)

    def _execute(self, edge: Edge, inputs: Mapping[Term, Term]) -> dict[Term, None]:
        """Take the edge; the variables it assigns."""
        changed: dict[Term, None] = {}
        for c in walk(edge.command):
            if isinstance(c, Choice):
                raise InternalError(f"edge {edge.id} of an original CFA has a choice inside")
            if isinstance(c, Assume):
                self.guards[self._value(c.condition, inputs)] = None
            elif isinstance(c, Assign):
                self.state.update([(x, self._value(e, inputs)) for x, e in c.pairs])
                changed.update((x, None) for x, _ in c.pairs)
        return changed

    def _value(self, term: Term, inputs: Mapping[Term, Term]) -> Term:
        free = self._free.get(term)
        if free is None:
            free = self._free[term] = tuple(free_vars(term))
        memo = {v: inputs[v] if v in inputs else self.state[v] for v in free}
        if all(t.op is Op.CONST for t in memo.values()):
            return self.store.const(evaluate(term, {v: t.data for v, t in memo.items()}), term.sort)
        return rebuild(term, self.store, memo)

    def trace(self, model: Mapping[Term, Value]) -> Trace:
        """The path with the values of a model of the guards."""
        memo: dict[Term, object] = {}

        def values(terms: Mapping[str, Term]) -> dict[str, Value]:
            return {name: _value_of(t, model, memo) for name, t in terms.items()}

        steps = tuple(
            TraceStep(edge, values(inputs), values(changed)) for edge, inputs, changed in self.steps
        )
        return Trace(
            values({v.name: t for v, t in self.initial.items()}),
            steps,
            tuple(self.repeats.values()),
        )


def _value_of(term: Term, model: Mapping[Term, Value], memo: dict[Term, object]) -> Value:
    if term.op is Op.VAR:
        return model.get(term, default_value(term.sort))
    value: Value = evaluate(term, model, memo)
    return value
