"""Expressions about composite values, choices and quantifiers, as terms; the rest is in
`lustre.translate`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any

from obligato.errors import InputError, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.builder import Builder
from obligato.frontends.lustre.functions import Application, Functions
from obligato.frontends.lustre.instances import Instance, Place
from obligato.frontends.lustre.refinements import restriction, surroundings, values_of
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.types import (
    BOOL,
    REAL,
    Array,
    Data,
    Enum,
    Listed,
    Record,
    Table,
    Tuple,
    Type,
)
from obligato.frontends.lustre.typing import constructor_fields, expect, infer
from obligato.frontends.lustre.values import TableValue, Value, build, choose, parts, sort_of, term
from obligato.terms import Term, TermStore

MAX_QUANTIFIED = 200_000  # values of variables of quantifiers, one inside another multiplied


class Structures(ABC):
    """Evaluation of what is composite; `evaluate` is the evaluation of everything."""

    world: World
    builder: Builder
    store: TermStore
    constants: Instance
    functions: Functions

    @abstractmethod
    def evaluate(self, e: s.Expr, place: Place) -> Value:
        """The value of `e`."""

    @abstractmethod
    def _branch(self, e: s.Expr, place: Place, active: Term, which: str) -> Place:
        """The place of a part that is evaluated where `active` holds only."""

    @abstractmethod
    def empty(self, t: Table) -> TableValue:
        """A table without keys."""

    @abstractmethod
    def updated(self, table: TableValue, key: Value, value: Value) -> Value:
        """A map with one more key."""

    def formula(self, e: s.Expr, place: Place) -> Term:
        """The value of a Boolean expression."""
        return term(self.evaluate(e, place))

    def type(self, e: s.Expr, place: Place) -> Type:
        """The type of `e`."""
        return infer(place.instance.scope, e, place.types)

    def label(self, e: s.Expr, what: str, place: Place) -> str:
        """A name for what happens at an expression of an instance."""
        names = self.world.names(e) if place.statics else frozenset()
        at = "".join([f"[{v}]" for k, v in place.statics.items() if k in names])
        return f"{place.instance.prefix}{what}:{e.span.line}:{e.span.column}{at}"

    def any_value(self, e: s.Expr, what: str, t: Type, place: Place) -> Value:
        """Any value of a type, the same for all evaluations of `e` at one step."""
        key = (e, what, place.key(e))
        if key not in place.ticks.memo:
            place.ticks.memo[key] = self.builder.free(self.label(e, what, place), t)
        value: Any = place.ticks.memo[key]
        return value  # type: ignore[no-any-return]

    # -- composite values --------------------------------------------------------------------------

    def _record(self, e: s.RecordExpr, place: Place) -> Value:
        t = self.type(e, place)
        assert isinstance(t, Record)
        given = dict(e.fields)
        return tuple([self.evaluate(given[f], place.plain()) for f, _ in t.fields])

    def _field(self, e: s.Field, place: Place) -> Value:
        place = place.plain()
        t = self.type(e.arg, place)
        value = self.evaluate(e.arg, place)
        inner = parts(t)
        assert inner is not None and isinstance(value, tuple)
        position = next(
            n for n, (p, _) in enumerate(inner) if p.rpartition(".")[2] == e.name and p != ".is"
        )
        if isinstance(t, Data):
            number = next(
                n for n, (_, fields) in enumerate(t.constructors) if e.name in dict(fields)
            )
            tested = self.store.eq(term(value[0]), self.store.int_(number))
            name = (
                f"{place.instance.prefix}{t.constructors[number][0]}?:{e.span.line}:{e.span.column}"
            )
            demanded = (
                tested if place.relevant is None else self.store.implies(place.relevant, tested)
            )
            span = place.instance.place_of(e.span)
            self.builder.prove(name, place.ticks.guard(demanded), span)
        return value[position]

    def _index(self, e: s.Index, place: Place) -> Value:
        place = place.plain()
        direct = self._element(e, place)
        if direct is not None:
            return direct
        t, value = self.type(e.arg, place), self.evaluate(e.arg, place)
        if isinstance(value, TableValue):
            return value.get(self.evaluate(e.index, place))
        assert isinstance(value, tuple)
        static = place.instance.scope.static(e.index, place.statics)
        if isinstance(static, int) and 0 <= static < len(value):
            return value[static]
        if isinstance(t, Tuple):
            raise InputError("the index of a tuple must be a constant", e.index.span)
        assert isinstance(t, Array)
        out = self.any_value(e, "beyond", t.element, place)
        if static is not None:
            return out
        i = term(self.evaluate(e.index, place))
        for n in reversed(range(t.size)):
            out = choose(self.store, self.store.eq(i, self.store.int_(n)), value[n], out)
        return out

    def _element(self, e: s.Index, place: Place) -> Value | None:
        """The element of an array that is defined element by element, without the others."""
        at: list[int] = []
        base: s.Expr = e
        while isinstance(base, s.Index):
            n = place.instance.scope.static(base.index, place.statics)
            if not isinstance(n, int):
                return None
            at.insert(0, n)
            base = base.arg
        if not isinstance(base, s.Name) or base.name in place.values:
            return None
        instance = place.instance.find(base.name)
        if instance is None or base.name not in instance.scope.body.definitions:
            return None
        if len(instance.definition(base.name).indices) != len(at):
            return None
        t = instance.scope.variables[base.name]
        for n in at:
            if not isinstance(t, Array) or not 0 <= n < t.size:
                return None
            t = t.element
        return instance.element(base.name, tuple(at))

    def _update(self, e: s.Update, place: Place) -> Value:
        place = place.plain()
        t, value = self.type(e, place), self.evaluate(e.arg, place)
        new = self.evaluate(e.value, place)
        if isinstance(value, TableValue):
            return self.updated(value, self.evaluate(e.key, place), new)
        assert isinstance(value, tuple)
        if isinstance(t, Record):
            assert isinstance(e.key, s.Name)
            name = e.key.name
            return tuple(
                [new if f == name else v for (f, _), v in zip(t.fields, value, strict=True)]
            )
        i = term(self.evaluate(e.key, place))
        return tuple(
            [
                choose(self.store, self.store.eq(i, self.store.int_(n)), new, v)
                for n, v in enumerate(value)
            ]
        )

    def _group(self, e: s.Group, place: Place) -> Value:
        out: list[Value] = []
        for item in e.items:
            value = self.evaluate(item, place.plain())
            if e.kind == "list" and isinstance(self.type(item, place), Listed):
                assert isinstance(value, tuple)
                out += value
            else:
                out.append(value)
        return tuple(out)

    def _repeat(self, e: s.Repeat, place: Place) -> Value:
        t = self.type(e, place)
        assert isinstance(t, Array)
        return (self.evaluate(e.arg, place.plain()),) * t.size

    def _project(self, e: s.Project, place: Place) -> Value:
        value = self.evaluate(e.arg, place)
        if not isinstance(self.type(e.arg, place), Listed):
            return value
        assert isinstance(value, tuple)
        return value[e.position]

    def _let(self, e: s.Let, place: Place) -> Value:
        value = self.evaluate(e.value, place.plain())
        static = place.instance.scope.static(e.value, place.statics)
        return self.evaluate(e.body, place.bind(e.name, self.type(e.value, place), value, static))

    # -- datatypes ---------------------------------------------------------------------------------

    def _constructed(self, t: Type, name: str, args: list[Value]) -> Value:
        """Other fields than those of the constructor have some fixed value."""
        assert isinstance(t, Data)
        out: list[Value] = [self.store.int_(t.index(name))]
        for c, fields in t.constructors:
            for n, (_, ft) in enumerate(fields):
                out.append(args[n] if c == name else self._some(ft))
        return tuple(out)

    def _some(self, t: Type) -> Value:
        return build(
            t,
            lambda _, pt: self.store.const(_default(pt), sort_of(pt)),
            lambda _, pt: self.empty(pt),
        )

    def _tester(self, e: s.Tester, place: Place) -> Value:
        t, value = self.type(e.arg, place.plain()), self.evaluate(e.arg, place.plain())
        assert isinstance(t, Data) and isinstance(value, tuple)
        return self.store.eq(term(value[0]), self.store.int_(t.index(e.constructor)))

    def _match(self, e: s.Match, place: Place) -> Value:
        subject = replace(place.plain(), guarded=False)
        t, value = self.type(e.arg, subject), self.evaluate(e.arg, subject)
        out: Value | None = None
        taken = self._tests(e, t, value)
        for n, (p, body) in reversed(list(enumerate(e.arms))):
            at = self._branch(e, replace(place, sign=0), taken[n], f"arm{n}")
            arm = self.evaluate(body, self._bind(p, t, value, at, []))
            out = arm if out is None else choose(self.store, taken[n], arm, out)
        assert out is not None
        return out

    def _tests(self, e: s.Match, t: Type, value: Value) -> list[Term]:
        """For each arm: it fits, and none before it does."""
        out: list[Term] = []
        before: list[Term] = []
        for p, _ in e.arms:
            tests: list[Term] = []
            self._bind(p, t, value, self.constants.place, tests)
            fits = self.store.and_(*tests)
            out.append(self.store.and_(*[self.store.not_(b) for b in before], fits))
            before.append(fits)
        return out

    def _bind(self, p: s.Pattern, t: Type, value: Value, place: Place, tests: list[Term]) -> Place:
        fields = constructor_fields(p, t)
        if fields is None:
            bound = place.bind(p.name, t, value)
            return place if p.name == "_" else replace(bound, rigid=bound.rigid | {p.name})
        if isinstance(t, Enum):
            tests.append(self.store.eq(term(value), self.store.int_(t.values.index(p.name))))
            return place
        assert isinstance(t, Data) and isinstance(value, tuple)
        number = t.index(p.name)
        tests.append(self.store.eq(term(value[0]), self.store.int_(number)))
        position = 1 + sum(len(fs) for _, fs in t.constructors[:number])
        for n, (item, (_, ft)) in enumerate(zip(p.items or (), fields, strict=True)):
            place = self._bind(item, ft, value[position + n], place, tests)
        return place

    # -- choices -----------------------------------------------------------------------------------

    def _any(self, e: s.Any, place: Place) -> Value:
        place = place.stream()
        t = self.type(e, place)
        key = (e, "any", place.key(e))
        if key not in place.ticks.memo:
            value = place.ticks.memo[key] = self.any_value(e, "value", t, place)
            at = replace(place.bind(e.variable.name, t, value), sign=-1)
            self.restrict(e.variable, at)
            if e.choose:
                self.builder.tasks.append(lambda: self._functional(e, t, value, place))
        found: Any = place.ticks.memo[key]
        return found  # type: ignore[no-any-return]

    def _functional(self, e: s.Any, t: Type, value: Value, place: Place) -> None:
        """`choose` is a function of the streams that its condition names."""
        names = surroundings(e, place.instance.scope, place.types)
        types = tuple([infer(place.instance.scope, name, place.types) for name in names])
        values = tuple([self.evaluate(name, place) for name in names])
        function = (e, tuple(place.instance.scope.params.values()))
        self.functions.add(
            function,
            self.label(e, "choose", place),
            Application((*types, t), (*values, value), len(values)),
        )

    def restrict(self, v: s.Variable, at: Place) -> None:
        """Constrain a value to its declared type, later."""
        formula = restriction(at.instance.scope, v)
        if formula is not None:
            expect(at.instance.scope, formula, BOOL, at.types)
            self.builder.tasks.append(
                lambda: self.builder.constrain(at.ticks.guard(self.formula(formula, at)))
            )

    def _quantifier(self, e: s.Quantifier, place: Place) -> Value:
        return self._quantified(e, list(e.variables), place)

    def _quantified(self, e: s.Quantifier, left: list[s.Variable], place: Place) -> Term:
        if not left:
            return self.formula(e.body, place)
        v, rest = left[0], left[1:]
        t = place.instance.scope.world.resolve(v.type, place.instance.scope)
        values = values_of(place.instance.scope, e, v, place.types, place.statics)
        if values is None:
            return self._skolem(e, v, t, rest, place)
        terms = []
        self.builder.quantified += len(values)
        if self.builder.quantified > MAX_QUANTIFIED:
            message = f"quantifiers over more than {MAX_QUANTIFIED} values in all are not supported"
            raise Unsupported(message, e.span, "size")
        for value in values:
            at = place.bind(v.name, t, self.store.const(value, sort_of(t)), value)
            terms.append(self._within(e, v, rest, at))
        return self.store.and_(*terms) if e.universal else self.store.or_(*terms)

    def _within(self, e: s.Quantifier, v: s.Variable, rest: list[s.Variable], at: Place) -> Term:
        only = restriction(at.instance.scope, v)
        body = self._quantified(e, rest, at)
        if only is None:
            return body
        expect(at.instance.scope, only, BOOL, at.types)
        condition = self.formula(only, at.plain())
        return (
            self.store.implies(condition, body) if e.universal else self.store.and_(condition, body)
        )

    def _skolem(
        self, e: s.Quantifier, v: s.Variable, t: Type, rest: list[s.Variable], place: Place
    ) -> Term:
        """Where a formula is to be proved for all values, one unknown value will do."""
        if place.sign != (1 if e.universal else -1):
            raise Unsupported(f"a quantifier over {t} is not supported here", e.span, "quantifier")
        value = self.any_value(e, f"some.{v.name}", t, place)
        at = place.bind(v.name, t, value)
        return self._within(e, v, rest, replace(at, rigid=at.rigid | {v.name}))


def _default(t: Type) -> Any:
    return False if t == BOOL else Fraction(0) if t == REAL else 0
