"""Flat code of a procedure for the interpreter:
one Python function per primitive statement, jumps resolved.

`ops[pc](L, G)` executes instruction `pc` on the slots of locals and globals and returns the next
pc; ``~pc`` hands an event (a call, the end, a failed condition) to the interpreter.  The oracle is
the last element of ``G``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from obligato.errors import InternalError, Span
from obligato.program.activation import procedure_scalars
from obligato.program.compile import Slots, assignment_lines, stored, value_lines
from obligato.program.printer import guard_texts, head_text
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Havoc,
    If,
    Label,
    Procedure,
    Return,
    Statement,
    While,
)
from obligato.terms import Sort, Term

Operation = Callable[[list[Any], list[Any]], int]
Target = int | str  # a pc, or the name of a label


@dataclass(slots=True)
class Instruction:
    """A primitive statement and where control goes on:
    one target, or one per outcome (then, else; the branches)."""

    statement: Statement
    targets: list[Target]
    _texts: tuple[str, ...] | None = None

    def texts(self) -> tuple[str, ...]:
        """What the user reads: one text, or one per outcome of a condition."""
        if self._texts is None:
            s = self.statement
            conditional = isinstance(s, If | While) and s.condition is not None
            self._texts = guard_texts(s.condition) if conditional else (head_text(s),)  # type: ignore[union-attr, arg-type]
        return self._texts


@dataclass(slots=True)
class ProcedureCode:
    """What the interpreter needs to run a procedure."""

    procedure: Procedure
    instructions: list[Instruction]
    ops: list[Operation]
    # by pc of a call: what the parameters get
    arguments: dict[int, Callable[[list[Any], list[Any]], list[Any]]]
    # takes the callee's locals; the next pc
    returns: dict[int, Callable[[list[Any], list[Any], list[Any]], int]]
    scalars: list[tuple[str, Sort]]
    slots: dict[str, int]


class _Flattener:
    """Structured statements to instructions; a stack of pending work instead of recursion."""

    def __init__(self, body: Iterable[Statement]) -> None:
        self.code: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.work: list[Statement | Callable[[], None]] = list(reversed(tuple(body)))
        while self.work:
            item = self.work.pop()
            if callable(item):
                item()
            else:
                self._statement(item)
        self._emit(Return(), [])

    def _emit(self, s: Statement, targets: list[Target]) -> Instruction:
        self.code.append(Instruction(s, targets))
        return self.code[-1]

    def _then(self, *items: Statement | Callable[[], None]) -> None:
        self.work.extend(reversed(items))

    def _set_here(self, i: Instruction) -> Callable[[], None]:
        """Later: the place then reached becomes the next target of `i`."""
        return lambda: i.targets.append(len(self.code))

    def _jump(self, target: Target) -> None:
        self._emit(Goto(()), [target])

    def _statement(self, s: Statement) -> None:
        here = len(self.code)
        match s:
            case Label():
                self.labels[s.name] = here
            case If():
                i = self._emit(s, [here + 1])
                self._then(
                    *s.then, lambda: self._else(i, s), *s.otherwise, lambda: self._end_if(i, s)
                )
            case While():
                i = self._emit(s, [here + 1])
                self._then(*s.body, lambda: self._jump(here), self._set_here(i))
            case Choice():
                self._choice(s)
            case Goto():
                self._emit(s, list(s.targets))
            case _:
                self._emit(s, [here + 1])

    def _else(self, i: Instruction, s: If) -> None:
        if s.otherwise:
            self._jump(-1)  # patched by _end_if
            i.targets += [len(self.code), len(self.code) - 1]
        else:
            i.targets.append(len(self.code))

    def _end_if(self, i: Instruction, s: If) -> None:
        if s.otherwise:
            jump = i.targets.pop()
            assert isinstance(jump, int)
            self.code[jump].targets[0] = len(self.code)

    def _choice(self, s: Choice) -> None:
        i = self._emit(s, [])
        jumps: list[Instruction] = []

        def leave() -> None:
            self._jump(-1)
            jumps.append(self.code[-1])

        def end() -> None:
            for j in jumps:
                j.targets[0] = len(self.code)

        work: list[Statement | Callable[[], None]] = []
        for b in s.branches:
            work += [self._set_here(i), *b, leave]
        self._then(*work, end)


def _resolve(code: list[Instruction], labels: dict[str, int]) -> None:
    """Replace labels by places, and follow jumps to where they end."""
    for i in code:
        i.targets = [labels[t] if isinstance(t, str) else t for t in i.targets]
    end: dict[int, int] = {}
    for i in code:
        i.targets = [_follow(code, t, end) for t in i.targets if isinstance(t, int)]


def _follow(code: list[Instruction], pc: int, end: dict[int, int]) -> int:
    path: dict[int, None] = {}
    while (
        pc not in end
        and pc not in path
        and isinstance(code[pc].statement, Goto)
        and len(code[pc].targets) == 1
    ):
        path[pc] = None
        (target,) = code[pc].targets
        assert isinstance(target, int)
        pc = target
    pc = end.get(pc, pc)
    end.update(dict.fromkeys(path, pc))
    return pc


def compile_body(p: Procedure, body: Iterable[Statement], global_names: list[str]) -> ProcedureCode:
    """The code of `body` with the locals of `p`;
    ``G`` holds the globals in the order given, then the oracle."""
    flat = _Flattener(body)
    _resolve(flat.code, flat.labels)
    scalars = procedure_scalars(p)
    slots = Slots(global_names)
    slots.locals = {n: f"L[{i}]" for i, (n, _) in enumerate(scalars)}
    slots.constants["pick"] = pick
    source: list[str] = []
    for pc, i in enumerate(flat.code):
        source += [
            f"def op{pc}(L, G):",
            *(f" {line}" for line in _lines(slots, pc, i, len(global_names))),
        ]
        if isinstance(i.statement, Call):
            source += _call_lines(slots, pc, i.statement, i.targets[0])
    space = dict(slots.constants)
    exec(compile("\n".join(source), f"<{p.name}>", "exec"), space)
    ops = [space[f"op{pc}"] for pc in range(len(flat.code))]
    calls = [pc for pc, i in enumerate(flat.code) if isinstance(i.statement, Call)]
    arguments = {pc: space[f"args{pc}"] for pc in calls}
    returns = {pc: space[f"ret{pc}"] for pc in calls}
    return ProcedureCode(
        p, flat.code, ops, arguments, returns, scalars, {n: k for k, (n, _) in enumerate(scalars)}
    )


def _call_lines(slots: Slots, pc: int, call: Call, after: Target) -> list[str]:
    """Functions that compute the arguments,
    and that fetch the results from the callee's locals ``V`` (parameters first)."""
    lines, values = value_lines(slots, call.arguments)
    values = [stored(slots, v, t.sort) for v, t in zip(values, call.arguments, strict=True)]
    results = [f"{slots.slot(x)} = V[{len(values) + n}]" for n, x in enumerate(call.results)]
    return [
        f"def args{pc}(L, G):",
        *(f" {line}" for line in (*lines, f"return [{', '.join(values)}]")),
        f"def ret{pc}(L, G, V):",
        *(f" {line}" for line in (*results, f"return {after}")),
    ]


