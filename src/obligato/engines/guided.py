"""The run that numbers suggest: the interpreter runs a program once, and the environment returns
these numbers in their order.

Each number has the line of the call that it is for; other calls, and variables without a value, get
zero. It is a guess: the run fails an assertion of the program, or it says nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from obligato.engines.trials import Recording
from obligato.errors import Span
from obligato.models.procedures import Script
from obligato.program.interpreter import Interpreter, Status
from obligato.program.syntax import LIMIT, Havoc, Program, statements
from obligato.terms import Kind, Sort, Value, default_value

CHUNK = 10_000
LONGEST = 1_000_000  # instructions


def suggested(
    program: Program, numbers: Sequence[tuple[int, int]], over: Callable[[], bool]
) -> Script | None:
    """The script of the run on numbers, each with the line of its call, if it fails; None if not,
    or the time is `over`.
    """
    asking = {
        (x.name, s.span.line)
        for p in program.procedures.values()
        for s in statements(p.body)
        if isinstance(s, Havoc) and s.source
        for x in s.targets
    }
    oracle = _Guided(asking, deque(numbers))
    execution = Interpreter(program).start(oracle)
    used = 0
    while execution.result is None and used < LONGEST and not over():
        execution.run(CHUNK)
        used += CHUNK
    result = execution.result
    return (
        oracle.script()
        if result is not None and result.status is Status.FAILED and result.kind != LIMIT
        else None
    )


@dataclass(slots=True)
class _Guided(Recording):
    """An oracle that has its answers from outside."""

    asking: set[tuple[str, int]]  # variables that calls of the environment set, with their lines
    numbers: deque[tuple[int, int]]

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        value = default_value(sort)
        if (name, span.line) in self.asking and self.numbers and self.numbers[0][0] == span.line:
            value = _fitted(self.numbers.popleft()[1], sort)
        self.values.append((name, value))
        return value

    def choose(self, count: int, span: Span) -> int:
        self.choices.append(0)
        return 0


def _fitted(number: int, sort: Sort) -> Value:
    """The number as a value of a sort; of one that has no whole numbers any value."""
    if sort.kind is Kind.BITVEC:
        return number % (1 << sort.width)
    if sort.kind is Kind.BOOL:
        return number != 0
    return number if sort.kind is Kind.INT else default_value(sort)
