"""Lost memory: valid-memtrack, which is asked for together with `memsafety` (nothing otherwise).

Memory is lost if it is not freed and no pointer leads to it. ``live$`` counts the allocations that
were allocated and not freed. When the program's first function returns, its variables are gone, so
pointers start in static objects only: none of these leads to a live allocation and the counter is
not zero, then memory is lost. What is beyond that is an assertion of class `limit`:
- a static pointer leads to a live allocation (all of them may be reached from there), or pointers
  may be hidden in numbers;
- the program is ended by ``exit`` or ``abort`` while there are live allocations: variables still
  hold pointers then;
- a run may not end: memory that it loses is never counted, unless it could be brought to an end
  from each of its states (`endings.py`); so it is if an assumption stops it while allocations live;
- a function of the library without a model returns a pointer;
- an allocation of no bytes, of which nobody can say whether it is memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.code import Part
from obligato.frontends.c.context import Context
from obligato.frontends.c.endings import watched
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.objects import Object
from obligato.frontends.c.room import spare
from obligato.frontends.c.safety import LIVE, Safety
from obligato.frontends.c.types import (
    CType,
    FunctionType,
    PointerType,
    holds_pointer,
    scalar_leaves,
)
from obligato.program.syntax import LIMIT, Assert, Procedure, Variable
from obligato.terms import Term, bitvec

CHOSEN = "left$"  # which allocation may be the one that is lost
# What these return belongs to the library.
LENT = ("asctime", "ctime", "getenv", "gmtime", "localtime", "strerror", "strsignal")
MAX_ROOTS = 64  # pointers in one static object
UNDECIDED = "whether memory is lost is not decided"


@dataclass(eq=False, repr=False)
class Tracking(Part):
    """Asserts of `valid-memtrack`, where the program returns (`at_return`) or is ended (`at_halt`)."""

    memory: Memory
    aggregates: Aggregates
    safety: Safety

    def at_return(self) -> None:
        """The program's first function returns."""
        if not self._counts or not self.code.is_entry:
            return
        none = self._none_lives()
        decided = self.code.negated(self.code.either_of(self._roots()))
        self.code.require(self.code.either_of([none, decided]), UNDECIDED, LIMIT)
        self.code.require(none, "valid-memtrack")

    def _none_lives(self) -> Term:
        """No allocation is to be freed: the counter is zero, or any allocation, chosen beforehand,
        has died. Both say the same: a proof may show either, and a refutation has one that lives.
        """
        none = self.store.eq(self.safety.live, self.code.address(0))
        return none if self.regions.once else self.code.either_of([none, self._is_gone()])

    def _is_gone(self) -> Term:
        """The allocation that was made so many others ago, a number that is any from the start."""
        return self.code.negated(self.safety.is_live(self.safety.slot_before(self._number())))

    def _number(self) -> Term:
        sort = bitvec(self.width - self.regions.slot_bits)
        self.context.globals.setdefault(CHOSEN, Variable(CHOSEN, sort))
        return self.store.var(CHOSEN, sort)

    def at_halt(self) -> None:
        """The program is ended while functions are active."""
        if self._counts:
            self.code.require(self._none_lives(), UNDECIDED, LIMIT)

    def at_assumption(self, c: Term) -> None:
        """A run that goes on only if `c` holds."""
        if self._counts:
            self.code.require(self.code.either_of([c, self._none_lives()]), UNDECIDED, LIMIT)

    def at_library(self, name: str, called: CType) -> None:
        """A function of the library without a model, called by its type: it may give memory that is
        to be freed, also where nothing declares it.
        """
        number = (
            isinstance(called, FunctionType)
            and called.prototype
            and not isinstance(called.result, PointerType)
        )
        if self.context.tracked and not number and name not in LENT:
            self.code.require(self.store.false, UNDECIDED, LIMIT)

    @property
    def _counts(self) -> bool:
        return self.context.tracked and any(
            o.kind == "heap" and not o.automatic for o in self.usage.everything()
        )

    def _roots(self) -> list[Term]:
        """The conditions that a pointer in static memory leads to a live allocation; `true` if that
        is not known.
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
        """May numbers, or undefined functions, hold addresses of allocations?"""
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
        """The conditions that the pointers of a static object lead to live allocations."""
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


def with_ends(
    procedures: Mapping[str, Procedure], context: Context, entry: str
) -> dict[str, Procedure]:
    """The procedures of a program that tracks memory, with assertions that its runs can be brought
    to an end (`endings.py`)."""
    s, sort = context.store, bitvec(context.width)
    none, rest = s.eq(s.var(LIVE, sort), s.bv(0, context.width)), spare(context)
    functions, named = context.usage.functions, context.regions.local_name
    recursive = {name for name, f in functions.items() if f.recursive}  # membership only
    made = {
        name: watched(p, none, rest, name in recursive, named) for name, p in procedures.items()
    }
    if entry in recursive:  # it may return many times
        p = made[entry]
        made[entry] = replace(p, body=(Assert(s.false, UNDECIDED, LIMIT, p.span), *p.body))
    return made
