"""Inlining: all calls, starting at the entry procedure, become statements of it.

The n-th instance of procedure `f` renames its variables ``f::x`` to ``f::x#n`` and its labels
likewise; the statements around the body are those of `program.activation`, which the interpreter
executes as well, so that a run of the inlined program is a run of the original one, statement by
statement.  A result of more than `limit` statements is refused, and so is recursion; or recursive
procedures are inlined to a depth (`inline_to_depth`): a call that nests deeper is a limit, which is
asserted not to be reached.

`_Inliner.run` is a stack machine: neither deep nesting nor long chains of calls recurse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from obligato.errors import Span, Unsupported
from obligato.program.activation import entering, passing, procedure_scalars, returning
from obligato.program.graphs import on_cycles
from obligato.program.names import source_name, without_copy
from obligato.program.syntax import LIMIT as PROGRAM_LIMIT
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
    Label,
    Procedure,
    Program,
    Return,
    Statement,
    Variable,
    While,
    flatten,
    statements,
)
from obligato.terms import Substitution, Term

Body = tuple[Statement, ...]
LIMIT = 500_000
END = ""  # the label at the end of an instance's body; no label of a program is empty


def inline(program: Program) -> Program:
    """The program with its entry procedure only, free of calls."""
    size = _sizes(program, _callees_first(program))[program.entry]
    if size > LIMIT:
        message = f"inlining gives {size} statements, more than the limit of {LIMIT}"
        raise Unsupported(message, program.procedures[program.entry].span, "inlining size")
    entry = _Inliner(program, program.entry, {}).run()
    return replace(program, procedures={entry.name: entry})


def inline_to_depth(program: Program, depth: int, limit: int = LIMIT) -> Program:
    """The program without calls, in which calls of recursive procedures nest at most `depth` deep.

    Ensures: a run that reaches none of the limits added here is a run of the original program, and
    where none can be reached, all runs of the original program are there.
    """
    entry = _Inliner(
        program, program.entry, {}, _Depth(depth, recursive_procedures(program)), limit
    ).run()
    return replace(program, procedures={entry.name: entry})


def recursive_procedures(program: Program) -> dict[str, None]:
    """The procedures that the entry reaches and that call themselves,
    directly or through others."""
    calls: dict[str, list[str]] = {}
    stack = [program.entry]
    while stack:
        name = stack.pop()
        if name not in calls:
            calls[name] = list(dict.fromkeys(c.callee for c in _calls(program, name)))
            stack += calls[name]
    return on_cycles(calls, calls)


def inline_all_but(program: Program, kept: Mapping[str, None]) -> Program:
    """The entry procedure and those `kept`, free of calls except to those kept.

    Requires: what is not kept is not recursive. The entry is there as it begins a run; where it is
    kept, calls of it mean the procedure as it was, so it is there twice: the called one has the
    name of the entry, the first one is named "".
    """
    sizes = _sizes(program, _callees_first(program, kept), kept)
    if sum(sizes[name] for name in (program.entry, *kept)) > LIMIT:
        message = f"inlining gives more than {LIMIT} statements"
        raise Unsupported(message, program.procedures[program.entry].span, "inlining size")
    made = {name: _Inliner(program, name, kept).run() for name in kept}
    entry = _Inliner(program, program.entry, kept).run()
    name = "" if program.entry in kept else program.entry
    return replace(program, procedures={name: replace(entry, name=name), **made}, entry=name)


def _callees_first(program: Program, kept: Mapping[str, None] = MappingProxyType({})) -> list[str]:
    """The procedures that the entry reaches, callees before callers; raises Unsupported on
    recursion, except of those kept."""
    order: list[str] = []
    # True: on the current chain of calls
    state: dict[str, bool] = {program.entry: program.entry not in kept}
    stack: list[tuple[str, Iterator[Call]]] = [(program.entry, _calls(program, program.entry))]
    while stack:
        name, calls = stack[-1]
        call = next(calls, None)
        if call is None:
            state[name] = False
            order.append(name)
            stack.pop()
        elif call.callee not in state:
            state[call.callee] = call.callee not in kept
            stack.append((call.callee, _calls(program, call.callee)))
        elif state[call.callee]:
            chain = [n for n, _ in stack]
            cycle = " -> ".join([*chain[chain.index(call.callee) :], call.callee])
            raise Unsupported(
                f"recursion is supported by the engine summaries only: {cycle}",
                call.span,
                "recursion",
            )
    return order


def _calls(program: Program, name: str) -> Iterator[Call]:
    return (s for s in statements(program.procedures[name].body) if isinstance(s, Call))


def _sizes(
    program: Program, order: list[str], kept: Mapping[str, None] = MappingProxyType({})
) -> dict[str, int]:
    """Statements of each procedure after inlining."""
    sizes: dict[str, int] = {}
    for name in order:
        calls = {
            s: s.callee
            for s in statements(program.procedures[name].body)
            if isinstance(s, Call) and s.callee not in kept
        }
        sizes[name] = sum(
            sizes[calls[s]] + 4 if isinstance(s, Call) and s in calls else 1
            for s in statements(program.procedures[name].body)
        )
    return sizes


@dataclass(frozen=True, slots=True)
class _Depth:
    """How deep calls of the recursive procedures nest."""

    most: int
    recursive: Mapping[str, None]


@dataclass(slots=True)
class _Instance:
    """One activation of a procedure; `number` 0 is the entry itself, which keeps its names.
    `depth`: how many of the activations that it is in, itself included,
    are of recursive procedures."""

    procedure: Procedure
    number: int
    rename: Callable[[Term], Term]
    depth: int = 0

    def label(self, name: str) -> str:
        return f"{self.procedure.name}::{name}#{self.number}" if self.number else name

    def terms(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(map(self.rename, terms))

    def place(self, span: Span) -> Span:
        return replace(span, function=source_name(self.procedure.name))


@dataclass(slots=True)
class _Block:
    """A list of statements being copied; `finish` gets the copy."""

    instance: _Instance
    items: Iterator[Statement]
    finish: Callable[[Body], None]
    out: list[Statement] = field(default_factory=list)


class _Inliner:
    """Inlines all calls in one procedure, except those of procedures that are kept.

    Requires: the others are not recursive, or there is a `depth` for them;
    then `limit` counts the statements.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        kept: Mapping[str, None],
        depth: _Depth | None = None,
        limit: int = LIMIT,
    ) -> None:
        self.program, self.kept, self.depth, self.left = program, kept, depth, limit
        self.entry = program.procedures[name]
        self.counts: dict[str, int] = {}
        self.names: dict[str, list[str]] = {}
        self.locals: list[Variable] = list(self.entry.locals)
        self.taken = {n for p in program.procedures.values() for n, _ in procedure_scalars(p)}
        self.taken.update(n for v in program.globals for n, _ in flatten(v.name, v.type))
        self.taken.update(s.name for s in statements(self.entry.body) if isinstance(s, Label))
        self.stack: list[_Block] = []

    def run(self) -> Procedure:
        result: list[Body] = []
        self.stack = [
            _Block(_Instance(self.entry, 0, lambda t: t), iter(self.entry.body), result.append)
        ]
        while self.stack:
            block = self.stack[-1]
            s = next(block.items, None)
            if s is None:
                self.stack.pop()
                block.finish(tuple(block.out))
            else:
                self._copy(block, s)
        return replace(self.entry, locals=tuple(self.locals), body=result[0])

    def _copy(self, block: _Block, s: Statement) -> None:
        i = block.instance
        self.left -= 1
        if self.left < 0:
            raise Unsupported(
                "inlining gives more statements than the limit", self.entry.span, "inlining size"
            )
        match s:
            case If():
                condition = None if s.condition is None else i.rename(s.condition)
                self._open(
                    block,
                    (s.then, s.otherwise),
                    lambda b: If(condition, b[0], b[1], i.place(s.span)),
                )
            case While():
                condition = None if s.condition is None else i.rename(s.condition)
                self._open(
                    block, (s.body,), lambda b: While(condition, b[0], i.place(s.span), s.head)
                )
            case Choice():
                self._open(block, s.branches, lambda b: Choice(tuple(b), i.place(s.span)))
            case Call() if s.callee in self.kept:
                block.out.append(
                    Call(i.terms(s.results), s.callee, i.terms(s.arguments), i.place(s.span))
                )
            case Call():
                self._call(block, s)
            case Return() if i.number:
                block.out.append(Goto((i.label(END),), i.place(s.span)))
            case _:
                block.out.append(_renamed(s, i))

    def _open(
        self, parent: _Block, parts: tuple[Body, ...], build: Callable[[list[Body]], Statement]
    ) -> None:
        """Copy the parts, then add what `build` makes of them."""
        done: list[Body] = []

        def finish(part: Body) -> None:
            done.append(part)
            if len(done) == len(parts):
                parent.out.append(build(done))

        self.stack.extend(_Block(parent.instance, iter(p), finish) for p in reversed(parts))

    def _call(self, block: _Block, call: Call) -> None:
        caller = block.instance
        depth = caller.depth
        if self.depth is not None and call.callee in self.depth.recursive:
            depth += 1
            if depth > self.depth.most:
                label = f"calls nest deeper than {self.depth.most}"
                block.out.append(
                    Assert(self.program.store.false, label, PROGRAM_LIMIT, caller.place(call.span))
                )
                return
        callee = self._instance(call.callee, depth)
        before, fresh = passing(self.program, call), entering(self.program, call)
        after = returning(self.program, call)
        place = caller.place(call.span)

        def passed(a: Assign | None, source: _Instance, target: _Instance) -> None:
            if a:
                block.out.append(Assign(target.terms(a.targets), source.terms(a.values), place))

        passed(before, caller, callee)
        if fresh:
            terms = callee.terms(fresh.targets)
            block.out.append(Havoc(terms, fresh.approximates, place, fresh.source))

        def finish(body: Body) -> None:
            block.out.extend(body)
            block.out.append(Label(callee.label(END), place))
            passed(after, callee, caller)

        self.stack.append(_Block(callee, iter(callee.procedure.body), finish))

    def _instance(self, name: str, depth: int) -> _Instance:
        p = self.program.procedures[name]
        number = self.counts.get(source_name(name), 0) + 1
        while any(n in self.taken for n in self._new_names(p, number)):
            number += 1
        self.counts[source_name(name)] = number
        mapping: dict[Term, Term] = {}
        for v in (*p.parameters, *p.results, *p.locals):
            copy = replace(v, name=f"{without_copy(v.name)}#{number}")
            self.locals.append(copy)
            for (old, sort), (new, _) in zip(
                flatten(v.name, v.type), flatten(copy.name, v.type), strict=True
            ):
                mapping[self.program.store.var(old, sort)] = self.program.store.var(new, sort)
        instance = _Instance(p, number, Substitution(mapping) if mapping else lambda t: t, depth)
        self.taken.update(self._new_names(p, number))
        return instance

    def _new_names(self, p: Procedure, number: int) -> list[str]:
        """The names of variables and labels that an instance adds."""
        if p.name not in self.names:
            variables = [without_copy(v.name) for v in (*p.parameters, *p.results, *p.locals)]
            labels = [s.name for s in statements(p.body) if isinstance(s, Label)]
            self.names[p.name] = [*variables, *(f"{p.name}::{name}" for name in (*labels, END))]
        return [f"{name}#{number}" for name in self.names[p.name]]


def _renamed(s: Statement, i: _Instance) -> Statement:
    """A primitive statement in the names of its instance."""
    match s:
        case Assign():
            return Assign(i.terms(s.targets), i.terms(s.values), i.place(s.span))
        case Havoc():
            return Havoc(i.terms(s.targets), s.approximates, i.place(s.span), s.source)
        case Assume():
            return Assume(i.rename(s.condition), i.place(s.span))
        case Assert():
            return Assert(i.rename(s.condition), s.label, s.kind, i.place(s.span))
        case Label():
            return Label(i.label(s.name), i.place(s.span))
        case Goto():
            return Goto(tuple(map(i.label, s.targets)), i.place(s.span))
        case Return() | Halt() | If() | While() | Choice() | Call():
            return s
