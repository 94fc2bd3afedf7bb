"""Where did a run do something undefined before it failed? The same run again, of the program read
with other checks.

A trace under one property goes on after an access out of bounds, a division by zero or an overflow
(docs/c.md). The program is read for those checks and run by the interpreter on the same inputs. If
one fails, and all variables got the values of the trace until then, the step is marked. Only the
first undefined step of each reading is found; a run that differs (memory without a value may have
another one) marks nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from obligato.program.interpreter import Execution, Interpreter, Status
from obligato.program.names import original_name
from obligato.program.syntax import PROPERTY, Program
from obligato.results.outcome import StepReport, TraceReport
from obligato.results.replay import Diverged, havocs
from obligato.terms import ArrayValue, Sort, Value, default_value

if TYPE_CHECKING:
    from obligato.errors import Span
    from obligato.models.cfa import CFA
    from obligato.models.claims import Trace

# how the program is read: with the checks of memory, and of arithmetic
READINGS = ("memsafety", "undefined")
WORDS = {
    "valid-deref": "access to invalid memory",
    "valid-free": "invalid free",
    "no-overflow": "signed overflow",
    "div-by-zero": "division by zero",
    "shifts": "shift by too much",
}
INSTRUCTIONS = 40  # of the other reading for each step of the trace
Line = tuple[str, int]


class _Answers:
    """The answers of a trace, by the names of variables: readings differ in their temporaries."""

    def __init__(self, cfa: CFA, trace: Trace) -> None:
        self._initial = trace.initial
        edges = [(cfa.by_id[s.edge], s) for s in trace.steps]
        self._values: dict[str, list[Value]] = {}
        for e, s in edges:
            for name, value in havocs(cfa, e, s):
                self._values.setdefault(original_name(name), []).append(value)
        self._choices = iter([e.choice for e, _ in edges if e.choice is not None])

    def initial(self, name: str, sort: Sort) -> Value:
        return self._initial.get(name, default_value(sort))

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        values = self._values.get(original_name(name))
        return values.pop(0) if values else default_value(sort)

    def choose(self, count: int, span: Span) -> int:
        choice = next(self._choices, None)
        if choice is None or choice >= count:
            raise Diverged(f"{span}: there is another choice")
        return choice


def marked(
    report: TraceReport, cfa: CFA, trace: Trace, read: Callable[[str], Program | None]
) -> TraceReport:
    """The report of a trace, with a mark at steps that are undefined; `read` reads the program with
    other checks, or does not (None).
    """
    marks: dict[int, str] = {}
    for how in READINGS if not trace.repeats else ():
        program = read(how)
        found = None if program is None else _first(program, cfa, trace, report.steps)
        if found is not None:
            marks.setdefault(*found)
    steps = tuple(replace(s, undefined=marks.get(n, "")) for n, s in enumerate(report.steps))
    return replace(report, steps=steps)


def _first(
    program: Program, cfa: CFA, trace: Trace, steps: Sequence[StepReport]
) -> tuple[int, str] | None:
    """The first step of the trace (from 0) at which a check of this reading fails, and what that
    is.
    """
    execution = Interpreter(program).start(_Answers(cfa, trace))
    try:
        place = _along(execution, [(s.file, s.line) for s in steps], _assigned(cfa, trace))
    except Diverged:
        return None
    failed = execution.result
    if failed is None or failed.status is not Status.FAILED or failed.kind != PROPERTY:
        return None
    violation = cfa.by_id[trace.steps[-1].edge].violation
    if violation is not None and (violation.label, violation.span) == (failed.label, failed.span):
        return None  # this is what the trace is about
    if violation is not None and _is_later(failed.span, violation.span, steps[place:]):
        return None
    what = WORDS.get(failed.label, failed.label)
    return place, what if failed.span.line == steps[
        place
    ].line else f"{what} (line {failed.span.line})"


def _is_later(failed: Span, violation: Span, rest: Sequence[StepReport]) -> bool:
    """Does a check fail behind the end of the trace? Requires: the trace has come to the first of
    the `rest` of its steps.
    """
    if any(s.line != rest[0].line for s in rest):
        return False
    return failed.line != rest[0].line or (failed.line, failed.column) > (
        violation.line,
        violation.column,
    )


def _assigned(cfa: CFA, trace: Trace) -> dict[str, list[Value]]:
    """The values that the user's variables get in a trace, in order; pointers and memory differ
    between readings.
    """
    out: dict[str, list[Value]] = {}
    for step in trace.steps:
        for name, value in (step.state or {}).items():
            known = original_name(name)
            if (
                known in cfa.places.spelled
                and known not in cfa.places.pointers
                and not isinstance(value, ArrayValue)
            ):
                out.setdefault(known, []).append(value)
    return out


def _along(execution: Execution, lines: Sequence[Line], values: dict[str, list[Value]]) -> int:
    """The step of the trace at which the other run ends. Raises `Diverged` if variables of the
    trace get other values.
    """
    mine = [
        (line, next(found)[0])
        for line, found in groupby(enumerate(lines), key=lambda item: item[1])
        if line[1]
    ]
    place, passed = -1, Counter[str]()
    for step in execution.steps(INSTRUCTIONS * len(lines) + 1000):
        for name, value in step.assignments.items():
            known = original_name(name)
            if known in values:
                if values[known][passed[known] : passed[known] + 1] != [value]:
                    raise Diverged(f"{step.span}: {name} gets another value")
                passed[known] += 1
        if place + 1 < len(mine) and mine[place + 1][0] == (step.span.file, step.span.line):
            place += 1
        elif (
            place + 1 == len(mine)
            and mine
            and step.span.line
            and mine[place][0] != (step.span.file, step.span.line)
        ):
            raise Diverged(f"{step.span}: the trace ends before")
    return mine[max(place, 0)][1] if mine else 0
