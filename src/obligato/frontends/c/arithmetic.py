"""Operators and conversions on values, with what the property and the layout of memory ask of them;
constant expressions.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.checks import Checks
from obligato.frontends.c.code import Part
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.types import CType, IntType, PointerType, is_float, is_scalar
from obligato.terms import FLOAT32, FLOAT64, Op, Term

MAX_SHOWN = 60  # characters of an expression in a message


@dataclass(eq=False, repr=False)
class Arithmetic(Part):
    """Values of conversions (`convert`) and of arithmetic operators (`arithmetic`)."""

    layout: Layout
    checks: Checks

    def convert(self, a: Term, source: CType, target: CType) -> Term:
        """A scalar conversion."""
        if isinstance(source, PointerType) and isinstance(target, IntType) and not target.is_bool:
            self.layout.learn_number(a)
        if not is_float(source) and not a.is_const:
            self._note_precision(target)
        return self.scalars.convert(a, source, target)

    def arithmetic(self, operator: int, a: Term, ta: CType, b: Term, tb: CType, t: CType) -> Term:
        """``a operator b``; operands have the types that clang's conversions gave them."""
        if isinstance(ta, PointerType) or isinstance(tb, PointerType):
            return self._pointer_arithmetic(operator, a, ta, b, tb, t)
        self._note_precision(ta)
        if operator in (k.B_SHL, k.B_SHR):
            self.checks.check_arithmetic(operator, a, b, t)
            b = self.scalars.shift_amount(b, tb, a.sort.width)
        else:
            self.checks.check_arithmetic(operator, a, b, t)
        return self.scalars.binary(operator, a, b, t)

    def _note_precision(self, t: CType) -> None:
        """Compilers for x86 without SSE keep more digits than the type has [C11, 5.2.4.2.2p9]: say
        that we do not.
        """
        if self.width == 32 and t.sort in (FLOAT32, FLOAT64):
            self.code.note(
                "assumed: floating-point values have the precision of their types"
                " (FLT_EVAL_METHOD 0)"
            )

    def _pointer_arithmetic(
        self, operator: int, a: Term, ta: CType, b: Term, tb: CType, t: CType
    ) -> Term:
        if isinstance(ta, PointerType) and isinstance(tb, PointerType):
            size = self._step(ta)
            difference = self.store.mk(Op.BVSUB, (a, b))
            if size.is_const and size.data == 1:
                return difference
            return self.store.mk(Op.BVSDIV, (difference, size))
        if isinstance(tb, PointerType):
            a, ta, b, tb = b, tb, a, ta
        assert isinstance(ta, PointerType)
        number, size = (
            self.scalars.resize(b, self.width, isinstance(tb, IntType) and tb.signed),
            self._step(ta),
        )
        fixed = size.data if size.is_const and isinstance(size.data, int) else None
        offset = (
            self.store.mk(Op.BVMUL, (number, size))
            if fixed is None
            else self.code.times(number, fixed)
        )
        if operator == k.B_ADD:
            return self.code.plus(a, offset)
        if offset.is_const and isinstance(offset.data, int):
            return self.code.plus(a, self.code.address(-offset.data))
        return self.store.mk(Op.BVSUB, (a, offset))

    def _step(self, t: PointerType) -> Term:
        """The size of what a pointer points to; of an array of variable length the one that it had
        at its declaration.
        """
        size = self.code.dynamic_size(t.to) if t.to.size < 0 else None
        if size is None:
            return self.code.address(self.code.step(t))
        if self.guards:
            raise self.code.refuse("memory safety of a pointer to a variable-length array")
        return size

    def as_int(self, c: Term, t: CType) -> Term:
        """A Bool as 0 or 1."""
        if c is self.store.true or c is self.store.false:
            return self.scalars.constant(int(c is self.store.true), t)
        return self.scalars.from_bool(c, t)

    def constant(self, n: Node) -> Term:
        """An expression that the compiler can evaluate (literals, sizeof, offsetof, ...)."""
        # the compiler's value leaves effects out
        v = None if self.code.effectful(n) else n.evaluate()
        if v is None or not is_scalar(n.type):
            text = " ".join(n.tree.tokens(n))
            short = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
            told = f"this expression is not supported: {short}"
            raise self.code.refuse(f"expression of the kind {n.kind_name}", n, told)
        return self.scalars.constant(v, n.type)
