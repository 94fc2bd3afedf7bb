"""Moments and places: an instance of a node at one tick of its clock, and where in it an expression
is evaluated.

Each knows the tick before. Nothing is ever updated: the past is evaluated where it is needed, and
remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.desugar import Definition
from obligato.frontends.lustre.equations import check_scope
from obligato.frontends.lustre.scopes import Scope, Static
from obligato.frontends.lustre.types import Array, Type

if TYPE_CHECKING:
    from obligato.frontends.lustre.interpreter import Interpreter

Getter = Callable[["Place"], Any]


class Oracle(Protocol):
    """Answers for what the program leaves open."""

    def now(self, label: str, t: Type, step: int) -> Any:
        """A value at a step."""

    def fixed(self, label: str, t: Type) -> Any:
        """A value that holds for the whole run."""

    def first(self, label: str, t: Type) -> Any:
        """The value of a `pre` at the first moment."""


class Place:
    """Where an expression is evaluated: a moment, what bound names mean, and the place at the tick
    before.
    """

    def __init__(
        self,
        moment: Moment,
        clock: str,
        earlier: Callable[[], Place | None],
        types: Mapping[str, Type],
        bound: Mapping[str, Any],
        statics: Mapping[str, Static],
        sign: int = 0,
    ) -> None:
        self.moment, self.clock, self._earlier = moment, clock, earlier
        self.types, self.bound, self.statics, self.sign = types, bound, statics, sign
        self._before: list[Place | None] = []

    @property
    def before(self) -> Place | None:
        """The place at the tick before; None at the first tick."""
        if not self._before:
            self._before.append(self._earlier())
        return self._before[0]

    def signed(self, sign: int) -> Place:
        """The same place in a formula that is to be proved (1) or assumed (-1)."""
        return Place(
            self.moment, self.clock, lambda: self.before, self.types, self.bound, self.statics, sign
        )

    def bind(self, name: str, t: Type, get: Getter, static: Static | None = None) -> Place:
        """With one more name, which `get` evaluates at each place."""
        statics = {k: v for k, v in self.statics.items() if k != name}
        if static is not None:
            statics[name] = static

        def earlier() -> Place | None:
            b = self.before
            return None if b is None else b.bind(name, t, get, static)

        types, bound = {**self.types, name: t}, {**self.bound, name: get(self)}
        return Place(self.moment, self.clock, earlier, types, bound, statics, self.sign)

    def key(self, e: s.Expr) -> object:
        """What tells evaluations of an expression in a moment apart: the bound names in it."""
        if not self.bound:
            return None
        names = self.moment.run.world.names(e)
        return tuple([(name, value) for name, value in self.bound.items() if name in names])


class Moment:
    """An instance at one tick."""

    def __init__(
        self,
        run: Interpreter,
        scope: Scope,
        prefix: str,
        step: int,
        inputs: Mapping[str, Callable[[], Any]],
        earlier: Callable[[], Moment | None],
        resettable: bool,
        outer: Moment | None = None,
        clock: str = "",
    ) -> None:
        check_scope(scope)  # what stands in an equation has the type that is wanted there
        self.run, self.scope, self.prefix, self.step, self.inputs = run, scope, prefix, step, inputs
        self.resettable, self.outer = resettable, outer
        self.known: dict[str, Any] = {}
        self.elements: dict[tuple[str, tuple[int, ...]], Any] = {}
        self.calls: dict[object, Any] = {}
        self.modes: dict[str, Callable[[], bool]] = {}
        self.imports: dict[str, Moment] = {}

        def before() -> Place | None:
            m = earlier()
            return None if m is None else m.place

        own = clock or (prefix if outer is None else outer.place.clock)
        self.place: Place = Place(self, own, before, {}, {}, {})

    def value(self, name: str) -> Any:
        """A stream at this tick."""
        if name not in self.known:
            self.known[name] = self._evaluated(name)
        return self.known[name]

    def _evaluated(self, name: str) -> Any:
        if name in self.inputs:
            return self.inputs[name]()
        t = self.scope.variables[name]
        d = self.scope.body.definitions.get(name)
        if d is None:
            return self.run.oracle.fixed(self.prefix + name, t)
        if d.indices:
            return self._whole(t, len(d.indices), lambda at: self.element(name, at))
        return self.run.evaluate(d.value, self.place)

    def _whole(
        self,
        t: Type,
        depth: int,
        element: Callable[[tuple[int, ...]], Any],
        at: tuple[int, ...] = (),
    ) -> Any:
        if not depth:
            return element(at)
        assert isinstance(t, Array)
        return tuple([self._whole(t.element, depth - 1, element, (*at, n)) for n in range(t.size)])

    def element(self, name: str, at: tuple[int, ...]) -> Any:
        """An element of an array that is defined element by element."""
        if (name, at) not in self.elements:
            self.elements[name, at] = self._at(self.scope.body.definitions[name], at)
        return self.elements[name, at]

    def _at(self, d: Definition, at: tuple[int, ...]) -> Any:
        return self.run.evaluate(d.value, self.indexed(d, at))

    def indexed(self, d: Definition, at: tuple[int, ...]) -> Place:
        """The place of one element of a definition."""
        place = self.place
        for i, n in zip(d.indices, at, strict=True):
            place = place.bind(i, self.run.integer, constantly(n), n)
        return place

    def initial(self, name: str) -> Any:
        """The initial value of a variable of a frame."""
        d = self.scope.body.initial[name]
        assert d is not None
        if not d.indices:
            return self.run.evaluate(d.value, self.place)
        begin = Moment(
            self.run,
            self.scope,
            self.prefix,
            self.step,
            self.inputs,
            lambda: None,
            self.resettable,
            self.outer,
        )
        begin.known = Others(self, name)
        return self._whole(
            self.scope.variables[name], len(d.indices), lambda at: begin.start(name, at)
        )

    def start(self, name: str, at: tuple[int, ...]) -> Any:
        """An element of the initial value of an array."""
        d = self.scope.body.initial[name]
        assert d is not None
        if (name, at) not in self.elements:
            self.elements[name, at] = self._at(d, at)
        return self.elements[name, at]

    def find(self, name: str) -> Moment | None:
        """This moment or the one around it that has a stream."""
        if name in self.scope.variables:
            return self
        return None if self.outer is None else self.outer.find(name)


class Others(dict[str, Any]):
    """All streams of a moment but one."""

    def __init__(self, moment: Moment, name: str) -> None:
        self.moment, self.name = moment, name

    def __contains__(self, name: object) -> bool:
        return name != self.name

    def __getitem__(self, name: str) -> Any:
        return self.moment.value(name)


def constantly(value: Any) -> Getter:
    """A stream that has the same value at all moments."""
    return lambda place: value
