"""Frames per location, delta-encoded [LNNK19, 4.1, 6.3]: a lemma stands at the highest level where it is known to hold.

Requires and ensures, for all locations l but the error location and all levels i < k:
    (10) F_(i, l) implies F_(i+1, l)                      -- by construction: F_i is the lemmas of level i and above
    (12) F_(i, l) and T_e implies F'_(i+1, l')  for each edge e from l to l'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Lemma, Literals, Witness
from obligato.engines.ic3cfa.queries import Queries
from obligato.terms import Term, Value, evaluate


class Frames:
    """All lemmas, by location and level, and the log of their changes that tells whether a witness still lives."""

    def __init__(self, locations: Iterable[int], queries: Queries, env: Environment) -> None:
        self.queries, self.env = queries, env
        self.lemmas: dict[int, list[list[Lemma]]] = {loc: [[], []] for loc in locations}
        self.invariants: dict[int, list[Term]] = {loc: [] for loc in locations}
        self.consequences: dict[int, list[Term]] = {loc: [] for loc in locations}  # instances of quantified invariants
        self._changes: dict[int, list[Lemma]] = {loc: [] for loc in locations}
        self.top = 1

    def extend(self) -> None:
        """Open the next level."""
        self.top += 1
        for levels in self.lemmas.values():
            levels.append([])

    def at(self, location: int, level: int) -> Iterator[Lemma]:
        """The lemmas of F_(level, location)."""
        for lemmas in self.lemmas[location][level:]:
            yield from lemmas

    def subsumer(self, location: int, literals: frozenset[Term], level: int) -> Lemma | None:
        """A lemma of the frame whose cube includes all states of this one, by literal-set inclusion."""
        return next((x for x in self.at(location, level) if x.literals <= literals), None)

    def add(self, location: int, cube: Literals, level: int) -> Lemma:
        """Block `cube` at all levels up to `level`; lemmas that it subsumes go."""
        lemma = Lemma.make(self.queries.store, location, cube, level)
        for lemmas in self.lemmas[location][: level + 1]:
            for old in [x for x in lemmas if lemma.literals <= x.literals]:
                lemmas.remove(old)
                self.queries.forget_lemma(old)
        self.lemmas[location][level].append(lemma)
        self.queries.add_lemma(lemma, None)
        self._changes[location].append(lemma)
        self.env.count("lemmas")
        self.env.event("lemma", location=location, level=level, cube=cube)
        return lemma

    def push(self, lemma: Lemma, level: int) -> None:
        """Move a lemma up; lemmas there that it subsumes go, and it goes itself if one subsumes it."""
        old = lemma.level
        self.lemmas[lemma.location][old].remove(lemma)
        lemma.level, lemma.witness = level, None
        if self.subsumer(lemma.location, lemma.literals, level) is None:
            self.lemmas[lemma.location][level].append(lemma)
            self.queries.add_lemma(lemma, old)
            self._changes[lemma.location].append(lemma)
        self.env.count("pushed")
        self.env.event("push", location=lemma.location, level=level, cube=lemma.cube)

    def changes(self, location: int) -> int:
        """How often the location's frames have changed so far."""
        return len(self._changes[location])

    def alive(self, witness: Witness, level: int) -> bool:
        """Is the witness still in F_(level, source), where it was after the changes it has seen? It has seen all of them then.

        A lemma below `level` may be passed over for good: when it rises it is a change again.
        """
        state, memo = witness.state, dict[Term, Value]()
        for lemma in self._changes[witness.source][witness.seen :]:
            if lemma.level >= level and all(evaluate(lit, state, memo) for lit in lemma.cube):
                return False
        witness.seen = self.changes(witness.source)
        return True

    def fixpoint(self) -> int | None:
        """A level i < top with F_(i, l) = F_(i+1, l) everywhere [LNNK19, Lemma 2], if there is one."""
        for i in range(1, self.top):
            if not any(levels[i] for levels in self.lemmas.values()):
                return i
        return None

    def formula(self, location: int, level: int) -> Term:
        """F_(level, location) as one formula."""
        clauses = [lemma.clause for lemma in self.at(location, level)]
        return self.queries.store.and_(*self.invariants[location], *clauses)
