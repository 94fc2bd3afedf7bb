"""The concrete interpreter: runs a program, with calls, under the values that an `Oracle` gives.

It is the judge of traces and the reference for tests, and shares no code with the symbolic side but
terms and their values.  `Interpreter(program).run(oracle)` runs at full speed; `.start(oracle)`
gives an `Execution` whose `steps()` yields every primitive statement with what it assigned, in
exactly the order of the edges of the inlined program's CFA.

The oracle is asked, in this order: the initial value of each global without one and of each scalar
of the entry procedure; then, as the run meets them, each havoced variable, each result and local at
every call, and each choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import Any, Protocol

from obligato.errors import NO_SPAN, Span
from obligato.program.activation import entering, initial_assignments, passing, returning, scalars
from obligato.program.code import ProcedureCode, compile_body, pick
from obligato.program.compile import plain_value, stored_value
from obligato.program.printer import head_text
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Halt,
    Havoc,
    If,
    Procedure,
    Program,
    Return,
    Statement,
    While,
)
from obligato.terms import Sort, Value, default_value, evaluate, free_vars

DEFAULT_LIMIT = 1 << 62


class Oracle(Protocol):
    """Where nondeterminism comes from; values are those of `terms.semantics`."""

    def initial(self, name: str, sort: Sort) -> Value:
        """The value of a variable before the first statement."""

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        """The value that a variable gets at a havoc."""

    def choose(self, count: int, span: Span) -> int:
        """The branch taken, from 0 to count - 1."""


class Defaults:
    """The oracle that always answers with zero, false, and the first branch."""

    def initial(self, name: str, sort: Sort) -> Value:
        return default_value(sort)

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        return default_value(sort)

    def choose(self, count: int, span: Span) -> int:
        return 0


class Status(Enum):
    """How a run ended."""

    FINISHED = "finished"
    FAILED = "assertion failed"
    STUCK = "assumption does not hold"
    STEP_LIMIT = "step limit"


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a run; label and kind are those of the assertion that failed."""

    status: Status
    span: Span = NO_SPAN
    label: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One primitive statement executed. `branch` is the outcome of a condition (0 holds, 1 not) or
    choice; `source` is the function of the environment that the inputs are from, if it is one."""

    span: Span
    text: str
    assignments: dict[str, Value]
    inputs: dict[str, Value] = field(default_factory=dict)
    branch: int | None = None
    source: str = ""


@dataclass(slots=True)
class _Caller:
    """A caller that waits: its code, its locals, and the pc of the call."""

    code: ProcedureCode
    locals: list[Any]
    pc: int


class Interpreter:
    """Compiles procedures on first use; may run any number of times."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.global_scalars = list(scalars(program.globals))
        self.global_slots = {n: i for i, (n, _) in enumerate(self.global_scalars)}
        self._code: dict[str, ProcedureCode] = {}
        initial = Procedure("", (), (), (), tuple(initial_assignments(program)))
        self.initial_code = compile_body(initial, initial.body, list(self.global_slots))

    def code(self, name: str) -> ProcedureCode:
        """The code of a procedure."""
        if name not in self._code:
            p = self.program.procedures[name]
            self._code[name] = compile_body(p, p.body, list(self.global_slots))
        return self._code[name]

    def start(self, oracle: Oracle) -> Execution:
        """A run that has not done its first step yet."""
        return Execution(self, oracle)

    def run(self, oracle: Oracle, max_steps: int = DEFAULT_LIMIT) -> Result:
        """A whole run."""
        return self.start(oracle).run(max_steps)


