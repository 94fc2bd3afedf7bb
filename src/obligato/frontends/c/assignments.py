"""Assignments: simple, of records, compound, ``++`` and ``--``.

libclang hides the computation type of a compound assignment; it is derived here [C11, 6.5.16.2].
The value of an assignment is that of its left side afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.code import Code, Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.pending import is_chain, meet, pending
from obligato.frontends.c.places import (
    BlobPlace,
    Captured,
    MemoryPlace,
    Place,
    SplitPlace,
    place_terms,
)
from obligato.frontends.c.promotion import common_type, promote
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.sequencing import ORDER, effects_of
from obligato.frontends.c.types import CType, IntType, PointerType, RecordType, is_float
from obligato.program.syntax import LIMIT, Assert
from obligato.terms import Op, Term, free_vars


@dataclass(eq=False, repr=False)
class Assignments(Part):
    """Assignments: ``=`` is `simple` or `assign_record`, ``+=`` is `compound`, ``++`` is `step_by_one`."""

    memory: Memory
    aggregates: Aggregates
    arithmetic: Arithmetic
    safety: Safety
    places: Places
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        # places of stores that must not meet a store around them
        self._watched: dict[Node, Captured | None] = {}

    def simple(self, n: Node, wanted: bool) -> Term:
        """``a = b``: its value, if it is wanted."""
        left, right = n.operands
        if isinstance(n.type, RecordType):
            self.assign_record(left, right)
            return self.store.true
        if not self.code.effectful(left) and not self.code.effectful(right):
            return self._finish(n, self.places.place(left), self.evaluator.value(right), wanted)
        places: list[Place] = []

        def lower_left() -> list[Term]:
            places.append(self.places.place(left))
            return place_terms(places[0])

        direct: list[Term] = []

        def lower_right() -> list[Term]:
            value = self.call_into(places[0], right)
            direct.append(value)
            return [value]

        stores = self._watch(n)
        _, (value,) = self.code.unsequenced([lower_left, lower_right])
        p = places[0]
        self._keep_apart(p, stores)
        if isinstance(p, SplitPlace) and p.index is None and value in self.memory.slot(p).variables:
            return value
        return self._finish(n, p, value, wanted)

    def call_into(self, p: Place, n: Node) -> Term:
        """The value of `n`; a call may put its result directly into a variable."""
        while n.kind == k.PAREN:
            n = n.operands[0]
        if n.kind == k.CALL and isinstance(p, SplitPlace) and p.index is None and p.bits is None:
            slot = self.memory.slot(p)
            if slot.count is None and not isinstance(slot.type, RecordType):
                result = self.evaluator.call(n, wanted=True, into=slot.variable)
                if not isinstance(result, Term) or result.sort is not n.type.sort:
                    raise self.code.refuse("value of a call", n)
                return result
        return self.evaluator.value(n)

    def _finish(self, n: Node, p: Place, value: Term, wanted: bool) -> Term:
        """Store, and give the value of the assignment: that of the left side afterwards."""
        if n in self._watched:
            p = self._watched[n] = self.memory.capture(p)
        simple = isinstance(p, SplitPlace) and p.index is None
        if wanted and not simple and p.bits is None:
            value = self.code.captured(value)
        if wanted and not simple and p.bits is not None:
            value = self.code.captured(self._truncated(value, p))
        self.memory.store_once(p, value)
        return self.memory.load(p) if wanted and simple else value

    def _truncated(self, value: Term, p: Place) -> Term:
        assert p.bits is not None and isinstance(p.type, IntType)
        return self.scalars.resize(
            self.scalars.resize(value, p.bits, False), p.type.width, p.type.signed
        )

    def compound(self, n: Node, wanted: bool = True) -> Term:
        """``a[i] += f(x)``: the place, the other operand, the old value, the computation in the
        common type, one store.
        """
        left, right = n.operands
        places: list[Place] = []

        def lower_left() -> list[Term]:
            places.append(self.places.place(left))
            return place_terms(places[0])

        before: list[Term] = []
        stores = self._watch(n)
        if self.code.effectful(left) or self.code.effectful(right):
            _, (b,) = self.code.unsequenced(
                [lower_left, lambda: [self._after_load(right, places[0], before)]]
            )
        else:
            lower_left()
            b = self.evaluator.value(right)
        p = places[0]
        for old in before:  # the operand on the left may be read before the other one, or after it
            same = self.store.eq(old, self.memory.load(p))
            self.code.emit(Assert(same, ORDER, LIMIT, self.code.span))
        self._keep_apart(p, stores)
        return self._finish(
            n, p, self._combined(n, k.PLAIN[n.operator], p, left.type, b, right.type), wanted
        )

    def _after_load(self, right: Node, p: Place, before: list[Term]) -> Term:
        """The value of the right operand; what the left one was before, if the right one may change
        it.
        """
        with self.code.block() as mine:
            value = self.evaluator.value(right)
        with self.code.block():
            read = free_vars(self.memory.load(p))
        effects = effects_of(mine)
        # calls change no own variable
        if any(x in effects.written() or (effects.calls and "::" not in x.name) for x in read):
            before.append(self.code.captured(self.memory.load(p), "before"))
        self.code.out.extend(mine)
        return value

    def _combined(self, n: Node, operator: int, p: Place, t: CType, b: Term, tb: CType) -> Term:
        """``(T)(place operator b)`` in the computation type."""
        a = self.memory.load(p)
        if isinstance(t, PointerType):
            if not b.is_const:
                self.safety.check_distance(n.operands[0], n.operands[1], b)
            result = self.arithmetic.arithmetic(operator, a, t, b, tb, t)
            self.safety.check_pointer(n, a, result)
            return result
        computed = self._computation_type(operator, p, t, tb)
        if operator not in (k.B_SHL, k.B_SHR):
            b, tb = self.arithmetic.convert(b, tb, computed), computed
        result = self.arithmetic.arithmetic(
            operator, self.arithmetic.convert(a, t, computed), computed, b, tb, computed
        )
        return self.arithmetic.convert(result, computed, t)

    def _computation_type(self, operator: int, p: Place, t: CType, tb: CType) -> CType:
        if is_float(t) or is_float(tb):
            if is_float(t) and is_float(tb):
                assert t.sort is not None and tb.sort is not None
                return t if t.sort.width >= tb.sort.width else tb
            return t if is_float(t) else tb
        assert isinstance(t, IntType) and isinstance(tb, IntType)
        promoted = promote(t, self.types, p.bits)
        return promoted if operator in (k.B_SHL, k.B_SHR) else common_type(promoted, tb, self.types)

    def step_by_one(self, n: Node, wanted: bool) -> Term:
        """``++`` and ``--``."""
        stores = self._watch(n)
        p, t = self.places.place(n.operands[0]), n.type
        self._keep_apart(p, stores)
        post = n.operator in (k.U_POST_INC, k.U_POST_DEC)
        operator = k.B_ADD if n.operator in (k.U_POST_INC, k.U_PRE_INC) else k.B_SUB
        old = self.code.captured(self.memory.load(p), "old") if wanted and post else None
        one = self.types.int if not is_float(t) else t
        new = self._combined(n, operator, p, t, self.scalars.constant(1, one), one)
        result = self._finish(n, p, new, wanted and not post)
        return old if old is not None else result

    # -- stores whose order is open

    def _watch(self, n: Node) -> list[Node]:
        """The stores in the operands of an assignment that may come after its own, and may be to
        the same place.
        """
        target, found = n.operands[0], []
        for inner in pending(*n.operands):
            same = False if is_chain(n, inner) else meet(target, inner.operands[0])
            if same:
                raise self.code.refuse(
                    "unspecified evaluation order", n, f"{ORDER} (of two stores to one place)"
                )
            if same is None:
                self._watched.setdefault(inner, None)  # several stores around it may watch it
                found.append(inner)
        return found

    def _keep_apart(self, p: Place, stores: list[Node]) -> None:
        """Assert that stores in the operands of an assignment were not to its own place."""
        for n in stores:
            q = self._watched[n]
            c = self.store.true if q is None else apart(p, q, self.code)
            self.code.require(c, ORDER, LIMIT)

    def assign_record(self, left: Node, right: Node) -> Captured:
        """Assign a record; the left side."""
        places: list[Place] = []

        def lower(n: Node) -> list[Term]:
            places.append(self.places.place(n))
            return place_terms(places[-1])

        self.code.unsequenced([lambda: lower(left), lambda: lower(right)])
        target, source = self.memory.capture(places[0]), self.memory.capture(places[1])
        self.aggregates.copy(target, source)
        return target


def apart(p: Place, q: Place, code: Code) -> Term:
    """Do two scalar places not overlap?"""
    s = code.store
    if isinstance(p, MemoryPlace) and isinstance(q, MemoryPlace):
        if p.region is not q.region or (p.bits, p.bit_offset) != (q.bits, q.bit_offset):
            return s.true
        after = [
            s.mk(Op.BVULE, (code.plus(a.address, code.address(a.type.size)), b.address))
            for a, b in ((p, q), (q, p))
        ]
        return s.or_(*after)
    a, b = (x.base if isinstance(x, BlobPlace) else x for x in (p, q))
    if (
        not isinstance(a, SplitPlace)
        or not isinstance(b, SplitPlace)
        or a.object is not b.object
        or a.way != b.way
    ):
        return s.true
    return s.false if a.index is None or b.index is None else s.ne(a.index, b.index)
