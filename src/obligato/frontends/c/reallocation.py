"""realloc [C11, 7.22.3.5]: a new allocation gets what the old one has, as far as both go, and the
old one is freed.

The allocation always moves; whoever uses the old pointer afterwards does what is undefined. How
large allocations are is kept by their addresses, in programs that call it (allocations.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.frontends.c.aggregates import Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object, Region
from obligato.frontends.c.places import MemoryPlace, Value
from obligato.frontends.c.safety import Safety
from obligato.program.syntax import LIMIT, If
from obligato.terms import Op, Term


@dataclass(eq=False, repr=False)
class Reallocation(Part):
    """Calls of realloc and its relatives (`reallocate`)."""

    aggregates: Aggregates
    allocations: Allocations
    layout: Layout
    safety: Safety
    evaluator: Evaluator

    def reallocate(self, n: Node, arguments: list[Node]) -> Term:
        """The new allocation."""
        if len(arguments) != 2:
            raise self.code.refuse("realloc with more or fewer than two arguments", n)
        pointer, wanted = arguments
        o, s = self.usage.site(n, "heap", self.types.void), self.store
        self.code.note("assumed: realloc never fails")
        old = self.code.captured(self.evaluator.value(pointer), "old")
        size = self.code.captured(
            self.scalars.resize(self.evaluator.value(wanted), self.width, False), "size"
        )
        self.code.require(s.ne(size, self.code.address(0)), "realloc to no bytes at all", LIMIT)
        self.layout.note_reuse()
        new = self.allocations.allocate(o, size, zero=False, automatic=False)
        assert o.region is not None
        before = s.select(self.allocations.sizes, old)
        least = self.code.captured(s.ite(s.mk(Op.BVULT, (before, size)), before, size), "kept")
        with self.code.block() as moving, self.safety.unchecked():
            self._copy(o, o.region, new, old, least)
        self.code.emit(If(s.eq(old, self.code.address(0)), (), tuple(moving), self.code.span))
        self.layout.note_release()
        if self.guards:
            self.safety.check_free(pointer, old)
        return new

    def _copy(self, o: Object, region: Region, new: Value, old: Value, size: Value) -> None:
        t = self.allocations.unit(o, region)
        count = self.code.captured(self.allocations.whole_elements(size, t), "count")

        def move(i: Value) -> None:
            by = self.code.times(i, t.size)
            target, source = (
                MemoryPlace(region, self.code.plus(p, by), t, origin=p) for p in (new, old)
            )
            self.aggregates.copy_or_store(target, source)

        self.allocations.times_do(count, move)
