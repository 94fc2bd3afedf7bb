"""Answers without a solver: predecessor cubes [LNNK19, Thm. 6, 7] and generalisation contexts
[LNNK19, Thm. 8, Cor. 5].

Both answer "is the cube unreachable along this edge?" with yes and a core, or not at all.

- `Static`: a lemma of the source frame whose cube is part of wep(edge, c) blocks c; the literals of
  c whose pull-backs it uses are the generalisation (wep inverse, Def. 16; the mapping is not
  injective, any choice is sound). Choice-free edges only.
- `Contexts`: an earlier unsat answer (g, lemmas of its core) along the same edge holds again for
  every cube that includes g, as soon as these lemmas hold at the level asked for. Least recently
  used entries are dropped.
- Lower bounds (Thm. 9) are entries whose g was minimal along the edge: relative to the same frame,
  or to a weaker one, no literal of g can be dropped (a state that reaches the smaller cube stays in
  a weaker frame). A heuristic that saves queries:
  from the same cube other minimal generalisations may exist.
"""

from __future__ import annotations

from collections import OrderedDict

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Lemma
from obligato.engines.ic3cfa.frames import Frames
from obligato.engines.ic3cfa.options import Options
from obligato.engines.ic3cfa.queries import BlockEdge, Unreached
from obligato.engines.kernel.cube import Literals
from obligato.terms import Term

ENTRIES_PER_EDGE = 400

Entry = tuple[frozenset[Term], tuple[Lemma, ...]]


class Shortcuts:
    """The static answers switched on by the options."""

    def __init__(self, frames: Frames, options: Options, env: Environment) -> None:
        self.frames, self.options, self.env = frames, options, env
        self._contexts: dict[BlockEdge, OrderedDict[Entry, None]] = {}
        self._minimal: dict[
            tuple[BlockEdge, Literals], tuple[frozenset[Lemma], frozenset[Term]]
        ] = {}

    def answer(self, edge: BlockEdge, cube: Literals, level: int) -> Unreached | None:
        """Unreachable for certain, or None."""
        found = None
        if self.options.predecessor_cubes and edge.choice_free:
            found = self._predecessor_cube(edge, cube, level)
        if found is None and self.options.caching:
            found = self._context(edge, cube, level)
        return found

    def _predecessor_cube(self, edge: BlockEdge, cube: Literals, level: int) -> Unreached | None:
        origin = {edge.pull_back(lit): lit for lit in cube}
        guard = edge.assumes
        for lemma in self.frames.at(edge.source, level):
            if all(lit in guard or lit in origin for lit in lemma.cube):
                self.env.count("predecessor_cubes")
                return Unreached(
                    tuple(origin[lit] for lit in lemma.cube if lit not in guard), (lemma,)
                )
        return None

    def _context(self, edge: BlockEdge, cube: Literals, level: int) -> Unreached | None:
        entries = self._contexts.get(edge)
        if not entries:
            return None
        literals = frozenset(cube)
        for entry in reversed(entries):
            g, lemmas = entry
            if g <= literals and all(x.level >= level for x in lemmas):
                entries.move_to_end(entry)
                self.env.count("context_hits")
                return Unreached(tuple(lit for lit in cube if lit in g), lemmas)
        return None

    def learn(self, edge: BlockEdge, answer: Unreached) -> None:
        """Remember an unsat answer of the solver (never one that assumed the candidate's own
        clause)."""
        entries = self._contexts.setdefault(edge, OrderedDict())
        entries[(frozenset(answer.core), answer.lemmas)] = None
        if len(entries) > ENTRIES_PER_EDGE:
            entries.popitem(last=False)

    def lower_bound(self, edge: BlockEdge, cube: Literals, level: int) -> frozenset[Term]:
        """Literals of `cube` that cannot be dropped along this edge,
        as far as is known [LNNK19, Thm. 9]."""
        entry = self._minimal.get((edge, cube)) if self.options.lower_bounds else None
        if entry is None:
            return frozenset()
        frame, g = entry
        return g if all(x in frame for x in self.frames.at(edge.source, level)) else frozenset()

    def learn_minimal(self, edge: BlockEdge, cube: Literals, level: int, g: Literals) -> None:
        """Remember that g was minimal along the edge for this cube and frame."""
        if self.options.lower_bounds:
            self._minimal[(edge, cube)] = (
                frozenset(self.frames.at(edge.source, level)),
                frozenset(g),
            )
