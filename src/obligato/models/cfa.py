"""Control-flow automata [LNNK19, Def. 4].

Locations and edges are numbered; a reduction keeps the numbers of what it keeps, so that a
certificate (a formula per location) and a trace (a sequence of edges) of a reduced CFA speak about
the original one.  The initial location has no incoming edge and its data region is `true`; the
error location has no outgoing edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from obligato.errors import NO_SPAN, InternalError, Span
from obligato.models.gcl import Command, terms_of
from obligato.program.places import NOWHERE, PlaceNames
from obligato.program.syntax import LIMIT, PROPERTY
from obligato.terms import Term, TermStore, free_vars


@dataclass(frozen=True, slots=True)
class Location:
    """A control location: number, readable name, place in the source; `inner` if runs come to that
    place without coming here, too: it is the head of a loop that is no loop of the input, or begins
    not all of its rounds there."""

    id: int
    name: str
    span: Span = NO_SPAN
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """What is violated when an edge to the error location is taken; kind is PROPERTY or LIMIT."""

    label: str = ""
    kind: str = PROPERTY
    span: Span = NO_SPAN


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """One edge. `choice` is the branch index the interpreter must take where the source statement
    chooses, else None.

    `approximates` names an over-approximation that the edge's havoc stands for:
    a trace through it refutes nothing.
    """

    id: int
    source: int
    target: int
    command: Command
    span: Span = NO_SPAN
    text: str = ""  # the statement as the user wrote it
    violation: Violation | None = None
    choice: int | None = None
    approximates: str | None = None
    asks: str = ""  # the function of the environment whose result the edge's havoc is

    @property
    def refutes_nothing(self) -> bool:
        """Does a trace through it violate a limit only, or use an over-approximation?"""
        limit = self.violation is not None and self.violation.kind == LIMIT
        return limit or self.approximates is not None


@dataclass(frozen=True, eq=False)
class CFA:
    """A control-flow automaton over the variables of one store."""

    store: TermStore
    variables: tuple[Term, ...]
    inputs: tuple[Term, ...]
    locations: dict[int, Location]
    edges: tuple[Edge, ...]
    initial: int
    error: int
    file: str = ""
    display: dict[str, str] = field(default_factory=dict)  # variable name -> name for the user
    places: PlaceNames = NOWHERE
    # cut points of an earlier form of this CFA: a certificate must speak about them
    keep: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.into(self.initial) or self.out(self.error):
            raise InternalError(
                "a CFA needs an initial location without incoming and an error location without"
                " outgoing edges"
            )

    @cached_property
    def _out(self) -> dict[int, list[Edge]]:
        return _group(self.locations, ((e.source, e) for e in self.edges))

    @cached_property
    def _into(self) -> dict[int, list[Edge]]:
        return _group(self.locations, ((e.target, e) for e in self.edges))

    @cached_property
    def by_id(self) -> dict[int, Edge]:
        """Edges by number."""
        return {e.id: e for e in self.edges}

    @cached_property
    def input_set(self) -> frozenset[Term]:
        """The inputs, for membership tests only."""
        return frozenset(self.inputs)

    @property
    def inner(self) -> list[int]:
        """The locations between: all but the initial and the error location."""
        return [loc for loc in self.locations if loc not in (self.initial, self.error)]

    def out(self, location: int) -> list[Edge]:
        """Outgoing edges."""
        return self._out[location]

    def into(self, location: int) -> list[Edge]:
        """Incoming edges."""
        return self._into[location]

    def edge_inputs(self, edge: Edge) -> list[Term]:
        """The inputs that occur in an edge's command."""
        return [v for v in free_vars(*terms_of(edge.command)) if v in self.input_set]


def _group(locations: Iterable[int], pairs: Iterable[tuple[int, Edge]]) -> dict[int, list[Edge]]:
    table: dict[int, list[Edge]] = {loc: [] for loc in locations}
    for loc, e in pairs:
        table[loc].append(e)
    return table
