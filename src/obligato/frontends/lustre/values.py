"""Values of the translation: a term, or a tuple of values for records, tuples, arrays, lists and
datatypes, or a table.

A datatype is (number of the constructor, then the fields of all constructors); an enumeration and a
free type are integers. A set or map is a `TableValue`, which says of any key whether it is there
and what its value is (`lustre.tables`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from obligato.errors import InternalError
from obligato.frontends.lustre.types import (
    BOOL,
    REAL,
    Array,
    Data,
    Enum,
    Listed,
    Machine,
    Record,
    Table,
    Tuple,
    Type,
)
from obligato.terms import BOOL as BOOL_SORT
from obligato.terms import INT as INT_SORT
from obligato.terms import REAL as REAL_SORT
from obligato.terms import Op, Sort, Term, TermStore, bitvec


class TableValue(ABC):
    """A set or map."""

    type: Table

    @abstractmethod
    def has(self, key: Value) -> Term:
        """Is the key there?"""

    @abstractmethod
    def get(self, key: Value) -> Value:
        """The value of a key; also one that is not there has some value."""

    @abstractmethod
    def same(self, other: TableValue) -> Term:
        """Have both the same keys with the same values?"""

    @abstractmethod
    def chosen(self, c: Term, other: TableValue) -> TableValue:
        """This table if `c`, else `other`."""

    @abstractmethod
    def in_range(self) -> list[Term]:
        """What the encoding needs to hold of its state variables, if it has some."""

    @abstractmethod
    def terms(self) -> Iterator[Term]:
        """The terms of the table, where there are finitely many."""


Value = Term | tuple["Value", ...] | TableValue
Tables = Callable[[str, Table], Value]


def sort_of(t: Type) -> Sort:
    """The sort of a scalar type."""
    if isinstance(t, Machine):
        return bitvec(t.width)
    return BOOL_SORT if t == BOOL else REAL_SORT if t == REAL else INT_SORT


def parts(t: Type) -> tuple[tuple[str, Type], ...] | None:
    """The parts of a composite type, each with the text that selects it; None for a scalar."""
    if isinstance(t, Record):
        return tuple([(f".{f}", ft) for f, ft in t.fields])
    if isinstance(t, Tuple | Listed):
        return tuple([(f"[{n}]", i) for n, i in enumerate(t.items)])
    if isinstance(t, Array):
        return tuple([(f"[{n}]", t.element) for n in range(t.size)])
    if isinstance(t, Data):
        tag = Enum(t.name, tuple([c for c, _ in t.constructors]))
        return (
            (".is", tag),
            *((f".{c}.{f}", ft) for c, fields in t.constructors for f, ft in fields),
        )
    return None


def has_data(t: Type) -> bool:
    """Is there a datatype in values of the type?"""
    return isinstance(t, Data) or any(
        has_data(pt) for _, pt in (() if isinstance(t, Table) else parts(t) or ())
    )


def build(t: Type, make: Callable[[str, Type], Term], tables: Tables, suffix: str = "") -> Value:
    """A value of the type whose scalars `make` gives, and `tables` its sets and maps, by the text
    that selects them.
    """
    if isinstance(t, Table):
        return tables(suffix, t)
    inner = parts(t)
    return (
        make(suffix, t)
        if inner is None
        else tuple([build(pt, make, tables, suffix + p) for p, pt in inner])
    )


def scalars(v: Value) -> Iterator[Term]:
    """The terms of a value, in order."""
    todo = [v]
    while todo:
        x = todo.pop()
        if isinstance(x, Term):
            yield x
        elif isinstance(x, TableValue):
            yield from x.terms()
        else:
            todo.extend(reversed(x))


def mapped(v: Value, f: Callable[[Term], Term]) -> Value:
    """The value with `f` applied to its terms."""
    assert not isinstance(v, TableValue)
    return f(v) if isinstance(v, Term) else tuple([mapped(x, f) for x in v])


def term(v: Value) -> Term:
    """The term of a scalar value."""
    if not isinstance(v, Term):
        raise InternalError("a composite value where a scalar is needed")
    return v


def choose(s: TermStore, c: Term, a: Value, b: Value) -> Value:
    """if c then a else b."""
    if a is b:
        return a
    if isinstance(a, Term) and isinstance(b, Term):
        return s.ite(c, a, b)
    if isinstance(a, TableValue) and isinstance(b, TableValue):
        return a.chosen(c, b)
    assert isinstance(a, tuple) and isinstance(b, tuple)
    return tuple([choose(s, c, x, y) for x, y in zip(a, b, strict=True)])


def equal(s: TermStore, t: Type, a: Value, b: Value) -> Term:
    """Structural equality."""
    if isinstance(a, Term) and isinstance(b, Term):
        return s.eq(a, b)
    if isinstance(a, TableValue) and isinstance(b, TableValue):
        return a.same(b)
    assert isinstance(a, tuple) and isinstance(b, tuple)
    inner = parts(t)
    assert inner is not None
    if not isinstance(t, Data):
        return s.and_(*[equal(s, pt, x, y) for (_, pt), x, y in zip(inner, a, b, strict=True)])
    tag = term(a[0])
    out, position = [s.eq(tag, term(b[0]))], 1
    for n, (_, fields) in enumerate(t.constructors):
        same = [equal(s, ft, a[position + k], b[position + k]) for k, (_, ft) in enumerate(fields)]
        position += len(fields)
        if same:
            out.append(s.implies(s.eq(tag, s.int_(n)), s.and_(*same)))
    return s.and_(*out)


def in_range(s: TermStore, t: Type, v: Value) -> list[Term]:
    """What the encoding needs to hold of an unknown value: numbers of enumeration values and
    constructors.
    """
    if isinstance(v, TableValue):
        return v.in_range()
    inner = parts(t)
    if inner is not None:
        assert isinstance(v, tuple)
        return [f for (_, pt), x in zip(inner, v, strict=True) for f in in_range(s, pt, x)]
    if isinstance(t, Enum):
        return [s.le(s.int_(0), term(v)), s.le(term(v), s.int_(len(t.values) - 1))]
    return []


def to_machine(s: TermStore, a: Term, width: int) -> Term:
    """An integer modulo 2^width."""
    if a.op is Op.CONST:
        assert isinstance(a.data, int)
        return s.bv(a.data, width)
    one, zero = s.bv(1, 1), s.bv(0, 1)
    bits = [
        s.ite(s.eq(s.mod(s.idiv(a, s.int_(1 << n)), s.int_(2)), s.int_(1)), one, zero)
        for n in range(width)
    ]
    return s.concat(*reversed(bits))


def from_machine(s: TermStore, a: Term, signed: bool) -> Term:
    """The integer that a bit-vector stands for."""
    width, zero = a.sort.width, s.int_(0)
    weights = [1 << n for n in range(width)]
    if signed:
        weights[-1] = -weights[-1]
    return s.add(
        zero,
        *[
            s.ite(s.eq(s.extract(a, n, n), s.bv(1, 1)), s.int_(w), zero)
            for n, w in enumerate(weights)
        ],
    )
