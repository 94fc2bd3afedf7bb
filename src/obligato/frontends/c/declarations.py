"""Declarations: variables come into existence, with any contents or their initialiser, and die at the end of their block.

Only memory safety asks for deaths, and only variables with dynamic addresses have them (safety.py): `scopes` knows those
of each open block, `leave` emits what leaving blocks does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from obligato.frontends.c import kinds as k
from obligato.frontends.c.checks import Checks
from obligato.frontends.c.dubious import reads
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object
from obligato.frontends.c.types import ArrayType, CType, IntType
from obligato.program.syntax import LIMIT
from obligato.terms import Op


class Declarations(Checks):
    """`declarations`."""

    entry_name = "main"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.loops = 0
        self.has_labels = False
        self.scopes: list[list[Object]] = [[]]  # the variables with dynamic addresses in each open block

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block, whose variables die at its end."""
        self.scopes.append([])
        yield
        self.leave(len(self.scopes) - 1)
        self.scopes.pop()

    def leave(self, depth: int) -> None:
        """The variables with dynamic addresses in the blocks beyond `depth` die (memory safety)."""
        if self.guards:
            for scope in self.scopes[depth:]:
                for o in scope:
                    self.release(self.object_address(o))

    def declarations(self, n: Node) -> None:
        for d in n.children:
            if d.kind == k.VAR_DECL:
                self.span = d.span
                self._declare(d)

    def _declare(self, d: Node) -> None:
        o = self.usage.object(self.usage.tree.declaration(d.cursor))
        if o.kind == "global":
            return
        if isinstance(o.type, ArrayType) and o.type.variable:
            self._measure(o, d)
        if o.region is not None and o.address is None:
            self._declare_dynamic(o, d)
        start = self.usage.tree.initialiser(d)
        if start is not None:
            if start.kind != k.STRING and reads(start, self.usage.tree.declaration(d.cursor)):
                if start.kind == k.INIT_LIST:
                    raise self.refuse("an initialiser that reads its own variable", start)
                self.forget(o, once=False)
            self.initialise(self.object_place(o), start)
        elif o.slots or not (isinstance(o.type, ArrayType) and o.type.variable):
            once = self.loops == 0 and not self.has_labels and (o.region is None or self.is_entry)
            self.forget(o, once)

    @property
    def runs_once(self) -> bool:
        """Is the code that is being lowered executed at most once?"""
        return self.loops == 0 and not self.has_labels and self.is_entry

    @property
    def is_entry(self) -> bool:
        """Is this the function where the program starts, entered once?"""
        return self.function.name == self.entry_name and not self.function.recursive

    def prepare(self, o: Object) -> None:
        """The address of a variable that is not declared yet is nothing's."""
        o.base = self.local(f"{o.name}$address", self.address_sort)
        self.assign(o.base, self.address(0))

    def _measure(self, o: Object, d: Node) -> None:
        """The dimensions of a variable-length array, fixed at its declaration."""
        counts = [c for c in d.operands if isinstance(c.type, IntType)]
        t: CType = o.type
        o.dimensions = []
        while isinstance(t, ArrayType):
            if not counts:
                raise self.refuse("variable-length array type", d)
            o.dimensions.append(self.captured(self.index(counts.pop(0)), f"{o.name}$count"))
            if self.guards:
                nonnegative = self.store.mk(Op.BVSLE, (self.address(0), o.dimensions[-1]))
                self.require(nonnegative, "the length of an array is not negative", LIMIT)
            t = t.element
        size = self.times(o.dimensions[0], t.size)
        for n in o.dimensions[1:]:
            size = self.store.mk(Op.BVMUL, (size, n))
        o.dynamic_size = size

    def _declare_dynamic(self, o: Object, d: Node) -> None:
        """A variable-length array, or a local of a recursive function that pointers reach: a new block each time."""
        size = o.dynamic_size if o.dynamic_size is not None else self.address(max(o.type.size, 0))
        if isinstance(o.type, ArrayType) and isinstance(o.type.element, ArrayType) and o.type.element.variable:
            raise self.refuse("pointer into a variable-length array of several dimensions", d)
        if o.base is None:
            o.base = self.local(f"{o.name}$address", self.address_sort)
        if self.guards and self.has_labels and len(self.scopes) > 2:
            raise self.refuse("memory safety of a local variable beside goto", d)
        self.scopes[-1].append(o)
        self.assign(o.base, self.allocate(o, size, zero=False))
