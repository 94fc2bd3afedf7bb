"""Lost memory: valid-memtrack, which is asked for together with `memsafety` (nothing otherwise).

Memory is lost if it is not freed and no pointer leads to it.  ``live$`` counts the blocks that were
allocated and not freed. When the program's first function returns, its variables are gone, so
pointers start in static objects only: none of these leads to a live block and the counter is not
zero, then memory is lost.  What is beyond that is an assertion of class `limit`:
- a static pointer leads to a live block (all of them may be reached from there), or pointers may be
  hidden in numbers;
- the program is ended by ``exit`` or ``abort`` while there are live blocks: variables still hold
  pointers then;
- a run does not end: memory that it loses is never counted (`may_not_end`, for programs with
  loops);
- a block of no bytes, of which nobody can say whether it is memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.code import Code, Part
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.objects import Object
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import PointerType, holds_pointer, scalar_leaves
from obligato.program.syntax import (
    LIMIT,
    Assert,
    Goto,
    If,
    Label,
    Procedure,
    Statement,
    While,
    statements,
)
from obligato.terms import Term, TermStore

MAX_ROOTS = 64  # pointers in one static object
UNDECIDED = "whether memory is lost is not decided"


class Tracking(Part):
    """`at_return` and `at_halt`."""

    def __init__(self, code: Code, memory: Memory, aggregates: Aggregates, safety: Safety) -> None:
        super().__init__(code)
        self.memory, self.aggregates, self.safety = memory, aggregates, safety

    def at_return(self) -> None:
        """The program's first function returns."""
        if not self._counts or not self.code.is_entry:
            return
        none = self.store.eq(self.safety.live, self.code.address(0))
        decided = self.code.negated(self.code.either_of(self._roots()))
        self.code.require(self.code.either_of([none, decided]), UNDECIDED, LIMIT)
        self.code.require(none, "valid-memtrack")

    def at_halt(self) -> None:
        """The program is ended while functions are active."""
        if self._counts:
            none = self.store.eq(self.safety.live, self.code.address(0))
            self.code.require(none, UNDECIDED, LIMIT)

    @property
    def _counts(self) -> bool:
        return self.context.tracked and any(
            o.kind == "heap" and not o.automatic for o in self.usage.everything()
        )

    def _roots(self) -> list[Term]:
        """The conditions that a pointer in static memory leads to a live block; `true` if that is
        not known.
        """
        if self._is_hidden():
            return [self.store.true]
        return [
            c
            for o in self.usage.everything()
            if o.static_storage and self._leads_to_heap(o)
            for c in self._pointers(o)
        ]

    def _is_hidden(self) -> bool:
        """May numbers, or undefined functions, hold addresses of blocks?"""
        points, unknown = self.usage.points, self.usage.points.find(self.usage.unknown)
        invisible = self.usage.exposes or (
            self.usage.called_externals and not self.usage.pure_externals
        )
        if invisible and self._has_heap(unknown):
            return True
        return any(
            self._has_heap(target) for c in self.usage.numbers for target in points.targets(c)
        )

    def _has_heap(self, location: int) -> bool:
        return any(
            isinstance(o, Object) and o.kind == "heap" and not o.automatic
            for o in self.usage.points.facts(location)
        )

    def _leads_to_heap(self, o: Object) -> bool:
        return any(self._has_heap(target) for target in self.usage.points.targets(o.location))

    def _pointers(self, o: Object) -> list[Term]:
        """The conditions that the pointers of a static object lead to live blocks."""
        many = sum(1 for _ in scalar_leaves(o.type, limit=2 * MAX_ROOTS)) > MAX_ROOTS
        if many or not o.has_body or not holds_pointer(o.type):
            return [self.store.true]
        found = []
        with self.safety.unchecked():
            for p in self.aggregates.parts(self.memory.object_place(o)):
                if isinstance(p.type, PointerType):
                    found.append(self.safety.is_live(self.memory.load(p)))
                elif holds_pointer(p.type):
                    return [self.store.true]
        return found


def may_not_end(
    procedures: Iterable[Procedure], recursive: bool, store: TermStore
) -> tuple[Statement, ...]:
    """An assertion of class `limit` that fails at the start of a program that has loops."""
    spans = [s.span for p in procedures for s in _loops(p)] or [
        p.span for p in procedures if recursive
    ]
    message = "whether memory is lost in a run that does not end is not decided"
    return tuple(
        If(None, (), (Assert(store.false, message, LIMIT, span),), span) for span in spans[:1]
    )


def _loops(p: Procedure) -> Iterator[Statement]:
    """Loops, and jumps to labels that stand before them."""
    before: dict[str, None] = {}
    for s in statements(p.body):
        if isinstance(s, Label):
            before[s.name] = None
        elif isinstance(s, While) or (
            isinstance(s, Goto) and any(label in before for label in s.targets)
        ):
            yield s
