"""A builder of programs with one procedure.

    p = ProgramBuilder("sum")
    n, i = p.variable("n", INT), p.variable("i", INT)
    p.assume(n >= 0)
    p.assign(i, 0)
    with p.while_(i < n):
        p.assign(i, i + 1)
    p.check(i == n)
    verify(p)

Blocks are `with` statements: `while_`, `if_` and `else_`, `choose` with `branch`; without a
condition, `while_` and `if_` go either way. `label` and `goto` make any other control flow. A
variable without a first value has any. Procedures and records are for IVL text
(`verify(text, language="ivl")`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from obligato.errors import ModelError
from obligato.modelling.expressions import Expr, as_expr
from obligato.modelling.names import Names
from obligato.modelling.places import caller
from obligato.modelling.types import BOOL, Type
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Choice,
    Goto,
    Halt,
    Havoc,
    If,
    Label,
    Procedure,
    Program,
    Statement,
    Variable,
    While,
)
from obligato.program.validate import validate
from obligato.terms import Term, TermStore

MAIN = "main"
Block = list[Statement]


class ProgramBuilder:
    """Collects statements in the order of the calls; `build` makes the program, and
    `obligato.verify` takes the builder."""

    def __init__(self, name: str = "program") -> None:
        self.name = name
        self._store = TermStore.raw()
        self._names = Names()
        self._true = Expr(self._store.true, BOOL)
        self._variables: dict[Term, Variable] = {}
        self._blocks: list[Block] = [[]]
        # of the `choose` that each block is directly inside, if any
        self._branches: list[list[Block] | None] = [None]

    def __repr__(self) -> str:
        return (
            f"<ProgramBuilder {self.name}: {len(self._variables)} variables, {len(self._blocks[0])}"
            " statements>"
        )

    # -- variables ---------------------------------------------------------------------------------

    def variable(self, name: str, type: Type, init: Any = None) -> Expr:
        """A new variable; `init` is its first value, any if none is given."""
        if not isinstance(type, Type):
            raise ModelError(
                f"a type is BOOL, INT, REAL, signed(8), unsigned(8) or array(...), not {type!r}"
            )
        first = None if init is None else as_expr(init, type, self._true).term
        x = Expr(self._store.var(self._names.variable(name), type.sort), type)
        self._variables[x.term] = Variable(name, type.sort, first, caller())
        return x

    def constant(self, value: Any, type: Type) -> Expr:
        """A constant, where nothing else says its type."""
        return as_expr(value, type, self._true)

    # -- statements --------------------------------------------------------------------------------

    def assign(self, target: Expr | Sequence[Expr], value: Any) -> None:
        """x := value; or (x, y) := (a, b) at once."""
        targets, values = (
            ([target], [value]) if isinstance(target, Expr) else (list(target), list(value))
        )
        if len(targets) != len(values) or not targets:
            raise ModelError(f"{len(targets)} variables are assigned {len(values)} values")
        self._known(targets)
        made = tuple(as_expr(v, t.type, t).term for t, v in zip(targets, values, strict=True))
        self._add(Assign(tuple(t.term for t in targets), made, caller()))

    def havoc(self, *targets: Expr) -> None:
        """Each of the variables gets any value."""
        self._known(targets)
        self._add(Havoc(tuple(t.term for t in targets), None, caller()))

    def assume(self, condition: Any) -> None:
        """Only runs that satisfy the condition go on."""
        self._add(Assume(self._condition(condition), caller()))

    def check(self, condition: Any, name: str = "") -> None:
        """The condition must hold here."""
        self._add(Assert(self._condition(condition), name, span=caller()))

    def halt(self) -> None:
        """The run ends here, without an error."""
        self._add(Halt(caller()))

    def label(self, name: str) -> None:
        """A place to go to."""
        self._add(Label(name, caller()))

    def goto(self, *labels: str) -> None:
        """Go on at the label; at any of them, if there are several."""
        self._add(Goto(labels, caller()))

    def _known(self, targets: Sequence[Any]) -> None:
        for t in targets:
            if not isinstance(t, Expr) or t.term not in self._variables:
                raise ModelError(f"{t!r} is no variable of {self.name}")

    def _condition(self, given: Any) -> Term:
        return as_expr(given, BOOL, self._true).term

    def _add(self, statement: Statement) -> None:
        if self._branches[-1] is not None:
            raise ModelError("inside choose() there are only blocks of branch()")
        self._blocks[-1].append(statement)

    # -- blocks ------------------------------------------------------------------------------------

    @contextmanager
    def _block(
        self, finish: Callable[[Block], Statement | None], branches: list[Block] | None = None
    ) -> Iterator[None]:
        """What is built inside is a block of its own, of which `finish` makes a statement;
        an exception inside drops it."""
        self._blocks.append([])
        self._branches.append(branches)
        try:
            yield
        except BaseException:
            self._blocks.pop()
            self._branches.pop()
            raise
        block = self._blocks.pop()
        self._branches.pop()
        statement = finish(block)
        if statement is not None:
            self._add(statement)

    def while_(self, condition: Any = None) -> Any:
        """A loop: `with p.while_(x < y):` and its body.
        Without a condition it is left at any time."""
        place, term = caller(), None if condition is None else self._condition(condition)
        return self._block(lambda body: While(term, tuple(body), place, head=True))

    def if_(self, condition: Any = None) -> Any:
        """A branch: `with p.if_(x < y):`, perhaps followed by `with p.else_():`.
        Without a condition it goes either way."""
        place, term = caller(), None if condition is None else self._condition(condition)
        return self._block(lambda body: If(term, tuple(body), (), place))

    def else_(self) -> Any:
        """What is done where the condition of the `if_` just before does not hold."""
        last = self._blocks[-1][-1] if self._blocks[-1] else None
        if not isinstance(last, If) or last.otherwise:
            raise ModelError("else_ must follow an if_")
        block = self._blocks[-1]

        def finish(body: Block) -> None:
            block[-1] = replace(last, otherwise=tuple(body))

        return self._block(finish)

    def choose(self) -> Any:
        """Any one of the blocks of `with p.branch():` inside."""
        place, branches = caller(), list[Block]()

        def finish(_: Block) -> Statement:
            if not branches:
                raise ModelError("choose needs at least one branch")
            return Choice(tuple(map(tuple, branches)), place)

        return self._block(finish, branches)

    def branch(self) -> Any:
        """One of the blocks that `choose` chooses from."""
        branches = self._branches[-1]
        if branches is None:
            raise ModelError("branch must be directly inside choose")
        return self._block(lambda body: branches.append(body))

    # -- the program -------------------------------------------------------------------------------

    def build(self) -> Program:
        """The program; it is checked as every program that is read."""
        if len(self._blocks) > 1:
            raise ModelError("a block is still open")
        main = Procedure(MAIN, (), (), (), tuple(self._blocks[0]))
        program = Program(
            self._store, (), tuple(self._variables.values()), {MAIN: main}, MAIN, f"<{self.name}>"
        )
        validate(program)
        return program
