"""The intermediate verification language (IVL): programs as data.

Expressions are terms of a store that does not simplify (`TermStore.raw()`), so that a program
prints as it was written. A variable is a VAR term: a global `x` is named ``x``, a local or
parameter of procedure `p` is named ``p::x``.  A record variable `r` with field `f` stands for the
scalar variables ``r.f`` (recursively); an array of records is one array per field.

Semantics. Globals without initial value, and all results and locals, start with any value (the
latter at each entry of their procedure, in the order of `program.activation`).  Initial values are
assigned in order before the entry runs. `assume` stops a run silently; `assert` of class
``property`` that fails is an error; one of class ``limit`` marks a bound of our own modelling: TRUE
needs it unreachable, a run that fails it refutes nothing (DESIGN 4).  A `Havoc` with `approximates`
set is an over-approximation: runs through it can prove, never refute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from obligato.errors import NO_SPAN, Span
from obligato.program.places import NOWHERE, PlaceNames
from obligato.terms import Sort, Term, TermStore, array

PROPERTY = "property"
LIMIT = "limit"
WITNESS = "witness invariant"  # begins the label of an assertion that a witness makes
LAYOUT = "the result depends on where objects lie in memory"  # the label of a limit
TYPED = "memory is accessed by another type"  # the label of another one


@dataclass(frozen=True, slots=True)
class RecordType:
    """A named product of fields."""

    name: str
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class RecordArray:
    """An array of records: one array per scalar field."""

    index: Sort
    element: RecordType


Type = Sort | RecordType | RecordArray


def flatten(name: str, type_: Type) -> Iterator[tuple[str, Sort]]:
    """The scalar (or array) variables that stand for a variable of `type_`,
    in declaration order."""
    if isinstance(type_, Sort):
        yield name, type_
    elif isinstance(type_, RecordType):
        for f, t in type_.fields:
            yield from flatten(f"{name}.{f}", t)
    else:
        for n, s in flatten(name, type_.element):
            yield n, array(type_.index, s)


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable; `name` is the full name of its term(s);
    `init` only for globals of scalar type."""

    name: str
    type: Type
    init: Term | None = None
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Assign:
    """Parallel assignment ``x1, x2 := e1, e2``;
    targets are VAR terms (``a[i] := e`` is ``a := store(a, i, e)``)."""

    targets: tuple[Term, ...]
    values: tuple[Term, ...]
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Havoc:
    """Any value for each target; `approximates` names what is over-approximated by it, if anything.

    `source` names the function of the environment whose result it is, if it is one:
    what a test harness has to provide.
    """

    targets: tuple[Term, ...]
    approximates: str | None = None
    span: Span = NO_SPAN
    source: str = ""


@dataclass(frozen=True, slots=True)
class Assume:
    """Only runs that satisfy the condition go on."""

    condition: Term
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Assert:
    """The condition must hold here. `kind` is PROPERTY or LIMIT."""

    condition: Term
    label: str = ""
    kind: str = PROPERTY
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class If:
    """Branch; condition None is a nondeterministic one."""

    condition: Term | None
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class While:
    """Loop; condition None leaves nondeterministically.

    `head`: is it a loop of the input that begins all its rounds here? One that a front end makes of
    a library function does not, nor one whose first rounds are written out before it."""

    condition: Term | None
    body: tuple[Statement, ...]
    span: Span = NO_SPAN
    head: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """Nondeterministic choice of one branch."""

    branches: tuple[tuple[Statement, ...], ...]
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Label:
    """A target of goto, unique in its procedure."""

    name: str
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Goto:
    """Jump to one of the labels, nondeterministically if several."""

    targets: tuple[str, ...]
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Call:
    """``r1, r2 := call p(e1, e2)``;
    results are VAR terms of the caller, in the order of the callee's results."""

    results: tuple[Term, ...]
    callee: str
    arguments: tuple[Term, ...]
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the procedure; its result variables hold the results."""

    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Halt:
    """End the whole run without an error (exit, abort)."""

    span: Span = NO_SPAN


Statement = (
    Assign | Havoc | Assume | Assert | If | While | Choice | Label | Goto | Call | Return | Halt
)


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """All statements of a body, nested ones included, in the order of the text;
    without recursion."""
    stack = list(reversed(tuple(body)))
    while stack:
        s = stack.pop()
        yield s
        if isinstance(s, If):
            stack.extend(reversed((*s.then, *s.otherwise)))
        elif isinstance(s, While):
            stack.extend(reversed(s.body))
        elif isinstance(s, Choice):
            stack.extend(reversed([x for b in s.branches for x in b]))


@dataclass(frozen=True, slots=True)
class Procedure:
    """Parameters, results and locals are scalar-flattened lazily by `flatten`;
    all are named ``proc::x``."""

    name: str
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    body: tuple[Statement, ...]
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program; `entry` names the procedure where runs start. `notes` are remarks for the
    user (externals, ...). The first `preamble` statements of the entry procedure give variables
    their initial values: no steps of a temporal formula."""

    store: TermStore
    records: tuple[RecordType, ...]
    globals: tuple[Variable, ...]
    procedures: dict[str, Procedure]
    entry: str = "main"
    file: str = ""
    notes: tuple[str, ...] = field(default=())
    places: PlaceNames = NOWHERE
    preamble: int = 0