def _lines(slots: Slots, pc: int, i: Instruction, oracle: int) -> list[str]:
    s = i.statement
    match s:
        case Assign():
            return [*assignment_lines(slots, s.targets, s.values), f"return {i.targets[0]}"]
        case Havoc():
            return [*_havoc_lines(slots, s, oracle), f"return {i.targets[0]}"]
        case Assume() | Assert():
            return _test(slots, s.condition, i.targets[0], ~pc)
        case If(condition=Term() as c) | While(condition=Term() as c):
            return _test(slots, c, i.targets[0], i.targets[1])
        case If() | While() | Choice() | Goto() if len(i.targets) > 1 or isinstance(s, Choice):
            span = slots.constant(s.span)
            return [
                f"return ({', '.join(map(str, i.targets))},)[pick(G[{oracle}], {len(i.targets)},"
                f" {span})]"
            ]
        case Goto():
            return [f"return {i.targets[0]}"]  # only reached in a cycle of jumps
        case _:
            return [f"return {~pc}"]


def _test(slots: Slots, condition: Term, holds: Target, fails: Target) -> list[str]:
    lines, (value,) = value_lines(slots, (condition,))
    return [*lines, f"return {holds} if {value} else {fails}"]


def _havoc_lines(slots: Slots, s: Havoc, oracle: int) -> list[str]:
    span = slots.constant(s.span)
    lines = []
    for x in s.targets:
        asked = f"G[{oracle}].havoc({x.name!r}, {slots.constant(x.sort)}, {span})"
        lines.append(f"{slots.slot(x)} = {stored(slots, asked, x.sort)}")
    return lines


def pick(oracle: Any, count: int, span: Span) -> int:
    """The oracle's choice, checked."""
    chosen = oracle.choose(count, span)
    if not 0 <= chosen < count:
        raise InternalError(f"{span}: an oracle chose {chosen} of {count}")
    return int(chosen)
