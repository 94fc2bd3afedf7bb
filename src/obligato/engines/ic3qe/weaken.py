"""Weaker lemmas beyond dropping literals, for linear arithmetic [HB12; CGMT16, 5.3].

A cube that is blocked says more than its refutation needs. `sums` replaces inequalities by a
positive combination of them, as interpolants of linear arithmetic are made (Farkas): from  y <= 3
and  x >= 4  the cube  y - x <= -1.  `relax` moves the bound of an inequality outwards. The cube without
that inequality is asked about first; if a state in it is reached or initial, the value that the sum
has there tells how far the bound may go at most.

Every candidate includes all states of the cube, and is asked about before it is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.combine import combinations
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube, cube_of
from obligato.smt.projection.linear import Inequality, Rel, build, inequality, shift, value_of
from obligato.terms import INT, REAL, Term, Value

ROUNDS = 4
Values = dict[Term, Value]


@dataclass(frozen=True, slots=True)
class Blocked:
    """A part of the candidate that is still inductive."""

    cube: Cube


# blocked; a state of it that is reached or initial; undecided
Ask = Callable[[Cube, int], Blocked | Values | None]


class Weakening:
    """Weakens cubes over `predicates`; `ask` tells whether a cube is inductive relative to F_level
    and excludes I.
    """

    def __init__(self, predicates: Predicates, env: Environment, ask: Ask) -> None:
        self.predicates, self.env, self.ask = predicates, env, ask

    def sums(self, cube: Cube, level: int) -> Cube:
        """Replace inequalities by a sum of them, as long as that goes. Requires and ensures:
        `Hooks.weaken`.
        """
        while True:
            number = {self.predicates.literal(n): n for n in cube}
            for total, parts in combinations(list(number)):
                gone = {number[t] for t in parts}
                found = self._try(
                    cube_of([*(n for n in cube if n not in gone), self.predicates.signed(total)]),
                    level,
                )
                if isinstance(found, Blocked):
                    self.env.count("sums")
                    cube = found.cube
                    break
            else:
                return cube

    def relax(self, cube: Cube, level: int) -> Cube:
        """Move the bounds of inequalities as far as a few questions tell. Requires and ensures:
        `Hooks.weaken`.
        """
        for n in cube:
            if n in cube:
                cube = self._relaxed(cube, n, level)
        return cube

    def _relaxed(self, cube: Cube, n: int, level: int) -> Cube:
        bound = inequality(self.predicates.literal(n))
        if bound is None:
            return cube
        others = [m for m in cube if m != n]
        candidate = cube_of(others)
        for _ in range(ROUNDS):
            answer = self._try(candidate, level)
            if isinstance(answer, Blocked):
                self.env.count("relaxed")
                return answer.cube
            literal = None if answer is None else self._below(bound, answer)
            if literal is None:
                return cube
            candidate = cube_of([*others, self.predicates.signed(literal)])
        return cube

    def _below(self, bound: Inequality, state: Values) -> Term | None:
        """The weakest inequality about the same sum as `bound` that excludes a state; None if it is
        not weaker than `bound`.
        """
        total, _, sort = bound
        room = value_of(total, state)
        if sort is INT:
            return (
                build(self.predicates.store, Rel.LE, shift(total, 1 - room), INT)
                if room > 1
                else None
            )
        return build(self.predicates.store, Rel.LT, shift(total, -room), REAL) if room > 0 else None

    def _try(self, candidate: Cube, level: int) -> Blocked | Values | None:
        return self.ask(candidate, level) if candidate else None
