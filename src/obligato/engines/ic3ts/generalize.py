"""Inductive generalisation [Bra11; HBS13]:
from a blocked cube to a part of it that is still inductive.

Literals are dropped one by one, the least active first, each time asking for relative induction.
What stands in the way is a state of the frame, a counterexample to generalisation (CTG): if it is
unreachable itself, it is blocked and the literal is tried again; else the candidate is joined with
it, which drops all literals in which the two differ (`_down`).

With `keep_parent`, literals of the cube's parent are not tried: a lemma of the level below that is
part of the cube and could not be pushed to its level. So the lemma found is mostly that one, made
weaker by as little as it takes [XBCGLP23]. Joins, and cores, may still drop them.

Requires (everywhere): the cube is disjoint from the initial states and,
relative to F_(level-1), not reached in one step.
Ensures: so is the result, a part of the cube.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from obligato.engines.ic3ts.cube import Cube, Lemma
from obligato.engines.ic3ts.hooks import Answer, Hooks, Query, Reached, Unreached

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3ts.options import SkeletonOptions

Learn = Callable[[Cube, int], int]
Parent = Callable[[Cube, int], Lemma | None]


class Generalizer:
    """Finds lemmas from blocked cubes. `learn` adds the lemma of a cube that is blocked (for CTGs);
    `parent` finds a lemma of exactly the level below that is part of a cube (for `keep_parent`)."""

    def __init__(
        self,
        hooks: Hooks,
        options: SkeletonOptions,
        env: Environment,
        learn: Learn,
        parent: Parent | None = None,
    ) -> None:
        self.hooks, self.options, self.env, self.learn = hooks, options, env, learn
        self.parent = parent if options.keep_parent else None
        self.activity: dict[int, float] = {}
        self._weight = 1.0
        self._ctgs = self._tried = self._blocked = 0
        # a debug checker: cube, its generalisation, level
        self.inspect: Callable[[Cube, Cube, int], None] | None = None

    def generalize(self, cube: Cube, level: int, depth: int = 0) -> Cube:
        """A part of `cube` that is inductive relative to F_(level-1)."""
        smaller = self._drop(cube, level, depth) if self.options.drop_literals else cube
        if self.inspect is not None:
            self.inspect(cube, smaller, level)
        self._reward(smaller)
        return smaller

    def _drop(self, cube: Cube, level: int, depth: int) -> Cube:
        parent = None if self.parent is None else self.parent(cube, level)
        kept = frozenset(() if parent is None else parent.cube)
        needed: set[int] = set()
        failures = 0
        for literal in sorted(cube, key=lambda x: (self.activity.get(x, 0.0), abs(x))):
            if literal not in cube or literal in kept or len(cube) == 1:
                continue
            needed.add(literal)
            smaller = self._down(tuple([x for x in cube if x != literal]), level, depth, needed)
            if smaller is not None:
                cube, failures = smaller, 0
                continue
            failures += 1
            if self.options.give_up_after and failures >= self.options.give_up_after:
                break
        return cube

    def _down(self, cube: Cube, level: int, depth: int, needed: set[int]) -> Cube | None:
        """A part of `cube` that is inductive relative to F_(level-1), or None;
        literals in `needed` are not joined away."""
        ctgs = 0
        while not self.hooks.meets_initial(cube):
            query = Query(cube, level - 1, "generalize")
            # F_(level-1) and not g and C and T and g': unsat - the literals can go;
            # sat - a CTG; unknown - none (heuristic)
            answer = self.hooks.predecessor(query)
            if isinstance(answer, Unreached):
                return answer.core
            if ctgs < self.options.ctg and self._block_ctg(answer, query, depth):
                ctgs += 1
                continue
            ctgs = 0
            joined = (
                answer.joined(cube, needed)
                if isinstance(answer, Reached) and self.options.joins
                else None
            )
            if joined is None or len(joined) == len(cube):
                return None
            cube = joined
        return None

    def _pays(self) -> bool:
        """Were enough CTGs blocked so far to try one more? If not, each sixteenth is tried."""
        self._ctgs += 1
        pays = (
            100 * (self._blocked + 5) >= self.options.ctg_yield * self._tried
            or self._ctgs % 16 == 0
        )
        self._tried += pays
        return pays

    def _block_ctg(self, answer: Answer, query: Query, depth: int) -> bool:
        """Block the state that stands in the way at the query's level and below,
        if it is unreachable there."""
        level = query.level
        if not isinstance(answer, Reached) or depth >= self.options.ctg_depth:
            return False
        if level < 1 or not self._pays():
            return False
        state = self.hooks.lift(answer, query).cube
        if self.hooks.meets_initial(state):
            return False
        # F_(level-1) and not s and C and T and s': unsat - the CTG can be blocked;
        # sat - it may be reachable   (heuristic)
        blocked = self.hooks.predecessor(Query(state, level - 1, "ctg"))
        if not isinstance(blocked, Unreached):
            return False
        self._blocked += 1
        self.env.count("ctgs")
        self.learn(self.generalize(blocked.core, level, depth + 1), level)
        return True

    def _reward(self, cube: Cube) -> None:
        for literal in cube:
            self.activity[literal] = self.activity.get(literal, 0.0) + self._weight
        self._weight *= 1.02
        if self._weight > 1e100:
            self.activity = {x: a / 1e100 for x, a in self.activity.items()}
            self._weight /= 1e100
