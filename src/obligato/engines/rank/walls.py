"""Walls of FAIR [BSHZ11] as components of tuples: sets of states that a run which has come into
them never leaves again.

A step that no candidate decreases is a skeleton of one state. IC3CFA is asked whether the state
after it leads back to the one before it, inside the component; "no" comes with a set that holds
after the step, not before it, and is closed: "not yet inside" is a component of one bit. What
earlier components decrease need not stay inside, so a wall is relative to those before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.environment import Environment
from obligato.engines.rank.questions import Condition, Questions
from obligato.engines.rank.relation import Component, Sample, State, whole
from obligato.engines.rank.synthesis import Candidate
from obligato.models.cfa import CFA
from obligato.terms import Kind

AT_ONCE = 4  # skeletons that are tried before others are looked for
MOST = 24  # of one component
SHARE = 4  # of the budget of other questions


class Walls:
    """The search for walls of one component."""

    def __init__(
        self, cfa: CFA, component: Component, questions: Questions, env: Environment
    ) -> None:
        self.cfa, self.component, self.questions, self.env = cfa, component, questions, env
        self._tried: set[Sample] = set()

    def find(self, stuck: Sequence[Sample], budget: int) -> Candidate | None:
        """A wall that one of the steps crosses; None if none was found."""
        new = [s for s in stuck if s.strict and s not in self._tried]
        for skeleton in new[: min(AT_ONCE, MOST - len(self._tried))]:
            self._tried.add(skeleton)
            self.env.count("skeletons")
            start = self._at(skeleton.target, skeleton.after)
            end = self._at(skeleton.source, skeleton.before)
            found = self.questions.wall(
                whole(self.cfa, self.component), start, end, budget // SHARE
            )
            if found is not None:
                self.env.count("walls")
                s = self.cfa.store
                return {
                    loc: s.ite(found.get(loc, s.false), s.bv(0, 1), s.bv(1, 1))
                    for loc in self.component.locations
                }
        return None

    def _at(self, location: int, state: State) -> Condition:
        """The state, as far as the component changes it; what it does not change may be anything,
        which makes walls of use to many states.
        """
        s, changed = self.cfa.store, {x for h in self.component.hops for x in h.effect.pull.mapping}
        words = [
            x
            for x in self.component.relevant
            if x in changed and x in state and x.sort.kind is not Kind.ARRAY
        ]
        return location, s.and_(*(s.eq(x, s.const(state[x], x.sort)) for x in words))
