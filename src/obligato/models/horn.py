"""Constrained Horn clauses with any number of relations in a body, and what is claimed about them.

A clause  R1(t1) and ... and Rn(tn) and phi  implies  Q(u)  (or false, without a head). The clauses
are *satisfiable* if the relations can be interpreted so that all of them hold; a `HornModel` says
how. They are unsatisfiable if false can be derived; a `Derivation` says how: it is a tree whose
equal subtrees are shared. Both are claims until `results.checking.horn` has accepted them.

Relations without a formula in a model are *determined*: they hold exactly where one of their
clauses derives them. Only relations that do not depend on themselves through others without a
formula may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from obligato.errors import NO_SPAN, Span
from obligato.terms import Sort, Term, TermStore, Value


@dataclass(frozen=True, slots=True)
class Relation:
    """An unknown relation."""

    name: str
    sorts: tuple[Sort, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Application:
    """A relation with arguments."""

    relation: Relation
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """body and constraints imply head (None: false), for all values of the `variables`.

    `approximates`: why the clause holds in our interpretation but perhaps not in every one;
    it refutes nothing.
    """

    body: tuple[Application, ...]
    constraints: tuple[Term, ...]
    head: Application | None
    variables: tuple[Term, ...]
    span: Span = NO_SPAN
    text: str = ""
    approximates: str | None = None

    def terms(self) -> list[Term]:
        """All terms of the clause: constraints and arguments."""
        atoms = [*self.body, *([] if self.head is None else [self.head])]
        return [*self.constraints, *(t for a in atoms for t in a.args)]


@dataclass(frozen=True, eq=False)
class HornSystem:
    """Clauses over the terms of one store. No two clauses share a variable."""

    store: TermStore
    relations: dict[str, Relation]
    clauses: tuple[Clause, ...]
    file: str = ""
    kept: frozenset[str] = frozenset()  # relations that a model must have a formula for

    @cached_property
    def _into(self) -> dict[str | None, list[int]]:
        table: dict[str | None, list[int]] = {None: [], **{name: [] for name in self.relations}}
        for n, c in enumerate(self.clauses):
            table[None if c.head is None else c.head.relation.name].append(n)
        return table

    def deriving(self, relation: str | None) -> list[int]:
        """The numbers of the clauses with this relation in the head; None stands for false."""
        return self._into[relation]

    @property
    def linear(self) -> bool:
        """Does every body have at most one relation?"""
        return all(len(c.body) <= 1 for c in self.clauses)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a relation is in a model: a formula over its parameters."""

    parameters: tuple[Term, ...]
    formula: Term


@dataclass(frozen=True, slots=True)
class HornModel:
    """An interpretation of the relations, by name; see above about those without a formula."""

    definitions: dict[str, Definition]


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """One use of a clause, by its number: values of its variables by name, and the steps that
    derive its body, in its order."""

    clause: int
    values: Mapping[str, Value]
    premises: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """Steps in order, premises first; the last one derives false."""

    steps: tuple[DerivationStep, ...] = field(default=())
