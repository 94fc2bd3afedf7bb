"""Statements: structured control flow stays structured; break, continue, switch and goto use
labels.

A condition whose evaluation needs statements is evaluated inside the loop.  Else-if chains are
lowered without recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from obligato.errors import NO_SPAN, Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.code import Part
from obligato.frontends.c.declarations import Declarations
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.jumps import Scopes
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object
from obligato.frontends.c.places import Place
from obligato.frontends.c.tracking import Tracking
from obligato.frontends.c.types import ArrayType, IntType, RecordType, VoidType, is_scalar
from obligato.frontends.c.unrolling import rounds
from obligato.program.syntax import Goto, If, Label, Return, Statement, While
from obligato.terms import Op, Term

MAX_NESTING = 1000
HEADER = (
    ""  # where break and continue lead while the header of a loop is lowered: compilers disagree
)


@dataclass(eq=False, repr=False)
class Statements(Part):
    """Statements and what jumps between them (`statement`)."""

    memory: Memory
    aggregates: Aggregates
    allocations: Allocations
    arithmetic: Arithmetic
    places: Places
    assignments: Assignments
    declarations: Declarations
    tracking: Tracking
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        self.result: Object | None = None
        self._breaks: list[str] = []
        self._continues: list[str] = []
        self._used: dict[str, None] = {}
        self._labels = 0
        self._scopes: Scopes | None = None
        self._named: dict[str, None] = {}
        self._cases: dict[int, str] = {}
        self._nesting = 0
        self.declared = (
            0  # statements that the self.declarations at the beginning of the function have become
        )
        self._depths: dict[str, int] = {}  # how many blocks are open where a jump leads

    def statement(self, n: Node) -> None:
        """Lower one statement."""
        self.code.span = n.span
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise self.code.refuse("deep nesting", n, f"more than {MAX_NESTING} nested statements")
        try:
            self._dispatch_statement(n)
        except Unsupported as e:
            if e.span != NO_SPAN:
                raise
            raise Unsupported(e.message, self.code.span, e.construct) from e
        self._nesting -= 1

    def _dispatch_statement(self, n: Node) -> None:
        handler = self._STATEMENTS.get(n.kind)
        if handler is not None:
            handler(self, n)
        elif n.kind in k.EXPRESSIONS:
            self.evaluator.discard(n)
        else:
            raise self.code.refuse(f"statement of the kind {n.kind_name}", n)

    def _inside(self, n: Node | None) -> tuple[Statement, ...]:
        """A statement in a block of its own."""
        with self.code.block() as body:
            if n is not None:
                self.statement(n)
        return tuple(body)

    def _compound_statement(self, n: Node) -> None:
        outer = self._nesting == 1
        with self.declarations.scope():
            for c in n.operands:
                outer = outer and c.kind == k.DECL_STMT
                self.statement(c)
                self.declared = len(self.code.out) if outer else self.declared

    def _nothing(self, n: Node) -> None:
        pass

    def _attributed(self, n: Node) -> None:
        for c in n.operands:
            self.statement(c)

    def _declare(self, n: Node) -> None:
        self.declarations.declarations(n)

    # -- branches

    def _if(self, n: Node) -> None:
        """An else-if chain is built inside out from a list."""
        chain: list[tuple[list[Statement], Term, tuple[Statement, ...], Span]] = []
        last: tuple[Statement, ...] = ()
        node: Node | None = n
        while node is not None and node.kind == k.IF:
            parts = node.operands
            with self.code.block() as before:
                self.code.span = node.span
                span = self.code.span
                test = self.evaluator.condition(parts[0])
            chain.append((before, test, self._inside(parts[1]), span))
            node = parts[2] if len(parts) > 2 else None
        if node is not None:
            last = self._inside(node)
        for before, test, then, span in reversed(chain):
            last = (*before, If(test, then, last, span))
        self.code.out.extend(last)

    def _switch(self, n: Node) -> None:
        subject, body = n.operands
        value = self.evaluator.value(subject)
        cases = _cases(body)
        end, default = self._label("break"), None
        if not value.is_const and any(len(c.operands) > 2 for c in cases):
            value = self.code.captured(value, "switch")
        self._forget_skipped(n, [*cases])
        for c in cases:
            name = self._cases[id(c)] = self._label("case" if c.kind == k.CASE else "default")
            self._used[name] = None
            if c.kind == k.DEFAULT:
                default = name
                continue
            self.code.emit(
                If(
                    self._matches(value, subject, c),
                    (Goto((name,), self.code.span),),
                    (),
                    self.code.span,
                )
            )
        self._used[end] = None
        self.code.emit(Goto((default or end,), self.code.span))
        self._breaks.append(end)
        self._depths[end] = len(self.declarations.scopes)
        self.statement(body)
        self._breaks.pop()
        self.code.emit(Label(end, self.code.span))

    def _matches(self, value: Term, subject: Node, c: Node) -> Term:
        low = self._case_value(c.operands[0], subject)
        if len(c.operands) == 2:
            return self.store.eq(value, low)
        signed = isinstance(subject.type, IntType) and subject.type.signed
        le = Op.BVSLE if signed else Op.BVULE
        high = self._case_value(c.operands[1], subject)
        return self.store.and_(self.store.mk(le, (low, value)), self.store.mk(le, (value, high)))

    def _case_value(self, n: Node, subject: Node) -> Term:
        v = n.evaluate()
        if not isinstance(v, int) or subject.type.size > 8:  # libclang has the value as a long long
            raise self.code.refuse("case label", n)
        return self.scalars.constant(v, subject.type)

    def _case(self, n: Node) -> None:
        self.code.emit(Label(self._cases[id(n)], self.code.span))
        self.statement(n.operands[-1])

    # -- loops

    def _label(self, kind: str) -> str:
        self._labels += 1
        return f"{kind}${self._labels}"

    def _loop(
        self,
        body: Node,
        condition: Node | None,
        step: Node | None,
        test_first: bool,
        rounds: int = 0,
    ) -> None:
        """``while``, ``for`` and ``do`` in one: the condition is tested before or after the body.
        So many rounds are written out before the loop.
        """
        end, span = self._label("break"), self.code.span
        self._depths[end] = len(self.declarations.scopes)
        for _ in range(rounds):
            before, test, inner = self._round(body, condition, step, end, span)
            self._used[end] = None
            leave = If(test, (), (Goto((end,), span),), span)
            self.code.out.extend([*before, leave, *inner])
        before, test, inner = self._round(body, condition, step, end, span)
        self._finish_loop(before, test, inner, end, span, test_first, head=not rounds)

    def _round(
        self, body: Node, condition: Node | None, step: Node | None, end: str, span: Span
    ) -> tuple[list[Statement], Term, list[Statement]]:
        """What comes before the test, the test, and the body with the step."""
        again = self._label("continue")
        self._depths[again] = self._depths[end]
        self.code.span = span
        self.code.loops += 1
        self._breaks.append(HEADER)
        self._continues.append(HEADER)
        with self.code.block() as before:
            test = self.evaluator.condition(condition) if condition is not None else self.store.true
        with self.code.block() as tail:
            if step is not None:
                self.code.span = step.span
                self.evaluator.discard(step)
        self._breaks.pop()
        self._continues.pop()
        self._breaks.append(end)
        self._continues.append(again)
        with self.code.block() as inner:
            self.statement(body)
        self._breaks.pop()
        self._continues.pop()
        if again in self._used:
            inner.append(Label(again, span))
        inner += tail
        self.code.loops -= 1
        return before, test, inner

    def _finish_loop(
        self,
        before: list[Statement],
        test: Term,
        inner: list[Statement],
        end: str,
        span: Span,
        test_first: bool,
        head: bool,
    ) -> None:
        leave = If(test, (), (Goto((end,), span),), span)
        if test_first and not before:
            self.code.emit(While(test, tuple(inner), span, head))
        else:
            if test is not self.store.true:
                self._used[end] = None
                inner = [*before, leave, *inner] if test_first else [*inner, *before, leave]
            elif before:
                inner = [*before, *inner] if test_first else [*inner, *before]
            if test is self.store.false and not test_first and not before:
                self.code.out.extend(inner[:-1])  # do { ... } while (0)
            else:
                self.code.emit(While(self.store.true, tuple(inner), span, head))
        if end in self._used:
            self.code.emit(Label(end, span))

    def _while(self, n: Node) -> None:
        condition, body = n.operands
        self._loop(body, condition, None, test_first=True)

    def _do(self, n: Node) -> None:
        body, condition = n.operands
        self._loop(body, condition, None, test_first=False)

    def _for(self, n: Node) -> None:
        start, condition, step, body = self._header(n)
        with self.declarations.scope():
            if start is not None:
                self.statement(start)
                self.code.span = n.span
            count = 0 if self.code.has_labels else rounds(self.usage, start, condition, step, body)
            self._loop(body, condition, step, test_first=True, rounds=count)

    def _header(self, n: Node) -> tuple[Node | None, Node | None, Node | None, Node]:
        """The parts of a ``for``; libclang leaves out missing ones, so the semicolons decide."""
        *parts, body = n.operands
        if len(parts) == 3:
            return parts[0], parts[1], parts[2], body
        if not parts:
            return None, None, None, body
        tree = self.usage.tree
        first, second = tree.header_separators(n, body)
        found: list[Node | None] = [None, None, None]
        for p in parts:
            at = tree.offset(p)
            found[0 if at < first else 1 if at < second else 2] = p
        return found[0], found[1], found[2], body

    def _break(self, n: Node) -> None:
        self._jump(self._breaks[-1])

    def _continue(self, n: Node) -> None:
        self._jump(self._continues[-1])

    def _jump(self, label: str) -> None:
        if label == HEADER:
            raise self.code.refuse("jump in the header of a loop")
        self._used[label] = None
        self.declarations.leave(self._depths[label])
        self.code.emit(Goto((label,), self.code.span))

    # -- jumps

    def _goto(self, n: Node) -> None:
        label = next(c for c in n.children if c.kind == k.LABEL_REF)
        self._forget_skipped(n, [label.spelling])
        self.code.emit(Goto((label.spelling,), self.code.span))

    def _forget_skipped(self, jump: Node, targets: list[Node | str]) -> None:
        """Variables whose declaration a jump passes hold any value."""
        if self._scopes is None:
            self._scopes = Scopes(self.code.function.body)
        for d in self._scopes.skipped(jump, targets):
            o = self.usage.object(d.tree.declaration(d.cursor))
            if o.kind == "local" and not (isinstance(o.type, ArrayType) and o.type.variable):
                self.allocations.forget(o, once=False)

    def _labelled(self, n: Node) -> None:
        if "$" in n.spelling:
            raise self.code.refuse("a name with a dollar sign", n)
        if n.spelling in self._named:
            raise self.code.refuse(
                "local labels", n, f"label {n.spelling} is declared more than once"
            )
        self._named[n.spelling] = None
        self.code.emit(Label(n.spelling, self.code.span))
        for c in n.operands:
            self.statement(c)

    def _return(self, n: Node) -> None:
        result = self.result
        for e in n.operands:
            if result is None or isinstance(e.type, VoidType):
                self.evaluator.discard(e)
            elif isinstance(result.type, RecordType):
                self.aggregates.copy(
                    self.memory.object_place(result), self.memory.capture(self.places.place(e))
                )
            else:
                self._return_scalar(result, e)
        self.declarations.leave(0)
        self.tracking.at_return()
        self.code.emit(Return(self.code.span))

    def _return_scalar(self, result: Object, e: Node) -> None:
        place = self.memory.object_place(result)
        value = self.assignments.call_into(place, e)
        variable = result.slots[()].variable
        if value is not variable:
            self.code.assign(variable, self.arithmetic.convert(value, e.type, result.type))

    def _asm(self, n: Node) -> None:
        if not self.usage.tree.is_empty_asm(n) or any(map(self.code.effectful, n.operands)):
            raise self.code.refuse("inline assembly", n)

    def statement_expression(self, n: Node, wanted: bool) -> Term | Place | None:
        """GNU ``({ ...; value; })``."""
        with self.declarations.scope():
            return self._statement_value_of(n.operands[0].operands, wanted)

    def _statement_value_of(self, body: list[Node], wanted: bool) -> Term | Place | None:
        for c in body[:-1]:
            self.statement(c)
        if not body:
            return None
        last = body[-1]
        if not wanted or last.kind not in k.EXPRESSIONS or isinstance(last.type, VoidType):
            self.statement(last)
            return None
        if is_scalar(last.type):
            return self.code.captured(self.evaluator.value(last))
        return self.aggregates.split_copy(self.places.place(last))

    _STATEMENTS: ClassVar[dict[int, Callable[[Statements, Node], None]]] = {}


Statements._STATEMENTS = {
    k.COMPOUND: Statements._compound_statement,
    k.NULL_STMT: Statements._nothing,
    k.UNEXPOSED_STMT: Statements._attributed,
    k.DECL_STMT: Statements._declare,
    k.IF: Statements._if,
    k.SWITCH: Statements._switch,
    k.CASE: Statements._case,
    k.DEFAULT: Statements._case,
    k.WHILE: Statements._while,
    k.DO: Statements._do,
    k.FOR: Statements._for,
    k.BREAK: Statements._break,
    k.CONTINUE: Statements._continue,
    k.GOTO: Statements._goto,
    k.LABEL: Statements._labelled,
    k.RETURN: Statements._return,
    k.ASM: Statements._asm,
}


def _cases(body: Node) -> list[Node]:
    """The case and default labels of a switch, not those of switches inside."""
    found, stack = [], [body]
    while stack:
        n = stack.pop()
        if n.kind in (k.CASE, k.DEFAULT):
            found.append(n)
        if n.kind != k.SWITCH and n.kind not in k.EXPRESSIONS:
            stack.extend(reversed(n.operands))
    return found
