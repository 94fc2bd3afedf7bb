"""Generalisation of blocked cubes [LNNK19, Sect. 5].

Given a cube c that no state of the predecessor frames reaches along any incoming edge, find a smaller set of literals
(a larger cube) for which that is still so.

`joint` (ours): one candidate g for all edges. Each edge keeps the core of its last unsat answer; dropping a literal re-asks
only the edges whose core has it. On a self-loop the clause of g itself may be assumed (ordinary relative induction), which is
sound because the same g is checked on every edge. `single` is the third strategy of 5.2 with Cor. 3: the first edge
decides what may be dropped, each further edge may only restrict it; no clause is assumed on self-loops (Thm. 2).
`multi` asks all edges for each candidate (Eq. 18 is unsat iff each disjunct is).
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Literals, cube_of
from obligato.engines.ic3cfa.options import Options
from obligato.engines.ic3cfa.queries import Answer, BlockEdge, Queries, Unreached
from obligato.terms import Term

Cores = dict[BlockEdge, frozenset[Term]]


class Generalizer:
    """Finds lemmas from blocked cubes."""

    def __init__(self, queries: Queries, options: Options, env: Environment) -> None:
        self.queries, self.options, self.env = queries, options, env
        self.activity: dict[Term, float] = {}

    @property
    def relative(self) -> bool:
        """May the candidate's clause be assumed on self-loops?"""
        return self.options.generalize in ("joint", "none")

    def ask(self, edge: BlockEdge, candidate: Literals, level: int, kind: str) -> Answer:
        """Is the candidate unreachable along one edge, relative to F_(level-1) (and itself on a self-loop, if joint)?"""
        relative = candidate if edge.is_loop and self.relative else None
        return self.queries.reach(edge, candidate, level - 1, relative_to=relative, kind=kind)

    def generalize(self, location: int, cube: Literals, level: int, cores: Cores) -> Literals:
        """A lemma's cube for `location` at `level`.

        Requires: for each incoming edge, cores[edge] (part of cube) is unreachable along it from F_(level-1).
        Ensures: the result g is part of cube, and F_(level-1) and [not g on self-loops, if joint] and T_e implies not g'.
        """
        mode = self.options.generalize
        if mode == "none":
            return cube
        if mode == "single":
            return self._single(location, cube, level, cores)
        candidate = cube_of(lit for core in cores.values() for lit in core)
        for _ in range(self.options.drop_rounds):
            before = len(candidate)
            candidate = self._drop(location, candidate, level, cores)
            if len(candidate) == before or len(candidate) <= 1:
                break
        self._reward(candidate)
        return candidate

    def _order(self, cube: Literals) -> list[Term]:
        """Literals to try first: the least active in earlier lemmas."""
        return sorted(cube, key=lambda lit: (self.activity.get(lit, 0.0), -lit.id))

    def _reward(self, cube: Literals) -> None:
        for lit in cube:
            self.activity[lit] = self.activity.get(lit, 0.0) + 1.0

    def _drop(self, location: int, candidate: Literals, level: int, cores: Cores) -> Literals:
        """Try to drop each literal; keep the smaller candidate where all edges agree."""
        for lit in self._order(candidate):
            if lit not in candidate:
                continue
            smaller = tuple(x for x in candidate if x is not lit)
            found = self._agree(location, smaller, lit, level, cores)
            if found is not None:
                candidate = cube_of(x for core in cores.values() for x in core)
        return candidate

    def _agree(self, location: int, smaller: Literals, dropped: Term, level: int, cores: Cores) -> Literals | None:
        """Ask the edges whose core has the dropped literal; on agreement `cores` is updated."""
        updated: Cores = {}
        for edge in self.queries.into[location]:
            if dropped not in cores[edge]:
                continue
            answer = self.ask(edge, smaller, level, "generalize")
            if not isinstance(answer, Unreached):
                return None
            updated[edge] = frozenset(answer.core)
        cores.update(updated)
        return smaller

    def _single(self, location: int, cube: Literals, level: int, cores: Cores) -> Literals:
        """Edge by edge [LNNK19, 5.2, Cor. 3]: the union of the edges' generalisations, each minimal given the others."""
        kept: dict[Term, None] = {}
        for edge in self.queries.into[location]:
            core = cube_of([*cores[edge], *kept])
            for lit in self._order(core):
                if lit in kept or lit not in core:
                    continue
                smaller = tuple(x for x in core if x is not lit)
                answer = self.ask(edge, smaller, level, "generalize")
                if isinstance(answer, Unreached):
                    core = cube_of([*answer.core, *(x for x in smaller if x in kept)])
            kept.update(dict.fromkeys(core))
        result = cube_of(kept)
        self._reward(result)
        return result
