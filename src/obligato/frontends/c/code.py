"""The code of one function while it is lowered: where statements go, fresh variables, addresses,
conditions.

Every part of the lowering (`Part`; lowering.py lists them) emits its statements here and shares
nothing else with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast, overload

from obligato.errors import NO_SPAN, Span, Unsupported
from obligato.frontends.c.context import Context
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function, Object
from obligato.frontends.c.places import V, Value
from obligato.frontends.c.purity import has_effects
from obligato.frontends.c.sequencing import ORDER, Effects, effects_of
from obligato.frontends.c.types import ArrayType, CType, FunctionType, PointerType, VoidType
from obligato.program.names import source_name
from obligato.program.syntax import LIMIT, Assert, Assign, Statement, Variable
from obligato.terms import Op, Sort, Term, bitvec


class Code:
    """The statements and local variables of one function."""

    def __init__(self, context: Context, function: Function, entry: str) -> None:
        self.context = context
        self.function = function
        self.store = context.store
        self.regions = context.regions
        self.width = context.width
        self.out: list[Statement] = []
        self.locals: dict[str, Variable] = {}
        self.scope = context.scopes.function(source_name(function.name), function.node)
        self._span: Span = NO_SPAN
        self.loops = 0  # around the code that is being lowered
        self.has_labels = False
        # memory from alloca that ends with the function (memory safety)
        self.automatic: dict[Object, None] = {}
        self._entry = entry  # where the program starts
        # made by `local`: outside of loops each has one value
        self._temporaries: dict[Term, None] = {}
        self._fixed: dict[Term, None] = {}  # the variables that `captured` made
        self.lengths: dict[ArrayType, Term] = {}  # of variable-length array types

    @property
    def span(self) -> Span:
        """Where the code that is being lowered stands, with the scope that it is in."""
        return self._span

    @span.setter
    def span(self, span: Span) -> None:
        self._span = replace(span, scope=self.scope)

    def place_of(self, n: Node) -> Span:
        """Where a part of the code that is being lowered stands, with the scope that it is in."""
        return replace(n.span, scope=self.scope)

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
        """A fresh local variable; its name is not used in copies of the function either."""
        full = self.regions.local_name(self.function.name, name)
        self.locals[full] = Variable(full, sort, span=self.span)
        t = self.store.var(full, sort)
        self._temporaries[t] = None
        return t

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
        return Unsupported(
            detail or f"{construct} is not supported",
            n.span if n is not None else self.span,
            construct,
        )

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

    def dynamic_size(self, t: CType) -> Term | None:
        """The size of a type that has variable-length arrays inside; None if it is not known."""
        sizes: list[Term] = []
        while isinstance(t, ArrayType) and t.size < 0:
            length = (
                self.lengths.get(t)
                if t.variable
                else self.address(t.count)
                if t.count is not None
                else None
            )
            if length is None:
                return None
            sizes.append(length)
            t = t.element
        total: Term = self.address(t.size)
        for n in sizes:
            total = self.store.mk(Op.BVMUL, (total, n))
        return total if t.size >= 0 else None

    # -- conditions

    def require(self, c: Term, label: str, kind: str | None = None) -> None:
        """Assert `c`, unless it is obvious."""
        if c is not self.store.true:
            self.emit(
                Assert(c, label, span=self.span)
                if kind is None
                else Assert(c, label, kind, self.span)
            )

    def between(self, a: Term, low: int, high: int) -> Term:
        """low <= a <= high."""
        s = self.store
        if a.is_const and isinstance(a.data, int):
            return s.bool_(low <= a.data <= high)
        if low == high:
            return s.eq(a, self.address(low))
        return s.mk(Op.BVULE, (self.plus(a, self.address(-low)), self.address(high - low)))

    def either_of(self, options: list[Term]) -> Term:
        """One of them, without the obvious ones."""
        options = [c for c in options if c is not self.store.false]
        if any(c is self.store.true for c in options):
            return self.store.true
        return (
            self.store.or_(*options)
            if len(options) > 1
            else options[0]
            if options
            else self.store.false
        )

    def both_of(self, *parts: Term) -> Term:
        """All of them, without the obvious ones."""
        parts = tuple(c for c in parts if c is not self.store.true)
        if any(c is self.store.false for c in parts):
            return self.store.false
        return self.store.and_(*parts) if len(parts) > 1 else parts[0] if parts else self.store.true

    def negated(self, c: Term) -> Term:
        """Not c, without double negation."""
        if c.is_const:
            return self.store.bool_(not c.data)
        return c.args[0] if c.op is Op.NOT else self.store.not_(c)

    # -- the program around it

    def object_address(self, o: Object) -> Value:
        """Where an object in memory starts; a dynamic address is assigned where the object is
        declared, nowhere else.
        """
        if o.address is not None:
            return self.address(o.address)
        if o.base is None:
            raise self.refuse("use of a variable-length array before its declaration", o.node)
        return Value(o.base)

    def step(self, t: PointerType) -> int:
        """The size of what a pointer points to."""
        if isinstance(t.to, VoidType | FunctionType):
            return 1
        if t.to.size < 0:
            raise self.refuse("arithmetic on a pointer to an incomplete type")
        return t.to.size

    # -- unsequenced operands

    def unsequenced(self, operands: list[Callable[[], list[Term]]]) -> list[list[Term]]:
        """Lower operands one after the other; record that C leaves their order open.

        Each operand is a function that lowers it and returns the terms that stand for it.
        """
        parts: list[Effects] = []
        results: list[list[Term]] = []
        for lower in operands:
            with self.block() as mine:
                terms = lower()
            e = effects_of(mine)
            e.read(terms)
            parts.append(e)
            results.append(terms)
            self.out.extend(mine)
        self.leave_open(parts)
        return results

    def leave_open(self, parts: list[Effects]) -> None:
        """C leaves the order of some operands open, which have been lowered: it must not matter."""
        for gap in self.context.sequencing.unsequenced(
            self.span, [e.fixed(self._temporaries) for e in parts]
        ):
            difference = self.store.mk(Op.BVSUB, (gap.a, gap.b))
            self.require(self.negated(self.between(difference, gap.low, gap.high)), ORDER, LIMIT)

    def effectful(self, n: Node) -> bool:
        """Must `n` be lowered to statements?"""
        return has_effects(n, self.context.prop)

    @property
    def runs_once(self) -> bool:
        """Is the code that is being lowered executed at most once?"""
        return self.loops == 0 and not self.has_labels and self.is_entry

    @property
    def is_entry(self) -> bool:
        """Is this the function where the program starts, entered once?"""
        return self.function.name == self._entry and not self.function.recursive


@dataclass(eq=False, repr=False)
class Part:
    """One concern of the lowering of a function; it has what all of them read, and writes to
    `code`. The fields of its subclasses are the parts that they are built on.
    """

    code: Code

    def __post_init__(self) -> None:
        context = self.context = self.code.context
        self.store = context.store
        self.scalars = context.scalars
        self.types = context.types
        self.usage = context.usage
        self.regions = context.regions
        self.width = context.width
        self.address_sort = bitvec(context.width)
        self.guards = context.prop == "memsafety"


def _int(t: Term) -> int:
    assert isinstance(t.data, int)
    return t.data
