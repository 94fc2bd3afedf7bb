"""Expressions of SMV as terms, in the scope of an instance, about this state or the next one.

What the language leaves to luck is an *obligation*: a case in which no condition holds, an index
outside its array, a division by zero, a value that its variable cannot have. `obligations` are
formulas that must be unsatisfiable, each with its place; what guards the expression guards its
obligations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.smv.instances import Definition, Elements, Instance, Scalar, Symbol, Tree
from obligato.frontends.smv.operators import Operators
from obligato.frontends.smv.syntax import Expr
from obligato.frontends.smv.types import BOOLEAN, REALS, Map, Numbers, Type, Word
from obligato.frontends.smv.values import Between, Either, Pick, Val, Value
from obligato.terms import REAL, Term, TermStore
from obligato.terms.numerals import number_text

T = TypeVar("T")
MAX_OBLIGATIONS = (
    2000  # from then on definitions are judged by themselves, without what guards their uses
)
_LOGIC = ("&", "|", "xor", "xnor", "->", "<->")
_ARITHMETIC = ("+", "-", "*", "/", "mod")
_COMPARE = ("=", "!=", "<", ">", "<=", ">=")


@dataclass(frozen=True, slots=True)
class Obligation:
    """A formula that must be unsatisfiable, what it would mean, and where."""

    bad: Term
    message: str
    span: Span


class Translator:
    """The meaning of expressions. `now` and `later` are the terms of the variables; `assigned`
    those that have a value in every state by an assignment `x := e`, which is used instead of them.
    """

    def __init__(self, tree: Tree, store: TermStore, wide: bool) -> None:
        self.tree, self.store = tree, store
        self.ops = Operators(store, wide, self.must_not)
        self.now: dict[Scalar, Term] = {}
        self.later: dict[Scalar, Term] = {}
        self.assigned: dict[Scalar, tuple[Expr, Instance, Span]] = {}
        self.running: dict[Instance, Term] = {}
        self.obligations: list[Obligation] = []
        self._guards: list[Term] = []
        self._memo: dict[tuple[Symbol, bool], tuple[Value, list[Obligation]]] = {}
        self._depending: dict[tuple[Symbol, bool], None] = {}
        self._next = False
        for v in tree.variables:
            sort = self.ops.sort(v.type, v.span)
            self.now[v] = store.var(v.name, sort)
            self.later[v] = store.var(f"{v.name}'", sort)

    # -- obligations -------------------------------------------------------------------------------

    def must_not(self, bad: Term, message: str, span: Span) -> None:
        """Note that something must never be true where the expression counts."""
        if bad is not self.store.false:
            self.obligations.append(Obligation(self.store.and_(*self._guards, bad), message, span))

    def under(self, guard: Term, work: Callable[[], T]) -> T:
        """The result of work whose obligations count only where `guard` holds."""
        self._guards.append(guard)
        try:
            return work()
        finally:
            self._guards.pop()

    def _shared(
        self, key: tuple[Symbol, bool], e: Expr, scope: Instance, name: str, span: Span
    ) -> Value:
        """The value of a definition, translated once; its obligations count wherever it is used."""
        if key not in self._memo:
            if key in self._depending:
                raise InputError(f"the definition of {name} is circular", span)
            self._depending[key] = None
            outer, guards, moment = self.obligations, self._guards, self._next
            self.obligations, self._guards, self._next = [], [], key[1]
            try:
                self._memo[key] = self.value(e, scope), self.obligations
            finally:
                self.obligations, self._guards, self._next = outer, guards, moment
                del self._depending[key]
        value, inner = self._memo[key]
        if inner:
            guards = self._guards if len(self.obligations) < MAX_OBLIGATIONS else []
            self.obligations += [
                Obligation(self.store.and_(*guards, o.bad), o.message, o.span) for o in inner
            ]
        return value

    # -- names -------------------------------------------------------------------------------------

    def variable(self, v: Scalar, span: Span) -> Value:
        """The value of a variable."""
        if v in self.assigned:
            value, place = self.current(v), self.assigned[v][2]
            if isinstance(value, Val):
                self.ops.common(value.type, v.type, place)
                return Val(v.type, self.ops.cast(value, v.type, place))
        if self._next and v.kind == "IVAR":
            raise InputError(f"{v.name} is an input variable: it has no next value", span)
        return Val(v.type, (self.later if self._next else self.now)[v])

    def current(self, v: Scalar) -> Value:
        """What is assigned to a variable in every state. Requires: something is."""
        e, scope, place = self.assigned[v]
        return self._shared((v, self._next), e, scope, v.name, place)

    def _named(self, e: Expr, scope: Instance) -> Value:
        found = self.tree.symbol(e, scope)
        match found:
            case Scalar():
                return self.variable(found, e.span)
            case Definition():
                return self._shared(
                    (found, self._next), found.value, found.scope, found.name, found.span
                )
            case Elements():
                raise InputError("an array has no value; name one of its elements", e.span)
            case Instance():
                raise InputError("an instance of a module has no value", e.span)
        if e.op == "name" and e.data == "running" and not self._next:
            return Val(BOOLEAN, self._running(scope, e.span))
        if (
            e.op == "."
            and e.data == "running"
            and isinstance(place := self.tree.symbol(e.args[0], scope), Instance)
        ):
            return Val(BOOLEAN, self._running(place, e.span))
        if e.op == "name" and e.data in self.tree.constants:
            return self.ops.symbol(str(e.data))
        raise InputError(f"{e.data} is not declared", e.span)

    def _running(self, scope: Instance, span: Span) -> Term:
        process = scope.process or self.tree.main
        if process not in self.running:
            raise InputError("running is not declared: there are no processes", span)
        return self.running[process]

    def _element(self, e: Expr, scope: Instance) -> Value:
        """An element; where the index is not constant, a choice by it."""
        ops, place = self.ops, self.tree.symbol(e.args[0], scope)
        if not isinstance(place, Elements):
            if self.tree.symbol(e, scope) is not None:
                return self._named(e, scope)
            a = self.one(e.args[0], scope)
            if isinstance(a.type, Map):
                return ops.read(a, self.one(e.args[1], scope), e.span)
            raise InputError(
                f"an array is needed, not a value of {a.type}; bits of a word are w[i:i]", e.span
            )
        if self.tree.fixed(e.args[1], scope) is not None:
            return self._named(e, scope)
        index = self.one(e.args[1], scope)
        if isinstance(index.type, Word):
            index = ops.to_number(index, e.span)
        outside = self.store.not_(
            ops.inside(index, Numbers(place.low, place.low + len(place.items) - 1), e.span)
        )
        self.must_not(outside, "the index is outside the array", e.span)
        out: Value | None = None
        for n, item in reversed(list(enumerate(place.items, place.low))):
            if not isinstance(item, Scalar):
                raise Unsupported(
                    "a variable index into an array of arrays is not supported",
                    e.span,
                    "array index",
                )
            value = self.variable(item, e.span)
            out = (
                value
                if out is None
                else self.either(
                    ops.equal(index, ops.number(n, e.span), e.span), value, out, e.span
                )
            )
        assert out is not None
        return out

    # -- expressions -------------------------------------------------------------------------------

    def one(self, e: Expr, scope: Instance) -> Val:
        """An expression that is no set."""
        return self.only(self.value(e, scope), e.span)

    def only(self, value: Value, span: Span) -> Val:
        """A value that is no set."""
        if not isinstance(value, Val):
            raise InputError("one value is needed, not a set; write `in` instead of `=`", span)
        return value

    def boolean(self, e: Expr, scope: Instance) -> Term:
        """A formula."""
        return self.ops.boolean(self.one(e, scope), e.span)

    def value(self, e: Expr, scope: Instance) -> Value:
        """Any expression."""
        ops, op = self.ops, e.op
        match op:
            case "int":
                return ops.number(int(e.data), e.span)  # type: ignore[arg-type]
            case "bool":
                return ops.truth(bool(e.data))
            case "real":
                return Val(REALS, self.store.const(e.data, REAL))
            case "word":
                assert isinstance(e.data, tuple)
                signed, width, number = e.data
                return Val(Word(signed, width), self.store.bv(number, width))
            case "name" | "." | "self":
                return self._named(e, scope)
            case "[]":
                return self._element(e, scope)
            case "next":
                return self._later(e, scope)
            case "?:":
                always = Expr("bool", (), e.span, True)
                return self._case((*e.args[:2], always, e.args[2]), scope, e.span)
            case "case":
                return self._case(e.args, scope, e.span)
            case "..":
                return self._range(e, scope)
            case "{}" | "union":
                return Pick(tuple([self.value(a, scope) for a in e.args]))
            case "in":
                return self._member(e, scope)
            case "call":
                return self._call(e, scope)
            case "[:]":
                high, low = (self.tree.number(a, scope) for a in e.args[1:])
                return ops.bits(self.one(e.args[0], scope), high, low, e.span)
        if op in ("!", "neg"):
            a = self.one(e.args[0], scope)
            return ops.negate(a, e.span) if op == "!" else ops.minus(a, e.span)
        return self._binary(e, scope)

    def _member(self, e: Expr, scope: Instance) -> Val:
        v, among = self.value(e.args[0], scope), self.value(e.args[1], scope)
        if not isinstance(v, Val):
            raise Unsupported("a set on the left of `in` is not supported", e.span, "set in")
        return Val(BOOLEAN, self.ops.member(v, among, e.span))

    def _binary(self, e: Expr, scope: Instance) -> Val:
        ops, op = self.ops, e.op
        chain = _chain(e) if op in ("&", "|") else [e.args[0], e.args[1]]
        parts = [self.one(a, scope) for a in chain]
        if len(parts) > 2 and all(p.type == BOOLEAN for p in parts):
            terms = [p.term for p in parts]
            return Val(BOOLEAN, self.store.and_(*terms) if op == "&" else self.store.or_(*terms))
        a = parts[0]
        for b in parts[1:]:
            if op in _LOGIC:
                a = ops.logic(op, a, b, e.span)
            elif op in _ARITHMETIC:
                a = ops.arithmetic(op, a, b, e.span)
            elif op in _COMPARE:
                a = ops.compare(op, a, b, e.span)
            elif op == "::":
                a = ops.concatenate(a, b, e.span)
            elif op in ("<<", ">>"):
                a = ops.shift(op, a, b, e.span)
            else:
                raise InputError(f"{op} cannot stand here", e.span)
        return a

    def _later(self, e: Expr, scope: Instance) -> Value:
        if self._next:
            raise InputError("next inside next", e.span)
        self._next = True
        try:
            return self.value(e.args[0], scope)
        finally:
            self._next = False

    def _range(self, e: Expr, scope: Instance) -> Value:
        low, high = (self.tree.number(a, scope) for a in e.args)
        if high < low:
            raise InputError(f"the range {low}..{high} is empty", e.span)
        return Between(low, high)

    def _case(self, parts: Sequence[Expr], scope: Instance, span: Span) -> Value:
        s, branches, before = self.store, list[tuple[Term, Value]](), list[Term]()
        for c, e in zip(parts[::2], parts[1::2], strict=True):
            self._guards += before[-1:]
            condition = self.boolean(c, scope)
            branches.append((condition, self.under(condition, partial(self.value, e, scope))))
            before.append(s.not_(condition))
        del self._guards[len(self._guards) - len(before) + 1 :]
        if branches[-1][0] is not s.true:
            self.must_not(s.and_(*before), "no condition of the case need hold", span)
        out = branches[-1][1]
        for condition, value in reversed(branches[:-1]):
            out = self.either(condition, value, out, span)
        return out

    def either(self, condition: Term, a: Value, b: Value, span: Span) -> Value:
        """One value or the other, by a condition."""
        if not isinstance(a, Val) or not isinstance(b, Val):
            return Either(condition, a, b)
        t: Type = self.ops.common(a.type, b.type, span)
        return Val(
            t, self.store.ite(condition, self.ops.cast(a, t, span), self.ops.cast(b, t, span))
        )

    # -- functions ---------------------------------------------------------------------------------

    def _call(self, e: Expr, scope: Instance) -> Val:
        ops, name, span = self.ops, str(e.data), e.span
        if name in ("uwconst", "swconst"):
            return self._word_constant(e, scope, name == "swconst")
        if name in ("extend", "resize"):
            self._arity(e, 2)
            a, n = self.one(e.args[0], scope), self.tree.number(e.args[1], scope)
            return ops.extended(a, n, span) if name == "extend" else ops.resized(a, n, span)
        args = [self.one(a, scope) for a in e.args]
        if name == "count":
            total = ops.number(0, span)
            for a in args:
                total = ops.arithmetic(
                    "+", total, ops.to_number(Val(BOOLEAN, ops.boolean(a, span)), span), span
                )
            return total
        if name in ("max", "min"):
            self._arity(e, 2)
            greater = ops.less(args[1], args[0], False, span)
            return self.only(
                self.either(
                    greater, *((args[0], args[1]) if name == "max" else (args[1], args[0])), span
                ),
                span,
            )
        if name == "WRITE":
            self._arity(e, 3)
            return ops.written(args[0], args[1], args[2], span)
        if name in ("READ", "CONSTARRAY"):
            self._arity(e, 2)
            return (
                ops.read(args[0], args[1], span)
                if name == "READ"
                else ops.everywhere(args[0], args[1], span)
            )
        self._arity(e, 1)
        return self._unary(name, args[0], span)

    def _unary(self, name: str, a: Val, span: Span) -> Val:
        ops = self.ops
        match name:
            case "signed" | "unsigned":
                return Val(Word(name == "signed", ops.word(a, span).width), a.term)
            case "word1":
                term = ops.boolean(a, span)
                return Val(
                    Word(False, 1), self.store.ite(term, self.store.bv(1, 1), self.store.bv(0, 1))
                )
            case "bool":
                return ops.to_boolean(a, span)
            case "toint":
                return ops.to_number(a, span)
            case "sizeof":
                return ops.number(ops.word(a, span).width, span)
            case "abs":
                return self.only(
                    self.either(
                        ops.less(a, ops.number(0, span), False, span), ops.minus(a, span), a, span
                    ),
                    span,
                )
            case "floor":
                if a.type == REALS:
                    return Val(Numbers(None, None), self.store.to_int(a.term))
        raise Unsupported(f"{name} of {a.type} is not supported", span, name)

    def _arity(self, e: Expr, n: int) -> None:
        if len(e.args) != n:
            raise InputError(f"{e.data} has {n} argument{'s' if n > 1 else ''}", e.span)

    def _word_constant(self, e: Expr, scope: Instance, signed: bool) -> Val:
        self._arity(e, 2)
        value, width = (self.tree.number(a, scope) for a in e.args)
        if not 0 < width <= 1 << 16:
            raise InputError("a word has 1 to 65536 bits", e.span)
        low, high = (-(1 << width - 1), 1 << width - 1) if signed else (0, 1 << width)
        if not low <= value < high:
            raise InputError(f"{number_text(value)[:40]} does not fit into {width} bits", e.span)
        return Val(Word(signed, width), self.store.bv(value, width))


def _chain(e: Expr) -> list[Expr]:
    """The operands of a chain of one operator, which is nested to the left."""
    out, op = [e.args[1]], e.op
    e = e.args[0]
    while e.op == op:
        out.append(e.args[1])
        e = e.args[0]
    return [e, *reversed(out)]
