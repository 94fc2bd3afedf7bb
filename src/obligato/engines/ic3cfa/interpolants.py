"""Generalisation by an interpolant [LNNK19, 7.3, configuration K].

A cube c is unreachable in one step: A, the states after any incoming edge from the frames, and B,
the cube, are inconsistent. An interpolant I follows from A and excludes c; it speaks about the
variables of c only. Its negation is offered as a joint candidate, which is then checked on all
edges like any other.

Ensures: every state of c is in the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.engines.ic3cfa.frames import Frames
from obligato.engines.ic3cfa.queries import BlockEdge, Queries
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.smt.interpolation import interpolate
from obligato.terms import Op, Substitution, Term, conjuncts, free_vars


class Interpolants:
    """Makes candidates for generalisation from interpolants."""

    def __init__(self, queries: Queries, frames: Frames) -> None:
        self.queries, self.frames = queries, frames

    def candidate(self, location: int, cube: Literals, level: int) -> Literals | None:
        """The negation of an interpolant between the post-states of F_(level-1) and the cube,
        as a cube."""
        store = self.queries.store
        after = store.or_(*self._after(location, cube, level - 1))
        budget, stats = self.queries.options.budget, self.queries.env.stats
        found = interpolate(after, store.and_(*cube), budget=budget, stats=stats)
        if found is None or found.op is Op.CONST:
            return None
        negated = [store.not_(x) for x in found.args] if found.op is Op.OR else [store.not_(found)]
        return cube_of(lit for n in negated for lit in conjuncts(n))

    def _after(self, location: int, cube: Literals, level: int) -> Iterator[Term]:
        """Per incoming edge: F_(level, source) and its guard over renamed variables,
        and x = final value for those of c."""
        for edge in self.queries.into[location]:
            if level > 0 or edge.source == self.queries.initial:
                yield self._along(edge, list(free_vars(*cube)), level)

    def _along(self, edge: BlockEdge, variables: list[Term], level: int) -> Term:
        store = self.queries.store
        frame = self.frames.formula(edge.source, level)
        final = [edge.pull(x) for x in variables]
        old = {
            v: store.fresh(f"{v.name}!before", v.sort)
            for v in free_vars(frame, *edge.guard, *final)
        }
        before = Substitution(old)
        assigned = (store.eq(x, before(e)) for x, e in zip(variables, final, strict=True))
        return store.and_(before(frame), *(before(g) for g in edge.guard), *assigned)
