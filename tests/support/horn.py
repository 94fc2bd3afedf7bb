"""Random Horn clauses over a small range of numbers, and their least model by saturation: the
oracle.
"""

from __future__ import annotations

import random
from itertools import product

from obligato.errors import NO_SPAN
from obligato.models.horn import Application, Clause, HornSystem, Relation
from obligato.terms import INT, Term, TermStore, evaluate

RANGE = range(4)
Element = tuple[str, tuple[int, ...]]


def random_system(seed: int) -> HornSystem:
    """A few relations and clauses; each clause keeps its variables within `RANGE`."""
    chance, store = random.Random(seed), TermStore.raw()
    names = ("p", "q", "r")[: chance.randint(1, 3)]
    relations = {name: Relation(name, (INT,) * chance.randint(1, 2), NO_SPAN) for name in names}
    clauses = []
    for n in range(chance.randint(3, 7)):
        variables = tuple(store.var(f"v{n}.{k}", INT) for k in range(chance.randint(1, 3)))
        inside = tuple(
            store.and_(store.le(store.int_(0), v), store.le(v, store.int_(RANGE[-1])))
            for v in variables
        )
        body = tuple(
            _atom(chance, store, relations, variables)
            for _ in range(chance.choice((0, 1, 2, 2, 3)) if n else 0)
        )
        head = None if n and chance.random() < 0.3 else _atom(chance, store, relations, variables)
        used = (
            ()
            if head is None
            else tuple(
                store.and_(store.le(store.int_(0), t), store.le(t, store.int_(RANGE[-1])))
                for t in head.args
            )
        )
        extra = tuple(_constraint(chance, store, variables) for _ in range(chance.randint(0, 2)))
        clauses.append(Clause(body, (*inside, *used, *extra), head, variables))
    return HornSystem(store, relations, tuple(clauses))


def _atom(
    chance: random.Random,
    store: TermStore,
    relations: dict[str, Relation],
    variables: tuple[Term, ...],
) -> Application:
    relation = chance.choice(list(relations.values()))
    return Application(relation, tuple(_sum(chance, store, variables) for _ in relation.sorts))


def _sum(chance: random.Random, store: TermStore, variables: tuple[Term, ...]) -> Term:
    x, kind = chance.choice(variables), chance.randint(0, 5)
    if kind == 0:
        return store.int_(chance.choice(RANGE))
    if kind == 1:
        return store.add(x, store.int_(chance.choice((-1, 1, 2))))
    return store.add(x, chance.choice(variables)) if kind == 2 else x


def _constraint(chance: random.Random, store: TermStore, variables: tuple[Term, ...]) -> Term:
    x, y = chance.choice(variables), _sum(chance, store, variables)
    made = chance.choice((store.eq, store.le, store.lt))(x, y)
    return store.not_(made) if chance.random() < 0.3 else made


def heights(system: HornSystem) -> dict[Element | None, int]:
    """Each element of the least model (None: false) with the height of its lowest derivation."""
    found: dict[Element | None, int] = {}
    height = 0
    while True:
        new = {e: height for c in system.clauses for e in _derived(c, found) if e not in found}
        if not new:
            return found
        found.update(new)
        height += 1


def _derived(clause: Clause, found: dict[Element | None, int]) -> list[Element | None]:
    out: list[Element | None] = []
    for values in product(RANGE, repeat=len(clause.variables)):
        model = dict(zip(clause.variables, values, strict=True))
        if all(evaluate(c, model) for c in clause.constraints) and all(
            element(a, model) in found for a in clause.body
        ):
            out.append(None if clause.head is None else element(clause.head, model))
    return out


def element(atom: Application, model: dict[Term, int]) -> Element:
    """The atom under the model."""
    return atom.relation.name, tuple(evaluate(t, model) for t in atom.args)
