"""Trials: the interpreter runs a program on values that often go wrong, before anything is proved. Finds bugs only.

Values are the ends of the range, small numbers, the constants of the program and their neighbours, and random ones. Seeded,
and counted in instructions: the same seed tries the same runs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from obligato.engines.environment import Environment
from obligato.errors import Span
from obligato.models.procedures import Script
from obligato.program.interpreter import Interpreter, Status
from obligato.program.syntax import LIMIT, Assert, Assign, Assume, Call, Havoc, If, Program, Statement, While, statements
from obligato.terms import Kind, Op, Sort, Term, Value, default_value, postorder

RUNS = 200
INSTRUCTIONS = 2_000_000  # in all runs, counted in chunks
ONE = 60_000  # in one run that was given values
FIRST = 8_000_000  # in a run that has asked for nothing yet
CHUNK = 10_000
MOST_CONSTANTS = 60


def try_runs(program: Program, env: Environment) -> Script | None:
    """A run that fails an assertion of class property, if one of the trials does."""
    interpreter, chance = Interpreter(program), random.Random(env.seed)
    constants = _constants(program)
    inputs = {x.name: None for p in program.procedures.values() for s in statements(p.body) if isinstance(s, Havoc)
              for x in s.targets}
    left = INSTRUCTIONS
    for n in range(RUNS):
        if left <= 0 or env.cancelled():
            return None
        oracle = _Trial(constants, chance, n, inputs)
        execution = interpreter.start(oracle)
        used = 0
        while execution.result is None and used < (ONE if oracle.asked else FIRST):
            if env.cancelled():
                return None
            execution.run(CHUNK)
            used += CHUNK
        env.count("trials")
        left -= used
        result = execution.result
        if result is not None and result.status is Status.FAILED and result.kind != LIMIT:
            return oracle.script()
    return None


@dataclass(slots=True)
class _Trial:
    """An oracle that remembers its answers."""

    constants: list[int]
    chance: random.Random
    number: int
    inputs: dict[str, None]  # variables that a statement havocs; others get a value only because a procedure is entered
    start: dict[str, Value] = field(default_factory=dict)
    values: list[tuple[str, Value]] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    asked: bool = False  # for a value that may matter

    def script(self) -> Script:
        return Script(self.start, tuple(self.values), tuple(self.choices))

    def initial(self, name: str, sort: Sort) -> Value:
        self.start[name] = default_value(sort)
        return self.start[name]

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        self.asked = self.asked or name in self.inputs
        value = self._value(sort)
        self.values.append((name, value))
        return value

    def choose(self, count: int, span: Span) -> int:
        self.asked = True
        self.choices.append(self.chance.randrange(count) if self.number else 0)
        return self.choices[-1]

    def _value(self, sort: Sort) -> Value:
        if self.number == 0:
            return default_value(sort)
        if sort.kind is Kind.BOOL:
            return self.chance.random() < 0.5
        if sort.kind is Kind.INT:
            return self._number(1 << 31)
        if sort.kind is Kind.BITVEC:
            return self._number(1 << (sort.width - 1)) % (1 << sort.width)
        return default_value(sort)

    def _number(self, half: int) -> int:
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.chance.choice((half - 1, -half, half - 2, half // 2, -half // 2))
        if kind == 1 or not self.constants:
            return self.chance.randrange(-half, half)
        if kind == 2:
            return self.chance.randrange(12)
        if kind == 3:
            return self.chance.randrange(1 << self.chance.randrange(1, half.bit_length() + 1))
        return self.chance.choice(self.constants) + self.chance.choice((0, 0, 1, -1))


def _constants(program: Program) -> list[int]:
    """The numbers that occur in the program, in order."""
    found: dict[int, None] = {}
    terms = (t for p in program.procedures.values() for s in statements(p.body) for t in _terms(s))
    for t in postorder(terms):
        if t.op is Op.CONST and isinstance(t.data, int) and not isinstance(t.data, bool):
            found[t.data] = None
    return list(found)[:MOST_CONSTANTS]


def _terms(s: Statement) -> Iterator[Term]:
    if isinstance(s, Assign):
        yield from s.values
    elif isinstance(s, Call):
        yield from s.arguments
    elif isinstance(s, If | While | Assume | Assert) and s.condition is not None:
        yield s.condition
