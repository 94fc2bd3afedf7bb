"""The first pass over statements and expressions: which objects there are, whose address is taken,
what may point where.

`Flow` walks expressions in two modes. `value(n)` is the points-to class that the value of `n` may
point into (None if it carries no pointer), `place(n)` the class of the lvalue `n`.  Integers carry
no pointers, except that a pointer cast to an integer makes its target *unknown*: one class for
everything that may be reached through invented addresses. A cast that lets two types see the same
memory attaches both as views; memory.py keeps such classes as bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from obligato.errors import Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.conversions import Conversions
from obligato.frontends.c.loads import is_behind, loaded, stepped
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object
from obligato.frontends.c.observations import (
    compared_pointers,
    is_among_numbers,
    is_in_union,
    keep_secret,
)
from obligato.frontends.c.patterns import (
    Inside,
    address_inside,
    decayed_array,
    is_constant_index,
    is_indexed,
    is_nowhere,
    is_null,
    member_of,
    strip_parentheses,
)
from obligato.frontends.c.refused_early import refuse_acting_sizes, refuse_sizes, refuse_wide_fields
from obligato.frontends.c.sizes import spelled_type
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    element_type,
    is_variable,
)
from obligato.frontends.c.views import Container

MAX_DEPTH = 2000  # nested statements or operands


class Flow(Conversions):
    """What may point where; calls are in usage.py."""

    _VALUES: ClassVar[dict[int, Callable[[Any, Node], int | None]]] = {}  # by kind of expression

    # -- statements

    def statement(self, root: Node) -> None:
        """Walk a statement; without recursion, since nesting may be deep."""
        stack = [root]
        while stack:
            n = stack.pop()
            if n.kind in k.EXPRESSIONS:
                self.value(n)
            elif n.kind == k.DECL_STMT:
                for d in n.children:
                    self._declare(d)
            elif n.kind == k.RETURN:
                for e in n.operands:
                    self._return(e)
            else:
                if n.kind == k.SWITCH:
                    refuse_wide_fields(n)
                stack.extend(reversed(n.operands))

    def _return(self, e: Node) -> None:
        v = self.value(e)
        if v is not None and self._current is not None:
            self.points.unify(self._current.result_class, v)

    def _declare(self, d: Node) -> None:
        if d.kind == k.TYPEDEF_DECL:
            self.lengths([c for c in d.children if c.kind in k.EXPRESSIONS])
        if d.kind != k.VAR_DECL:
            return
        o = self.object(d.tree.declaration(d.cursor))
        if o.kind == "global":
            return
        if isinstance(o.type, ArrayType) and o.type.variable:
            o.dynamic_index = True
            # the type of an expression (typeof) is not lowered, the lengths are
            refuse_acting_sizes([c for c in d.operands if not isinstance(c.type, IntType)])
            for c in d.operands:
                self.value(c)
        start = d.tree.initialiser(d)
        if not (isinstance(o.type, ArrayType) and o.type.variable) and is_variable(o.type):
            refuse_acting_sizes(d.operands if start is None else d.operands[:-1])
        if start is not None:
            self.initialise(o.location, start, o.type)

    def lengths(self, lengths: list[Node]) -> None:
        """The lengths in an array type; they must have no effects."""
        refuse_acting_sizes(lengths)
        for n in lengths:
            self.value(n)

    def _sizeof(self, n: Node) -> None:
        refuse_sizes(n)
        spelled = spelled_type(n) if n.evaluate() is None else None
        self.lengths([] if spelled is None else spelled.lengths)

    def initialise(self, location: int, start: Node, t: CType) -> None:
        """Contents of an object come from an initialiser."""
        if start.kind == k.INIT_LIST:
            for c in start.operands:
                self.initialise(location, c, t)
        elif start.kind == k.UNEXPOSED_EXPR and isinstance(
            start.type, VoidType
        ):  # a designated initialiser
            for c in start.operands[-1:]:
                self.initialise(location, c, t)
        elif (
            start.kind == k.STRING
        ):  # the contents of an array; for a pointer the literal is converted
            return
        else:
            v = self.value(start)
            if v is not None and not is_null(start):
                self.points.unify(self._initialised(location, start, t), v)

    # -- expressions

    def value(self, n: Node) -> int | None:
        """The class that the value of an expression may point into."""
        if n.points_to != -1:
            return n.points_to
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unsupported(f"more than {MAX_DEPTH} nested operands", n.span, "deep nesting")
        handler = self._VALUES.get(n.kind)
        result = handler(self, n) if handler else self._other(n)
        self._depth -= 1
        n.points_to = result
        return result

    def _other(self, n: Node) -> int | None:
        for c in n.operands:
            self.value(c)
        return None

    def _load(self, n: Node) -> int | None:
        location = self.place(n)
        self.reads_unions |= is_in_union(n)
        if self.volatile is None and self.tree.is_volatile(n):
            self.volatile = n
        if is_among_numbers(n):
            self.read_as_numbers.append(location)
        load = loaded(n)
        if load is not None:
            self.loads.setdefault(location, {})[load] = None
        return self._contents(location, n.type)

    def _write(self, n: Node) -> None:
        """A number is written."""
        self.writes_unions |= is_in_union(n)
        if is_among_numbers(n):
            self.written_as_numbers.append(self.place(n))

    def _contents(self, location: int, t: CType) -> int | None:
        if isinstance(t, ArrayType | FunctionType):
            return location
        return self.contents(location, t) if isinstance(t, PointerType | RecordType) else None

    def _reference(self, n: Node) -> int | None:
        d = n.reference
        if d.kind == k.FUNCTION_DECL:
            return self._function_value(n)
        return self._load(n) if d.kind in (k.VAR_DECL, k.PARM_DECL) else None

    def _function_value(self, n: Node) -> int:
        name = n.reference.name
        if name in self.definitions:
            self.function(name)
        return self.function_object(name).location

    def _paren(self, n: Node) -> int | None:
        return self.value(n.operands[0])

    def _string(self, n: Node) -> int | None:
        return self.site(n, "string", n.type).location

    def _cast(self, n: Node) -> int | None:
        operands = n.operands
        if len(operands) != 1:
            return self._odd(n)
        if n.kind == k.CAST:
            refuse_acting_sizes(n.children[:-1])
        child, target = operands[0], n.type
        if isinstance(child.type, ArrayType) and isinstance(target, PointerType):
            self._escape(child)
            self._check_view(element_type(child.type), target, self.place(child))
            return self._address(child)
        source = child.type
        if isinstance(source, IntType) and isinstance(target, PointerType):
            return self._invented(child, target)
        inside = member_of(n)
        if inside is not None:
            return self._container(n, inside)
        v = self.value(child)
        if isinstance(source, PointerType) and isinstance(target, PointerType) and v is not None:
            if not self._allocates(child, target):
                self._check_view(source.to, target, v)
            return v
        if isinstance(source, PointerType) and isinstance(target, IntType) and not target.is_bool:
            if n.learns is None and not is_nowhere(n):
                n.learns = self.exposes = True
                if v is not None:
                    self.points.unify(v, self.unknown)
            return None
        return v

    def _container(self, n: Node, inside: Inside) -> int:
        """A pointer to a member becomes one to the record around it."""
        v = self.value(inside.pointer)
        if v is None:
            v = self.points.new()
        for x in [inside.pointer, *inside.way]:
            x.points_to = v
        self.value(inside.distance)
        self.moved.append(v)
        self.behind.append(v)
        assert isinstance(n.type, PointerType) and isinstance(n.type.to, RecordType)
        self.add_container(Container(v, n.type.to, inside.member, inside.offset))
        return v

    def _invented(self, n: Node, target: PointerType) -> int | None:
        """Where a pointer made of an integer points."""
        pointer = address_inside(n)
        self.invents |= pointer is None and not is_nowhere(n)
        if pointer is not None:
            keep_secret(n)
        self.value(n)
        if pointer is not None:
            v = self.value(pointer)
            if v is not None and isinstance(pointer.type, PointerType):
                self._check_view(pointer.type.to, target, v)
            return v
        return self.points.new() if n.evaluate() == 0 else self.from_elsewhere()

    def _odd(self, n: Node) -> int | None:
        """An UNEXPOSED_EXPR that is no cast: ``a ?: b`` and unknown ones."""
        refuse_wide_fields(n)
        values = [self.value(c) for c in n.operands]
        return self._join(values)

    def _join(self, values: list[int | None]) -> int | None:
        known = [v for v in values if v is not None]
        for v in known[1:]:
            self.points.unify(known[0], v)
        return known[0] if known else None

    def _unary(self, n: Node) -> int | None:
        child = n.operands[0]
        if n.operator == k.U_ADDR:
            if child.kind == k.DECL_REF and child.reference.kind == k.FUNCTION_DECL:
                return self._function_value(child)
            self._escape(child)
            return self._address(child)
        if n.operator == k.U_DEREF:
            return self._load(n)
        if n.operator in (k.U_MINUS, k.U_NOT):
            refuse_wide_fields(n)
        v = self.value(child)
        if n.operator in k.STEPS:
            self._write(child)
            self.move(v, n.type)
        return v if n.operator in k.STEPS or n.operator == k.U_EXTENSION else None

    def _address(self, n: Node) -> int:
        """Where an lvalue is; the address of an element may be the end of the array."""
        if is_indexed(n):
            self.moved.append(self.place(n))
            self.steps.append((self.place(n), stepped(n)))
        if is_behind(n):
            self.behind.append(self.place(n))
        return self.place(n)

    def _binary(self, n: Node) -> int | None:
        left, right = n.operands
        if (n.operator == k.B_ASSIGN or n.kind == k.COMPOUND_ASSIGN) and not is_null(right):
            self._write(left)
        if n.operator == k.B_ASSIGN:
            location, v = self.place(left), self.value(right)
            if v is not None:
                self.points.unify(self.contents(location, left.type), v)
            return v
        self._compare(n)
        refuse_wide_fields(n)
        chain, moves = (
            [],
            isinstance(n.type, PointerType),
        )  # a + b + c + ... is a left-deep chain of any length
        while (
            left.kind == k.BINARY
            and left.operator not in (k.B_ASSIGN, k.B_COMMA)
            and moves is isinstance(left.type, PointerType)
        ):
            self._compare(left)
            refuse_wide_fields(left)
            chain.append(self.value(right))
            left, right = left.operands
        chain += [self.value(right), self.value(left)]
        if n.operator == k.B_COMMA:
            return chain[0]
        if not moves:
            return None
        v = self._join(chain)
        self.move(v, n.type)
        return v

    def _compare(self, n: Node) -> None:
        """A binary operator that may tell where pointers point to."""
        known = len(self.observations)
        self.observe(n)
        if len(self.observations) > known:
            classes = [self.value(p) for p in compared_pointers(n) if p is not None]
            self.compared.append([c for c in classes if c is not None])

    def _conditional(self, n: Node) -> int | None:
        c, a, b = n.operands
        refuse_wide_fields(n)
        self.value(c)
        return self._join([self.value(a), self.value(b)])

    def _statement_expression(self, n: Node) -> int | None:
        body = n.operands[0]
        self.statement(body)
        last = body.operands[-1] if body.operands else None
        return self.value(last) if last is not None and last.kind in k.EXPRESSIONS else None

    def place(self, n: Node) -> int:
        """The class of an lvalue."""
        if n.kind == k.DECL_REF:
            d = n.reference
            if d.kind == k.FUNCTION_DECL:
                return self._function_value(n)
            return self.object(d).location
        if n.kind in (k.PAREN, k.CAST, k.UNEXPOSED_EXPR) and len(n.operands) == 1:
            return self.place(n.operands[0])
        if n.kind == k.MEMBER:
            base = n.operands[0]
            return self.target(base) if isinstance(base.type, PointerType) else self.place(base)
        if n.kind == k.SUBSCRIPT:
            return self._subscript(n)
        if n.kind == k.UNARY and n.operator == k.U_DEREF:
            return self.target(n.operands[0])
        if n.kind == k.STRING:
            return self.site(n, "string", n.type).location
        if n.kind == k.COMPOUND_LITERAL:
            refuse_acting_sizes(n.operands[:-1])
            o = self.site(n, "literal", n.type)
            self.initialise(o.location, n.operands[-1], o.type)
            return o.location
        v = self.value(n)  # an rvalue of record type: a nameless object with these contents
        location = self.points.new()
        if v is not None:
            self.points.unify(self.points.pointee(location), v)
        return location

    def target(self, pointer: Node) -> int:
        """The class that a pointer expression points into; an array that decays only for this
        access does not escape.
        """
        array = decayed_array(pointer)
        if array is not None:
            return self.place(array)
        v = self.value(pointer)
        if v is None:
            v = pointer.points_to = self.points.new()
        self.dereferenced[v] = None
        return v

    def _subscript(self, n: Node) -> int:
        a, b = n.operands
        base, index = (a, b) if isinstance(a.type, PointerType) else (b, a)
        self.value(index)
        if not is_constant_index(index):
            root = self.root(n)
            if root is not None:
                root.dynamic_index = True
        target = self.target(base)
        if decayed_array(base) is None and not is_null(index):
            self.stride(target, base.type)
        return target

    def root(self, n: Node) -> Object | None:
        """The variable of which an lvalue is a part, unless it goes through a pointer."""
        while True:
            if n.kind == k.DECL_REF:
                return (
                    self.object(n.reference)
                    if n.reference.kind in (k.VAR_DECL, k.PARM_DECL)
                    else None
                )
            if n.kind == k.MEMBER or (
                n.kind in (k.PAREN, k.UNEXPOSED_EXPR, k.CAST) and len(n.operands) == 1
            ):
                n = n.operands[0]
                if isinstance(n.type, PointerType):
                    return None
            elif n.kind == k.SUBSCRIPT:
                a, b = n.operands
                n = strip_parentheses(a if isinstance(a.type, PointerType) else b)
                if not (
                    n.kind == k.UNEXPOSED_EXPR
                    and n.operands
                    and isinstance(n.operands[0].type, ArrayType)
                ):
                    return None
            else:
                return None

    def _escape(self, n: Node) -> None:
        root = self.root(n)
        if root is not None:
            root.address_taken = True
