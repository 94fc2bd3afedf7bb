"""Variable arguments: the slots that a call of a function with ``...`` fills (library/varargs.h has
the rest, in C).

The array of slots belongs to the call. The function gets its address as one more parameter; where
it is called with its named arguments only, that is null.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.code import Part
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function
from obligato.frontends.c.places import Captured
from obligato.frontends.c.types import CType, FloatType, IntType, PointerType, RecordType
from obligato.terms import Term

Values = list[tuple[CType, list[Term]]]


@dataclass(eq=False, repr=False)
class Variadic(Part):
    """Variable arguments, where they are `passed` and where they are `received`."""

    memory: Memory
    allocations: Allocations
    arithmetic: Arithmetic

    def received(self) -> Term:
        """The address of the slots of the function that is being lowered."""
        if not self.usage.is_variadic(self.code.function.type):
            raise self.code.refuse("va_start in a function with a fixed number of arguments")
        return self.store.var(hidden_name(self.code.function), self.address_sort)

    def passed(self, n: Node, f: Function, values: Values) -> list[Term]:
        """The hidden argument of a call; the slots get the values behind the named ones."""
        if not self.usage.is_variadic(f.type):
            return []
        rest = values[len(f.parameters) :]
        if not rest:
            return [self.code.address(0)]
        o = self.usage.arguments(n, len(rest))
        if o.type.size != len(rest) * self.usage.slot.size:
            raise self.code.refuse("call of a function with variable arguments by another type", n)
        if o.address is None:
            o.base = o.base or self.code.local("arguments$address", self.address_sort)
            self.code.assign(
                o.base, self.allocations.allocate(o, self.code.address(o.type.size), zero=False)
            )
        for i, (t, terms) in enumerate(rest):
            self._fill(
                self.memory.element(self.memory.object_place(o), self.code.address(i)), t, terms, n
            )
        return [self.code.object_address(o)]

    def _fill(self, slot: Captured, t: CType, terms: list[Term], n: Node) -> None:
        """Write a value where its type says; a literal zero is a null pointer, too."""
        assert isinstance(slot.type, RecordType)
        integer, pointer, double, long_double = range(4)
        if isinstance(t, IntType) and t.size <= 8:
            self._store(
                slot, integer, self.arithmetic.convert(terms[0], t, slot.type.fields[integer].type)
            )
            if terms[0].is_const and terms[0].data == 0:
                self._store(slot, pointer, self.code.address(0))
        elif isinstance(t, PointerType):
            self._store(slot, pointer, terms[0])
        elif isinstance(t, FloatType) and t.size >= 8:
            self._store(slot, double if t.size == 8 else long_double, terms[0])
        else:
            raise self.code.refuse(f"a variable argument of type {t}", n)

    def _store(self, slot: Captured, position: int, value: Term) -> None:
        assert isinstance(slot.type, RecordType)
        self.memory.store_at(self.memory.member(slot, slot.type.fields[position], position), value)


def hidden_name(f: Function) -> str:
    """The name of the parameter of a function with variable arguments that no program can have."""
    return f"{f.name}::arguments$"
