"""Instances of nodes: streams by name, evaluated on demand, so that only streams that truly depend
on themselves are refused.

An `Instance` holds the values of one node at one place of the call tree; a `Place` is where an
expression is evaluated: the instance, the clock, and what bound names mean there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from obligato.errors import InputError, Span
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.builder import Ticks
from obligato.frontends.lustre.desugar import Definition
from obligato.frontends.lustre.scopes import Scope, Static
from obligato.frontends.lustre.types import Array, Type
from obligato.frontends.lustre.values import Value
from obligato.terms import Term

if TYPE_CHECKING:
    from obligato.frontends.lustre.translate import Translator

Thunk = Callable[[], Value]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression is evaluated.

    `values` are bound names, `types` their types, `statics` the indices among them; `rigid` are
    bound names that stand for one value of a quantifier. `guarded`: the right side of an arrow,
    where a first value is never read. `sign`: 1 where a formula is to be proved, -1 where it is
    assumed, 0 elsewhere. `relevant`: where this holds the value is used (None: everywhere), so that
    what an operator demands of its operands is demanded there only.
    """

    instance: Instance
    ticks: Ticks
    values: Mapping[str, Value]
    types: Mapping[str, Type]
    statics: Mapping[str, Static]
    rigid: frozenset[str] = frozenset()
    guarded: bool = False
    sign: int = 0
    relevant: Term | None = None

    def plain(self) -> Place:
        """The same place, as seen by a part of an expression about which nothing is known."""
        return replace(self, sign=0) if self.sign else self

    def stream(self) -> Place:
        """The same place for a stream that other ticks read, too."""
        return replace(self, guarded=False, sign=0, relevant=None)

    def where(self, condition: Term) -> Place:
        """The same place in a part whose value is used only where `condition` holds."""
        both = (
            condition if self.relevant is None else condition.store.and_(self.relevant, condition)
        )
        return replace(self, relevant=both)

    def bind(self, name: str, t: Type, value: Value, static: Static | None = None) -> Place:
        """The place with one more bound name."""
        statics = {k: v for k, v in self.statics.items() if k != name}
        if static is not None:
            statics[name] = static
        return replace(
            self,
            values={**self.values, name: value},
            types={**self.types, name: t},
            statics=statics,
        )

    def key(self, e: s.Expr) -> object:
        """What tells two evaluations of an expression on one clock apart: the bound names in it."""
        if not self.values:
            return None
        names = self.instance.scope.world.names(e)
        return tuple([(name, value) for name, value in self.values.items() if name in names])


class Instance:
    """One use of a node: `inputs` give its inputs (of a contract also its outputs) when they are
    asked for.
    """

    def __init__(
        self,
        translator: Translator,
        scope: Scope,
        ticks: Ticks,
        prefix: str,
        inputs: Mapping[str, Thunk],
        outer: Instance | None = None,
        caller: Instance | None = None,
    ) -> None:
        self.translator, self.scope, self.ticks = translator, scope, ticks
        self.prefix, self.inputs = prefix, inputs
        self.outer, self.caller = outer, caller
        self.known: dict[str, Value] = {}
        self.elements: dict[tuple[str, tuple[int, ...]], Value] = {}
        self._open: dict[object, None] = {}
        self.place = Place(self, ticks, {}, {}, {})
        self.modes: dict[str, Thunk] = {}
        self.imports: dict[str, Instance] = {}

    def place_of(self, span: Span) -> Span:
        """A place in the node; its scope is this use of the node."""
        node = "" if self.scope.node is None else self.scope.node.name
        return replace(span, scope=self.prefix.removesuffix(".") or node)

    def value(self, name: str) -> Value:
        """The stream `name` of this instance."""
        known = self.known.get(name)
        if known is not None:
            return known
        self._enter(name, name)
        value = self._evaluated(name)
        del self._open[name]
        self.known[name] = value
        return value

    def _enter(self, key: object, name: str) -> None:
        if key in self._open:
            d = self.scope.body.definitions.get(name)
            assert d is not None
            raise InputError(f"{name} depends on itself at the same step", d.span)
        self._open[key] = None

    def _evaluated(self, name: str) -> Value:
        if name in self.inputs:
            return self.inputs[name]()
        d, t = self.scope.body.definitions.get(name), self.scope.variables[name]
        if d is None:
            return self.translator.builder.frozen(self.prefix + name, t)
        if d.indices:
            return self._whole(name, t, d.indices, ())
        return self.translator.evaluate(d.value, self.place)

    def _whole(self, name: str, t: Type, indices: tuple[str, ...], at: tuple[int, ...]) -> Value:
        if len(at) == len(indices):
            return self.element(name, at)
        assert isinstance(t, Array)
        return tuple([self._whole(name, t.element, indices, (*at, n)) for n in range(t.size)])

    def element(self, name: str, at: tuple[int, ...]) -> Value:
        """The element of an array that is defined element by element."""
        key = (name, at)
        known = self.elements.get(key)
        if known is not None:
            return known
        d = self.definition(name)
        self._enter(key, name)
        place = self.place
        for i, n in zip(d.indices, at, strict=True):
            place = place.bind(i, self.translator.int_type, self.translator.store.int_(n), n)
        value = self.elements[key] = self.translator.evaluate(d.value, place)
        del self._open[key]
        return value

    def definition(self, name: str) -> Definition:
        """The equation that defines a stream of this instance."""
        return self.scope.body.definitions[name]

    def find(self, name: str) -> Instance | None:
        """The instance of this one, its surroundings and the global constants that has a stream."""
        if name in self.scope.variables:
            return self
        return None if self.outer is None else self.outer.find(name)
