"""The parts that lower one function, put together.

| part | file | what it does | on top of |
|---|---|---|---|
| code | code.py | statements, fresh variables, addresses | |
| layout, safety, checks | layout.py, safety.py, checks.py | assertions: layout of memory,
`memsafety`, `no-overflow` | code |
| memory | memory.py | loads and stores of scalars at places | layout, safety |
| aggregates | aggregates.py | records and arrays part by part, temporary objects | memory |
| allocations | allocations.py | making them, contents that are zero or any, loops over elements | aggregates |
| arithmetic | arithmetic.py | operators and conversions on values | layout, checks |
| places | lvalues.py | lvalue expressions to places | memory, allocations |
| assignments | assignments.py | ``=``, ``+=``, ``++`` | places, arithmetic |
| records | records.py | expressions of record type | places, assignments |
| expressions | expressions.py | scalar expressions | places, assignments, arithmetic |
| tracking | tracking.py | assertions of `valid-memtrack` | memory, aggregates, safety |
| mathematics, copying, library | mathematics.py, copying.py, builtins.py | models of library
functions | allocations, arithmetic |
| calls | calls.py | calls of functions | library |
| initialisers | initialisers.py | initialiser lists | assignments, allocations |
| declarations | declarations.py | variables come and go | allocations |
| statements | statements.py | control flow | declarations |

A part has the parts that it is built on, by name.  Those that meet each other again inside of
expressions have the `Evaluator`, which is this class: it passes each question to the part that
answers it.

Example: ``a[i] += f(x)`` is `Assignments.compound`.  It asks places for the place of ``a[i]``, the
evaluator for the value of ``f(x)``, memory for the old value, arithmetic for the sum, and memory to
store it.
"""

from __future__ import annotations

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.builtins import Library
from obligato.frontends.c.calls import Calls
from obligato.frontends.c.checks import Checks
from obligato.frontends.c.code import Code
from obligato.frontends.c.context import Context
from obligato.frontends.c.copying import Copying
from obligato.frontends.c.declarations import Declarations
from obligato.frontends.c.expressions import Expressions
from obligato.frontends.c.initialisers import Initialisers
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.mathematics import Mathematics
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function
from obligato.frontends.c.places import Captured, Place
from obligato.frontends.c.records import Records
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.statements import Statements
from obligato.frontends.c.tracking import Tracking
from obligato.terms import Term


class Lowering:
    """Everything that lowers one function; it is the `Evaluator` of its parts."""

    def __init__(self, context: Context, function: Function, entry: str) -> None:
        code = self.code = Code(context, function, entry)
        safety, checks = Safety(code), Checks(code)
        layout = Layout(code, safety)
        memory = self.memory = Memory(code, layout, safety)
        aggregates = self.aggregates = Aggregates(code, memory, safety)
        allocations = self.allocations = Allocations(code, memory, aggregates, safety)
        arithmetic = Arithmetic(code, layout, checks)
        places = Places(code, memory, allocations, safety, self)
        assignments = Assignments(code, memory, aggregates, arithmetic, safety, places, self)
        self._records = Records(code, memory, aggregates, places, assignments, self)
        self._expressions = Expressions(
            code, memory, arithmetic, layout, safety, checks, places, assignments, self
        )
        mathematics = Mathematics(code, memory, arithmetic, places, self)
        copying = Copying(code, memory, aggregates, allocations, layout, safety, places, self)
        self.tracking = Tracking(code, memory, aggregates, safety)
        library = Library(
            code,
            aggregates,
            allocations,
            arithmetic,
            layout,
            safety,
            checks,
            mathematics,
            copying,
            self.tracking,
            self,
        )
        self._calls = Calls(
            code, memory, aggregates, allocations, arithmetic, safety, places, library, self
        )
        self._initialisers = Initialisers(
            code, memory, aggregates, allocations, arithmetic, places, assignments, self
        )
        self.declarations = Declarations(code, memory, allocations, safety, places, self)
        self.statements = Statements(
            code,
            memory,
            aggregates,
            allocations,
            arithmetic,
            places,
            assignments,
            self.declarations,
            self.tracking,
            self,
        )

    # -- the evaluator

    def value(self, n: Node) -> Term:
        """The value of a scalar expression."""
        return self._expressions.value(n)

    def condition(self, n: Node) -> Term:
        """The truth of a scalar expression, as a Bool."""
        return self._expressions.condition(n)

    def discard(self, n: Node) -> None:
        """Only the effects of an expression."""
        self._expressions.discard(n)

    def discard_all(self, operands: list[Node]) -> None:
        """The effects of operands whose order C leaves open."""
        self._expressions.discard_all(operands)

    def sum_of(self, n: Node) -> tuple[Term, Term]:
        """A pointer plus or minus an integer: the pointer and the result."""
        return self._expressions.sum_of(n)

    def record(self, n: Node) -> Place:
        """The place that holds the value of an expression of record type."""
        return self._records.record(n)

    def call(self, n: Node, wanted: bool, into: Term | None = None) -> Term | Place | None:
        """A function call; `into` may receive a scalar result directly."""
        return self._calls.call(n, wanted, into)

    def initialise(self, place: Captured, start: Node, zero_rest: bool = True) -> None:
        """Run an initialiser."""
        self._initialisers.initialise(place, start, zero_rest)

    def statement_expression(self, n: Node, wanted: bool) -> Term | Place | None:
        """A GNU statement expression."""
        return self.statements.statement_expression(n, wanted)
