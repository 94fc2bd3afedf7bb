"""The syntax tree of SMV. Trees are compared by identity: the same text at two places is two
trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from obligato.errors import Span

Data = str | int | bool | Fraction | tuple[bool, int, int] | None


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An expression or formula.

    `op` is an operator as it is written, or: name (`data`), self, . (member `data` of args), []
    (element), [:] (bits), int, real, bool, word (`data`: signed, width, value), neg (unary -),
    next, ?:, case (conditions and values by turns), {} (a set),
    .. (a range), call (a function named `data`), and of temporal formulas X F G Y Z H O U V S T EX
    AX EF AF EG AG EU AU.
    """

    op: str
    args: tuple[Expr, ...]
    span: Span
    data: Data = None


@dataclass(frozen=True, slots=True, eq=False)
class TypeExpr:
    """A type: boolean, integer, real, word (args: its width; `signed`), range (two bounds), enum
    (`values`), array (two bounds and an element), map (nuXmv: an index type and an element), or an
    instance of module `name` (args), perhaps a process.
    """

    kind: str
    span: Span
    args: tuple[Expr, ...] = ()
    types: tuple[TypeExpr, ...] = ()
    values: tuple[str | int | bool, ...] = ()
    name: str = ""
    signed: bool = False
    process: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A declared variable or instance; `kind` is VAR, IVAR or FROZENVAR."""

    kind: str
    name: str
    type: TypeExpr
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """`kind` is now, init or next; or define. `target` is a name with members and constant
    indices.
    """

    kind: str
    target: Expr
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """INIT, TRANS, INVAR, FAIRNESS (for JUSTICE, too), COMPASSION (two formulas)."""

    kind: str
    formulas: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """INVARSPEC, LTLSPEC or CTLSPEC (for SPEC, too); `name` may be empty."""

    kind: str
    formula: Expr
    name: str
    span: Span


@dataclass(slots=True, eq=False)
class Module:
    """One module."""

    name: str
    parameters: tuple[str, ...]
    span: Span
    variables: list[Variable] = field(default_factory=list)
    defines: list[Assignment] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    specs: list[Spec] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The modules of a file by name; `main` is one of them. `reals`: there is a real number
    in it.
    """

    file: str
    modules: dict[str, Module]
    reals: bool = False
