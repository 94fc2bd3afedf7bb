"""Scalar expressions to terms; side effects are emitted as statements before the term is used.

`value` gives a term of the sort of the expression's type, `condition` a Bool (so that a C
comparison stays one), `discard` only the effects.  Conversions are explicit in libclang's tree
(UNEXPOSED_EXPR with a type).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from obligato.frontends.c import catalogue
from obligato.frontends.c import kinds as k
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.characters import CLASSES, is_in_class
from obligato.frontends.c.checks import Checks
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.layout import Layout
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import direct_callee, is_about_literals, is_elvis
from obligato.frontends.c.safety import Safety
from obligato.frontends.c.sizes import Spelled, spelled_type
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    is_scalar,
)
from obligato.program.syntax import LAYOUT, Assign, Havoc, If
from obligato.terms import BOOL, Op, Term


@dataclass(eq=False, repr=False)
class Expressions(Part):
    """Values, conditions and effects of expressions."""

    memory: Memory
    arithmetic: Arithmetic
    layout: Layout
    safety: Safety
    checks: Checks
    places: Places
    assignments: Assignments
    evaluator: Evaluator

    def value(self, n: Node) -> Term:
        """The value of a scalar expression."""
        handler = self._VALUES.get(n.kind)
        if handler is None:
            return self.arithmetic.constant(n)
        return handler(self, n)

    def _sizeof(self, n: Node) -> Term:
        """A constant, except for a variable-length array."""
        spelled = spelled_type(n) if n.evaluate() is None else None
        if spelled is not None:
            return self._size_of_type(spelled, n)
        if n.evaluate() is None and n.operands:
            inner = n.operands[0]
            while inner.kind == k.PAREN:
                inner = inner.operands[0]
            o = self.usage.object(inner.reference) if inner.kind == k.DECL_REF else None
            if o is not None and o.dynamic_size is not None:
                return self.scalars.resize(o.dynamic_size, 8 * n.type.size, False)
            size = self.code.dynamic_size(inner.type) if not self.code.effectful(inner) else None
            if size is not None and inner.type.size < 0:
                return self.scalars.resize(size, 8 * n.type.size, False)
        return self.arithmetic.constant(n)

    def _size_of_type(self, t: Spelled, n: Node) -> Term:
        """The size of an array type that is spelled out; its lengths have their values here."""
        size = (
            self.code.address(t.element)
            if isinstance(t.element, int)
            else self.code.dynamic_size(t.element)
        )
        if size is None:
            raise self.code.refuse("size of a variable-length array type before its declaration", n)
        for length in t.lengths:
            size = self.store.mk(Op.BVMUL, (size, self.places.index(length)))
        return self.scalars.resize(size, 8 * n.type.size, False)

    def _floating(self, n: Node) -> Term:
        if isinstance(n.type, FloatType) and n.type.sort.width > 64:
            return self.scalars.constant(self.usage.tree.exact_literal(n), n.type)
        return self.arithmetic.constant(n)

    def _reference(self, n: Node) -> Term:
        d = n.reference
        if d.kind == k.ENUM_CONSTANT_DECL:
            return self.scalars.constant(
                self.usage.tree.lib.getEnumConstantDeclValue(d.node.cursor), n.type
            )
        if d.kind == k.FUNCTION_DECL:
            return self._function_address(d.name)
        return self.memory.load(self.places.place(n))

    def _function_address(self, name: str) -> Term:
        address = self.usage.function_object(name).address
        if address is None:
            raise self.code.refuse(f"address of function {name}")
        return self.code.address(address)

    def _load_place(self, n: Node) -> Term:
        return self.memory.load(self.places.place(n))

    def _compound(self, n: Node) -> Term:
        return self.assignments.compound(n)

    def _paren(self, n: Node) -> Term:
        return self.value(n.operands[0])

    def _cast(self, n: Node) -> Term:
        operands = n.operands
        if is_elvis(n):
            return self._elvis(n)
        if len(operands) != 1:
            return self.arithmetic.constant(n)
        child, target, source = operands[0], n.type, operands[0].type
        if isinstance(source, ArrayType):
            return self.arithmetic.convert(
                self.places.pointer_to(self.places.place(child), n), self.types_pointer(), target
            )
        if isinstance(source, FunctionType):
            return self._function_pointer(child)
        if isinstance(target, IntType) and target.is_bool:
            return self.arithmetic.as_int(self.condition(child), target)
        if not is_scalar(source) or not is_scalar(target):
            raise self.code.refuse(f"conversion from {source} to {target}", n)
        value = self.value(child)
        if n.learns is False:
            return self.scalars.convert(value, source, target)
        return self.arithmetic.convert(value, source, target)

    def types_pointer(self) -> CType:
        """A pointer type, for conversions of addresses."""
        return PointerType("void *", self.width // 8, lambda: self.types.void)

    def _function_pointer(self, n: Node) -> Term:
        while n.kind == k.PAREN or (n.kind == k.UNARY and n.operator == k.U_EXTENSION):
            n = n.operands[0]
        if n.kind == k.DECL_REF:
            return self._function_address(n.reference.name)
        if n.kind == k.UNARY and n.operator == k.U_DEREF:
            return self.value(n.operands[0])
        raise self.code.refuse("function designator", n)

    def _elvis(self, n: Node) -> Term:
        """GNU ``a ?: b``, whose common operand is evaluated once."""
        common, _, _, other = n.operands
        t = common.type
        a = (
            self.code.captured(self.value(common))
            if self.code.effectful(common)
            else self.value(common)
        )
        test = self.scalars.truth(a, t)
        converted = self.arithmetic.convert(a, t, n.type)
        return self._branch(test, lambda: converted, lambda: self.value(other))

    # -- operators

    def _unary(self, n: Node) -> Term:
        child, operator = n.operands[0], n.operator
        if operator == k.U_DEREF:
            return self.memory.load(self.places.place(n))
        if operator == k.U_ADDR:
            if isinstance(child.type, FunctionType):
                return self._function_pointer(child)
            return self.places.pointer_to(self.places.place(child), n)
        if operator == k.U_LNOT:
            return self.arithmetic.as_int(self.condition(n), n.type)
        if operator in k.STEPS:
            return self.assignments.step_by_one(n, wanted=True)
        if operator in (k.U_EXTENSION, k.U_PLUS, k.U_REAL):
            return self.value(child)
        a = self.value(child)
        if operator == k.U_MINUS:
            self.checks.check_arithmetic(k.B_SUB, self.scalars.constant(0, n.type), a, n.type)
        return self.scalars.unary(operator, a, n.type)

    def _binary(self, n: Node) -> Term:
        operator = n.operator
        if operator == k.B_ASSIGN:
            return self.assignments.simple(n, wanted=True)
        if operator == k.B_COMMA:
            self.discard(n.operands[0])
            return self.value(n.operands[1])
        if operator in (k.B_LAND, k.B_LOR) or operator in k.COMPARISONS:
            return self.arithmetic.as_int(self.condition(n), n.type)
        if self.guards and isinstance(n.type, PointerType):
            origin, result = self.sum_of(n)
            self.safety.check_pointer(n, origin, result)
            return result
        left, right = n.operands
        a, b = self.both(left, right)
        if n.learns:
            self.layout.learn_order(n, a, b)
        return self.arithmetic.arithmetic(operator, a, left.type, b, right.type, n.type)

    def sum_of(self, n: Node) -> tuple[Term, Term]:
        """A pointer plus or minus an integer: the pointer and the result."""
        left, right = n.operands
        a, b = self.both(left, right)
        pointer, number = (left, b) if isinstance(left.type, PointerType) else (right, a)
        self.safety.check_distance(pointer, right if pointer is left else left, number)
        return a if pointer is left else b, self.arithmetic.arithmetic(
            n.operator, a, left.type, b, right.type, n.type
        )

    def both(self, left: Node, right: Node) -> tuple[Term, Term]:
        """Two unsequenced operands."""
        if not self.code.effectful(left) and not self.code.effectful(right):
            return self.value(left), self.value(right)
        (a,), (b,) = self.code.unsequenced(
            [lambda: [self.value(left)], lambda: [self.value(right)]]
        )
        return a, b

    def _conditional(self, n: Node) -> Term:
        c, a, b = n.operands
        test = self.condition(c)
        if test is self.store.true or test is self.store.false:
            return self.value(a if test is self.store.true else b)
        return self._branch(test, lambda: self.value(a), lambda: self.value(b))

    def _branch(self, test: Term, then: Callable[[], Term], otherwise: Callable[[], Term]) -> Term:
        """A conditional value: an expression, or a branch if an operand has effects."""
        with self.code.block() as first:
            a = then()
        with self.code.block() as second:
            b = otherwise()
        if not first and not second:
            return self.store.ite(test, a, b)
        t = self.code.local("t", a.sort)
        first.append(Assign((t,), (a,), self.code.span))
        second.append(Assign((t,), (b,), self.code.span))
        self.code.emit(If(test, tuple(first), tuple(second), self.code.span))
        return t

    # -- conditions

    def condition(self, n: Node) -> Term:
        """The truth of a scalar expression."""
        if n.kind == k.PAREN or (n.kind == k.UNARY and n.operator == k.U_EXTENSION):
            return self.condition(n.operands[0])
        if n.kind == k.UNARY and n.operator == k.U_LNOT:
            return self.code.negated(self.condition(n.operands[0]))
        if (
            n.kind in (k.UNEXPOSED_EXPR, k.CAST)
            and len(n.operands) == 1
            and _keeps_truth(n.operands[0].type, n.type)
        ):
            return self.condition(n.operands[0])
        if n.kind == k.BINARY:
            if n.operator in (k.B_LAND, k.B_LOR):
                return self._short_circuit(n)
            if n.operator in k.COMPARISONS:
                return self._comparison(n)
        if n.kind == k.CALL and direct_callee(n.operands[0]) in catalogue.TRANSPARENT:
            if not any(self.code.effectful(a) for a in n.operands[2:]):
                return self.condition(n.operands[1])
        name = direct_callee(n.operands[0]) if n.kind == k.CALL and len(n.operands) == 2 else None
        if (
            name in CLASSES
            and name not in self.usage.definitions
            and n.operands[1].type is self.usage.tree.types.int
        ):
            # which number stands for true does not matter
            return is_in_class(name, self.value(n.operands[1]))
        n.only_sign = n.kind == k.CALL
        return self.scalars.truth(self.value(n), n.type)

    def _comparison(self, n: Node) -> Term:
        left, right = n.operands
        if self.regions.addresses == "any" and is_about_literals(left, right):
            either = self.code.local("any", BOOL)
            self.code.emit(Havoc((either,), LAYOUT, self.code.span))
            return either
        if n.operator in (k.B_EQ, k.B_NE) and _is_truth_value(left) and _is_zero(right):
            c = self.condition(left)
            return c if n.operator == k.B_NE else self.code.negated(c)
        if _is_zero(right):
            called = _bare(left)
            called.only_sign = called.kind == k.CALL
        a, b = self.both(left, right)
        if n.learns:
            (
                self.layout.learn_equality
                if n.operator in (k.B_EQ, k.B_NE)
                else self.layout.learn_order
            )(n, a, b)
        return self.scalars.compare(n.operator, a, b, left.type)

    def _short_circuit(self, n: Node) -> Term:
        left, right = n.operands
        conjunction = n.operator == k.B_LAND
        a = self.condition(left)
        with self.code.block() as body:
            b = self.condition(right)
        if not body:
            return self.store.and_(a, b) if conjunction else self.store.or_(a, b)
        t = self.code.local("c", BOOL)
        self.code.assign(t, a)
        body.append(Assign((t,), (b,), self.code.span))
        span = self.code.place_of(right)
        self.code.emit(
            If(t, tuple(body), (), span) if conjunction else If(t, (), tuple(body), span)
        )
        return t

    # -- effects

    def discard(self, n: Node) -> None:
        """Only the effects of an expression."""
        if not self.code.effectful(n):
            return
        extension = n.kind == k.UNARY and n.operator == k.U_EXTENSION
        if extension or (n.kind in (k.PAREN, k.CAST, k.UNEXPOSED_EXPR) and len(n.operands) == 1):
            self.discard(n.operands[0])
        elif n.kind == k.BINARY and n.operator == k.B_ASSIGN:
            self.assignments.simple(n, wanted=False)
        elif n.kind == k.COMPOUND_ASSIGN:
            self.assignments.compound(n, wanted=False)
        elif n.kind == k.UNARY and n.operator in k.STEPS:
            self.assignments.step_by_one(n, wanted=False)
        elif n.kind == k.CALL:
            self.evaluator.call(n, wanted=False)
        elif n.kind == k.STMT_EXPR:
            self.evaluator.statement_expression(n, wanted=False)
        else:
            self._discard_operator(n)

    def _discard_operator(self, n: Node) -> None:
        if n.kind == k.BINARY and n.operator == k.B_COMMA:
            for c in n.operands:
                self.discard(c)
        elif n.kind == k.CONDITIONAL:
            test = self.condition(n.operands[0])
            self._either(test, n.operands[1], n.operands[2])
        elif n.kind == k.BINARY and n.operator in (k.B_LAND, k.B_LOR):
            test = self.condition(n.operands[0])
            self._either(
                test if n.operator == k.B_LAND else self.code.negated(test), n.operands[1], None
            )
        elif isinstance(n.type, RecordType | VoidType):
            self.places.place(n)
        else:
            self.value(n)

    def _either(self, test: Term, a: Node, b: Node | None) -> None:
        with self.code.block() as then:
            self.discard(a)
        with self.code.block() as otherwise:
            if b is not None:
                self.discard(b)
        self.code.emit(If(test, tuple(then), tuple(otherwise), self.code.span))

    def _call_value(self, n: Node) -> Term:
        result = self.evaluator.call(n, wanted=True)
        if not isinstance(result, Term) or result.sort is not n.type.sort:
            raise self.code.refuse("value of a call", n)
        return result

    def _statement_value(self, n: Node) -> Term:
        result = self.evaluator.statement_expression(n, wanted=True)
        if not isinstance(result, Term):
            raise self.code.refuse("value of a statement expression", n)
        return result

    # -- unsequenced operands

    def discard_all(self, operands: list[Node]) -> None:
        """The effects of operands whose values do not matter, but whose order does where their
        effects meet.
        """

        def lower(n: Node) -> list[Term]:
            self.discard(n)
            return []

        self.code.unsequenced([lambda n=n: lower(n) for n in operands])  # type: ignore[misc]

    _VALUES: ClassVar[dict[int, Callable[[Expressions, Node], Term]]] = {}


Expressions._VALUES = {
    k.DECL_REF: Expressions._reference,
    k.MEMBER: Expressions._load_place,
    k.SUBSCRIPT: Expressions._load_place,
    k.PAREN: Expressions._paren,
    k.CAST: Expressions._cast,
    k.UNEXPOSED_EXPR: Expressions._cast,
    k.FLOATING: Expressions._floating,
    k.UNARY: Expressions._unary,
    k.BINARY: Expressions._binary,
    k.COMPOUND_ASSIGN: Expressions._compound,
    k.SIZEOF: Expressions._sizeof,
    k.CONDITIONAL: Expressions._conditional,
    k.CALL: Expressions._call_value,
    k.STMT_EXPR: Expressions._statement_value,
    k.COMPOUND_LITERAL: Expressions._load_place,
}


def _keeps_truth(source: CType, target: CType) -> bool:
    """Is a converted value zero exactly if the value was?"""
    if isinstance(target, IntType) and target.is_bool:
        return is_scalar(source)
    integers = isinstance(source, IntType | PointerType) and isinstance(
        target, IntType | PointerType
    )
    return integers and target.size >= source.size


def _bare(n: Node) -> Node:
    """What is inside of parentheses, and of conversions that keep the truth of a value."""
    while n.kind == k.PAREN or (
        n.kind in (k.UNEXPOSED_EXPR, k.CAST)
        and len(n.operands) == 1
        and _keeps_truth(n.operands[0].type, n.type)
    ):
        n = n.operands[0]
    return n


def _is_truth_value(n: Node) -> bool:
    n = _bare(n)
    if n.kind == k.BINARY:
        return n.operator in k.COMPARISONS or n.operator in (k.B_LAND, k.B_LOR)
    return n.kind == k.UNARY and n.operator == k.U_LNOT


def _is_zero(n: Node) -> bool:
    while n.kind in (k.PAREN, k.UNEXPOSED_EXPR) and len(n.operands) == 1:
        n = n.operands[0]
    return n.kind == k.INTEGER and n.evaluate() == 0
