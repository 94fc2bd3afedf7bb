"""Replay of a script: does the interpreter, told what the script says,
run the program as it was read into a violation?

Calls nest on the interpreter's own stack. The run decides: a script has no path that it could be
compared with. A run through an over-approximation, or to a limit, refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from obligato.models.procedures import Script
from obligato.program.interpreter import Execution, Interpreter, Result, Status, Step
from obligato.program.names import original_name
from obligato.program.syntax import LIMIT, Havoc, Program, statements
from obligato.results.replay import Diverged, havocs
from obligato.terms import Sort, Value, default_value

if TYPE_CHECKING:
    from obligato.errors import Span
    from obligato.models.cfa import CFA
    from obligato.models.claims import Trace

LONGEST = 20_000_000  # instructions
CHUNK = 50_000
SHOWN = 20_000  # steps that are kept of a longer run: its first ones


@dataclass(frozen=True, slots=True)
class ScriptReplay:
    """`problem` is None if the run violates a property; `limited`:
    it is a run, but refutes nothing.

    `steps` are the first ones; `cut`: there are more."""

    problem: str | None
    limited: bool
    steps: tuple[Step, ...]
    result: Result | None
    cut: bool = False


class ScriptOracle:
    """Answers from a script, in the order of the questions."""

    def __init__(self, script: Script) -> None:
        self._initial, self._values = script.initial, iter(script.values)
        self._choices = iter(script.choices)

    def initial(self, name: str, sort: Sort) -> Value:
        return self._initial.get(name, default_value(sort))

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        found = next(self._values, None)
        if found is None or original_name(found[0]) != original_name(name):
            given = "none" if found is None else f"one for {found[0]}"
            raise Diverged(f"{span}: the run needs a value for {name}, the script gives {given}")
        return found[1]

    def choose(self, count: int, span: Span) -> int:
        choice = next(self._choices, None)
        if choice is None or not 0 <= choice < count:
            raise Diverged(
                f"{span}: the run chooses among {count} branches, the script says {choice}"
            )
        return choice


def script_of(cfa: CFA, trace: Trace) -> Script:
    """What a trace of a CFA tells the run it stands for."""
    edges = [(cfa.by_id[s.edge], s) for s in trace.steps]
    values = tuple(pair for e, s in edges for pair in havocs(cfa, e, s))
    return Script(trace.initial, values, tuple(e.choice for e, _ in edges if e.choice is not None))


def replay_script(
    program: Program, script: Script, tick: Callable[[], None] = lambda: None, shown: int = SHOWN
) -> ScriptReplay:
    """Run `program` as the script says; of its steps the first `shown` are kept."""
    interpreter = Interpreter(program)
    approximate = any(
        isinstance(s, Havoc) and s.approximates is not None
        for p in program.procedures.values()
        for s in statements(p.body)
    )
    steps: list[Step] = []
    try:
        execution = interpreter.start(ScriptOracle(script))
        used = _steps(execution, steps, LONGEST if approximate else shown, shown, tick)
        if approximate and execution.result is None:
            raise Diverged("the run is too long to see whether it uses an over-approximation")
        cut = execution.result is None or len(steps) >= shown
        _finish(execution, tick)
    except Diverged as problem:
        return ScriptReplay(str(problem), False, tuple(steps), None)
    return replace(_judged(execution.result, used, tuple(steps)), cut=cut)


def _judged(result: Result | None, used: str | None, steps: tuple[Step, ...]) -> ScriptReplay:
    if result is None or result.status is not Status.FAILED:
        return ScriptReplay("the run does not end in a failed assertion", False, steps, result)
    if used is not None:
        return ScriptReplay(f"over-approximation used: {used}", True, steps, result)
    if result.kind == LIMIT:
        return ScriptReplay(
            f"limit reached: {result.label or 'a bound of the model'} ({result.span})",
            True,
            steps,
            result,
        )
    return ScriptReplay(None, False, steps, result)


def _steps(
    execution: Execution, kept: list[Step], most: int, shown: int, tick: Callable[[], None]
) -> str | None:
    """Run for at most `most` instructions step by step;
    the first over-approximation that was used."""
    found: str | None = None
    for n in range(most):
        if n % 4096 == 0:
            tick()
        if execution.result is not None:
            break
        s = execution.code.instructions[execution.pc].statement
        if isinstance(s, Havoc) and s.approximates is not None and found is None:
            found = s.approximates
        if len(kept) < shown:
            kept += execution.steps(1)
        else:
            execution.run(1)
    return found


def _finish(execution: Execution, tick: Callable[[], None]) -> None:
    """Run on to the end, fast."""
    for _ in range(LONGEST // CHUNK):
        if execution.result is not None:
            return
        tick()
        execution.run(CHUNK)
    raise Diverged("the run is too long to be replayed")
