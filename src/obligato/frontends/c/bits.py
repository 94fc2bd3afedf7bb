"""Operations of the compiler on bits: ``__builtin_popcount`` and its relatives, byte swaps,
arithmetic that reports overflow.

For clz and ctz of zero, which are undefined, the result is any number.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c.catalogue import BIT_COUNTS, BIT_SWAPS, OVERFLOWS
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import bare_pointer_type
from obligato.frontends.c.types import IntType
from obligato.program.syntax import Havoc
from obligato.terms import Op, Term

_OPERATIONS = {"add": Op.BVADD, "sub": Op.BVSUB, "mul": Op.BVMUL}


@dataclass(eq=False, repr=False)
class Bits(Part):
    """Values of functions that look at the bits of a number (`bit_function`)."""

    memory: Memory
    places: Places
    evaluator: Evaluator

    def bit_function(self, name: str, n: Node, arguments: list[Node]) -> Term:
        """The value of a call."""
        if m := OVERFLOWS.fullmatch(name):
            return self._overflow(m[1], n, arguments)
        if (
            len(arguments) != 1
            or not isinstance(arguments[0].type, IntType)
            or not isinstance(n.type, IntType)
        ):
            raise self.code.refuse(f"{name} with arguments that are not one integer", n)
        if m := BIT_SWAPS.fullmatch(name):
            x = self._argument(arguments[0], int(m[1]))
            swapped = self.store.concat(
                *(self.store.extract(x, at + 7, at) for at in range(0, x.sort.width, 8))
            )
            return self.scalars.resize(swapped, n.type.width, False)
        m = BIT_COUNTS.fullmatch(name)
        assert m is not None
        width = {None: 32, "l": self.width, "ll": 64}[m[2]]
        x = self._argument(arguments[0], width)
        return self._count(
            m[1], x if m[1] in ("popcount", "parity") else self.code.captured(x), n.type.width
        )

    def _argument(self, n: Node, width: int) -> Term:
        assert isinstance(n.type, IntType)
        return self.scalars.resize(self.evaluator.value(n), width, n.type.signed)

    def _count(self, what: str, x: Term, width: int) -> Term:
        s, size = self.store, x.sort.width
        bits = [s.extract(x, i, i) for i in range(size)]
        if what in ("popcount", "parity"):
            total = s.bv(0, width)
            for b in bits:
                total = s.mk(Op.BVADD, (total, s.zero_ext(b, width - 1)))
            return total if what == "popcount" else s.mk(Op.BVAND, (total, s.bv(1, width)))
        value = s.bv(0, width) if what == "ffs" else self._anything(width)
        places = range(size) if what == "clz" else reversed(range(size))  # the last one counts
        for i in places:
            number = size - 1 - i if what == "clz" else i + (what == "ffs")
            value = s.ite(s.eq(bits[i], s.bv(1, 1)), s.bv(number, width), value)
        return value

    def _anything(self, width: int) -> Term:
        t = self.code.local("undefined", self.store.bv(0, width).sort)
        self.code.emit(Havoc((t,), span=self.code.span))
        return t

    def _overflow(self, what: str, n: Node, arguments: list[Node]) -> Term:
        """The exact result in enough bits; it is stored as far as it fits, and the value is whether
        it did not.
        """
        pointer = bare_pointer_type(arguments[2]) if len(arguments) == 3 else None
        types = [a.type for a in arguments[:2]]
        if (
            pointer is None
            or not isinstance(pointer.to, IntType)
            or pointer.to.is_bool
            or not isinstance(n.type, IntType)
        ):
            raise self.code.refuse(
                f"{what} with a report of overflow into something else than an integer", n
            )
        if not all(isinstance(t, IntType) for t in types):
            raise self.code.refuse(f"{what} of other operands than integers", n)
        t, s = pointer.to, self.store
        wide = sum(8 * x.size for x in types) + t.width + 2
        a, b = (
            self.scalars.resize(
                self.evaluator.value(x), wide, isinstance(x.type, IntType) and x.type.signed
            )
            for x in arguments[:2]
        )
        exact = self.code.captured(s.mk(_OPERATIONS[what], (a, b)), what)
        place = self.memory.capture(
            self.memory.element(self.places.pointer_base(arguments[2]), self.code.address(0))
        )
        fitting = s.extract(exact, t.width - 1, 0)
        self.memory.store_at(place, fitting)
        fits = s.eq(self.scalars.resize(fitting, wide, t.signed), exact)
        return s.ite(fits, self.scalars.constant(0, n.type), self.scalars.constant(1, n.type))
