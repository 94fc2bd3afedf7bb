"""Horn clauses before the search: relations that need no lemmas are resolved away,
as locations are in large blocks [BCGKS09].

A *resolvent* is a clause put together from clauses of the input: where a relation stands in a body,
one of the clauses that derive it takes its place. `resolved` eliminates relations that never occur
in a body and head of one resolvent, cheapest first, while that does not multiply the clauses. What
false does not depend on is left out. Resolvents remember their uses of clauses, so that a
derivation by resolvents is one by the clauses of the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from obligato.models.horn import Application, HornSystem
from obligato.program.graphs import on_cycles
from obligato.terms import Substitution, Term, TermStore

GROWTH = 8  # resolvents that the elimination of one relation may add
MOST_BODY = 12  # relations in one body


@dataclass(frozen=True, slots=True)
class Use:
    """A clause by its number, its variables as they are called in the resolvent,
    and the uses that derive its body."""

    clause: int
    names: Mapping[Term, Term]
    premises: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Resolvent:
    """body and constraints imply head.
    `uses` by number, 0 is the first; `body` says for which use's place an atom stands."""

    head: Application | None
    body: tuple[tuple[int, Application], ...]
    constraints: tuple[Term, ...]
    uses: Mapping[int, Use]
    exact: bool  # no clause in it approximates

    def relations(self) -> list[str]:
        """The relations of the body, in order."""
        return [a.relation.name for _, a in self.body]

    @property
    def derives(self) -> str | None:
        """The relation in the head; None is false."""
        return None if self.head is None else self.head.relation.name


@dataclass(frozen=True, slots=True)
class Resolved:
    """The resolvents; the relations that were resolved away, and those that were found to be empty.
    What is neither, and in no resolvent, matters to nothing."""

    resolvents: list[Resolvent]
    eliminated: dict[str, None]
    empty: dict[str, None]


def resolved(system: HornSystem, store: TermStore) -> Resolved:
    """The resolvents that false depends on, with terms in `store`, which simplifies."""
    memo: dict[Term, Term] = {}
    eliminated: dict[str, None] = {}
    empty: dict[str, None] = {}
    made = [_of_clause(system, n, store, memo) for n in range(len(system.clauses))]
    made = _relevant([r for r in made if store.false not in r.constraints], empty)
    uses = _uses(system)

    def free(name: str) -> bool:
        chosen = {**eliminated, name: None}
        return not on_cycles(chosen, _within(uses, chosen))

    while True:
        name = _next(made, system.kept, free)
        if name is None:
            return Resolved(made, eliminated, empty)
        eliminated[name] = None
        made = _relevant(_without(made, name, store), empty)


def _of_clause(
    system: HornSystem, number: int, store: TermStore, memo: dict[Term, Term]
) -> Resolvent:
    c = system.clauses[number]

    def here(a: Application) -> Application:
        return Application(a.relation, tuple(store.import_term(t, memo) for t in a.args))

    names = {store.import_term(v, memo): store.import_term(v, memo) for v in c.variables}
    constraints = tuple(store.import_term(t, memo) for t in c.constraints)
    holes = tuple(range(1, len(c.body) + 1))
    return Resolvent(
        None if c.head is None else here(c.head),
        tuple(zip(holes, map(here, c.body), strict=True)),
        constraints,
        {0: Use(number, names, holes)},
        c.approximates is None,
    )


def _relevant(made: list[Resolvent], empty: dict[str, None]) -> list[Resolvent]:
    """Those that false depends on and whose bodies can be derived;
    relations that cannot are added to `empty`."""
    while True:
        into: dict[str | None, list[Resolvent]] = {}
        for r in made:
            into.setdefault(r.derives, []).append(r)
        seen: dict[str | None, None] = {None: None}
        stack: list[str | None] = [None]
        while stack:
            for r in into.get(stack.pop(), ()):
                new = [q for q in r.relations() if q not in seen]
                seen.update(dict.fromkeys(new))
                stack.extend(dict.fromkeys(new))
        empty.update({q: None for r in made for q in r.relations() if q not in into})
        left = [r for r in made if r.derives in seen and all(q in into for q in r.relations())]
        if len(left) == len(made):
            return made
        made = left


