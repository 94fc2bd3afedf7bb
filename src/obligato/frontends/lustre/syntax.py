"""The syntax tree of Lustre, as it is written: statements, contracts, declarations; types and
expressions are in `lustre.tree`.

Nodes are compared by identity, so they can be keys of memos.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from obligato.errors import Span
from obligato.frontends.lustre.tree import (
    Any,
    ArrayType,
    Arrow,
    Ascribe,
    Binary,
    Call,
    Cast,
    Const,
    DataType,
    Each,
    EnumType,
    Expr,
    Field,
    FreeType,
    Group,
    If,
    Index,
    Last,
    Let,
    MachineType,
    Match,
    Merge,
    ModeRef,
    Name,
    NamedType,
    Pattern,
    Pre,
    Project,
    Quantifier,
    RecordExpr,
    RecordType,
    RefinementType,
    Repeat,
    SubrangeType,
    TableExpr,
    TableType,
    Tester,
    TupleType,
    TypeExpr,
    Unary,
    Update,
    Variable,
    When,
)

__all__ = [
    "Any",
    "ArrayType",
    "Arrow",
    "Ascribe",
    "Assert",
    "Binary",
    "Block",
    "Call",
    "Cast",
    "Check",
    "Clause",
    "Const",
    "ConstDecl",
    "ContractItem",
    "DataType",
    "Declared",
    "Each",
    "EnumType",
    "Equation",
    "Expr",
    "Field",
    "Frame",
    "FreeType",
    "Ghost",
    "Group",
    "If",
    "Import",
    "Index",
    "Last",
    "Let",
    "MachineType",
    "Match",
    "Merge",
    "Mode",
    "ModeRef",
    "Name",
    "NamedType",
    "Node",
    "Pattern",
    "Pre",
    "Program",
    "Project",
    "Quantifier",
    "RecordExpr",
    "RecordType",
    "RefinementType",
    "Repeat",
    "Statement",
    "SubrangeType",
    "TableExpr",
    "TableType",
    "Target",
    "Tester",
    "TupleType",
    "TypeDecl",
    "TypeExpr",
    "Unary",
    "Update",
    "Variable",
    "When",
]

# -- statements ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """One left side: a name, or the elements of an array by index variables."""

    span: Span
    name: str
    indices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """targets = value; no targets: a call whose results are dropped."""

    span: Span
    targets: tuple[Target, ...]
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Assert:
    """Every run satisfies `formula`."""

    span: Span
    formula: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A property; `provided` is its guard. `text` is what it is called where it has no name."""

    span: Span
    name: str
    formula: Expr
    provided: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """if/when blocks: statements by condition; `other` may be absent (None) in a frame."""

    span: Span
    condition: Expr
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]
    lazy: bool


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """frame (names) initial equations let body tel."""

    span: Span
    names: tuple[str, ...]
    initial: tuple[Equation, ...]
    body: tuple[Statement, ...]


Statement = Equation | Assert | Check | Block | Frame

# -- contracts and declarations --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Ghost:
    """A stream or constant of a contract; `type` may be left out for constants."""

    span: Span
    names: tuple[str, ...]
    type: TypeExpr | None
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """assume or guarantee, require or ensure; `name` is what it is called."""

    span: Span
    kind: str
    name: str
    formula: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """Where all of `require` hold, all of `ensure` must."""

    span: Span
    name: str
    require: tuple[Clause, ...]
    ensure: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Import:
    """A contract node, applied."""

    span: Span
    name: str
    types: tuple[TypeExpr, ...]
    args: tuple[Expr, ...]
    outputs: tuple[Expr, ...]


ContractItem = Ghost | Clause | Mode | Import


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """What type and constant declarations have in common."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class TypeDecl(Declared):
    """type name<params> = definition; or a datatype, or a free type."""

    params: tuple[str, ...]
    definition: TypeExpr


@dataclass(frozen=True, slots=True, eq=False)
class ConstDecl(Declared):
    """A constant with type and value, one of which may be missing; without a value it is any
    one.
    """

    type: TypeExpr | None
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Node(Declared):
    """A node, a function, or (`kind` contract) a contract node, whose `contract` then is all
    of it.
    """

    kind: str
    imported: bool
    params: tuple[str, ...]
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    contract: tuple[ContractItem, ...]
    locals: tuple[Variable, ...] = ()
    constants: tuple[ConstDecl, ...] = ()
    body: tuple[Statement, ...] = ()
    main: bool = False


@dataclass(slots=True)
class Program:
    """All declarations of a file by name."""

    file: str
    types: dict[str, TypeDecl] = field(default_factory=dict)
    constants: dict[str, ConstDecl] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    contracts: dict[str, Node] = field(default_factory=dict)
