"""Assertions of the properties `no-overflow` and `memsafety` (nothing for `unreach-call`).

no-overflow [C11, 6.5p5]: signed ``+ - *`` stay in range, ``/ %`` are not by zero and not INT_MIN / -1, shifts of signed values
have an amount in range and, to the left, lose nothing.  memsafety: an access through a pointer or an index lies inside a
live object of its region.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.builtins import Library
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.places import BlobPlace, MemoryPlace, Place
from obligato.frontends.c.types import CType, IntType
from obligato.program.syntax import Assert
from obligato.terms import Op, Term

_WIDE = {k.B_ADD: Op.BVADD, k.B_SUB: Op.BVSUB, k.B_MUL: Op.BVMUL}


class Checks(Library):
    """The assertions."""

    def check_arithmetic(self, operator: int, a: Term, b: Term | None, t: CType) -> None:
        """Assert that a signed operation does not overflow."""
        if self.context.prop != "no-overflow" or not isinstance(t, IntType) or not t.signed or b is None:
            return
        if operator in _WIDE:
            self._require(self._in_range(operator, a, b, t.width), "no-overflow")
        elif operator in (k.B_DIV, k.B_REM):
            s, w = self.store, t.width
            least = s.and_(s.eq(a, s.bv(1 << (w - 1), w)), s.eq(b, s.bv(-1, w)))
            self._require(s.not_(s.or_(s.eq(b, s.bv(0, w)), least)), "no-overflow")
        elif operator in (k.B_SHL, k.B_SHR):
            self._check_shift(operator, a, b, t.width)

    def check_arithmetic_negation(self, a: Term, n: Node) -> None:
        """abs of the least integer overflows."""
        self.check_arithmetic(k.B_SUB, self.store.bv(0, a.sort.width), a, n.type)

    def _in_range(self, operator: int, a: Term, b: Term, width: int) -> Term:
        """The result in twice the width (one bit more for sums) equals the extended result."""
        s, extra = self.store, width if operator == k.B_MUL else 1
        wide = s.mk(_WIDE[operator], (s.sign_ext(a, extra), s.sign_ext(b, extra)))
        return s.eq(wide, s.sign_ext(s.extract(wide, width - 1, 0), extra))

    def _check_shift(self, operator: int, a: Term, b: Term, width: int) -> None:
        s = self.store
        inside = s.mk(Op.BVULT, (b, s.bv(width, b.sort.width)))
        if operator == k.B_SHR:
            self._require(inside, "no-overflow")
            return
        amount = self.scalars.shift_amount(b, self.types.unsigned, width)
        back = s.mk(Op.BVASHR, (s.mk(Op.BVSHL, (a, amount)), amount))
        nonnegative = s.mk(Op.BVSGE, (a, s.bv(0, width)))
        self._require(s.and_(inside, nonnegative, s.eq(back, a)), "no-overflow")

    def _require(self, c: Term, label: str) -> None:
        self.emit(Assert(c, label, span=self.span))

    def check_access(self, place: Place) -> None:
        """Assert that an access is inside an object."""
        if self.context.prop != "memsafety":
            return
        if isinstance(place, BlobPlace):
            place = place.base
        if isinstance(place, MemoryPlace):
            self._check_memory(place)
        elif place.index is not None:
            slot = self._slot(place)
            if place.object.dimensions:
                raise self.refuse("memory safety of variable-length arrays")
            if slot.count is not None and not place.index.is_const:
                self._require(self.store.mk(Op.BVULT, (place.index, self.address(slot.count))), "valid-deref")

    def _check_memory(self, p: MemoryPlace) -> None:
        if p.address.is_const:
            return
        s, options = self.store, []
        if any(o.address is None for o in p.region.objects) or p.region.unknown:
            raise self.refuse("memory safety of allocated or unknown memory")
        for o in p.region.objects:
            if o.address is not None and o.type.size >= p.type.size:
                low, high = self.address(o.address), self.address(o.address + o.type.size - p.type.size)
                options.append(s.and_(s.mk(Op.BVULE, (low, p.address)), s.mk(Op.BVULE, (p.address, high))))
        self._require(s.or_(*options), "valid-deref")