class Execution:
    """One run in progress. `result` is set when it has ended."""

    def __init__(self, interpreter: Interpreter, oracle: Oracle) -> None:
        self.interpreter = interpreter
        self.oracle = oracle
        self.result: Result | None = None
        program = interpreter.program
        given = {n: None for v in program.globals if v.init is not None for n, _ in scalars((v,))}
        self.globals: list[Any] = [
            stored_value(default_value(s) if n in given else oracle.initial(n, s), s)
            for n, s in interpreter.global_scalars
        ]
        self.globals.append(oracle)
        entry = interpreter.code(program.entry)
        self.locals: list[Any] = []
        entry_locals = [stored_value(oracle.initial(n, s), s) for n, s in entry.scalars]
        self.code = interpreter.initial_code
        self.pc = 0
        # the initial values "return" to the entry
        self.stack: list[_Caller] = [_Caller(entry, entry_locals, -1)]

    def value(self, name: str) -> Value:
        """The value of a global, or of a variable of the procedure that runs now."""
        slot = self.interpreter.global_slots.get(name)
        return plain_value(
            self.globals[slot] if slot is not None else self.locals[self.code.slots[name]]
        )

    def run(self, max_steps: int = DEFAULT_LIMIT) -> Result:
        """Run on to the end, or for `max_steps` more instructions."""
        ops, pc, local, global_ = self.code.ops, self.pc, self.locals, self.globals
        for _ in repeat(None, 0 if self.result else max_steps):
            pc = ops[pc](local, global_)
            if pc < 0:
                self.pc = ~pc
                self._event()
                if self.result is not None:
                    return self.result
                ops, pc, local = self.code.ops, self.pc, self.locals
        self.pc = pc
        return self.result or Result(Status.STEP_LIMIT)

    def _event(self) -> None:
        """Execute instruction `pc`, which compiled code leaves to the interpreter."""
        s = self.code.instructions[self.pc].statement
        match s:
            case Call():
                self._enter(s, self._arguments())
                self._fresh(s)
            case Return():
                self._leave()
            case Halt():
                self.result = Result(Status.FINISHED, s.span)
            case Assume():
                self.result = Result(Status.STUCK, s.span)
            case Assert():
                self.result = Result(Status.FAILED, s.span, s.label, s.kind)
            case _:
                raise AssertionError(s)

    def _arguments(self) -> list[Any]:
        return self.code.arguments[self.pc](self.locals, self.globals)

    def _enter(self, call: Call, arguments: list[Any]) -> None:
        callee = self.interpreter.code(call.callee)
        self.stack.append(_Caller(self.code, self.locals, self.pc))
        self.code, self.pc = callee, 0
        self.locals = arguments + [None] * (len(callee.scalars) - len(arguments))

    def _fresh(self, call: Call) -> None:
        """Any value for results and locals."""
        known = len(call.arguments)
        for i, (n, s) in enumerate(self.code.scalars[known:], known):
            self.locals[i] = stored_value(self.oracle.havoc(n, s, call.span), s)

    def _leave(self) -> None:
        if not self.stack:
            self.result = Result(Status.FINISHED, self.code.procedure.span)
            return
        caller, values = self.stack.pop(), self.locals
        self.code, self.locals = caller.code, caller.locals
        self.pc = (
            self.code.returns[caller.pc](self.locals, self.globals, values) if caller.pc >= 0 else 0
        )

    # -- step by step ------------------------------------------------------------------------------

    def steps(self, max_steps: int = DEFAULT_LIMIT) -> Iterator[Step]:
        """Run on, statement by statement;
        afterwards `result` tells how it ended (None: `max_steps` are used up)."""
        for _ in repeat(None, max_steps):
            if self.result is not None:
                return
            yield from self._step()

    def _step(self) -> Iterator[Step]:
        s = self.code.instructions[self.pc].statement
        match s:
            case Call():
                yield from self._call_steps(s)
            case Return():
                yield from self._return_steps()
            case If() | While() | Choice() | Goto():
                yield from self._branch_step(s)
            case Halt():
                self._event()
            case _:
                yield self._simple_step(s)

    def _simple_step(self, s: Statement) -> Step:
        (text,) = self.code.instructions[self.pc].texts()
        pc = self.code.ops[self.pc](self.locals, self.globals)
        if pc < 0:
            self._event()
            return Step(s.span, text, {})
        self.pc = pc
        assigned = self._values(s)
        return (
            Step(s.span, text, assigned, assigned, source=s.source)
            if isinstance(s, Havoc)
            else Step(s.span, text, assigned)
        )

    def _branch_step(self, s: If | While | Choice | Goto) -> Iterator[Step]:
        instruction = self.code.instructions[self.pc]
        targets = [t for t in instruction.targets if isinstance(t, int)]
        if isinstance(s, Goto) and len(targets) == 1:  # no statement of its own
            self.pc = targets[0]
            return
        if isinstance(s, If | While) and s.condition is not None:
            state = {x: self.value(x.name) for x in free_vars(s.condition)}
            branch = 0 if evaluate(s.condition, state) else 1
        else:
            branch = pick(self.oracle, len(targets), s.span)
        self.pc = targets[branch]
        texts = instruction.texts()
        yield Step(s.span, texts[branch if len(texts) > 1 else 0], {}, {}, branch)

    def _values(self, s: Statement) -> dict[str, Value]:
        return (
            {x.name: self.value(x.name) for x in s.targets} if isinstance(s, Assign | Havoc) else {}
        )

    def _call_steps(self, call: Call) -> Iterator[Step]:
        program = self.interpreter.program
        self._enter(call, self._arguments())
        before, fresh = passing(program, call), entering(program, call)
        if before:
            yield Step(call.span, head_text(before), self._values(before))
        self._fresh(call)
        if fresh:
            yield Step(call.span, head_text(fresh), values := self._values(fresh), values)

    def _return_steps(self) -> Iterator[Step]:
        caller = self.stack[-1] if self.stack else None
        self._leave()
        call = caller.code.instructions[caller.pc].statement if caller and caller.pc >= 0 else None
        after = returning(self.interpreter.program, call) if isinstance(call, Call) else None
        if after:
            yield Step(after.span, head_text(after), self._values(after))
