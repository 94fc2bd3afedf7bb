"""Expressions of record type: calls, conditionals, assignments, statement expressions; their value
is a place.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.places import Place
from obligato.program.syntax import If
from obligato.terms import Term


@dataclass(eq=False, repr=False)
class Records(Part):
    """Expressions of record type (`record`)."""

    memory: Memory
    aggregates: Aggregates
    places: Places
    assignments: Assignments
    evaluator: Evaluator

    def record(self, n: Node) -> Place:
        """The place that holds the value of an expression of record type."""
        if n.kind == k.CALL:
            result = self.evaluator.call(n, wanted=True)
        elif n.kind == k.STMT_EXPR:
            result = self.evaluator.statement_expression(n, wanted=True)
        elif n.kind == k.CONDITIONAL:
            result = self._conditional_aggregate(n)
        elif n.kind == k.BINARY and n.operator == k.B_ASSIGN:
            result = self.assignments.assign_record(*n.operands)
        elif n.kind == k.BINARY and n.operator == k.B_COMMA:
            self.evaluator.discard(n.operands[0])
            result = self.places.place(n.operands[1])
        else:
            raise self.code.refuse(
                "unknown lvalue", n, f"an lvalue of the kind {n.kind_name} is not supported"
            )
        if result is None or isinstance(result, Term):
            raise self.code.refuse("unknown aggregate value", n)
        return result

    def _conditional_aggregate(self, n: Node) -> Place:
        c, a, b = n.operands
        fresh = self.aggregates.temporary(n.type)
        test = self.evaluator.condition(c)
        with self.code.block() as then:
            self.aggregates.copy(fresh, self.memory.capture(self.places.place(a)))
        with self.code.block() as otherwise:
            self.aggregates.copy(fresh, self.memory.capture(self.places.place(b)))
        self.code.emit(If(test, tuple(then), tuple(otherwise), self.code.span))
        return fresh