def _uses(system: HornSystem) -> dict[str, list[str]]:
    """The relations on which each depends directly."""
    return {
        name: [a.relation.name for n in system.deriving(name) for a in system.clauses[n].body]
        for name in system.relations
    }


def _within(uses: Mapping[str, list[str]], names: Mapping[str, None]) -> dict[str, list[str]]:
    return {name: [q for q in uses[name] if q in names] for name in names}


def _next(made: list[Resolvent], kept: frozenset[str], free: Callable[[str], bool]) -> str | None:
    """The relation whose elimination adds fewest resolvents, if that is few enough.

    `free`: those eliminated do not depend on each other in a circle, not even by clauses that can
    be used nowhere; so a model may leave them out.
    """
    defining: dict[str, int] = {}
    growth: dict[str, int] = {}
    for r in made:
        if r.derives is not None:
            defining[r.derives] = defining.get(r.derives, 0) + 1
    loops = {r.derives for r in made if r.derives in r.relations()}
    for name in defining:
        if name in loops or name in kept:
            continue
        using = [r for r in made if name in r.relations()]
        bodies = max((len(r.body) for r in made if r.derives == name), default=0)
        if any(len(r.body) + r.relations().count(name) * (bodies - 1) > MOST_BODY for r in using):
            continue
        growth[name] = (
            sum(defining[name] ** r.relations().count(name) for r in using)
            - len(using)
            - defining[name]
        )
    few = sorted((n for n in growth if growth[n] <= GROWTH), key=lambda n: growth[n])
    return next((n for n in few if free(n)), None)


def _without(made: list[Resolvent], name: str, store: TermStore) -> list[Resolvent]:
    definitions = [r for r in made if r.derives == name]
    out: list[Resolvent] = []
    for r in made:
        if r.derives == name:
            continue
        open_ = [r]
        while open_:
            now = open_.pop()
            where = next((k for k, a in now.body if a.relation.name == name), None)
            if where is None:
                out.append(now)
            else:
                open_ += [
                    s
                    for d in reversed(definitions)
                    if (s := _resolve(now, where, d, store)) is not None
                ]
    return out


def _resolve(r: Resolvent, where: int, d: Resolvent, store: TermStore) -> Resolvent | None:
    """`r` with the atom at `where` derived by `d`; None if the constraints exclude that."""
    assert d.head is not None
    renamed = Substitution(
        {v: store.fresh(f"{v.name.partition('!')[0]}!r", v.sort) for v in _variables(d)}
    )
    place = {n: (where if n == 0 else n + _most(r)) for n in (*d.uses, *(k for k, _ in d.body))}
    atom = next(a for k, a in r.body if k == where)
    equal = [store.eq(x, renamed(t)) for x, t in zip(atom.args, d.head.args, strict=True)]
    inner = [(place[k], Application(a.relation, tuple(map(renamed, a.args)))) for k, a in d.body]
    body = tuple(x for k, a in r.body for x in (inner if k == where else [(k, a)]))
    constraints = tuple(dict.fromkeys((*r.constraints, *equal, *map(renamed, d.constraints))))
    if store.false in constraints:
        return None
    uses = {
        place[n]: Use(
            u.clause,
            {v: renamed(x) for v, x in u.names.items()},
            tuple(place[p] for p in u.premises),
        )
        for n, u in d.uses.items()
    }
    return Resolvent(r.head, body, constraints, {**r.uses, **uses}, r.exact and d.exact)


def _variables(r: Resolvent) -> Iterable[Term]:
    return dict.fromkeys(x for u in r.uses.values() for x in u.names.values())


def _most(r: Resolvent) -> int:
    return max((*r.uses, *(k for k, _ in r.body)))
