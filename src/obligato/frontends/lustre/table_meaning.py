"""What the interpreter evaluates, in general, and the meaning of sets and maps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from obligato.errors import InternalError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.contents import Contents
from obligato.frontends.lustre.moments import Oracle, Place, constantly
from obligato.frontends.lustre.scopes import World
from obligato.frontends.lustre.types import Table, Type
from obligato.frontends.lustre.typing import infer


class Undefined(InternalError):
    """An expression has no value: a field that its datatype has, but not its constructor."""


class TableMeaning(ABC):
    """Evaluation of what is about sets and maps; `evaluate` is the evaluation of everything."""

    world: World
    oracle: Oracle

    @abstractmethod
    def evaluate(self, e: s.Expr, place: Place) -> Any:
        """The value of an expression."""

    def type(self, e: s.Expr, place: Place) -> Type:
        """The type of an expression."""
        return infer(place.moment.scope, e, place.types)

    def label(self, e: s.Expr, what: str, place: Place) -> str:
        """The name of what is open at an expression."""
        names = self.world.names(e) if place.statics else frozenset()
        at = "".join([f"[{v}]" for k, v in place.statics.items() if k in names])
        return f"{place.moment.prefix}{what}:{e.span.line}:{e.span.column}{at}"

    def _open(self, e: s.Expr, what: str, t: Type, place: Place) -> Any:
        return self.oracle.now(self.label(e, what, place), t, place.moment.step)

    def _tableexpr(self, e: s.TableExpr, place: Place) -> Any:
        t, label = self.type(e, place), self.label(e, "absent", place)
        keys = [self.evaluate(k, place) for k in e.keys]
        values = [self.evaluate(v, place) for v in e.values] if e.is_map else [None] * len(keys)
        step = place.moment.step
        return Contents(
            dict(zip(keys, values, strict=True)),
            lambda key: self.oracle.now(label, t, step).read(key),
        )

    def _each(self, e: s.Each, place: Place) -> Any:
        t, table = self.type(e.table, place), self.evaluate(e.table, place)
        assert isinstance(t, Table)
        return all(
            self.evaluate(e.body, self._entry(e, t, k, v, place.signed(0)))
            for k, v in table.entries.items()
        )

    def _entry(self, e: s.Each, t: Table, key: Any, value: Any, place: Place) -> Place:
        at = place.bind(e.key, t.key, constantly(key))
        return at if t.value is None else at.bind(e.value, t.value, constantly(value))
