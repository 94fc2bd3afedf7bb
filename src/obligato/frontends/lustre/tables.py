"""Sets and maps of the translation: functions from keys to terms, asked only about the keys that a
program mentions.

A literal, an update, a union and so on answer by what they are made of. An `Unknown` table (an
input, say) has a row of fresh variables for each key that it is asked about: a copy of the key,
whether it is there, and its value; equal keys have equal rows. What is to hold for all keys
(`Universe.for_all`, which equality needs, too) is instantiated for all keys mentioned, and refuted
by a fresh one. So the system has more runs than the program, never less: every proof counts, and a
counterexample counts only if the interpreter, which has sets and maps as they are, sees it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from obligato.errors import InternalError
from obligato.frontends.lustre.types import BOOL, Table, Type
from obligato.frontends.lustre.values import (
    TableValue,
    Value,
    choose,
    equal,
    has_data,
    in_range,
    scalars,
    term,
)
from obligato.terms import Op, Term, TermStore

Row = tuple[Value, Term, Value | None]  # key, whether it is there, value
MAX_INSTANCES = 4000  # of what holds for all keys; leaving some out is sound
Make = Callable[[str, Type], Value]


class Universe:
    """What all tables of a translation share: the keys that are mentioned, and what holds for all
    keys.
    """

    def __init__(
        self,
        store: TermStore,
        free: Make,
        frozen: Make,
        define: Callable[[Term], None],
        constant: Callable[[Term], bool],
    ) -> None:
        self.store, self.free, self.frozen = store, free, frozen
        self.define, self._constant = define, constant
        self.keys: dict[Type, dict[tuple[Term, ...], Value]] = {}
        self.compared: dict[tuple[TableValue, TableValue], Term] = {}
        self._claims: list[tuple[Type, Term, Callable[[Value], Term]]] = []

    def mention(self, t: Type, key: Value) -> None:
        """A key of the program."""
        self.keys.setdefault(t, {}).setdefault(tuple(scalars(key)), key)

    def fixed(self, key: Value) -> bool:
        """Is the key the same at all steps?"""
        return all(x.op is Op.CONST or (x.is_var and self._constant(x)) for x in scalars(key))

    def for_all(self, name: str, t: Type, holds: Callable[[Value], Term]) -> Term:
        """Does `holds` hold for all keys of the type?"""
        claim, other = term(self.free(name, BOOL)), self.free(f"{name}.other", t)
        self.mention(t, other)
        self.define(self.store.or_(claim, self.store.not_(holds(other))))
        self._claims.append((t, claim, holds))
        return claim

    def finish(self) -> None:
        """Instantiate what holds for all keys, when all keys are known; instances may mention more
        of them.
        """
        done: set[tuple[int, tuple[Term, ...]]] = set()
        while True:
            pairs = [
                (n, key) for n, (t, _, _) in enumerate(self._claims) for key in self.keys.get(t, {})
            ]
            todo = [pair for pair in pairs if pair not in done]
            if not todo or len(done) > MAX_INSTANCES:
                return
            for n, key in todo:
                done.add((n, key))
                t, claim, holds = self._claims[n]
                self.define(self.store.implies(claim, holds(self.keys[t][key])))


class _Known(TableValue):
    """A table with what all kinds share; `finite`: it has no other keys than `keys`."""

    def __init__(self, universe: Universe, t: Table, keys: Sequence[Value], finite: bool) -> None:
        self.universe, self.type, self.finite = universe, t, finite
        self._keys = list({tuple(scalars(k)): k for k in keys}.values())
        for k in self._keys:
            universe.mention(t.key, k)

    @property
    def keys(self) -> list[Value]:
        """The keys that the table may have."""
        return self._keys

    def is_key(self, a: Value, b: Value) -> Term:
        """Are two keys equal? Decided here where it is obvious."""
        store = self.universe.store
        x, y = tuple(scalars(a)), tuple(scalars(b))
        if x == y:
            return store.true
        apart = any(
            p.op is Op.CONST and q.op is Op.CONST and p.data != q.data
            for p, q in zip(x, y, strict=True)
        )
        return (
            store.false
            if apart and not has_data(self.type.key)
            else equal(store, self.type.key, a, b)
        )

    def get(self, key: Value) -> Value:
        raise InternalError("a set has no values")

    def same(self, other: TableValue) -> Term:
        store = self.universe.store
        assert isinstance(other, _Known)
        if other is self:
            return store.true

        def agree(key: Value) -> Term:
            both = store.eq(self.has(key), other.has(key))
            if self.type.value is None:
                return both
            values = equal(store, self.type.value, self.get(key), other.get(key))
            return store.and_(both, store.implies(self.has(key), values))

        if self.finite and other.finite:
            return store.and_(
                *[
                    agree(k)
                    for k in {tuple(scalars(k)): k for k in (*self.keys, *other.keys)}.values()
                ]
            )
        if (self, other) not in self.universe.compared:
            self.universe.compared[self, other] = self.universe.for_all(
                "same", self.type.key, agree
            )
        return self.universe.compared[self, other]

    def chosen(self, c: Term, other: TableValue) -> TableValue:
        assert isinstance(other, _Known)
        return Chosen(c, self, other)

    def in_range(self) -> list[Term]:
        return []

    def terms(self) -> Iterator[Term]:
        raise InternalError("a set or map is not made up of terms")


class Unknown(_Known):
    """Any table: a row of variables for each key that is asked for; `frozen`: the same table at all
    steps.
    """

    def __init__(self, universe: Universe, name: str, t: Table, frozen: bool) -> None:
        super().__init__(universe, t, (), False)
        self.name, self.frozen = name, frozen
        self._rows: dict[tuple[Term, ...], Row] = {}

    @property
    def keys(self) -> list[Value]:
        return [key for key, _, _ in self._rows.values()]

    def has(self, key: Value) -> Term:
        return self._row(key)[1]

    def get(self, key: Value) -> Value:
        value = self._row(key)[2]
        assert value is not None
        return value

    def _row(self, key: Value) -> Row:
        at = tuple(scalars(key))
        if at not in self._rows:
            self._rows[at] = row = self._new_row(key)
            for other in list(self._rows.values())[:-1]:
                self._agree(row, other)
        return self._rows[at]

    def _new_row(self, key: Value) -> Row:
        u, t, label = self.universe, self.type, f"{self.name}.row{len(self._rows)}"
        make = u.frozen if self.frozen and u.fixed(key) else u.free
        u.mention(t.key, key)
        u.define(equal(u.store, t.key, make(f"{label}.key", t.key), key))
        return (
            key,
            term(make(f"{label}.in", BOOL)),
            None if t.value is None else make(f"{label}.value", t.value),
        )

    def _agree(self, a: Row, b: Row) -> None:
        """Equal keys have equal rows."""
        store, same = self.universe.store, self.is_key(a[0], b[0])
        if same is store.false:
            return
        rows = [store.eq(a[1], b[1])]
        if self.type.value is not None and a[2] is not None and b[2] is not None:
            rows.append(equal(store, self.type.value, a[2], b[2]))
        self.universe.define(store.implies(same, store.and_(*rows)))


class Built(_Known):
    """The entries of a literal or of an update of `rest`, the later ones before the earlier; of a
    literal `rest` is what keys that are not there have as values, and None for a set.
    """

    def __init__(
        self,
        universe: Universe,
        t: Table,
        entries: Sequence[tuple[Value, Value | None]],
        base: TableValue | None,
        rest: TableValue | None,
    ) -> None:
        assert base is None or isinstance(base, _Known)
        keys = [k for k, _ in entries] + ([] if base is None else base.keys)
        super().__init__(universe, t, keys, base is None or base.finite)
        self.entries, self.base, self.rest = entries, base, base or rest

    def has(self, key: Value) -> Term:
        store = self.universe.store
        found = [self.is_key(key, k) for k, _ in self.entries]
        if store.true in found:
            return store.true
        return store.or_(*found, *([] if self.base is None else [self.base.has(key)]))

    def get(self, key: Value) -> Value:
        cases: list[tuple[Term, Value]] = []
        out: Value | None = None
        for k, v in reversed(self.entries):
            assert v is not None
            same = self.is_key(key, k)
            if same is self.universe.store.true:
                out = v
                break
            if same is not self.universe.store.false:
                cases.append((same, v))
        if out is None:
            assert self.rest is not None
            out = self.rest.get(key)
        for same, v in reversed(cases):
            out = choose(self.universe.store, same, v, out)
        return out


class Combined(_Known):
    """Union (+), intersection (*) and difference (-) of sets; of a map only what is not in a set
    (-).
    """

    def __init__(self, op: str, a: TableValue, b: TableValue) -> None:
        assert isinstance(a, _Known) and isinstance(b, _Known)
        finite = {"+": a.finite and b.finite, "*": a.finite or b.finite, "-": a.finite}[op]
        keys = {"+": [*a.keys, *b.keys], "*": a.keys if a.finite else b.keys, "-": a.keys}[op]
        super().__init__(a.universe, a.type, keys, finite)
        self.op, self.a, self.b = op, a, b

    def has(self, key: Value) -> Term:
        store, x, y = self.universe.store, self.a.has(key), self.b.has(key)
        if self.op == "+":
            return store.or_(x, y)
        return store.and_(x, y if self.op == "*" else store.not_(y))

    def get(self, key: Value) -> Value:
        return self.a.get(key)


class Chosen(_Known):
    """One of two tables, chosen by a condition."""

    def __init__(self, c: Term, a: _Known, b: _Known) -> None:
        super().__init__(a.universe, a.type, [*a.keys, *b.keys], a.finite and b.finite)
        self.c, self.a, self.b = c, a, b

    def has(self, key: Value) -> Term:
        return self.universe.store.ite(self.c, self.a.has(key), self.b.has(key))

    def get(self, key: Value) -> Value:
        return choose(self.universe.store, self.c, self.a.get(key), self.b.get(key))


class Remembered(_Known):
    """A finite table in state variables: rows of key, whether it is there, and value."""

    def __init__(self, universe: Universe, t: Table, rows: Sequence[Row], rest: TableValue) -> None:
        super().__init__(universe, t, [k for k, _, _ in rows], True)
        self.rows, self.rest = rows, rest

    def has(self, key: Value) -> Term:
        store = self.universe.store
        return store.or_(*[store.and_(here, self.is_key(key, k)) for k, here, _ in self.rows])

    def get(self, key: Value) -> Value:
        store, out = self.universe.store, self.rest.get(key)
        for k, here, v in reversed(self.rows):
            assert v is not None
            out = choose(store, store.and_(here, self.is_key(key, k)), v, out)
        return out

    def in_range(self) -> list[Term]:
        t, store, out = self.type, self.universe.store, list[Term]()
        for key, _, value in self.rows:
            out += in_range(store, t.key, key)
            out += [] if value is None or t.value is None else in_range(store, t.value, value)
        return out

    def terms(self) -> Iterator[Term]:
        for key, here, value in self.rows:
            yield from (*scalars(key), here, *(() if value is None else scalars(value)))


def finite_keys(v: TableValue) -> list[Value] | None:
    """All keys that a table can have; None: they cannot be told."""
    assert isinstance(v, _Known)
    return list(v.keys) if v.finite else None


def snapshot(v: Value) -> Value:
    """A value in which each table is a tuple of rows for the keys it mentions: key, whether it is
    there, and value.
    """
    if isinstance(v, Term):
        return v
    if isinstance(v, tuple):
        return tuple([snapshot(x) for x in v])
    assert isinstance(v, _Known)
    return tuple(
        [
            (k, v.has(k), *(() if v.type.value is None else (snapshot(v.get(k)),)))
            for k in list(v.keys)
        ]
    )
