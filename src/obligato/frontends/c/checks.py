"""Assertions about arithmetic: of the properties `no-overflow`, `div-by-zero` and `shifts` (nothing
for the others).

[C11, 6.5p5]: signed ``+ - *`` stay in range, ``/ %`` are not INT_MIN / -1, shifts of signed values
to the left have an amount in range and lose nothing.  A division by zero and a shift to the right
by too much are undefined but give no value out of range; whether they count as overflow is not said
anywhere, so they are limits: such a run decides nothing. They are what `div-by-zero` (integers,
also unsigned) and `shifts` (amounts that are negative or not below the width) are about.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.code import Part
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.overflow import WIDE, in_range
from obligato.frontends.c.types import CType, IntType
from obligato.program.syntax import LIMIT
from obligato.terms import Op, Term

UNDEFINED = "undefined"  # all of them at once: where a run did something undefined


class Checks(Part):
    """Asserts that nothing overflows: the property `no-overflow`."""

    def check_arithmetic(self, operator: int, a: Term, b: Term | None, t: CType) -> None:
        """Assert what the property says about an operation."""
        if isinstance(t, IntType) and b is not None:
            self._check_operand(operator, b, t)
        if (
            self.context.prop not in ("no-overflow", UNDEFINED)
            or not isinstance(t, IntType)
            or not t.signed
            or b is None
        ):
            return
        if operator in WIDE:
            self.code.require(in_range(self.store, operator, a, b), "no-overflow")
        elif operator in (k.B_DIV, k.B_REM):
            s, w = self.store, t.width
            if (not b.is_const or b.data == 0) and self.context.prop != UNDEFINED:
                self.code.require(s.ne(b, s.bv(0, w)), "division by zero", LIMIT)
            self.code.require(
                s.not_(s.and_(s.eq(a, s.bv(1 << (w - 1), w)), s.eq(b, s.bv(-1, w)))), "no-overflow"
            )
        elif operator in (k.B_SHL, k.B_SHR):
            self._check_shift(operator, a, b, t.width)

    def _check_operand(self, operator: int, b: Term, t: IntType) -> None:
        """The second operand of a division is not zero, that of a shift below the width."""
        s, number = self.store, b.data if b.is_const and isinstance(b.data, int) else None
        if (
            self.context.prop in ("div-by-zero", UNDEFINED)
            and operator in (k.B_DIV, k.B_REM)
            and not number
        ):
            self.code.require(s.ne(b, s.bv(0, b.sort.width)), "div-by-zero")
        elif operator not in (k.B_SHL, k.B_SHR) or (number is not None and number < t.width):
            return
        elif self.context.prop in ("shifts", UNDEFINED):
            self.code.require(s.mk(Op.BVULT, (b, s.bv(t.width, b.sort.width))), "shifts")

    def check_arithmetic_negation(self, a: Term, n: Node) -> None:
        """abs of the least integer overflows."""
        self.check_arithmetic(k.B_SUB, self.store.bv(0, a.sort.width), a, n.type)

    def _check_shift(self, operator: int, a: Term, b: Term, width: int) -> None:
        s = self.store
        inside = s.mk(Op.BVULT, (b, s.bv(width, b.sort.width)))
        if operator == k.B_SHR and self.context.prop == UNDEFINED:
            return
        if operator == k.B_SHR:
            self.code.require(inside, "shift by too much", LIMIT)
            return
        amount = self.scalars.shift_amount(b, self.types.unsigned, width)
        back = s.mk(Op.BVASHR, (s.mk(Op.BVSHL, (a, amount)), amount))
        nonnegative = s.mk(Op.BVSGE, (a, s.bv(0, width)))
        self.code.require(s.and_(inside, nonnegative, s.eq(back, a)), "no-overflow")
