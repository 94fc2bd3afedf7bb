"""From expressions to terms. `Translator.evaluate` carries the idea: one rule for each kind of
expression.

`pre e` is a state variable: what `e` is now becomes its next value. Its first value is any one,
unless it stands on the right side of an arrow, where nobody reads it. Calls are instances of nodes,
one for each place in the text and each instance of the caller. Indices beyond an array and division
by zero give any value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from obligato.errors import NO_SPAN, InputError, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.builder import Builder, Ticks
from obligato.frontends.lustre.desugar import Definition
from obligato.frontends.lustre.functions import Functions
from obligato.frontends.lustre.instances import Instance, Place
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.table_rules import TableRules
from obligato.frontends.lustre.tables import Remembered
from obligato.frontends.lustre.types import INT, REAL, Array, Machine, Type, has_table
from obligato.frontends.lustre.values import (
    TableValue,
    Value,
    build,
    choose,
    equal,
    from_machine,
    in_range,
    scalars,
    sort_of,
    term,
    to_machine,
)
from obligato.terms import BOOL as BOOL_SORT
from obligato.terms import Op, Term


class Translator(TableRules):
    """Evaluates expressions at places; `call` (see `lustre.calls`) makes instances."""

    int_type = INT

    def __init__(self, world: World, builder: Builder) -> None:
        self.world, self.builder, self.store = world, builder, builder.store
        self.base = Ticks(builder, None, None, "")
        self.constants = Instance(self, world.globals, self.base, "", {})
        self.functions = Functions(builder, self.base, self._kept)
        self._rules: dict[type[s.Expr], Callable[[Any, Place], Value]] = {
            s.Const: self._const,
            s.Name: self._name,
            s.Unary: self._unary,
            s.Binary: self._binary,
            s.If: self._if,
            s.Arrow: self._arrow,
            s.Pre: self._pre,
            s.Last: self._last,
            s.Cast: self._cast,
            s.Ascribe: self._ascribe,
            s.Call: self._call,
            s.Merge: self._merge,
            s.RecordExpr: self._record,
            s.Field: self._field,
            s.Index: self._index,
            s.Update: self._update,
            s.Group: self._group,
            s.Repeat: self._repeat,
            s.Quantifier: self._quantifier,
            s.Any: self._any,
            s.ModeRef: self._mode_ref,
            s.Tester: self._tester,
            s.Match: self._match,
            s.Project: self._project,
            s.Let: self._let,
            s.When: self._when,
            s.TableExpr: self._table,
            s.Each: self._each,
        }

    def evaluate(self, e: s.Expr, place: Place) -> Value:
        """The value of `e`."""
        return self._rules[type(e)](e, place)

    # -- leaves ------------------------------------------------------------------------------------

    def _const(self, e: s.Const, place: Place) -> Value:
        if isinstance(e.value, bool):
            return self.store.bool_(e.value)
        return (
            self.store.real(e.value) if isinstance(e.value, Fraction) else self.store.int_(e.value)
        )

    def _name(self, e: s.Name, place: Place) -> Value:
        if e.name in place.values:
            return place.values[e.name]
        instance = place.instance.find(e.name)
        if instance is not None:
            return instance.value(e.name)
        if place.instance.scope.lookup(e.name) is not None:
            return self.constant(e.name)
        if e.name in self.world.enums:
            return self.store.int_(self.world.enums[e.name][1])
        return self._constructed(self.type(e, place), e.name, [])

    def constant(self, name: str) -> Value:
        """A global constant."""
        top = self.constants
        if name not in top.known and name not in self.world.globals.body.definitions:
            top.known[name] = self.builder.frozen(name, self.world.globals.variables[name])
        return top.value(name)

    # -- operators ---------------------------------------------------------------------------------

    def _unary(self, e: s.Unary, place: Place) -> Value:
        if e.op == "not":
            return self.store.not_(
                self.formula(e.arg, replace(place, sign=-place.sign) if place.sign else place)
            )
        a = term(self.evaluate(e.arg, place))
        if e.op == "!":
            return self.store.mk(Op.BVNOT, (a,))
        if isinstance(self.type(e, place), Machine):
            return self.store.mk(Op.BVNEG, (a,))
        if a.op is Op.CONST:
            assert isinstance(a.data, int | Fraction)
            return self.store.const(-a.data, a.sort)
        return self.store.neg(a)

    def _binary(self, e: s.Binary, place: Place) -> Value:
        if e.op in ("and", "or"):
            return self._junction(e, place)
        if e.op in ("=>", "==>", "and then", "or else"):
            return self._lazy(e, place)
        place = place.plain()
        a, b = self.evaluate(e.left, place), self.evaluate(e.right, place)
        if isinstance(b, TableValue) and e.op not in ("=", "<>"):
            return self.operation(e, a, b)
        if e.op in ("=", "<>"):
            same = equal(self.store, self.type(e.left, place), a, b)
            return same if e.op == "=" else self.store.not_(same)
        x, y = term(a), term(b)
        if e.op == "xor":
            return self.store.xor(x, y)
        t = self.type(e.left, place)
        if isinstance(t, Machine):
            return self.store.mk(_MACHINE[e.op][t.signed], (x, y))
        if e.op in ("div", "mod", "/"):
            return self._divide(e, x, y, t, place)
        return self.store.mk(_NUMERIC[e.op], (x, y))

    def _junction(self, e: s.Binary, place: Place) -> Term:
        """A chain of the same operator as one term."""
        args: list[s.Expr] = []
        left: s.Expr = e
        while isinstance(left, s.Binary) and left.op == e.op:
            args.append(left.right)
            left = left.left
        terms = [self.formula(a, place) for a in (left, *reversed(args))]
        return self.store.and_(*terms) if e.op == "and" else self.store.or_(*terms)

    def _lazy(self, e: s.Binary, place: Place) -> Term:
        """Implication, and operators whose right side is evaluated only if the left one does not
        decide.
        """
        left = replace(place, sign=-place.sign) if e.op in ("=>", "==>") and place.sign else place
        if e.op != "=>":
            left = replace(left, guarded=False)  # it is a clock, which is read at each tick
        a = self.formula(e.left, left)
        if e.op != "=>":
            active = self.store.not_(a) if e.op == "or else" else a
            place = self._branch(e, place, active, "right")
        b = self.formula(e.right, place)
        if e.op == "and then":
            return self.store.and_(a, b)
        return self.store.or_(a, b) if e.op == "or else" else self.store.implies(a, b)

    def _branch(self, e: s.Expr, place: Place, active: Term, which: str) -> Place:
        """The place of a part that is evaluated where `active` holds only."""
        # a block has one clock for all that it defines
        owner = e.condition if isinstance(e, s.If) else e
        key = (owner, which, place.key(owner))
        if key not in place.ticks.memo:
            name = f"{place.instance.prefix}{which}:{e.span.line}:{e.span.column}."
            place.ticks.memo[key] = place.ticks.sub(active, None, name)
        ticks = place.ticks.memo[key]
        assert isinstance(ticks, Ticks)
        return replace(place, ticks=ticks, guarded=False)

    def _divide(self, e: s.Binary, x: Term, y: Term, t: Type, place: Place) -> Term:
        op = {"div": Op.IDIV, "mod": Op.MOD, "/": Op.RDIV}[e.op]
        if y.op is Op.CONST and y.data:
            return self.store.mk(op, (x, y))
        other = term(self.any_value(e, "quotient", t, place))
        return self.store.ite(
            self.store.eq(y, self.store.const(0, y.sort)), other, self.store.mk(op, (x, y))
        )

    def _cast(self, e: s.Cast, place: Place) -> Value:
        place = place.plain()
        to, own = self.type(e, place), self.type(e.arg, place)
        a, st = term(self.evaluate(e.arg, place)), self.store
        if to == own:
            return a
        if isinstance(to, Machine):
            return (
                st.resize(a, to.width, own.signed)
                if isinstance(own, Machine)
                else to_machine(st, a, to.width)
            )
        if isinstance(own, Machine):
            return from_machine(st, a, own.signed)
        if a.op is Op.CONST and to == REAL:
            assert isinstance(a.data, int)
            return st.real(a.data)
        return st.to_real(a) if to == REAL else st.to_int(a)

    def _ascribe(self, e: s.Ascribe, place: Place) -> Value:
        raise Unsupported("a type ascription is not supported", e.span, "ascription")

    # -- time --------------------------------------------------------------------------------------

    def _if(self, e: s.If, place: Place) -> Value:
        static = place.instance.scope.static(e.condition, place.statics) if place.statics else None
        if static is not None:
            if e.lazy:
                place = self._branch(e, place, self.store.true, "then" if static else "else")
            return self.evaluate(e.then if static else e.other, place)
        c = self.formula(
            e.condition, replace(place.plain(), guarded=False) if e.lazy else place.plain()
        )
        if not e.lazy:
            return choose(
                self.store, c, self.evaluate(e.then, place), self.evaluate(e.other, place)
            )
        a = self.evaluate(e.then, self._branch(e, place, c, "then"))
        return choose(
            self.store,
            c,
            a,
            self.evaluate(e.other, self._branch(e, place, self.store.not_(c), "else")),
        )

    def _arrow(self, e: s.Arrow, place: Place) -> Value:
        first = place.ticks.first
        a = self.evaluate(e.first, place.where(first))
        b = self.evaluate(e.rest, replace(place.where(self.store.not_(first)), guarded=True))
        return choose(self.store, first, a, b)

    def _pre(self, e: s.Pre, place: Place) -> Value:
        if place.rigid and place.rigid & self.world.names(e):
            raise Unsupported(
                "a variable of a quantifier or pattern under pre is not supported",
                e.span,
                "bound under pre",
            )
        key: object = (e, place.key(e))
        label = self.label(e, "pre", place)
        if isinstance(e.arg, s.Name) and e.arg.name not in place.values:
            owner = place.instance.find(e.arg.name)
            key = (owner, e.arg.name)
            prefix = "" if owner is None or owner.prefix == place.ticks.name else owner.prefix
            label = f"{place.ticks.name}pre.{prefix}{e.arg.name}"
        if key not in place.ticks.pres:
            self._delay(e, place, key, label)
        value = place.ticks.pres[key]
        return value if place.guarded else self._unguarded(e, value, place)

    def _delay(self, e: s.Pre, place: Place, key: object, label: str) -> None:
        """Make the state variables of a `pre`; what they become is worked out later."""
        b, ticks = self.builder, place.ticks
        shown = f"pre {place.instance.prefix}{e.arg.name}" if isinstance(e.arg, s.Name) else label

        def make(part: str, t: Type) -> Term:
            return b.state(label + part, sort_of(t), shown + part)

        t, later = self.type(e.arg, place), place.stream()
        value = (
            self.past(e, later, label)
            if has_table(t)
            else build(t, make, lambda _, pt: self.empty(pt))
        )
        ticks.pres[key] = value
        b.tasks.append(lambda: self._fill(value, self.evaluate(e.arg, later), ticks))

    def _kept(self, t: Type, value: Value, label: str) -> Value:
        """The value one step before."""
        cells = self.like(t, value, label, NO_SPAN)
        self._fill(cells, value, self.base)
        return cells

    def _fill(self, cells: Value, value: Value, ticks: Ticks) -> None:
        if isinstance(cells, Term):
            self.builder.cells[cells].next = ticks.updated(cells, term(value))
            return
        if isinstance(cells, TableValue):
            assert isinstance(cells, Remembered)
            for c, v in self.remembered_rows(cells, value):
                self._fill(c, v, ticks)
            return
        assert isinstance(value, tuple)
        for c, v in zip(cells, value, strict=True):
            self._fill(c, v, ticks)

    def _unguarded(self, e: s.Pre, cells: Value, place: Place) -> Value:
        """A `pre` whose first value is read: any one, anew after each reset."""
        self.builder.note("warning: an unguarded pre: at the first step it is any value", e.span)
        if place.ticks.reset is not None:
            other = self.any_value(e, "nil", self.type(e, place), place)
            return choose(self.store, place.ticks.first, other, cells)
        for c in scalars(cells):
            self.builder.cells[c].unguarded = True
        self.builder.start.update(dict.fromkeys(in_range(self.store, self.type(e, place), cells)))
        return cells

    def _last(self, e: s.Last, place: Place) -> Value:
        """In a frame: one step before, on the clock of the instance."""
        instance = place.instance
        at = replace(place, ticks=instance.ticks, guarded=False, sign=0)
        key = (e.name, "last", place.key(e))
        initial = instance.scope.body.initial[e.name]
        before = s.Pre(e.span, s.Name(e.span, e.name))
        if initial is None:
            return self._pre(before, at)
        if key not in instance.ticks.memo:
            first = (
                self.evaluate(initial.value, at)
                if not initial.indices
                else self._initial_array(e.name, at)
            )
            instance.ticks.memo[key] = first
        first_value: Any = instance.ticks.memo[key]
        return choose(
            self.store,
            instance.ticks.first,
            first_value,
            self._pre(before, replace(at, guarded=True)),
        )

    def _initial_array(self, name: str, place: Place) -> Value:
        initial = place.instance.scope.body.initial[name]
        assert initial is not None

        def whole(t: Type, left: tuple[str, ...], at: Place) -> Value:
            if not left:
                return self.evaluate(initial.value, at)
            assert isinstance(t, Array)
            return tuple(
                [
                    whole(t.element, left[1:], at.bind(left[0], INT, self.store.int_(n), n))
                    for n in range(t.size)
                ]
            )

        if name in self.world.names(initial.value):
            return self._inductive(name, place)
        return whole(place.instance.scope.variables[name], initial.indices, place)

    def _inductive(self, name: str, place: Place) -> Value:
        """An initial array that is defined by its own elements."""
        scope = place.instance.scope
        initial = scope.body.initial[name]
        assert initial is not None
        helper = _InitialInstance(self, place.instance, name)
        return helper.value(name)

    # -- clocks and calls: see lustre.calls --------------------------------------------------------

    def _when(self, e: s.When, place: Place) -> Value:
        return self.evaluate(e.arg, place.plain())

    def _merge(self, e: s.Merge, place: Place) -> Value:
        place = place.plain()
        clock = term(self.evaluate(e.clock, place))
        out: Value | None = None
        for value, branch in reversed(e.cases):
            v = self.evaluate(branch, place)
            chosen = (
                self.store.eq(clock, term(self.evaluate(value, place)))
                if clock.sort is not BOOL_SORT
                else (
                    clock
                    if isinstance(value, s.Const) and value.value is True
                    else self.store.not_(clock)
                )
            )
            out = v if out is None else choose(self.store, chosen, v, out)
        assert out is not None
        return out

    def _call(self, e: s.Call, place: Place) -> Value:
        raise NotImplementedError

    def _mode_ref(self, e: s.ModeRef, place: Place) -> Value:
        instance: Instance | None = place.instance
        while instance is not None:
            found = instance
            for name in e.names[:-1]:
                if name not in found.imports:
                    break
                found = found.imports[name]
            else:
                if e.names[-1] in found.modes:
                    return found.modes[e.names[-1]]()
            instance = instance.outer
        raise InputError(f"there is no mode ::{'::'.join(e.names)}", e.span)


class _InitialInstance(Instance):
    """A node in which an array of a frame has its initial value."""

    def __init__(self, translator: Translator, instance: Instance, name: str) -> None:
        super().__init__(
            translator,
            instance.scope,
            instance.ticks,
            instance.prefix,
            instance.inputs,
            instance.outer,
        )
        self._whole_instance, self._name = instance, name

    def value(self, name: str) -> Value:
        return super().value(name) if name == self._name else self._whole_instance.value(name)

    def _evaluated(self, name: str) -> Value:
        initial = self.scope.body.initial[name]
        assert initial is not None
        return self._whole(name, self.scope.variables[name], initial.indices, ())

    def definition(self, name: str) -> Definition:
        initial = self.scope.body.initial[name] if name == self._name else None
        return initial or super().definition(name)

    def element(self, name: str, at: tuple[int, ...]) -> Value:
        return (
            super().element(name, at)
            if name == self._name
            else self._whole_instance.element(name, at)
        )


_NUMERIC = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "<": Op.LT, "<=": Op.LE, ">": Op.GT, ">=": Op.GE}
_MACHINE = {  # unsigned, signed
    "+": (Op.BVADD, Op.BVADD),
    "-": (Op.BVSUB, Op.BVSUB),
    "*": (Op.BVMUL, Op.BVMUL),
    "div": (Op.BVUDIV, Op.BVSDIV),
    "mod": (Op.BVUREM, Op.BVSREM),
    "<": (Op.BVULT, Op.BVSLT),
    "<=": (Op.BVULE, Op.BVSLE),
    ">": (Op.BVUGT, Op.BVSGT),
    ">=": (Op.BVUGE, Op.BVSGE),
    "&&": (Op.BVAND, Op.BVAND),
    "||": (Op.BVOR, Op.BVOR),
    "lsh": (Op.BVSHL, Op.BVSHL),
    "rsh": (Op.BVLSHR, Op.BVASHR),
}
