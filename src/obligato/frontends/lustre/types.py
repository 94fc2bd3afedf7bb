"""The types of Lustre, resolved: no names of aliases, no parameters, constant sizes.

Subranges and refinements are the types they restrict; the restriction is a formula of its own
(`lustre.refinements`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """A type; types are compared by structure."""


@dataclass(frozen=True, slots=True)
class Basic(Type):
    """bool, int or real."""

    name: str

    def __str__(self) -> str:
        return self.name


BOOL, INT, REAL = Basic("bool"), Basic("int"), Basic("real")


@dataclass(frozen=True, slots=True)
class Machine(Type):
    """Integers of `width` bits that wrap."""

    width: int
    signed: bool

    def __str__(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.width}"

    def wrap(self, value: int) -> int:
        """`value` modulo 2^width, in the range of the type."""
        value &= (1 << self.width) - 1
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value


@dataclass(frozen=True, slots=True)
class Enum(Type):
    """An enumeration; values are numbered from 0."""

    name: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Record(Type):
    """A structure."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Tuple(Type):
    """A tuple."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, slots=True)
class Listed(Type):
    """Several streams at once: the outputs of a call, (a, b)."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class Array(Type):
    """`size` elements."""

    element: Type
    size: int

    def __str__(self) -> str:
        return f"{self.element}^{self.size}"


@dataclass(frozen=True, slots=True)
class Table(Type):
    """Sets of keys, or maps that have a `value` for each of their keys."""

    key: Type
    value: Type | None = None

    def __str__(self) -> str:
        return f"set<{self.key}>" if self.value is None else f"map<{self.key}, {self.value}>"


@dataclass(frozen=True, slots=True)
class Data(Type):
    """A datatype: constructors with fields; never recursive."""

    name: str
    constructors: tuple[tuple[str, tuple[tuple[str, Type], ...]], ...]

    def __str__(self) -> str:
        return self.name

    def index(self, constructor: str) -> int:
        """The number of a constructor, from 0; -1 if there is none of that name."""
        return next((n for n, (name, _) in enumerate(self.constructors) if name == constructor), -1)


@dataclass(frozen=True, slots=True)
class Free(Type):
    """A type of which only equality is known."""

    name: str

    def __str__(self) -> str:
        return self.name


def count(t: Type) -> int:
    """The number of scalars in a value of the type."""
    if isinstance(t, Array):
        return t.size * count(t.element)
    if isinstance(t, Tuple | Listed):
        return sum(map(count, t.items))
    if isinstance(t, Record):
        return sum(count(f) for _, f in t.fields)
    if isinstance(t, Data):
        return 1 + sum(count(f) for _, fields in t.constructors for _, f in fields)
    return 1


def has_table(t: Type, arrays: bool = False) -> bool:
    """Is there a set or map in values of the type (or, with `arrays`, an array)?"""
    if isinstance(t, Array):
        return arrays or has_table(t.element, arrays)
    if isinstance(t, Tuple | Listed):
        return any(has_table(i, arrays) for i in t.items)
    if isinstance(t, Record):
        return any(has_table(f, arrays) for _, f in t.fields)
    if isinstance(t, Data):
        return any(has_table(f, arrays) for _, fields in t.constructors for _, f in fields)
    return isinstance(t, Table)


def items(t: Type) -> tuple[Type, ...]:
    """The streams that an expression of the type stands for: several for a list, else one."""
    return t.items if isinstance(t, Listed) else (t,)
