"""Initial values of globals, string literals and memory: initialisers are executed symbolically
where they are constant.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.errors import Unsupported
from obligato.frontends.c.allocations import zero_term
from obligato.frontends.c.context import Context
from obligato.frontends.c.literals import string_values
from obligato.frontends.c.lowering import Lowering
from obligato.frontends.c.nodes import Tree
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.types import ArrayType
from obligato.program.syntax import LIMIT, Assert, Assign, Havoc, Statement, Variable
from obligato.terms import Op, Term, substitute


class InitialValues:
    """What the globals of one program are when it starts; `declare` carries the idea."""

    def __init__(self, context: Context, tree: Tree, entry: str) -> None:
        self.context, self.tree, self.entry = context, tree, entry
        self.usage, self.regions, self.store = context.usage, context.regions, context.store

    def declare(self) -> tuple[list[Statement], list[Variable]]:
        """Declare globals and region arrays with their initial values; what the program begins with
        (limits that it exceeds when it starts, initial values that are not constant), and the
        variables that this needs.
        """
        # initialisers are computed at translation time
        self.context.scalars.rounding = self.context.scalars.nearest
        unchecked = replace(self.context, prop="unreach-call")
        nowhere = Function("init", self.tree.root, None, [], self.tree.root)  # type: ignore[arg-type]
        low = Lowering(unchecked, nowhere, self.entry)
        start: dict[Term, Term] = {}
        for o in self.usage.everything():
            if o.kind in ("heap", "function"):
                continue
            slots = o.slots.values() if o.static_storage or o.region is not None else ()
            for v in (v for slot in slots for v in slot.variables):
                node = o.node
                self.context.globals[v.name] = Variable(
                    v.name, v.sort, span=node.span if node is not None else low.code.span
                )
                if o.static_storage and o.has_body:
                    start[v] = zero_term(self.store, v.sort)
        self._run_initialisers(low)
        for r in self.regions.by_class.values():
            if r.heap is not None:
                self.context.globals[r.heap.name] = Variable(r.heap.name, r.heap.sort)
                start[r.heap] = low.code.address(r.heap_range[0])
            if r.zeroed:
                for (number, _), array in self.context.region_arrays.items():
                    if number == r.number:
                        start[array] = zero_term(self.store, array.sort)
        first = self._apply(low, start)
        for v, init in start.items():
            old = self.context.globals[v.name]
            self.context.globals[v.name] = Variable(old.name, old.type, init, old.span)
        return first, list(low.code.locals.values())

    def _run_initialisers(self, low: Lowering) -> None:
        for o in sorted(self.usage.everything(), key=self._turn):
            if o.kind == "global" and o.node is not None:
                start = self.tree.initialiser(o.node)
                if not o.has_body and o.region is not None and o.region.kind != "cells":
                    raise Unsupported(
                        f"external variable {o.name} in memory",
                        o.node.span,
                        "external variable in memory",
                    )
                if start is not None:
                    low.code.span = o.node.span
                    low.initialise(low.memory.object_place(o), start, zero_rest=False)
            elif o.kind == "string" and o.node is not None:
                self._string(low, o)

    def _turn(self, o: Object) -> int:
        """String literals are initialised first, because others read them; then as the text
        has it.
        """
        start = self.tree.initialiser(o.node) if o.kind == "global" and o.node is not None else None
        return -1 if o.kind == "string" or start is None else self.tree.offset(start)

    def _string(self, low: Lowering, o: Object) -> None:
        assert o.node is not None and isinstance(o.type, ArrayType)
        place = low.memory.object_place(o)
        for i, v in enumerate(string_values(o.node.spelling)[: o.type.count]):
            if v:
                element = low.memory.element(place, low.code.address(i))
                low.memory.store_at(element, self.context.scalars.constant(v, o.type.element))

    def _apply(self, low: Lowering, start: dict[Term, Term]) -> list[Statement]:
        """Execute the initialisers symbolically on the initial values; the limits they exceed. From
        one on that is any value (`c = __VERIFIER_nondet_int();` outside of functions) the program
        itself begins with them.
        """
        first: list[Statement] = []
        later, once = False, not self.usage.functions[self.entry].recursive
        for s in low.code.out:
            later = later or (once and isinstance(s, Havoc) and s.approximates is None)
            if later or (
                isinstance(s, Assert) and s.kind == LIMIT and s.condition is self.store.false
            ):
                first.append(s)
                continue
            if not isinstance(s, Assign):
                raise Unsupported(
                    "initialiser of a global that is not constant", s.span, "global initialiser"
                )
            new = [self._now(x, e, start) for x, e in zip(s.targets, s.values, strict=True)]
            start.update(zip(s.targets, new, strict=True))
        return first

    def _now(self, x: Term, e: Term, start: dict[Term, Term]) -> Term:
        spine = []
        while e.op is Op.STORE:  # the usual case: some elements of x replaced by constants
            spine.append(e)
            e = e.args[0]
        if e is not x and not e.is_const:
            e = substitute(e, start)
        elif e is x:
            e = start[x]
        for t in reversed(spine):
            e = self.store.store(e, substitute(t.args[1], start), substitute(t.args[2], start))
        return e
