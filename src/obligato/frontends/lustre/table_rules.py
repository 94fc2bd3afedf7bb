"""Expressions about sets and maps, as tables of the translation."""

from __future__ import annotations

from dataclasses import replace

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.instances import Place
from obligato.frontends.lustre.structures import Structures
from obligato.frontends.lustre.tables import Built, Combined, Remembered, Unknown, finite_keys
from obligato.frontends.lustre.types import BOOL, Table, Type
from obligato.frontends.lustre.values import TableValue, Value, parts, sort_of, term
from obligato.terms import Term


class TableRules(Structures):
    """Evaluation of what is about sets and maps."""

    def _table(self, e: s.TableExpr, place: Place) -> Value:
        key = (e, "table", place.key(e), place.guarded)
        if key not in place.ticks.memo:
            t, place = self.type(e, place), place.plain()
            assert isinstance(t, Table)
            keys = [self.evaluate(k, place) for k in e.keys]
            values = [self.evaluate(v, place) for v in e.values] if e.is_map else [None] * len(keys)
            place.ticks.memo[key] = self._literal(
                t, list(zip(keys, values, strict=True)), self.label(e, "absent", place)
            )
        value = place.ticks.memo[key]
        assert isinstance(value, TableValue)
        return value

    def _literal(
        self, t: Table, entries: list[tuple[Value, Value | None]], label: str
    ) -> TableValue:
        u = self.builder.universe
        return Built(u, t, entries, None, None if t.value is None else Unknown(u, label, t, False))

    def empty(self, t: Table) -> TableValue:
        """A table without keys."""
        return self._literal(t, [], "absent")

    def operation(self, e: s.Binary, a: Value, b: Value) -> Value:
        """Membership, union, intersection and difference."""
        if e.op == "in":
            assert isinstance(b, TableValue)
            return b.has(a)
        assert isinstance(a, TableValue) and isinstance(b, TableValue)
        return Combined(e.op, a, b)

    def updated(self, table: TableValue, key: Value, value: Value) -> Value:
        """A map with one more key."""
        return Built(self.builder.universe, table.type, [(key, value)], table, None)

    def _each(self, e: s.Each, place: Place) -> Value:
        place = replace(place.plain(), relevant=None)
        table, st = self.evaluate(e.table, place), self.store
        assert isinstance(table, TableValue)

        def holds(key: Value) -> Term:
            at = place.bind(e.key, table.type.key, key)
            if table.type.value is not None:
                at = at.bind(e.value, table.type.value, table.get(key))
            return st.implies(table.has(key), self.formula(e.body, at))

        keys = finite_keys(table)
        if keys is not None:
            return st.and_(*[holds(k) for k in keys])
        return self.builder.universe.for_all("each", table.type.key, holds)

    # -- under pre ---------------------------------------------------------------------------------

    def past(self, e: s.Pre, place: Place, label: str) -> Value:
        """State variables like the value of `e.arg`, whose sets and maps have as many rows as it
        can have keys.
        """
        try:
            value = self.evaluate(e.arg, place)
        except InputError as problem:
            if "depends on itself" not in problem.message:
                raise
            what = "a set or map that is made from its own past is not supported"
            raise Unsupported(what, e.span, "growing set") from problem
        return self.like(self.type(e.arg, place), value, label, e.span)

    def like(self, t: Type, value: Value, label: str, at: Span) -> Value:
        """State variables like a value of a type."""
        if isinstance(value, TableValue):
            return self._rows(value, label, at)
        inner = parts(t)
        if inner is None:
            return self.builder.state(label, term(value).sort, label)
        assert isinstance(value, tuple)
        return tuple(
            [self.like(pt, v, label + p, at) for (p, pt), v in zip(inner, value, strict=True)]
        )

    def _rows(self, table: TableValue, label: str, at: Span) -> Value:
        keys, t = finite_keys(table), table.type
        if keys is None:
            raise Unsupported(
                "pre of a set or map of any size is not supported", at, "pre of a set"
            )
        rows: list[tuple[Value, Term, Value | None]] = []
        for n, k in enumerate(keys):
            row = f"{label}.row{n}"
            value = (
                None if t.value is None else self.like(t.value, table.get(k), f"{row}.value", at)
            )
            here = self.builder.state(f"{row}.in", sort_of(BOOL), f"{row}.in")
            rows.append((self.like(t.key, k, f"{row}.key", at), here, value))
        return Remembered(
            self.builder.universe,
            t,
            rows,
            Unknown(self.builder.universe, f"{label}.absent", t, False),
        )

    def remembered_rows(self, cells: Remembered, table: Value) -> list[tuple[Value, Value]]:
        """State variables of rows, and what they become: the rows of the table for its keys, in the
        same order.
        """
        assert isinstance(table, TableValue)
        out: list[tuple[Value, Value]] = []
        for (key, here, value), k in zip(cells.rows, finite_keys(table) or (), strict=True):
            out += [(key, k), (here, table.has(k))]
            if value is not None:
                out.append((value, table.get(k)))
        return out
