"""Arithmetic on values, and assignments: simple, of records, compound, ``++`` and ``--``.

libclang hides the computation type of a compound assignment; it is derived here [C11, 6.5.16.2].  The value of an assignment
is that of its left side afterwards.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.lvalues import Places, place_terms
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.places import Place, SplitPlace
from obligato.frontends.c.promotion import common_type, promote
from obligato.frontends.c.purity import has_effects
from obligato.frontends.c.sequencing import effects_of
from obligato.frontends.c.types import CType, IntType, PointerType, RecordType, is_float
from obligato.program.syntax import LIMIT, Assert
from obligato.terms import FLOAT32, FLOAT64, Op, Term, free_vars


class Assignments(Places):
    """Arithmetic and assignments."""

    def effectful(self, n: Node) -> bool:
        """Must `n` be lowered to statements?"""
        return has_effects(n, self.context.prop)

    def convert(self, a: Term, source: CType, target: CType) -> Term:
        """A scalar conversion."""
        if not is_float(source) and not a.is_const:
            self._note_precision(target)
        return self.scalars.convert(a, source, target)

    def arithmetic(self, operator: int, a: Term, ta: CType, b: Term, tb: CType, t: CType) -> Term:
        """``a operator b``; operands have the types that clang's conversions gave them."""
        if isinstance(ta, PointerType) or isinstance(tb, PointerType):
            return self._pointer_arithmetic(operator, a, ta, b, tb, t)
        self._note_precision(ta)
        if operator in (k.B_SHL, k.B_SHR):
            self.check_arithmetic(operator, a, b, t)
            b = self.scalars.shift_amount(b, tb, a.sort.width)
        else:
            self.check_arithmetic(operator, a, b, t)
        return self.scalars.binary(operator, a, b, t)

    def _note_precision(self, t: CType) -> None:
        """Compilers for x86 without SSE keep more digits than the type has [C11, 5.2.4.2.2p9]: say that we do not."""
        if self.width == 32 and t.sort in (FLOAT32, FLOAT64):
            self.note("assumed: floating-point values have the precision of their types (FLT_EVAL_METHOD 0)")

    def _pointer_arithmetic(self, operator: int, a: Term, ta: CType, b: Term, tb: CType, t: CType) -> Term:
        if isinstance(ta, PointerType) and isinstance(tb, PointerType):
            size = self.step(ta)
            difference = self.store.mk(Op.BVSUB, (a, b))
            if size == 1:
                return difference
            return self.store.mk(Op.BVSDIV, (difference, self.address(size)))
        if isinstance(tb, PointerType):
            a, ta, b, tb = b, tb, a, ta
        assert isinstance(ta, PointerType)
        offset = self.times(self.scalars.resize(b, self.width, isinstance(tb, IntType) and tb.signed), self.step(ta))
        if operator == k.B_ADD:
            return self.plus(a, offset)
        if offset.is_const and isinstance(offset.data, int):
            return self.plus(a, self.address(-offset.data))
        return self.store.mk(Op.BVSUB, (a, offset))

    # -- assignments

    def _assignment(self, n: Node, wanted: bool) -> Term:
        left, right = n.operands
        if isinstance(n.type, RecordType):
            self.assign_record(left, right)
            return self.store.true
        if not self.effectful(left) and not self.effectful(right):
            return self._finish(self.place(left), self.value(right), wanted)
        places: list[Place] = []

        def lower_left() -> list[Term]:
            places.append(self.place(left))
            return place_terms(places[0])

        direct: list[Term] = []

        def lower_right() -> list[Term]:
            value = self._call_into(places[0], right)
            direct.append(value)
            return [value]

        _, (value,) = self.unsequenced([lower_left, lower_right])
        p = places[0]
        if isinstance(p, SplitPlace) and p.index is None and self._slot(p).variable is value:
            return value
        return self._finish(p, value, wanted)

    def _call_into(self, p: Place, n: Node) -> Term:
        """The value of `n`; a call may put its result directly into a variable."""
        while n.kind == k.PAREN:
            n = n.operands[0]
        if n.kind == k.CALL and isinstance(p, SplitPlace) and p.index is None and p.bits is None:
            slot = self._slot(p)
            if slot.count is None and not isinstance(slot.type, RecordType):
                result = self.call(n, wanted=True, into=slot.variable)
                if not isinstance(result, Term) or result.sort is not n.type.sort:
                    raise self.refuse("value of a call", n)
                return result
        return self.value(n)

    def _finish(self, p: Place, value: Term, wanted: bool) -> Term:
        """Store, and give the value of the assignment: that of the left side afterwards."""
        simple = isinstance(p, SplitPlace) and p.index is None
        if wanted and not simple and p.bits is None:
            value = self.captured(value)
        if wanted and not simple and p.bits is not None:
            value = self.captured(self._truncated(value, p))
        self.store_once(p, value)
        return self.load(p) if wanted and simple else value

    def _truncated(self, value: Term, p: Place) -> Term:
        assert p.bits is not None and isinstance(p.type, IntType)
        return self.scalars.resize(self.scalars.resize(value, p.bits, False), p.type.width, p.type.signed)

    def _compound(self, n: Node, wanted: bool = True) -> Term:
        left, right = n.operands
        places: list[Place] = []

        def lower_left() -> list[Term]:
            places.append(self.place(left))
            return place_terms(places[0])

        before: list[Term] = []
        if self.effectful(left) or self.effectful(right):
            _, (b,) = self.unsequenced([lower_left, lambda: [self._after_load(right, places[0], before)]])
        else:
            lower_left()
            b = self.value(right)
        p = places[0]
        for old in before:  # the operand on the left may be read before the other one, or after it
            same = self.store.eq(old, self.load(p))
            self.emit(Assert(same, "the result depends on an unspecified order of evaluation", LIMIT, self.span))
        return self._finish(p, self._combined(n, k.PLAIN[n.operator], p, left.type, b, right.type), wanted)

    def _after_load(self, right: Node, p: Place, before: list[Term]) -> Term:
        """The value of the right operand; what the left one was before, if the right one may change it."""
        with self.block() as mine:
            value = self.value(right)
        with self.block():
            read = free_vars(self.load(p))
        effects = effects_of(mine)
        if any(x in effects.writes or (effects.calls and "::" not in x.name) for x in read):  # calls change no own variable
            before.append(self.captured(self.load(p), "before"))
        self.out.extend(mine)
        return value

    def _combined(self, n: Node, operator: int, p: Place, t: CType, b: Term, tb: CType) -> Term:
        """``(T)(place operator b)`` in the computation type."""
        a = self.load(p)
        if isinstance(t, PointerType):
            if not b.is_const:
                self.check_distance(n.operands[0], n.operands[1], b)
            result = self.arithmetic(operator, a, t, b, tb, t)
            self.check_pointer(n, a, result)
            return result
        computed = self._computation_type(operator, p, t, tb)
        if operator not in (k.B_SHL, k.B_SHR):
            b, tb = self.convert(b, tb, computed), computed
        result = self.arithmetic(operator, self.convert(a, t, computed), computed, b, tb, computed)
        return self.convert(result, computed, t)

    def _computation_type(self, operator: int, p: Place, t: CType, tb: CType) -> CType:
        if is_float(t) or is_float(tb):
            if is_float(t) and is_float(tb):
                assert t.sort is not None and tb.sort is not None
                return t if t.sort.width >= tb.sort.width else tb
            return t if is_float(t) else tb
        assert isinstance(t, IntType) and isinstance(tb, IntType)
        promoted = promote(t, self.types, p.bits)
        return promoted if operator in (k.B_SHL, k.B_SHR) else common_type(promoted, tb, self.types)

    def _step(self, n: Node, wanted: bool) -> Term:
        """``++`` and ``--``."""
        p, t = self.place(n.operands[0]), n.type
        post = n.operator in (k.U_POST_INC, k.U_POST_DEC)
        operator = k.B_ADD if n.operator in (k.U_POST_INC, k.U_PRE_INC) else k.B_SUB
        old = self.captured(self.load(p), "old") if wanted and post else None
        one = self.types.int if not is_float(t) else t
        new = self._combined(n, operator, p, t, self.scalars.constant(1, one), one)
        result = self._finish(p, new, wanted and not post)
        return old if old is not None else result
