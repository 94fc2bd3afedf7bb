"""Trials: the interpreter runs a program on values that often go wrong. Finds bugs only, also
behind loops of 100,000 rounds.

A trial gives each statement that asks for a value a new one each time (`trial_values`), one of a
few small ones, the same one always, or the same one after a few others: runs through loops that
fill arrays are long, and what goes wrong there seldom needs more than a few different cells
(`_HABITS`). Runs are short at first and get longer (`Length`). Seeded, and counted in instructions:
the same seed tries the same runs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from obligato.engines.environment import Environment
from obligato.engines.options import option
from obligato.engines.trial_values import Values
from obligato.errors import Span
from obligato.models.procedures import Script
from obligato.program.interpreter import Interpreter, Result, Status
from obligato.program.syntax import LIMIT, Havoc, Program, statements
from obligato.terms import Sort, Value, default_value

CHUNK = 10_000
PATIENCE = 12  # runs of one length of which none ends: the next ones are longer
FEW = 4  # values before they stay the same
_HABITS = ("new", "same", "few", "small")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in trials."""

    instructions: int = option(
        100_000_000, "instructions of the interpreter in all runs together", "", low=1
    )


@dataclass(frozen=True, slots=True)
class Length:
    """So many runs, of at most so many instructions once they have asked for a value (else
    `first`), and `total` in all.
    """

    runs: int
    one: int
    first: int
    total: int


BRIEF = (Length(200, 60_000, 8_000_000, 2_000_000),)


def lengths(instructions: int) -> tuple[Length, ...]:
    """Many short runs, then fewer longer ones."""
    return (
        *BRIEF,
        Length(12, 6_000_000, 8_000_000, instructions // 4),
        Length(100_000, instructions // 8, instructions // 8, instructions),
    )


def try_runs(program: Program, env: Environment, plan: Sequence[Length] = BRIEF) -> Script | None:
    """A run that fails an assertion of class property, if one of the trials does."""
    return Trials(program, env).search(plan)


class Trials:
    """Runs of one program."""

    def __init__(self, program: Program, env: Environment) -> None:
        self.interpreter, self.env = Interpreter(program), env
        self.values = Values.of(program, random.Random(env.seed))
        self.inputs = {
            x.name: None
            for p in program.procedures.values()
            for s in statements(p.body)
            if isinstance(s, Havoc)
            for x in s.targets
        }
        self.number = 0
        self.settled = False  # a run has ended without asking for anything: they are all the same

    def search(self, plan: Sequence[Length]) -> Script | None:
        """The first run that fails; None if none does, or the time is over."""
        for length in plan:
            left, ended = length.total, 0
            for n in range(length.runs):
                if (
                    left <= 0
                    or self.settled
                    or (n == PATIENCE and not ended)
                    or self.env.cancelled()
                ):
                    break
                script, used = self._run(length)
                if script is not None:
                    return script
                left -= used
                ended += used < length.one
        return None

    def _run(self, length: Length) -> tuple[Script | None, int]:
        """Run the program once: the script if it fails, and the number of instructions."""
        oracle = _Trial(self.values, self.number, self.values.few(), self.inputs)
        execution = self.interpreter.start(oracle)
        used = 0
        while (
            execution.result is None
            and used < (length.one if oracle.asked else length.first)
            and not self.env.cancelled()
        ):
            execution.run(CHUNK)
            used += CHUNK
        self.number += 1
        self.env.count("trials")
        self.settled = execution.result is not None and not oracle.asked
        return (oracle.script() if _fails(execution.result) else None), used


def _fails(result: Result | None) -> bool:
    return result is not None and result.status is Status.FAILED and result.kind != LIMIT


@dataclass(slots=True)
class Recording:
    """An oracle that remembers its answers. Variables start with the default of their sort."""

    start: dict[str, Value] = field(default_factory=dict, init=False)
    values: list[tuple[str, Value]] = field(default_factory=list, init=False)
    choices: list[int] = field(default_factory=list, init=False)

    def script(self) -> Script:
        """The answers so far, in their order."""
        return Script(self.start, tuple(self.values), tuple(self.choices))

    def initial(self, name: str, sort: Sort) -> Value:
        """See `Oracle`."""
        self.start[name] = default_value(sort)
        return self.start[name]


@dataclass(slots=True)
class _Trial(Recording):
    """An oracle that draws values from distributions that it changes from time to time."""

    source: Values
    number: int
    menu: range  # small values
    # variables that a statement havocs; others get a value only because a procedure is entered
    inputs: dict[str, None]
    asked: bool = False  # for a value that may matter
    given: dict[tuple[str, Span], list[Value]] = field(default_factory=dict)  # by who asks

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        self.asked = self.asked or name in self.inputs
        value = self._habitual(name, sort, span)
        self.values.append((name, value))
        return value

    def choose(self, count: int, span: Span) -> int:
        self.asked = True
        self.choices.append(self.source.chance.randrange(count) if self.number else 0)
        return self.choices[-1]

    def _habitual(self, name: str, sort: Sort, span: Span) -> Value:
        habit = _HABITS[self.number % len(_HABITS)]
        if self.number == 0:
            return default_value(sort)
        if habit in ("new", "small"):
            return self.source.any(sort, self.menu if habit == "small" else None)
        given = self.given.setdefault((name, span), [])
        if len(given) < (1 if habit == "same" else FEW):
            given.append(self.source.any(sort))
        return given[-1]
