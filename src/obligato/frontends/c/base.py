"""The context in which one function is lowered: where statements go, fresh variables, names, the program around it.

The classes of this package that lower code form one chain, each adding a concern and using the ones before:
Base -> Memory (memory.py) -> Aggregates -> Places (lvalues.py) -> Expressions -> Checks ... -> Statements (statements.py).
What a class needs from later ones is declared here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast, overload

from obligato.errors import NO_SPAN, Span, Unsupported
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object, Region
from obligato.frontends.c.places import Captured, MemoryPlace, Place, SplitPlace, V, Value
from obligato.frontends.c.regions import Regions
from obligato.frontends.c.scalars import Scalars
from obligato.frontends.c.sequencing import Sequencing
from obligato.frontends.c.types import ArrayType, CType, TypeTable
from obligato.frontends.c.usage import Usage
from obligato.program.syntax import Assign, Statement, Variable
from obligato.terms import Op, Sort, Term, TermStore, array, bitvec

ArrayKey = Sort | tuple[int, int]


@dataclass
class Context:
    """What all functions of a program share."""

    store: TermStore
    scalars: Scalars
    types: TypeTable
    usage: Usage
    regions: Regions
    width: int  # of pointers, in bits
    prop: str
    pure_externals: bool
    releases: bool = False  # memory safety: does any block of dynamic memory die?
    tracked: bool = False  # memory safety: is memory to be freed, or pointed to, in the end (valid-memtrack)?
    only_reach_error: bool = False  # a failed assert() ends the run, but is not the error
    globals: dict[str, Variable] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    sequencing: Sequencing = field(default_factory=Sequencing)
    region_arrays: dict[tuple[int, ArrayKey], Term] = field(default_factory=dict)

    def region_array(self, region: Region, key: ArrayKey) -> Term:
        """The SMT array that holds the scalars of one sort (or one bit-field) of a region."""
        known = self.region_arrays.get((region.number, key))
        if known is None:
            element = key if isinstance(key, Sort) else bitvec(key[1])
            sort = array(bitvec(self.width), element)
            text = _sort_name(element) if isinstance(key, Sort) else f"bits{key[0]}_{key[1]}"
            known = self.store.var(self.regions.unique(f"memory${region.number}.{text}"), sort)
            self.region_arrays[region.number, key] = known
            self.globals[known.name] = Variable(known.name, sort)
        return known


def _sort_name(sort: Sort) -> str:
    return str(sort).strip("()").replace("_ ", "").replace(" ", "").lower()


class Base:
    """State of lowering one function."""

    def __init__(self, context: Context, function: Function) -> None:
        self.context = context
        self.function = function
        self.store = context.store
        self.scalars = context.scalars
        self.types = context.types
        self.usage = context.usage
        self.regions = context.regions
        self.width = context.width
        self.address_sort = bitvec(context.width)
        self.out: list[Statement] = []
        self.locals: dict[str, Variable] = {}
        self.span: Span = NO_SPAN
        self.result: Object | None = None
        self.guards = context.prop == "memsafety"
        self._fixed: dict[Term, None] = {}  # the variables that `captured` made

    # -- emitting

    def emit(self, statement: Statement) -> None:
        """Append a statement."""
        self.out.append(statement)

    def assign(self, target: Term, value: Term) -> None:
        """``target := value``."""
        self.out.append(Assign((target,), (value,), self.span))

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Collect what is emitted inside in a list of its own."""
        saved, self.out = self.out, []
        mine = self.out
        try:
            yield mine
        finally:
            self.out = saved

    def local(self, name: str, sort: Sort) -> Term:
        """A fresh local variable."""
        full = self.regions.unique(f"{self.function.name}::{name}")
        self.locals[full] = Variable(full, sort, span=self.span)
        return self.store.var(full, sort)

    def captured(self, value: Term, hint: str = "t") -> Value:
        """A term with the present value of `value` that later assignments do not change."""
        if value.is_const or value in self._fixed:
            return Value(value)
        t = self.local(hint, value.sort)
        self._fixed[t] = None
        self.assign(t, value)
        return Value(t)

    def note(self, text: str) -> None:
        """A remark for the user, said once."""
        self.context.notes[text] = None

    def refuse(self, construct: str, n: Node | None = None, detail: str = "") -> Unsupported:
        """The error for a construct that is not modelled."""
        return Unsupported(detail or f"{construct} is not supported", n.span if n is not None else self.span, construct)

    # -- addresses

    def address(self, value: int) -> Value:
        """A constant address or index."""
        return Value(self.store.bv(value, self.width))

    @overload
    def plus(self, a: Value, b: Value) -> Value: ...
    @overload
    def plus(self, a: Term, b: Term) -> Term: ...
    def plus(self, a: Term, b: Term) -> Term:
        """a + b with constants folded."""
        if a.is_const and b.is_const:
            return self.store.bv(_int(a) + _int(b), a.sort.width)
        if b.is_const and b.data == 0:
            return a
        if a.is_const and a.data == 0:
            return b
        if b.is_const and a.op is Op.BVADD and len(a.args) == 2 and a.args[1].is_const:
            return self.plus(a.args[0], self.store.bv(_int(a.args[1]) + _int(b), b.sort.width))
        return self.store.mk(Op.BVADD, (a, b))

    def moved(self, a: V, by: Term) -> V:
        """a + by, a value if `a` and `by` are. Requires: `by` is of the same type, or a value."""
        return cast("V", self.plus(a, by))

    def times(self, a: V, factor: int) -> V:
        """a * factor with constants folded."""
        if factor == 1:
            return a
        if a.is_const:
            return cast("V", self.store.bv(_int(a) * factor, a.sort.width))
        return cast("V", self.store.mk(Op.BVMUL, (a, self.store.bv(factor, a.sort.width))))

    # -- provided by later classes

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Accesses of our own, which are right by construction."""
        yield

    def value(self, n: Node) -> Term:
        """The value of a scalar expression."""
        raise NotImplementedError

    def condition(self, n: Node) -> Term:
        """The truth of a scalar expression, as a Bool."""
        raise NotImplementedError

    def place(self, n: Node) -> Place:
        """The place of an lvalue (or of an aggregate value)."""
        raise NotImplementedError

    def discard(self, n: Node) -> None:
        """The effects of an expression."""
        raise NotImplementedError

    def call(self, n: Node, wanted: bool, into: Term | None = None) -> Term | Place | None:
        """A function call; `into` may receive a scalar result directly."""
        raise NotImplementedError

    def library(self, name: str, n: Node, arguments: list[Node], wanted: bool, into: Term | None) -> Term | Place | None:
        """A call of a function with a model."""
        raise NotImplementedError

    def initialise(self, place: Captured, start: Node, zero_rest: bool = True) -> None:
        """Run an initialiser."""
        raise NotImplementedError

    def statement_expression(self, n: Node, wanted: bool) -> Term | Place | None:
        """A GNU statement expression."""
        raise NotImplementedError

    @property
    def runs_once(self) -> bool:
        """Is the code that is being lowered executed at most once?"""
        return False

    def check_access(self, place: Place, write: bool = False) -> None:
        """Assert what the property asks of a memory access."""

    def check_library(self, name: str, n: Node, arguments: list[Node]) -> None:
        """Assert what the property asks of library functions without a model, which may still read through their arguments."""

    def bounds(self, p: SplitPlace[V] | MemoryPlace[V], t: ArrayType, index: V | Value) -> tuple[V, ...]:
        """What the property asks of an index, to be asserted when the element is accessed."""
        return ()

    def check_distance(self, pointer: Node, index: Node, number: Term) -> None:
        """Assert what the property asks of a number that is added to a pointer."""

    def check_pointer(self, n: Node, origin: Term | Object, result: Term) -> None:
        """Assert what the property asks of pointer arithmetic."""

    def check_arithmetic(self, operator: int, a: Term, b: Term | None, t: CType) -> None:
        """Assert what the property asks of an arithmetic operation."""


def _int(t: Term) -> int:
    assert isinstance(t.data, int)
    return t.data
