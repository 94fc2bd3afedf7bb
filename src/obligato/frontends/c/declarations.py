"""Declarations: variables come into existence, with any contents or their initialiser, and die at
the end of their block.

Only memory safety asks for deaths, and only variables with dynamic addresses have them (safety.py):
`scopes` knows those of each open block, `leave` emits what leaving blocks does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from obligato.frontends.c import kinds as k
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object
from obligato.frontends.c.refused_early import reads
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.types import ArrayType, CType, IntType, PointerType, is_variable
from obligato.program.syntax import LIMIT
from obligato.terms import Op, Term


@dataclass(eq=False, repr=False)
class Declarations(Part):
    """Variables that a declaration makes (`declarations`), until their block ends."""

    memory: Memory
    allocations: Allocations
    safety: Safety
    places: Places
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        # the variables with dynamic addresses in each open block
        self.scopes: list[list[Object]] = [[]]

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block, whose variables die at its end."""
        self.scopes.append([])
        around = self.code.scope
        yield
        self.code.scope = around
        self.leave(len(self.scopes) - 1)
        self.scopes.pop()

    def leave(self, depth: int) -> None:
        """The variables with dynamic addresses in the blocks beyond `depth` die (memory safety); at
        the end of the function, memory from alloca, too.
        """
        if self.guards:
            for scope in self.scopes[depth:]:
                for o in scope:
                    self.safety.release(o)
            for o in self.code.automatic if depth == 0 else ():
                self.safety.release(o)

    def declarations(self, n: Node) -> None:
        """Lower all declarations of a statement."""
        self.code.scope = self.context.scopes.declare_all(self.code.scope, n)
        for d in n.children:
            if d.kind == k.VAR_DECL:
                self.code.scope = self.context.scopes.declare(self.code.scope, d)
                self.code.span = d.span
                self._declare(d)
            elif d.kind == k.TYPEDEF_DECL and is_variable(d.type):
                self.code.span = d.span
                self._name_type(d)

    def _name_type(self, d: Node) -> None:
        """A name for a type with arrays of variable length in it: their lengths are fixed here."""
        counts = self._counts(d)
        for t in _levels(d.type):
            length = self._length(t, counts, d)
            if t.variable:
                self.code.lengths[t] = length

    def _counts(self, d: Node) -> list[Term]:
        """The values of the lengths in a declaration; C leaves open which one comes first."""

        def lower(n: Node) -> list[Term]:
            return [self.places.index(n)]

        lengths = self.code.unsequenced([partial(lower, n) for n in _lengths(d)])
        return [self.code.captured(t, f"{d.spelling}$count") for (t,) in lengths]

    def _length(self, t: ArrayType, counts: list[Term], d: Node) -> Term:
        """The length of an array: the next one in the declaration, else that of the type whose name
        is used there.
        """
        if counts:
            return counts.pop(0)
        known = (
            self.code.lengths.get(t)
            if t.variable
            else None
            if t.count is None
            else self.code.address(t.count)
        )
        if known is None:
            raise self.code.refuse("variable-length array type", d)
        return known

    def _declare(self, d: Node) -> None:
        o = self.usage.object(d.tree.declaration(d.cursor))
        if o.kind == "global":
            return
        if isinstance(o.type, ArrayType) and o.type.variable:
            self._measure(o, d)
        else:
            self.measure_targets(d)
        if o.region is not None and o.address is None:
            self._declare_dynamic(o, d)
        start = d.tree.initialiser(d)
        if start is not None:
            if start.kind != k.STRING and reads(start, d.tree.declaration(d.cursor)):
                if start.kind == k.INIT_LIST:
                    raise self.code.refuse("an initialiser that reads its own variable", start)
                self.allocations.forget(o, once=False)
            place = self.memory.object_place(o)
            self.allocations.aggregates.begin_padding(place)
            self.evaluator.initialise(place, start)
        elif o.slots or not (isinstance(o.type, ArrayType) and o.type.variable):
            once = (
                self.code.loops == 0
                and not self.code.has_labels
                and (o.region is None or self.code.is_entry)
            )
            self.allocations.forget(o, once)

    def prepare(self, o: Object) -> None:
        """The address of a variable that is not declared yet is nothing's."""
        o.base = self.code.local(f"{o.name}$address", self.address_sort)
        self.code.assign(o.base, self.code.address(0))

    def _measure(self, o: Object, d: Node) -> None:
        """The dimensions of a variable-length array, fixed at its declaration."""
        counts = self._counts(d)
        t: CType = o.type
        o.dimensions = []
        while isinstance(t, ArrayType):
            o.dimensions.append(self._length(t, counts, d))
            self.code.lengths[t] = o.dimensions[-1]
            if self.guards:
                nonnegative = self.store.mk(Op.BVSLE, (self.code.address(0), o.dimensions[-1]))
                self.code.require(nonnegative, "the length of an array is not negative", LIMIT)
            t = t.element
        size = self.code.times(o.dimensions[0], t.size)
        for n in o.dimensions[1:]:
            size = self.store.mk(Op.BVMUL, (size, n))
        o.dynamic_size = size

    def measure_targets(self, d: Node) -> None:
        """The lengths of the variable-length arrays that a declared pointer points to, fixed where
        it is declared.
        """
        if not is_variable(d.type):
            return
        levels, counts = list(_levels(d.type)), _lengths(d)
        # not so if there is a name for the type; then its sizes are not known
        if len(levels) == len(counts):
            for t, n in zip(levels, counts, strict=True):
                if t is d.type or not t.variable:  # a parameter that is a pointer to the elements
                    continue
                self.code.lengths[t] = self.code.captured(
                    self.places.index(n), f"{d.spelling}$count"
                )

    def _declare_dynamic(self, o: Object, d: Node) -> None:
        """A variable-length array, or a local of a recursive function that pointers reach: a new
        block each time.
        """
        size = (
            o.dynamic_size if o.dynamic_size is not None else self.code.address(max(o.type.size, 0))
        )
        if o.base is None:
            o.base = self.code.local(f"{o.name}$address", self.address_sort)
        if self.guards and self.code.has_labels and len(self.scopes) > 2:
            raise self.code.refuse("memory safety of a local variable beside goto", d)
        self.scopes[-1].append(o)
        self.code.assign(o.base, self.allocations.allocate(o, size, zero=False))


def _lengths(d: Node) -> list[Node]:
    """The lengths in a declaration, from the left to the right: the outermost array is the first.
    (The parser has the innermost first.)
    """
    start = d.tree.initialiser(d) if d.kind == k.VAR_DECL else None
    last = None if start is None else d.tree.offset(start)
    found = {d.tree.offset(c): c for c in d.operands if isinstance(c.type, IntType)}
    return [found[at] for at in sorted(found) if last is None or at < last]


def _levels(t: CType) -> Iterator[ArrayType]:
    """The arrays with a length in a type, the outermost first."""
    while isinstance(t, ArrayType | PointerType):
        if isinstance(t, ArrayType) and (t.variable or t.count is not None):
            yield t
        t = t.to if isinstance(t, PointerType) else t.element
