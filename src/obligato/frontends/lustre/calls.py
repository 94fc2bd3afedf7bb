"""Calls and contracts: a call is an instance of its node; a contract is part of the instance that
has it.

At a call the assumptions of the contract are properties; at the node that is analysed they are
constraints. Guarantees are properties, or constraints where there is no body (imported nodes). A
mode is the guarantee "requires implies ensures", and the modes of a contract together must cover
all situations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.builder import Ticks
from obligato.frontends.lustre.equations import check_scope
from obligato.frontends.lustre.functions import Application
from obligato.frontends.lustre.instances import Instance, Place, Thunk
from obligato.frontends.lustre.refinements import restriction
from obligato.frontends.lustre.translate import Translator
from obligato.frontends.lustre.types import BOOL, Listed
from obligato.frontends.lustre.typing import callee, expect
from obligato.frontends.lustre.values import TableValue, Value, choose, term
from obligato.terms import BOOL as BOOL_SORT
from obligato.terms import Term

MAX_CALLS = 20_000


@dataclass(slots=True)
class Contract:
    """The formulas of a contract by name, with their places; what is to be proved (sign 1) or assumed (-1) of them
    depends on who has it.
    """

    assumed: int
    claimed: int

    assumptions: list[tuple[str, Term, Span]] = field(default_factory=list)
    guarantees: list[tuple[str, Term, Span]] = field(default_factory=list)
    modes: list[Term] = field(default_factory=list)


class Calls(Translator):
    """Instances of nodes."""

    _made = 0

    def _call(self, e: s.Call, place: Place) -> Value:
        t = self.type(e, place)
        if e.name in self.world.constructors and e.name not in self.world.program.nodes:
            return self._constructed(t, e.name, [self.evaluate(a, place.plain()) for a in e.args])
        place = place.stream()
        key = (e, "call", place.key(e))
        if key not in place.ticks.memo:
            place.ticks.memo[key] = self._instance(e, place)
        instance: Any = place.ticks.memo[key]
        outputs = tuple([instance.value(v.name) for v in instance.scope.node.outputs])
        if e.defaults is not None and outputs:
            outputs = self._held(e, outputs, place)
        return outputs if isinstance(t, Listed) else outputs[0]

    def _instance(self, e: s.Call, place: Place) -> Instance:
        scope = callee(place.instance.scope, e, place.types, place.statics)
        node, caller = scope.node, place.instance
        assert node is not None
        self._made += 1
        if self._made > MAX_CALLS:
            raise Unsupported(f"more than {MAX_CALLS} calls are not supported", e.span, "size")
        above: Instance | None = caller
        while above is not None:
            if above.scope.node is node:
                raise Unsupported(f"{node.name} calls itself", e.span, "recursion")
            above = above.caller or above.outer
        every = None if e.every is None else self.formula(e.every, place)
        restart = None if e.restart is None else self.formula(e.restart, place)
        if every is not None and restart is not None:
            restart = self.store.and_(every, restart)
        prefix = self.label(e, node.name, place) + "."
        ticks = (
            place.ticks
            if every is None and restart is None
            else place.ticks.sub(every, restart, prefix)
        )
        if ticks is place.ticks:
            ticks = Ticks(self.builder, ticks.active, ticks.reset, prefix)
            ticks.share(place.ticks)
        if self.world.abstracts(node) and not node.imported:
            self.builder.note(
                f"the body of {node.name} is not looked at here: its contract stands for it, and is proved"
                " separately",
                e.span,
            )
            self._rest_on(node, caller)
        made = Instance(self, scope, ticks, prefix, self._arguments(e, node, place), caller=caller)
        self.start(made, top=False)
        return made

    def _rest_on(self, node: s.Node, caller: Instance) -> None:
        """What is proved about the node that is analysed here holds only if the contract of `node`
        does.
        """
        above: Instance | None = caller
        while above is not None:
            root, above = above, above.caller or above.outer
        owner = "" if root.scope.node is None else root.scope.node.name
        self.builder.rests.setdefault(owner, {})[node.name] = None

    def _arguments(self, e: s.Call, node: s.Node, place: Place) -> dict[str, Thunk]:
        """The inputs of a node, evaluated when they are asked for; a list among the arguments
        stands for several.
        """

        def whole(a: s.Expr) -> Thunk:
            return lambda: self.evaluate(a, place)

        def part(a: s.Expr, n: int) -> Thunk:
            def take() -> Value:
                value = self.evaluate(a, place)
                assert isinstance(value, tuple)
                return value[n]

            return take

        thunks: list[Thunk] = []
        for a in e.args:
            t = self.type(a, place)
            thunks += (
                [part(a, n) for n in range(len(t.items))] if isinstance(t, Listed) else [whole(a)]
            )
        return {v.name: thunk for v, thunk in zip(node.inputs, thunks, strict=True)}

    def _held(self, e: s.Call, outputs: tuple[Value, ...], place: Place) -> tuple[Value, ...]:
        """condact: where the clock is false, the outputs keep their values, at first the
        defaults.
        """
        assert e.every is not None and e.defaults is not None
        key = (e, "held", place.key(e))
        if key not in place.ticks.memo:
            place.ticks.memo[key] = self._hold(e, outputs, place)
        found: Any = place.ticks.memo[key]
        return found  # type: ignore[no-any-return]

    def _hold(self, e: s.Call, outputs: tuple[Value, ...], place: Place) -> tuple[Value, ...]:
        assert e.every is not None and e.defaults is not None
        clock, out = self.formula(e.every, place), list[Value]()
        defaults: list[Value] = []
        for d in e.defaults:
            value = self.evaluate(d, place)
            defaults += (
                value
                if isinstance(self.type(d, place), Listed) and isinstance(value, tuple)
                else [value]
            )
        for n, (now, first) in enumerate(zip(outputs, defaults, strict=True)):
            cells = self._cells(now, self.label(e, f"held{n}", place), e)
            kept = choose(self.store, place.ticks.first, first, cells)
            value = choose(self.store, clock, now, kept)
            self._fill(cells, value, place.ticks)
            out.append(value)
        return tuple(out)

    def _cells(self, like: Value, label: str, e: s.Expr) -> Value:
        if isinstance(like, Term):
            return self.builder.state(label, like.sort, label)
        if isinstance(like, TableValue):
            raise Unsupported(
                "a set or map that a clock holds is not supported", e.span, "held set"
            )
        return tuple([self._cells(v, f"{label}.{n}", e) for n, v in enumerate(like)])

    # -- what an instance brings with it -----------------------------------------------------------

    def start(self, made: Instance, top: bool) -> None:
        """Put off the work on an instance: its definitions, assertions, properties and contract."""
        node = made.scope.node
        assert node is not None
        check_scope(made.scope)
        self.builder.tasks.append(lambda: self.assumed_sizes(made))
        if not top and self.world.abstracts(node):
            self._imported(made, node)
        else:
            self.builder.tasks.append(lambda: self._body(made))
        self.builder.tasks.append(lambda: self._interface(made, node, top))

    def assumed_sizes(self, made: Instance) -> None:
        """Sizes of arrays that were assumed where they are not known."""
        for name, n in made.scope.assumed.items():
            value = self.constant(name) if made is self.constants else made.value(name)
            self.builder.constrain(self.store.eq(term(value), self.store.int_(n)))

    def _body(self, made: Instance) -> None:
        for name in made.scope.body.definitions:
            made.value(name)
        for e in made.scope.body.calls:
            self.evaluate(e, made.place)
        for a in made.scope.body.asserts:
            self._constrain(made, self.formula(a.formula, replace(made.place, sign=-1)))
        for c in made.scope.body.checks:
            self._property(made, c.name, self._checked(c, made.place), c.span)

    def _interface(self, made: Instance, node: s.Node, top: bool) -> None:
        """The formulas that types and contract say about an instance."""
        for v in node.inputs:
            made.value(v.name)  # also those that nobody reads: calls in them tick
        contract, required = self.contract(made, node, top), self.store.true
        if contract is not None:
            if not top and self.world.abstracts(node):
                required = self._so_far(made, node, contract)
            self._contracted(made, node, contract, required, top)
        self._typed(made, node, required, top)

    def _checked(self, c: s.Check, place: Place) -> Term:
        at = replace(place, sign=1)
        if c.provided is None:
            return self.formula(c.formula, at)
        return self.store.implies(self.formula(c.provided, place), self.formula(c.formula, at))

    def _constrain(self, made: Instance, formula: Term) -> None:
        self.builder.constrain(made.ticks.guard(formula))

    def _property(self, made: Instance, name: str, formula: Term, span: Span) -> None:
        self.builder.prove(made.prefix + name, made.ticks.guard(formula), made.place_of(span))

    def _typed(self, made: Instance, node: s.Node, required: Term, top: bool) -> None:
        """Subranges and refinements: of inputs assumed, of outputs and locals to be proved. Without
        a body, outputs keep to their types where what the contract assumes holds (`required`).
        """
        inputs = dict.fromkeys(v.name for v in node.inputs)
        abstract = not top and self.world.abstracts(node)
        hidden = dict.fromkeys(v.name for v in node.locals) if abstract else {}
        for name, v in made.scope.declared.items():
            if name in hidden:
                continue
            formula = restriction(made.scope, v)
            if formula is None:
                continue
            expect(made.scope, formula, BOOL)
            free = v.const and name not in made.scope.body.definitions
            assumed = top if name in inputs else abstract or free
            value = self.formula(formula, replace(made.place, sign=-1 if assumed else 1))
            if assumed:
                self._constrain(made, self.store.implies(required, value) if abstract else value)
            else:
                self._property(made, f"type of {name}", value, v.span)

    def _contracted(
        self, made: Instance, node: s.Node, contract: Contract, required: Term, top: bool
    ) -> None:
        for name, formula, span in contract.assumptions:
            if top:
                self._constrain(made, formula)
            else:
                self._property(made, f"assume {name}", formula, span)
        if not top and self.world.abstracts(node):
            for _, formula, _ in contract.guarantees:
                self._constrain(made, self.store.implies(required, formula))
            return
        for name, formula, span in contract.guarantees:
            self._property(made, name, formula, span)
        if contract.modes:
            active = self.store.or_(*contract.modes)
            self._property(made, "some mode is active", active, node.span)

    def _so_far(self, made: Instance, node: s.Node, contract: Contract) -> Term:
        """The assumptions hold now and, for a node, held at all ticks before."""
        s, now = self.store, self.store.and_(*[f for _, f, _ in contract.assumptions])
        if node.kind == "function" or not contract.assumptions:
            return now
        x = self.builder.state(f"{made.prefix}assumed", BOOL_SORT, f"{made.prefix}assumed", s.true)
        before = x if made.ticks.reset is None else s.or_(made.ticks.first, x)
        self.builder.cells[x].next = made.ticks.updated(x, s.and_(before, now))
        return s.and_(before, now)

    # -- imported nodes ----------------------------------------------------------------------------

    def _imported(self, made: Instance, node: s.Node) -> None:
        for v in node.outputs:
            made.known[v.name] = self.builder.free(
                f"{made.prefix}{v.name}", made.scope.variables[v.name]
            )
        if node.kind == "function":
            self.builder.tasks.append(lambda: self._congruent(made, node))

    def _congruent(self, made: Instance, node: s.Node) -> None:
        """Calls of an imported function with equal arguments have equal results."""
        variables = (*node.inputs, *node.outputs)
        types = tuple([made.scope.variables[v.name] for v in variables])
        application = Application(
            types, tuple([made.value(v.name) for v in variables]), len(node.inputs)
        )
        self.functions.add((node, tuple(made.scope.params.values())), made.prefix, application)

    # -- contracts ---------------------------------------------------------------------------------

    def contract(self, made: Instance, node: s.Node, top: bool) -> Contract | None:
        """The contract of an instance, with all it imports."""
        scope = made.scope.contract
        if scope is None:
            return None
        inner = Instance(self, scope, made.ticks, f"{made.prefix}contract.", {}, outer=made)
        out = Contract(-1 if top else 1, -1 if not top and self.world.abstracts(node) else 1)
        self._gather(inner, node, "", out, ())
        return out

    def _gather(
        self, at: Instance, node: s.Node, prefix: str, out: Contract, open_: tuple[s.Node, ...]
    ) -> None:
        if node in open_:
            raise InputError(f"the contract {node.name} imports itself", node.span)
        check_scope(at.scope)
        for item in node.contract:
            if isinstance(item, s.Mode):
                at.modes[item.name] = self._required(at, item)
            elif isinstance(item, s.Import):
                self._import(at, item, prefix, out, (*open_, node))
        for item in node.contract:
            if isinstance(item, s.Clause):
                expect(at.scope, item.formula, BOOL)
                assumed = item.kind == "assume"
                formula = self.formula(
                    item.formula, replace(at.place, sign=out.assumed if assumed else out.claimed)
                )
                (out.assumptions if assumed else out.guarantees).append(
                    (prefix + item.name, formula, item.span)
                )
            elif isinstance(item, s.Mode):
                self._mode(at, item, prefix, out)
        for name in at.scope.body.definitions:
            at.value(name)

    def _required(self, at: Instance, mode: s.Mode) -> Thunk:
        memo: list[Term] = []

        def value() -> Value:
            if not memo:
                memo.append(
                    self.store.and_(*[self.formula(c.formula, at.place) for c in mode.require])
                )
            return memo[0]

        return value

    def _mode(self, at: Instance, mode: s.Mode, prefix: str, out: Contract) -> None:
        for c in (*mode.require, *mode.ensure):
            expect(at.scope, c.formula, BOOL)
        required = term(at.modes[mode.name]())
        out.modes.append(required)
        for c in mode.ensure:
            formula = self.formula(c.formula, replace(at.place, sign=out.claimed))
            out.guarantees.append(
                (f"{prefix}{mode.name}: {c.name}", self.store.implies(required, formula), c.span)
            )

    def _import(
        self, at: Instance, item: s.Import, prefix: str, out: Contract, open_: tuple[s.Node, ...]
    ) -> None:
        world = self.world
        node = world.program.contracts.get(item.name)
        if node is None:
            raise InputError(f"there is no contract {item.name}", item.span)
        scope = world.scope(node, tuple([world.resolve(t, at.scope) for t in item.types]), {})
        given, wanted = (*item.args, *item.outputs), (*node.inputs, *node.outputs)
        if len(item.args) != len(node.inputs) or len(item.outputs) != len(node.outputs):
            raise InputError(
                f"{item.name} has {len(node.inputs)} inputs and {len(node.outputs)} outputs",
                item.span,
            )
        inputs: dict[str, Thunk] = {}
        for v, e in zip(wanted, given, strict=True):
            expect(at.scope, e, scope.variables[v.name])
            inputs[v.name] = self._thunk(e, at.place)
        inner = Instance(self, scope, at.ticks, f"{at.prefix}{item.name}.", inputs, caller=at)
        at.imports[item.name] = inner
        for name in inputs:
            inner.value(name)
        self._gather(inner, node, f"{prefix}{item.name}.", out, open_)

    def _thunk(self, e: s.Expr, place: Place) -> Thunk:
        return lambda: self.evaluate(e, place)
