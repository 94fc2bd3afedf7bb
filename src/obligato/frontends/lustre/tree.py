"""Types and expressions of Lustre as they are written; every node has its place.

Expressions are compared by identity, so they can be keys of memos.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from obligato.errors import Span

# -- types -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class TypeExpr:
    """A type as it is written."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class NamedType(TypeExpr):
    """bool, int, real, int8 ... uint64, or a declared or parameter type with its arguments."""

    name: str
    args: tuple[TypeExpr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MachineType(TypeExpr):
    """sint<N> or uint<N>, and int8 ... uint64."""

    width: int
    signed: bool


@dataclass(frozen=True, slots=True, eq=False)
class SubrangeType(TypeExpr):
    """Integers from `low` to `high`; None: unbounded there."""

    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class RefinementType(TypeExpr):
    """The values of `base`, called `name`, that satisfy `predicate`."""

    name: str
    base: TypeExpr
    predicate: Expr


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(TypeExpr):
    """[T1, T2, ...]."""

    items: tuple[TypeExpr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType(TypeExpr):
    """T ^ size."""

    element: TypeExpr
    size: Expr


@dataclass(frozen=True, slots=True, eq=False)
class TableType(TypeExpr):
    """set<key>, or map<key, value>."""

    key: TypeExpr
    value: TypeExpr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EnumType(TypeExpr):
    """enum {...}; the name comes from the declaration."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordType(TypeExpr):
    """struct {...}."""

    fields: tuple[tuple[str, TypeExpr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class DataType(TypeExpr):
    """The constructors of a datatype, each with its fields."""

    constructors: tuple[tuple[str, tuple[tuple[str, TypeExpr], ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class FreeType(TypeExpr):
    """A type of which nothing is known."""


# -- expressions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    """true, false, an integer or a rational."""

    value: bool | int | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Name(Expr):
    """A stream, a constant, an enumeration value or a constructor without arguments (with type
    arguments, perhaps).
    """

    name: str
    types: tuple[TypeExpr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expr):
    """not, -, ! (bitwise)."""

    op: str
    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expr):
    """Arithmetic, relations, Boolean operators; `and then`, `or else` and `==>` are lazy."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class If(Expr):
    """if c then a else b; `lazy`: when c then a else b, whose branches run on clocks of
    their own.
    """

    condition: Expr
    then: Expr
    other: Expr
    lazy: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Arrow(Expr):
    """`first` at the first tick, then `rest`."""

    first: Expr
    rest: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Pre(Expr):
    """The value at the tick before."""

    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Last(Expr):
    """In a frame: the value of a stream one step before, at first its frame's initial value."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Expr):
    """A conversion to a type."""

    type: TypeExpr
    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Ascribe(Expr):
    """(e: T): an obligation that e has type T."""

    arg: Expr
    type: TypeExpr


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """A node, function or constructor applied; `every` is the clock of condact and activate,
    `restart` resets the instance.

    `defaults` is None for a plain call and for activate without defaults.
    """

    name: str
    types: tuple[TypeExpr, ...]
    args: tuple[Expr, ...]
    every: Expr | None = None
    restart: Expr | None = None
    defaults: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class When(Expr):
    """`arg` where `clock` (an expression) is true; a branch of a merge only."""

    arg: Expr
    clock: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Merge(Expr):
    """By the value of the stream `clock`: true, false or an enumeration value."""

    clock: Name
    cases: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordExpr(Expr):
    """T {f = e; ...}."""

    name: str
    types: tuple[TypeExpr, ...]
    fields: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Field(Expr):
    """e.f."""

    arg: Expr
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(Expr):
    """e[i]."""

    arg: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Update(Expr):
    """e[k := v], of arrays and records."""

    arg: Expr
    key: Expr
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Group(Expr):
    """(a, b): a list; '(a, b): a tuple; [a, b]: an array; by `kind`: list, tuple, array."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TableExpr(Expr):
    """{k1, k2} or map[k1 := v1; k2 := v2]; `values` are none for a set, `types` what is written
    after @.
    """

    is_map: bool
    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]
    types: tuple[TypeExpr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat(Expr):
    """e ^ n."""

    arg: Expr
    size: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Quantifier(Expr):
    """forall or exists."""

    universal: bool
    variables: tuple[Variable, ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Any(Expr):
    """any { x: T | P } or, with `choose`, the same value for the same surroundings."""

    choose: bool
    variable: Variable


@dataclass(frozen=True, slots=True, eq=False)
class ModeRef(Expr):
    """::scope::mode."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tester(Expr):
    """C?(e)."""

    constructor: str
    arg: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A variable, a constructor (a name, to be resolved) or, with `items`, a constructor with
    patterns.
    """

    span: Span
    name: str
    items: tuple[Pattern, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Match(Expr):
    """match e with | p : e ... end."""

    arg: Expr
    arms: tuple[tuple[Pattern, Expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A declared stream; `refinement` is the predicate of the short form `x: T | P`."""

    span: Span
    name: str
    type: TypeExpr
    const: bool = False
    refinement: Expr | None = None


# -- what desugaring makes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Project(Expr):
    """One of the values of a list, such as the outputs of a call."""

    arg: Expr
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Each(Expr):
    """`body` holds of each element `key` of the set, or of each key and value of the map,
    `table`.
    """

    table: Expr
    key: str
    value: str
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Let(Expr):
    """`body`, in which `name` stands for `value`; `type` is its type as written, if that is not the
    value's own.
    """

    name: str
    value: Expr
    body: Expr
    type: TypeExpr | None = None
