"""Rules: what the search asks about.
One rule for all resolvents with the same relations in head and body.

    constraint(head, body_1, ..., body_n, locals)   with body_k in R_k   implies   head in R

Each relation has *parameters*, the variables of its lemmas, facts and obligations; they are the
variables of the head. The arguments of each body atom are variables of their own. A rule of several
resolvents has their disjunction as constraint.
Local variables that an equation determines are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from obligato.engines.summaries.resolution import Resolvent, resolved
from obligato.models.horn import Definition, HornModel, HornSystem, Relation
from obligato.smt.projection.equality import determined
from obligato.terms import Substitution, Term, TermStore, conjuncts, free_vars, substitute


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom of a body: the relation, and its arguments, which are variables;
    `here` maps parameters to arguments."""

    relation: str
    args: tuple[Term, ...]
    here: Substitution
    back: Substitution


@dataclass(frozen=True, eq=False)
class Rule:
    """`exact`: it may be used to refute."""

    number: int
    head: str | None
    parameters: tuple[Term, ...]  # of the head
    body: tuple[Atom, ...]
    constraint: Term
    alternatives: tuple[Resolvent, ...]
    exact: bool

    @cached_property
    def variables(self) -> dict[Term, None]:
        """All variables of the constraint, the head and the body."""
        args = dict.fromkeys([*self.parameters, *(v for a in self.body for v in a.args)])
        return {**args, **free_vars(self.constraint)}


class RuleSet:
    """All rules of a system, and the parameters of its relations."""

    def __init__(self, system: HornSystem, store: TermStore) -> None:
        self.store = store
        self.parameters: dict[str, tuple[Term, ...]] = {}
        self.rules: list[Rule] = []
        shapes: dict[tuple[str | None, bool, tuple[str, ...]], list[Resolvent]] = {}
        self.resolved = resolved(system, store)
        for r in self.resolved.resolvents:
            shapes.setdefault((r.derives, r.exact, tuple(r.relations())), []).append(r)
        for (head, exact, relations), group in shapes.items():
            self._add(system.relations, head, exact, relations, group)
        self.into: dict[str | None, list[Rule]] = {}
        for rule in self.rules:
            self.into.setdefault(rule.head, []).append(rule)

    def model(self, found: Mapping[str, Term], relations: Mapping[str, Relation]) -> HornModel:
        """A model of the system from formulas of the relations that have rules."""
        definitions = {}
        for name, relation in relations.items():
            if name in found:
                definitions[name] = Definition(self.parameters[name], found[name])
            elif name not in self.resolved.eliminated:
                parameters = self._of(relation)
                definitions[name] = Definition(
                    parameters, self.store.bool_(name not in self.resolved.empty)
                )
        return HornModel(definitions)

    def _of(self, relation: Relation) -> tuple[Term, ...]:
        if relation.name not in self.parameters:
            self.parameters[relation.name] = tuple(
                self.store.fresh(f"{relation.name}.{n}", sort)
                for n, sort in enumerate(relation.sorts)
            )
        return self.parameters[relation.name]

    def _add(
        self,
        known: Mapping[str, Relation],
        head: str | None,
        exact: bool,
        relations: Sequence[str],
        group: list[Resolvent],
    ) -> None:
        parameters = () if head is None else self._of(known[head])
        body = []
        for k, name in enumerate(relations):
            mine = self._of(known[name])
            args = tuple(self.store.fresh(f"{x.name}@{len(self.rules)}.{k}", x.sort) for x in mine)
            here, back = dict(zip(mine, args, strict=True)), dict(zip(args, mine, strict=True))
            body.append(Atom(name, args, Substitution(here), Substitution(back)))
        kept = dict.fromkeys([*parameters, *(x for a in body for x in a.args)])
        constraint = self.store.any_of(
            self.store.all_of(_solved(self.facts(r, parameters, body), kept)) for r in group
        )
        self.rules.append(
            Rule(len(self.rules), head, parameters, tuple(body), constraint, tuple(group), exact)
        )

    def facts(self, r: Resolvent, parameters: Sequence[Term], body: Sequence[Atom]) -> list[Term]:
        """What one resolvent says about the variables of head and body, and its own."""
        outer = [*zip(parameters, r.head.args if r.head else (), strict=True)]
        outer += [
            p
            for atom, (_, a) in zip(body, r.body, strict=True)
            for p in zip(atom.args, a.args, strict=True)
        ]
        return [*(self.store.eq(x, t) for x, t in outer), *r.constraints]


def _solved(facts: list[Term], kept: Mapping[Term, None]) -> list[Term]:
    """The facts with variables replaced that one of them determines, that one included,
    except those `kept`."""
    todo = [c for f in facts for c in conjuncts(f)]
    while True:
        found = next((d for f in todo if (d := _definition(f, kept)) is not None), None)
        if found is None:
            return todo
        todo = list(dict.fromkeys(c for f in todo for c in conjuncts(substitute(f, dict([found])))))


def _definition(fact: Term, kept: Mapping[Term, None]) -> tuple[Term, Term] | None:
    """A variable that is not kept, and the term that the fact says it equals."""
    for x in free_vars(fact):
        if x not in kept:
            value = determined(x, fact)
            if value is not None and x not in free_vars(value):
                return x, value
    return None
