"""Replay: does a trace of the CFA happen when the interpreter runs the original program on its
values?

`TraceOracle` answers the interpreter's questions from the trace: initial values by name, havocs and
choices in the order of the path.  `replay` follows the run statement by statement, in step with the
edges, and accepts only if the interpreter itself ends at the assertion that the last edge violates.
Edges without text (see models.build) are no statements. Limitation: a statement is recognised by
span, text and branch, not by identity; but the run decides, so at worst a path with another
numbering of the same run is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.models.gcl import Assign, walk
from obligato.program.interpreter import Execution, Interpreter, Result, Status, Step
from obligato.program.names import original_name
from obligato.results.outcome import ReplayStep, Trace, TraceStep
from obligato.terms import Sort, Value, default_value

if TYPE_CHECKING:
    from obligato.errors import Span
    from obligato.models.cfa import CFA, Edge, Violation
    from obligato.program.syntax import Program

# instructions without a statement (calls, returns) before a replay is given up
SILENT_STEPS = 5_000_000


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """`problem` is None if the run shows the violation;
    `steps` are the statements executed until then."""

    problem: str | None
    steps: tuple[ReplayStep, ...]


class Diverged(Exception):
    """The run asks for something that the trace does not say."""


class TraceOracle:
    """Answers from a trace, in order of consumption;
    values that the trace leaves open are the sort's default."""

    def __init__(self, cfa: CFA, trace: Trace) -> None:
        self._initial = trace.initial
        edges = [(cfa.by_id[s.edge], s) for s in trace.steps]
        self._values = iter([pair for e, s in edges for pair in havocs(cfa, e, s)])
        self._choices = iter([e.choice for e, _ in edges if e.choice is not None])

    def initial(self, name: str, sort: Sort) -> Value:
        return self._initial.get(name, default_value(sort))

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        given, value = next(self._values, ("nothing", None))
        if original_name(given) != original_name(name):
            raise Diverged(
                f"{span}: the run needs a value for {name}, the trace gives one for {given}"
            )
        return value

    def choose(self, count: int, span: Span) -> int:
        choice = next(self._choices, None)
        if choice is None or choice >= count:
            raise Diverged(
                f"{span}: the run chooses among {count} branches, the trace says {choice}"
            )
        return choice


def havocs(cfa: CFA, edge: Edge, step: TraceStep) -> Iterator[tuple[str, Value]]:
    """The variables that an edge gives any value, with the values of the trace."""
    for c in walk(edge.command):
        if isinstance(c, Assign):
            for x, e in c.pairs:
                if e in cfa.input_set:
                    yield x.name, step.inputs.get(e.name, default_value(e.sort))


def replay(program: Program, cfa: CFA, trace: Trace, *, whole: bool = True) -> ReplayResult:
    """Run `program` along `trace` of `cfa`, the CFA of the inlined program.
    Unless it is the `whole` run it need not end."""
    steps: list[ReplayStep] = []
    try:
        execution = Interpreter(program).start(TraceOracle(cfa, trace))
        problem = _follow(execution, cfa, trace, steps, whole)
    except Diverged as e:
        problem = str(e)
    return ReplayResult(problem, tuple(steps))


def _follow(
    execution: Execution, cfa: CFA, trace: Trace, steps: list[ReplayStep], whole: bool
) -> str | None:
    """Compare the run with the trace;
    None if both end in the same violation, or go along the trace if it is not `whole`."""
    expected = [s for s in trace.steps if cfa.by_id[s.edge].text]
    run = execution.steps(4 * len(expected) + SILENT_STEPS)
    for claimed in expected:
        step = next(run, None)
        if step is None:
            return f"the run ends early: {_ending(execution.result)}"
        steps.append(ReplayStep(step.span, step.text, step.assignments, step.inputs))
        problem = _mismatch(cfa.by_id[claimed.edge], claimed, step)
        if problem is not None:
            return f"{step.span}: {problem}"
    if not whole:
        return None if execution.result is None else f"the run ends: {_ending(execution.result)}"
    violation = cfa.by_id[expected[-1].edge].violation if expected else None
    return _wrong_end(execution.result, violation)


def _mismatch(edge: Edge, claimed: TraceStep, step: Step) -> str | None:
    if (
        edge.span != step.span
        or edge.text != step.text
        or (edge.choice is not None and edge.choice != step.branch)
    ):
        return f"the run executes {step.text!r}, the trace says {edge.text!r} ({edge.span})"
    targets = [x for c in walk(edge.command) if isinstance(c, Assign) for x, _ in c.pairs]
    for x, (name, value) in zip(targets, step.assignments.items(), strict=True):
        if claimed.state is not None and claimed.state.get(x.name, value) != value:
            return f"{name} becomes {value}, the trace says {claimed.state[x.name]}"
    return None


def _wrong_end(result: Result | None, violation: Violation | None) -> str | None:
    if result is None or result.status is not Status.FAILED:
        return f"the run does not end in a failed assertion: {_ending(result)}"
    if violation is None or (result.label, result.kind, result.span) != (
        violation.label,
        violation.kind,
        violation.span,
    ):
        return f"another assertion fails: {_ending(result)}"
    return None


def _ending(result: Result | None) -> str:
    return (
        "it goes on" if result is None else f"{result.status.value} {result.label} ({result.span})"
    )
