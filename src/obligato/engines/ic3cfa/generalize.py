"""Generalisation of blocked cubes [LNNK19, Sect. 5].

Given a cube c that no state of the predecessor frames reaches along any incoming edge, find a
smaller set of literals (a larger cube) for which that is still so.

`joint` (ours): one candidate g for all edges. Each edge keeps the core of its last unsat answer;
dropping a literal re-asks only the edges whose core has it. On a self-loop the clause of g itself
may be assumed (ordinary relative induction), which is sound because the same g is checked on every
edge. `single` is the third strategy of 5.2 with Cor. 3: the first edge decides what may be dropped,
each further edge may only restrict it; no clause is assumed on self-loops (Thm. 2). `multi` asks
all edges for each candidate (Eq. 18 is unsat iff each disjunct is).

A literal that cannot be dropped because of one state of the frame (a counterexample to
generalisation, CTG) may be dropped after blocking that state [HBS13]; then bounds may be weakened
(`weaken`) or the whole clause replaced by an interpolant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.contexts import Shortcuts
from obligato.engines.ic3cfa.options import Options
from obligato.engines.ic3cfa.predicates import Predicates
from obligato.engines.ic3cfa.queries import Answer, BlockEdge, Queries, Unreached
from obligato.engines.ic3cfa.weaken import weaken
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.engines.kernel.predecessor import predecessor
from obligato.terms import Term, size

if TYPE_CHECKING:
    from obligato.engines.ic3cfa.debug import DebugChecker
    from obligato.engines.ic3cfa.interpolants import Interpolants

Cores = dict[BlockEdge, frozenset[Term]]
Learn = Callable[[int, Literals, int], int]


class Generalizer:
    """Finds lemmas from blocked cubes.
    `learn` blocks a cube that is known to be unreachable (for CTGs)."""

    def __init__(
        self,
        queries: Queries,
        shortcuts: Shortcuts,
        options: Options,
        env: Environment,
        learn: Learn,
    ) -> None:
        self.queries, self.shortcuts, self.options, self.env = queries, shortcuts, options, env
        self.learn = learn
        self.activity: dict[Term, float] = {}
        self.constants: list[int] = []  # of the program, for weakening
        self.predicates: Predicates | None = None
        self.interpolants: Interpolants | None = None
        self.debug: DebugChecker | None = None
        self._depth = 0
        self._sizes: dict[Term, int] = {}

    @property
    def relative(self) -> bool:
        """May the candidate's clause be assumed on self-loops?"""
        return self.options.generalize in ("joint", "none")

    def ask(self, edge: BlockEdge, candidate: Literals, level: int, kind: str) -> Answer:
        """Is the candidate unreachable along one edge,
        relative to F_(level-1) (and itself on a self-loop, if joint)?"""
        relative = candidate if edge.is_loop and self.relative else None
        return self.queries.reach(edge, candidate, level - 1, relative_to=relative, kind=kind)

    def ask_all(self, location: int, cube: Literals, level: int, kind: str) -> Cores | None:
        """The cores of all incoming edges if the cube is unreachable along each of them."""
        cores: Cores = {}
        for edge in self.queries.into[location]:
            answer = self.ask(edge, cube, level, kind)
            if not isinstance(answer, Unreached):
                return None
            cores[edge] = frozenset(answer.core)
        return cores

    def generalize(self, location: int, cube: Literals, level: int, cores: Cores) -> Literals:
        """A lemma's cube for `location` at `level`.

        Requires: for each incoming edge,
        cores[edge] (part of cube) is unreachable along it from F_(level-1).
        Ensures: the result g includes every state of F_(level, location) and cube, and F_(level-1)
        and [not g on self-loops, if joint] and T_e implies not g' for each incoming edge e; without
        abstraction, weakening and interpolation g is part of cube.
        """
        result = self._reward(self._generalize(location, cube, level, cores))
        if self.debug is not None:
            self.debug.generalized(location, cube, level, result)
        return result

    def _generalize(self, location: int, cube: Literals, level: int, cores: Cores) -> Literals:
        mode = self.options.generalize
        if mode == "none":
            return cube
        larger = self._abstract(location, cube, level) or self._interpolate(location, cube, level)
        if larger is None and mode == "single":
            return self._single(location, cube, level, cores)
        cores = larger or cores
        candidate = _union(cores)
        for _ in range(self.options.drop_rounds):
            before = len(candidate)
            candidate = self._drop(location, candidate, level, cores)
            if len(candidate) == before or len(candidate) <= 1:
                break
        return self._weaken(location, candidate, level) if self.options.weaken_bounds else candidate

    def _weaken(self, location: int, cube: Literals, level: int) -> Literals:
        result = weaken(
            cube, self.constants, lambda g: self.ask_all(location, g, level, "weaken") is not None
        )
        if self.debug is not None:
            self.debug.weakened(cube, result)
        return result

    def _abstract(self, location: int, cube: Literals, level: int) -> Cores | None:
        """The cores of the cube's abstraction over mined predicates, if that is unreachable too."""
        if self.predicates is None or self._depth:
            return None
        abstract = self.predicates.abstract(location, cube, level)
        if self.debug is not None and abstract is not None:
            self.debug.abstracted(location, cube, level, abstract)
        cores = None if abstract is None else self.ask_all(location, abstract, level, "abstract")
        self.env.count("abstracted" if cores is not None else "not_abstracted")
        return cores

    def _interpolate(self, location: int, cube: Literals, level: int) -> Cores | None:
        """The cores of the cube's interpolant, if there is one and all edges agree."""
        if self.interpolants is None or self._depth:
            return None
        candidate = self.interpolants.candidate(location, cube, level)
        if self.debug is not None and candidate is not None:
            self.debug.weakened(cube, candidate)
        return (
            None if candidate is None else self.ask_all(location, candidate, level, "interpolant")
        )

    def _order(self, cube: Literals) -> list[Term]:
        """Literals to try first: the least active in earlier lemmas, if so asked."""
        if self.options.literal_order == "given":
            return list(cube)
        return sorted(
            cube, key=lambda lit: (self.activity.get(lit, 0.0), -self._size(lit), -lit.id)
        )

    def _size(self, literal: Term) -> int:
        known = self._sizes.get(literal)
        if known is None:
            known = self._sizes[literal] = size(literal)
        return known

    def _reward(self, cube: Literals) -> Literals:
        for lit in cube:
            self.activity[lit] = self.activity.get(lit, 0.0) + 1.0
        return cube

    def _drop(self, location: int, candidate: Literals, level: int, cores: Cores) -> Literals:
        """Try to drop each literal; keep the smaller candidate where all edges agree."""
        for lit in self._order(candidate):
            if lit in candidate and self._agree(location, candidate, lit, level, cores):
                candidate = _union(cores)
        return candidate

    def _agree(
        self, location: int, candidate: Literals, dropped: Term, level: int, cores: Cores
    ) -> bool:
        """Ask the edges whose core has the dropped literal; on agreement `cores` is updated."""
        smaller = tuple(x for x in candidate if x is not dropped)
        updated: Cores = {}
        for edge in self.queries.into[location]:
            if dropped not in cores[edge] and self.options.generalize != "multi":
                continue
            answer = self._ask_past_ctgs(edge, smaller, level)
            if not isinstance(answer, Unreached):
                return False
            updated[edge] = frozenset(answer.core)
        cores.update(updated)
        return True

    def _ask_past_ctgs(self, edge: BlockEdge, smaller: Literals, level: int) -> Answer:
        """Ask; while a blockable state stands in the way, block it and ask again [HBS13]."""
        answer = self.ask(edge, smaller, level, "generalize")
        for _ in range(self.options.ctg if self._depth == 0 else 0):
            if not isinstance(answer, Reached) or not self._block_ctg(answer, smaller, level - 1):
                break
            answer = self.ask(edge, smaller, level, "generalize")
        return answer

    def _block_ctg(self, reached: Reached, cube: Literals, level: int) -> bool:
        """Block the predecessor that the model names at its location up to `level`,
        if it is unreachable there."""
        location = reached.edge.source
        if level < 1 or location == self.queries.initial:
            return False
        state, _, _ = predecessor(reached, cube, self.queries.cfa.input_set)
        cores = self.ask_all(location, state, level, "ctg")
        if cores is None:
            return False
        self._depth += 1
        lemma = self.generalize(location, state, level, cores)
        self._depth -= 1
        self.env.count("ctgs")
        self.learn(location, lemma, level)
        return True

    def _single(self, location: int, cube: Literals, level: int, cores: Cores) -> Literals:
        """Edge by edge [LNNK19, 5.2, Cor. 3]:
        the union of the edges' generalisations, each minimal given the others."""
        kept: dict[Term, None] = {}
        for edge in self.queries.into[location]:
            kept.update(dict.fromkeys(self._along(edge, cube, level, cores[edge], kept)))
        return cube_of(kept)

    def _along(
        self,
        edge: BlockEdge,
        cube: Literals,
        level: int,
        first: frozenset[Term],
        kept: dict[Term, None],
    ) -> Literals:
        """A minimal generalisation along one edge. Literals in `kept`, which other edges need
        anyway, are not tried.
        """
        needed = self.shortcuts.lower_bound(edge, cube, level - 1)
        core, minimal = cube_of([*first, *kept]), not kept
        for lit in self._order(core):
            if lit in kept or lit in needed or lit not in core:
                continue
            smaller = tuple(x for x in core if x is not lit)
            answer = self.ask(edge, smaller, level, "generalize")
            if isinstance(answer, Unreached):
                core = cube_of([*answer.core, *(x for x in smaller if x in kept)])
            else:
                minimal = minimal and isinstance(answer, Reached)
        if minimal:
            self.shortcuts.learn_minimal(edge, cube, level - 1, core)
        return core


def _union(cores: Cores) -> Literals:
    """All literals that some edge needs."""
    return cube_of(lit for core in cores.values() for lit in core)
