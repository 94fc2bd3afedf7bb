"""A run of a program on given values: all assertions and assumptions must hold; properties are
collected by name.

`Simulation.step` visits every instance that ticks, also those whose values nobody reads: instances
tick whether they are read or not. `replay` is the check that every counterexample passes: the
interpreter must see the violation, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.interpreter import Interpreter
from obligato.frontends.lustre.moments import Moment, Oracle, Place
from obligato.frontends.lustre.refinements import restriction, surroundings
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.table_meaning import Undefined
from obligato.frontends.lustre.types import Array, Data, Free, Type

LAZY = ("and then", "or else", "==>")


class Impossible(Exception):
    """The values are no run: what they violate."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the streams of the node by name (None: no value), and all properties by name;
    several share a `shared` name.
    """

    streams: dict[str, Any]
    properties: dict[str, bool]
    shared: frozenset[str] = frozenset()


class Simulation:
    """A node of a program, run step by step on the answers of an oracle."""

    def __init__(self, world: World, node: s.Node, oracle: Oracle, prefix: str) -> None:
        self.world, self.node, self.oracle, self.prefix = world, node, oracle, prefix
        self.run = Interpreter(world, oracle)
        self.scope = world.scope(node, tuple([Free(p) for p in node.params]), {})
        self.moments: list[Moment] = []
        self.properties: dict[str, bool] = {}
        self._shared: set[str] = set()
        self.undefined: set[int] = set()  # steps at which something has no value
        self._visited: set[int] = set()
        self._unused = False  # in a part of an arrow whose value is not used now

    def step(self) -> Step:
        """The next step; raises Impossible where the values satisfy no assertion or assumption."""
        step, before = len(self.moments), self.moments[-1] if self.moments else None
        inputs = {v.name: self._input(v, step) for v in self.node.inputs}
        top = Moment(self.run, self.scope, self.prefix, step, inputs, lambda: before, False)
        self.moments.append(top)
        self.properties, self._shared = {}, set[str]()
        self._constants()
        self.visit(top, True)
        names = [v.name for v in (*self.node.inputs, *self.node.outputs, *self.node.locals)]
        return Step(
            {name: self._shown(top, name) for name in names},
            self.properties,
            frozenset(self._shared),
        )

    def _shown(self, top: Moment, name: str) -> Any:
        try:
            return top.value(name)
        except Undefined:
            self.undefined.add(top.step)
            return None

    def _input(self, v: s.Variable, step: int) -> Callable[[], Any]:
        t, label = self.scope.variables[v.name], self.prefix + v.name
        return lambda: self.oracle.fixed(label, t) if v.const else self.oracle.now(label, t, step)

    def _sizes(self, m: Moment) -> None:
        """Types have the sizes that were assumed, so the constants must have these values."""
        for name, n in m.scope.assumed.items():
            if m.value(name) != n:
                raise Impossible(f"the size {name}, which is not {n}")

    def _constants(self) -> None:
        scope, at = self.world.globals, self.run.globals
        self._sizes(at)
        for name, v in scope.declared.items():
            formula = restriction(scope, v)
            if formula is not None:
                holds = bool(self.run.evaluate(formula, at.place))
                if name in scope.body.definitions:
                    self.properties[f"type of {name}"] = holds
                elif not holds:
                    raise Impossible(f"the type of {name}")

    # -- one instance ------------------------------------------------------------------------------

    def visit(self, m: Moment, top: bool) -> None:
        """Check an instance and all that it calls at this tick."""
        if id(m) in self._visited:
            return
        self._visited.add(id(m))
        unused, self._unused = self._unused, False
        try:
            self._check(m, top)
        # The property that it violates was noted before; the others of this instance have no value.
        except Undefined:
            self.undefined.add(m.step)
        self._unused = unused

    def _check(self, m: Moment, top: bool) -> None:
        node = m.scope.node
        assert node is not None
        self._sizes(m)
        if top or not self.world.abstracts(node):
            self._body(m)
        self._typed(m, node, top)
        self._contracted(m, node, top)

    def _body(self, m: Moment) -> None:
        for name, d in m.scope.body.definitions.items():
            self._definition(m, m.scope.variables[name], d)
        for initial in m.scope.body.initial.values():
            if initial is not None and not initial.indices:
                self.force(initial.value, m.place)
        for e in m.scope.body.calls:
            self.force(e, m.place)
        for a in m.scope.body.asserts:
            self.force(a.formula, m.place)
            if not self.run.evaluate(a.formula, m.place.signed(-1)):
                raise Impossible(f"{a.span}: the assertion")
        for c in m.scope.body.checks:
            self.force(c.formula, m.place.signed(1))
        for c in m.scope.body.checks:
            self._checked(m, c)

    def _checked(self, m: Moment, c: s.Check) -> None:
        try:
            guarded = c.provided is not None and not self.run.evaluate(c.provided, m.place)
            self._property(
                m.prefix + c.name, guarded or bool(self.run.evaluate(c.formula, m.place.signed(1)))
            )
        except Undefined:
            self.undefined.add(m.step)

    def _definition(self, m: Moment, t: Type, d: Any, at: tuple[int, ...] = ()) -> None:
        if len(at) == len(d.indices):
            self.force(d.value, m.indexed(d, at))
            return
        assert isinstance(t, Array)
        for n in range(t.size):
            self._definition(m, t.element, d, (*at, n))

    def _property(self, name: str, holds: bool) -> None:
        if name in self.properties:
            self._shared.add(name)
        self.properties[name] = self.properties.get(name, True) and holds

    def _typed(self, m: Moment, node: s.Node, top: bool) -> None:
        inputs = {v.name for v in node.inputs}
        abstract = not top and self.world.abstracts(node)
        hidden = {v.name for v in node.locals} if abstract else set()
        for name, v in m.scope.declared.items():
            if name in hidden:
                continue
            formula = restriction(m.scope, v)
            if formula is None:
                continue
            assumed = (
                top
                if name in inputs
                else abstract or (v.const and name not in m.scope.body.definitions)
            )
            holds = bool(self.run.evaluate(formula, m.place.signed(-1 if assumed else 1)))
            if not assumed:
                self._property(f"{m.prefix}type of {name}", holds)
            elif not holds and (not abstract or m.scope.contract is None or self._assumed(m, node)):
                raise Impossible(f"{v.span}: the type of {name}")

    # -- contracts ---------------------------------------------------------------------------------

    def _contracted(self, m: Moment, node: s.Node, top: bool) -> None:
        if m.scope.contract is None:
            return
        found = self._clauses(self._contract(m), node, "")
        abstract = not top and self.world.abstracts(node)
        modes = [holds for kind, _, holds in found if kind == "mode"]
        for kind, name, holds in found:
            if kind == "assume" and not top:
                self._property(f"{m.prefix}assume {name}", holds)
            elif kind == "assume" and not holds:
                raise Impossible(f"the assumption {name}")
            elif kind == "guarantee" and not abstract:
                self._property(m.prefix + name, holds)
        if abstract:
            if self._assumed(m, node) and not all(
                holds for kind, _, holds in found if kind == "guarantee"
            ):
                raise Impossible(f"the contract of {node.name}")
        elif modes:
            self._property(f"{m.prefix}some mode is active", any(modes))

    def _assumed(self, m: Moment, node: s.Node) -> bool:
        """Do the assumptions hold now and, for a node, at all ticks before?"""
        now = all(
            holds
            for kind, _, holds in self._clauses(self._contract(m), node, "")
            if kind == "assume"
        )
        before = m.place.before
        return now and (
            node.kind == "function" or before is None or self._assumed(before.moment, node)
        )

    def _contract(self, m: Moment) -> Moment:
        if "contract" not in m.calls:
            assert m.scope.contract is not None

            def earlier() -> Moment | None:
                before = m.place.before
                return None if before is None else self._contract(before.moment)

            made = m.calls["contract"] = Moment(
                self.run,
                m.scope.contract,
                f"{m.prefix}contract.",
                m.step,
                {},
                earlier,
                m.resettable,
                m,
            )
            assert m.scope.node is not None
            self._prepare(made, m.scope.node)
        found: Moment = m.calls["contract"]
        return found

    def _prepare(self, at: Moment, node: s.Node) -> None:
        """Make the modes and imports of a contract known."""
        for item in node.contract:
            if isinstance(item, s.Mode):
                at.modes[item.name] = self._required(at, item)
            elif isinstance(item, s.Import):
                self._import(at, item)

    def _required(self, at: Moment, mode: s.Mode) -> Callable[[], bool]:
        return lambda: all(self.run.evaluate(c.formula, at.place) for c in mode.require)

    def _import(self, at: Moment, item: s.Import) -> None:
        node = self.world.program.contracts[item.name]
        scope = self.world.scope(
            node, tuple([self.world.resolve(t, at.scope) for t in item.types]), {}
        )
        inputs = {
            v.name: self._thunk(e, at.place)
            for v, e in zip((*node.inputs, *node.outputs), (*item.args, *item.outputs), strict=True)
        }

        def earlier() -> Moment | None:
            before = at.place.before
            return None if before is None else before.moment.imports[item.name]

        made = Moment(
            self.run,
            scope,
            f"{at.prefix}{item.name}.",
            at.step,
            inputs,
            earlier,
            at.resettable,
            None,
            at.place.clock,
        )
        at.imports[item.name] = made
        self._prepare(made, node)

    def _thunk(self, e: s.Expr, place: Place) -> Callable[[], Any]:
        return lambda: self.run.evaluate(e, place)

    def _clauses(self, at: Moment, node: s.Node, prefix: str) -> list[tuple[str, str, bool]]:
        """The formulas of a contract: kind, name, value."""
        out: list[tuple[str, str, bool]] = []
        for name in at.scope.body.definitions:
            self.force(at.scope.body.definitions[name].value, at.place)
        for item in node.contract:
            if isinstance(item, s.Clause):
                place = at.place.signed(-1 if item.kind == "assume" else 1)
                self.force(item.formula, place)
                out.append(
                    (item.kind, prefix + item.name, bool(self.run.evaluate(item.formula, place)))
                )
            elif isinstance(item, s.Mode):
                required = at.modes[item.name]()
                out.append(("mode", prefix + item.name, required))
                for c in (*item.require, *item.ensure):
                    self.force(c.formula, at.place)
                for c in item.ensure:
                    holds = not required or bool(self.run.evaluate(c.formula, at.place.signed(1)))
                    out.append(("guarantee", f"{prefix}{item.name}: {c.name}", holds))
            elif isinstance(item, s.Import):
                inner = self.world.program.contracts[item.name]
                for e in (*item.args, *item.outputs):
                    self.force(e, at.place)
                out += self._clauses(at.imports[item.name], inner, f"{prefix}{item.name}.")
        return out

    # -- everything that ticks ---------------------------------------------------------------------

    def force(self, e: s.Expr, place: Place) -> None:
        """Visit the instances of all calls in an expression that tick, evaluated or not; check
        choices.
        """
        if isinstance(e, s.Call):
            self._force_call(e, place)
        elif isinstance(e, s.If) and e.lazy:
            self.force(e.condition, place)
            c = self.run.evaluate(e.condition, place)
            self.force(e.then if c else e.other, self.run.branch(e, place, "then" if c else "else"))
        elif isinstance(e, s.Binary) and e.op in LAZY:
            self.force(e.left, place)
            if bool(self.run.evaluate(e.left, place)) != (e.op == "or else"):
                self.force(e.right, self.run.branch(e, place, "right"))
        elif isinstance(e, s.Merge):
            self._force_merge(e, place)
        elif isinstance(e, s.Arrow):
            first = place.before is None
            self._force_used(e.first, place, self._unused or not first)
            self._force_used(e.rest, place, self._unused or first)
        elif isinstance(e, s.Pre):
            self._force_used(e.arg, place, False)
        elif isinstance(e, s.Match):
            self.force(e.arg, place)
            self.force(*self.run.matched(e, place))
        elif isinstance(e, s.Let):
            self.force(e.value, place)
            self.force(e.body, self.run.let(e, place))
        elif isinstance(e, s.Quantifier):
            if isinstance(e.body, s.Expr):
                for at in self.run.assignments(e, place):
                    self.force(e.body, at)
        elif isinstance(e, s.Any):
            self._force_any(e, place)
        elif isinstance(e, s.Each):
            self.force(e.table, place)
        else:
            for part in _parts(e):
                self.force(part, place)
            self._selected(e, place)

    def _force_used(self, e: s.Expr, place: Place, unused: bool) -> None:
        kept, self._unused = self._unused, unused
        self.force(e, place)
        self._unused = kept

    def _selected(self, e: s.Expr, place: Place) -> None:
        """A field of a datatype can be read only where the value has it."""
        if isinstance(e, s.Field) and not self._unused:
            t = self.run.type(e.arg, place)
            if isinstance(t, Data):
                owner = next(c for c, fs in t.constructors if e.name in dict(fs))
                holds = self.run.evaluate(e.arg, place)[0] == owner
                self._property(
                    f"{place.moment.prefix}{owner}?:{e.span.line}:{e.span.column}", holds
                )

    def _force_call(self, e: s.Call, place: Place) -> None:
        for part in (
            *e.args,
            *(e.defaults or ()),
            *(x for x in (e.every, e.restart) if x is not None),
        ):
            self._force_used(part, place, self._unused and e.name not in self.world.program.nodes)
        if e.name in self.world.program.nodes and self.run.active(e, place):
            self.visit(self.run.child(e, place), False)

    def _force_merge(self, e: s.Merge, place: Place) -> None:
        for _, branch in e.cases:
            self.force(branch.arg if isinstance(branch, s.When) else branch, place)

    def _force_any(self, e: s.Any, place: Place) -> None:
        if e.choose:
            names = surroundings(e, place.moment.scope, place.types)
            args = tuple([self.run.evaluate(name, place) for name in names])
            self.run.function(
                (e, tuple(place.moment.scope.params.items()), args), self.run.evaluate(e, place)
            )
        formula = restriction(place.moment.scope, e.variable)
        if formula is not None:
            value = self.run.evaluate(e, place)
            at = place.bind(
                e.variable.name, self.run.type(e, place), lambda p: self.run.evaluate(e, p)
            )
            self.force(formula, at)
            if not self.run.evaluate(formula, at.signed(-1)):
                raise Impossible(f"{e.span}: the choice of {value}")


def _parts(e: s.Expr) -> list[s.Expr]:
    out: list[s.Expr] = []
    for f in fields(e):
        x = getattr(e, f.name)
        if isinstance(x, s.Expr):
            out.append(x)
        elif isinstance(x, tuple):
            out += [i for i in x if isinstance(i, s.Expr)]
            out += [i[1] for i in x if isinstance(i, tuple) and isinstance(i[1], s.Expr)]
    return out
