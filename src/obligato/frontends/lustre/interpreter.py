"""The meaning of Lustre, a second time: streams as functions of time, evaluated on demand.

It shares the parser, the types and the equations that blocks stand for with the translation,
nothing else. A `Moment` is an instance of a node at one tick of its clock and knows the tick
before; `pre e` is `e` at the place before. Nothing is ever updated: the past is evaluated where it
is needed, and remembered. What the program leaves open is asked of an `Oracle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from obligato.errors import InternalError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.arithmetic import NoValue, binary, convert
from obligato.frontends.lustre.contents import Contents
from obligato.frontends.lustre.moments import Getter, Moment, Oracle, Others, Place, constantly
from obligato.frontends.lustre.patterns import bindings, fits
from obligato.frontends.lustre.refinements import restriction, values_of
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.table_meaning import TableMeaning, Undefined
from obligato.frontends.lustre.types import INT, Array, Data, Listed, Machine, Record, Type, items
from obligato.frontends.lustre.typing import callee


class Interpreter(TableMeaning):
    """Evaluates expressions of a program; `oracle` says what is open."""

    def __init__(self, world: World, oracle: Oracle) -> None:
        self.world, self.oracle, self.integer = world, oracle, INT
        self.functions: dict[object, Any] = {}  # results of imported functions by their arguments
        self.inconsistent = False
        self.abstracted = False  # a contract stood for a body
        self.globals = Moment(self, world.globals, "", 0, {}, lambda: None, False)

    def evaluate(self, e: s.Expr, place: Place) -> Any:
        """The value of an expression."""
        self.type(e, place)  # what is in it may have a type there only: {}, a branch of a merge
        value: Any = getattr(self, f"_{type(e).__name__.lower()}")(e, place)
        return value

    # -- leaves and operators ----------------------------------------------------------------------

    def _const(self, e: s.Const, place: Place) -> Any:
        return e.value

    def _name(self, e: s.Name, place: Place) -> Any:
        if e.name in place.bound:
            return place.bound[e.name]
        moment = place.moment.find(e.name)
        if moment is not None:
            return moment.value(e.name)
        if place.moment.scope.lookup(e.name) is not None:
            return self.globals.value(e.name)
        if e.name in self.world.enums:
            return self.world.enums[e.name][1]
        return (e.name, ())

    def _unary(self, e: s.Unary, place: Place) -> Any:
        if e.op == "not":
            return not self.evaluate(e.arg, place.signed(-place.sign))
        a, t = self.evaluate(e.arg, place), self.type(e, place)
        value = ~a if e.op == "!" else -a
        return t.wrap(value) if isinstance(t, Machine) else value

    def _binary(self, e: s.Binary, place: Place) -> Any:
        if e.op in ("and", "or", "=>", "and then", "or else", "==>"):
            return self._logical(e, place)
        a, b = self.evaluate(e.left, place), self.evaluate(e.right, place)
        if e.op in ("=", "<>"):
            return (a == b) == (e.op == "=")
        if isinstance(b, Contents):
            return a in b.entries if e.op == "in" else a.combined(e.op, b)
        t = self.type(e.left, place)
        try:
            return binary(e.op, a, b, t)
        except NoValue:
            return self._open(e, "quotient", t, place)

    def _logical(self, e: s.Binary, place: Place) -> Any:
        implies = e.op in ("=>", "==>")
        a = self.evaluate(e.left, place.signed(-place.sign) if implies else place)
        if e.op in ("and", "and then", "=>", "==>") and not a:
            return implies
        if e.op in ("or", "or else") and a:
            return True
        if e.op in ("and then", "or else", "==>"):
            place = self.branch(e, place, "right")
        return self.evaluate(e.right, place)

    def branch(self, e: s.Expr, place: Place, which: str) -> Place:
        """A part that is evaluated at some ticks only, at one of these."""

        def earlier() -> Place | None:
            b = place.before
            while b is not None and not self._taken(e, b, which):
                b = b.before
            return None if b is None else self.branch(e, b, which)

        name = f"{place.moment.prefix}{which}:{e.span.line}:{e.span.column}."
        return Place(
            place.moment, name, earlier, place.types, place.bound, place.statics, place.sign
        )

    def _taken(self, e: s.Expr, place: Place, which: str) -> bool:
        if isinstance(e, s.Binary):
            return bool(self.evaluate(e.left, place)) != (e.op == "or else")
        if isinstance(e, s.If):
            return bool(self.evaluate(e.condition, place)) == (which == "then")
        assert isinstance(e, s.Match)
        return self._arm(e, place) == int(which.removeprefix("arm"))

    def _cast(self, e: s.Cast, place: Place) -> Any:
        value, to = self.evaluate(e.arg, place), self.type(e, place)
        return value if to == self.type(e.arg, place) else convert(value, to)

    # -- time --------------------------------------------------------------------------------------

    def _if(self, e: s.If, place: Place) -> Any:
        c = self.evaluate(e.condition, place.signed(0))
        if e.lazy:
            place = self.branch(e, place, "then" if c else "else")
        return self.evaluate(e.then if c else e.other, place)

    def _arrow(self, e: s.Arrow, place: Place) -> Any:
        return self.evaluate(e.first if place.before is None else e.rest, place)

    def _pre(self, e: s.Pre, place: Place) -> Any:
        before = place.before
        if before is not None:
            return self.evaluate(e.arg, before.signed(0))
        t = self.type(e.arg, place)
        if place.moment.resettable:
            return self._open(e, "nil", t, place)
        if isinstance(e.arg, s.Name) and e.arg.name not in place.bound:
            found = place.moment.find(e.arg.name)
            prefix = "" if found is None or found.prefix == place.clock else found.prefix
            return self.oracle.first(f"{place.clock}pre.{prefix}{e.arg.name}", t)
        return self.oracle.first(self.label(e, "pre", place), t)

    def _last(self, e: s.Last, place: Place) -> Any:
        moment = place.moment
        before = moment.place.before
        if before is not None:
            return before.moment.value(e.name)
        if moment.scope.body.initial[e.name] is not None:
            return moment.initial(e.name)
        return self._pre(s.Pre(e.span, s.Name(e.span, e.name)), moment.place)

    def _when(self, e: s.When, place: Place) -> Any:
        return self.evaluate(e.arg, place)

    def _merge(self, e: s.Merge, place: Place) -> Any:
        clock = self.evaluate(e.clock, place)
        return next(
            self.evaluate(branch, place)
            for value, branch in e.cases
            if self.evaluate(value, place) == clock
        )

    # -- composite values --------------------------------------------------------------------------

    def _recordexpr(self, e: s.RecordExpr, place: Place) -> Any:
        t = self.type(e, place)
        assert isinstance(t, Record)
        given = dict(e.fields)
        return tuple([self.evaluate(given[f], place) for f, _ in t.fields])

    def _field(self, e: s.Field, place: Place) -> Any:
        t, value = self.type(e.arg, place), self.evaluate(e.arg, place)
        if isinstance(t, Record):
            return value[[f for f, _ in t.fields].index(e.name)]
        assert isinstance(t, Data)
        fields = [f for f, _ in dict(t.constructors)[value[0]]]
        if e.name not in fields:
            raise Undefined(f"{e.span}: {value[0]} has no field {e.name}")
        return value[1][fields.index(e.name)]

    def _index(self, e: s.Index, place: Place) -> Any:
        direct = self._element(e, place)
        if direct:
            return direct[0]
        t, value = self.type(e.arg, place), self.evaluate(e.arg, place)
        i = self.evaluate(e.index, place)
        if isinstance(value, Contents):
            return value.read(i)
        if 0 <= i < len(value):
            return value[i]
        assert isinstance(t, Array)
        return self._open(e, "beyond", t.element, place)

    def _element(self, e: s.Index, place: Place) -> list[Any]:
        """An element of an array that is defined element by element, if it is one."""
        at: list[int] = []
        base: s.Expr = e
        while isinstance(base, s.Index):
            at.insert(0, self.evaluate(base.index, place))
            base = base.arg
        moment = (
            place.moment.find(base.name)
            if isinstance(base, s.Name) and base.name not in place.bound
            else None
        )
        if moment is None or not isinstance(base, s.Name):
            return []
        if isinstance(moment.known, Others) and moment.known.name == base.name:
            return [moment.start(base.name, tuple(at))]
        d, t = moment.scope.body.definitions.get(base.name), moment.scope.variables[base.name]
        if d is None or len(d.indices) != len(at):
            return []
        for n in at:
            if not isinstance(t, Array) or not 0 <= n < t.size:
                return []
            t = t.element
        return [moment.element(base.name, tuple(at))]

    def _update(self, e: s.Update, place: Place) -> Any:
        t, old = self.type(e, place), self.evaluate(e.arg, place)
        new = self.evaluate(e.value, place)
        if isinstance(old, Contents):
            return old.updated(self.evaluate(e.key, place), new)
        value = list(old)
        if isinstance(t, Record):
            assert isinstance(e.key, s.Name)
            value[[f for f, _ in t.fields].index(e.key.name)] = new
        else:
            i = self.evaluate(e.key, place)
            if 0 <= i < len(value):
                value[i] = new
        return tuple(value)

    def _group(self, e: s.Group, place: Place) -> Any:
        out: list[Any] = []
        for item in e.items:
            value = self.evaluate(item, place)
            out += (
                value
                if e.kind == "list" and isinstance(self.type(item, place), Listed)
                else [value]
            )
        return tuple(out)

    def _repeat(self, e: s.Repeat, place: Place) -> Any:
        t = self.type(e, place)
        assert isinstance(t, Array)
        return (self.evaluate(e.arg, place),) * t.size

    def _project(self, e: s.Project, place: Place) -> Any:
        value = self.evaluate(e.arg, place)
        return value[e.position] if isinstance(self.type(e.arg, place), Listed) else value

    def _let(self, e: s.Let, place: Place) -> Any:
        return self.evaluate(e.body, self.let(e, place))

    def let(self, e: s.Let, place: Place) -> Place:
        """The place of the body of a let."""
        static = place.moment.scope.static(e.value, place.statics)
        return place.bind(
            e.name, self.type(e.value, place), lambda p: self.evaluate(e.value, p), static
        )

    def _tester(self, e: s.Tester, place: Place) -> Any:
        return self.evaluate(e.arg, place)[0] == e.constructor

    def _match(self, e: s.Match, place: Place) -> Any:
        return self.evaluate(*self.matched(e, place))

    def matched(self, e: s.Match, place: Place) -> tuple[s.Expr, Place]:
        """The arm that is taken, and its place."""
        number = self._arm(e, place)
        p, body = e.arms[number]
        at = self.branch(e, place, f"arm{number}")
        for name, (t, value) in bindings(
            p, self.type(e.arg, place), self.evaluate(e.arg, place)
        ).items():
            at = at.bind(name, t, constantly(value))
        return body, at

    def _arm(self, e: s.Match, place: Place) -> int:
        t, value = self.type(e.arg, place), self.evaluate(e.arg, place)
        return next(n for n, (p, _) in enumerate(e.arms) if fits(p, t, value))

    # -- choices -----------------------------------------------------------------------------------

    def _any(self, e: s.Any, place: Place) -> Any:
        return self._open(e, "value", self.type(e, place), place)

    def _quantifier(self, e: s.Quantifier, place: Place) -> Any:
        return all(self.instances(e, place)) if e.universal else any(self.instances(e, place))

    def instances(self, e: s.Quantifier, place: Place) -> Iterator[bool]:
        """The body for the values of the variables: all, or the one that the oracle chose."""
        for at, within in self._assigned(e, place):
            yield bool(self.evaluate(e.body, at)) if within else e.universal

    def assignments(self, e: s.Quantifier, place: Place) -> list[Place]:
        """The places of the body of a quantifier."""
        return [at for at, _ in self._assigned(e, place)]

    def _assigned(self, e: s.Quantifier, place: Place) -> list[tuple[Place, bool]]:
        """The same, each with whether its values have their types, which are about variables before
        them only.
        """
        places = [(place, True)]
        for v in e.variables:
            t = self.world.resolve(v.type, place.moment.scope)
            values = values_of(place.moment.scope, e, v, place.types, place.statics)
            if values is not None:
                bound = [
                    (p.bind(v.name, t, constantly(value), value), ok)
                    for p, ok in places
                    for value in values
                ]
            else:
                bound = [(p.bind(v.name, t, self._chosen(e, v, t)), ok) for p, ok in places]
            only = restriction(place.moment.scope, v)
            places = [
                (p, ok and (only is None or bool(self.evaluate(only, p.signed(0)))))
                for p, ok in bound
            ]
        return places

    def _chosen(self, e: s.Quantifier, v: s.Variable, t: Type) -> Getter:
        return lambda place: self._open(e, f"some.{v.name}", t, place)

    def _moderef(self, e: s.ModeRef, place: Place) -> Any:
        moment: Moment | None = place.moment
        while moment is not None:
            found: Moment | None = moment
            for name in e.names[:-1]:
                found = None if found is None else found.imports.get(name)
            if found is not None and e.names[-1] in found.modes:
                return found.modes[e.names[-1]]()
            moment = moment.outer
        raise InternalError(f"{e.span}: there is no such mode")

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, e: s.Call, place: Place) -> Any:
        t = self.type(e, place)
        if e.name in self.world.constructors and e.name not in self.world.program.nodes:
            return (e.name, tuple([self.evaluate(a, place) for a in e.args]))
        outputs = self._outputs(e, place)
        return outputs if isinstance(t, Listed) else outputs[0]

    def _outputs(self, e: s.Call, place: Place) -> tuple[Any, ...]:
        key = (e, "outputs", place.key(e))
        if key not in place.moment.calls:
            place.moment.calls[key] = self._activated(e, place)
        found: tuple[Any, ...] = place.moment.calls[key]
        return found

    def _activated(self, e: s.Call, place: Place) -> tuple[Any, ...]:
        if self.active(e, place):
            child = self.child(e, place)
            assert child.scope.node is not None
            return tuple([child.value(v.name) for v in child.scope.node.outputs])
        if e.defaults is None:
            raise InternalError(f"{e.span}: a call is read where its clock is false")
        if place.before is not None:
            return self._outputs(e, place.before)
        return tuple([v for d in e.defaults for v in self._several(d, place)])

    def _several(self, e: s.Expr, place: Place) -> list[Any]:
        value = self.evaluate(e, place)
        return list(value) if isinstance(self.type(e, place), Listed) else [value]

    def active(self, e: s.Call, place: Place) -> bool:
        """Does the clock of the call tick at this moment?"""
        return e.every is None or bool(self.evaluate(e.every, place.signed(0)))

    def child(self, e: s.Call, place: Place) -> Moment:
        """The instance of a call, at a tick of its clock."""
        key = (e, "call", place.key(e))
        if key not in place.moment.calls:
            place.moment.calls[key] = self._child(e, place)
        found: Moment = place.moment.calls[key]
        return found

    def _child(self, e: s.Call, place: Place) -> Moment:
        scope = callee(place.moment.scope, e, place.types, place.statics)
        node = scope.node
        assert node is not None
        place = place.signed(0)

        def earlier() -> Moment | None:
            if e.restart is not None and self.evaluate(e.restart, place):
                return None
            b = place.before
            while b is not None and not self.active(e, b):
                b = b.before
            return None if b is None else self.child(e, b)

        inputs: dict[str, Callable[[], Any]] = {}
        taken = 0
        for a in e.args:
            width = len(items(self.type(a, place)))
            for n in range(width):
                inputs[node.inputs[taken].name] = self._argument(a, n, place)
                taken += 1
        prefix = self.label(e, node.name, place) + "."
        made = Moment(
            self,
            scope,
            prefix,
            place.moment.step,
            inputs,
            earlier,
            place.moment.resettable or e.restart is not None,
        )
        if self.world.abstracts(node):
            self.abstracted = self.abstracted or not node.imported
            self._imported(made, node)
        return made

    def _argument(self, a: s.Expr, n: int, place: Place) -> Callable[[], Any]:
        return lambda: self._several(a, place)[n]

    def _imported(self, made: Moment, node: s.Node) -> None:
        for v in node.outputs:
            made.known[v.name] = self.oracle.now(
                made.prefix + v.name, made.scope.variables[v.name], made.step
            )
        if node.kind == "function":
            key = (
                node.name,
                tuple(made.scope.params.items()),
                tuple([made.value(v.name) for v in node.inputs]),
            )
            self.function(key, tuple([made.known[v.name] for v in node.outputs]))

    def function(self, key: object, result: Any) -> None:
        """Note what a function gives for its arguments, which are part of the key."""
        if self.functions.setdefault(key, result) != result:
            self.inconsistent = True
