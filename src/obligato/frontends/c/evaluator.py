"""What the parts of the lowering that meet each other in expressions ask of the whole.

An index is an expression, an expression has places in it, a call has arguments, an initialiser has
values: these parts need each other.  None of them knows the others: each has the parts below it,
and this.
"""

from __future__ import annotations

from typing import Protocol

from obligato.frontends.c.nodes import Node
from obligato.frontends.c.places import Captured, Place
from obligato.terms import Term


class Evaluator(Protocol):
    """Lowers an expression: its effects are emitted, its value is returned."""

    def value(self, n: Node) -> Term:
        """The value of a scalar expression."""

    def condition(self, n: Node) -> Term:
        """The truth of a scalar expression, as a Bool."""

    def discard(self, n: Node) -> None:
        """Only the effects of an expression."""

    def discard_all(self, operands: list[Node]) -> None:
        """The effects of operands whose order C leaves open."""

    def sum_of(self, n: Node) -> tuple[Term, Term]:
        """A pointer plus or minus an integer: the pointer and the result."""

    def record(self, n: Node) -> Place:
        """The place that holds the value of an expression of record type."""

    def call(self, n: Node, wanted: bool, into: Term | None = None) -> Term | Place | None:
        """A function call; `into` may receive a scalar result directly."""

    def initialise(self, place: Captured, start: Node, zero_rest: bool = True) -> None:
        """Run an initialiser."""

    def statement_expression(self, n: Node, wanted: bool) -> Term | Place | None:
        """A GNU statement expression."""
