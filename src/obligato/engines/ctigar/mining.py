"""Refinement state mining [BBW14, 4.1]: linear equalities that many of the concrete CTIs of a
location satisfy.

The states of a location are collected. When there are enough, equalities b.x = c of at most three
variables through two or three of them are tried on all: the one that most states satisfy, with the
fewest coefficients that are not zero, becomes a predicate and takes its states away. It need not be
an invariant, nor eliminate a spurious CTI.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from obligato.analysis.affine import AffineAnalysis
from obligato.analysis.affine_system import Location, control_variables
from obligato.analysis.modules import Number, Row, kernel
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.terms import INT, REAL, Op, Term

MOST_VARIABLES = 8
MOST_TERMS = 3


class Mining:
    """The states by location; `enough` of them are mined, 0: never."""

    def __init__(self, predicates: Predicates, enough: int) -> None:
        self.predicates, self.enough = predicates, enough
        self.control = control_variables(predicates.system)
        data = [
            x for x in predicates.system.state if x.sort in (INT, REAL) and x not in self.control
        ]
        self.variables = [x for x in data if x.sort is data[0].sort][:MOST_VARIABLES]
        self._states: dict[Location, dict[Row, None]] = {}

    def note(self, state: ConcreteState) -> list[int]:
        """Collect a state; the numbers of new predicates."""
        if not self.enough or not self.variables:
            return []
        here = self._states.setdefault(tuple(state[x] for x in self.control), {})
        here[tuple(_number(state[x]) for x in self.variables)] = None
        if len(here) < self.enough:
            return []
        found = self.equality(list(here))
        if found is None:
            here.clear()
            return []
        term, covered = found
        for point in covered:
            del here[point]
        return self.predicates.add([term])

    def equality(self, points: list[Row]) -> tuple[Term, list[Row]] | None:
        """The best equality and the points that satisfy it; None: none has more points than
        determine it.
        """
        best: tuple[tuple[int, int], tuple[Term, ...], Row, list[Row]] | None = None
        for variables, row in self._candidates(points):
            places = [self.variables.index(x) for x in variables]
            covered = [
                p
                for p in points
                if sum(b * p[i] for b, i in zip(row, places, strict=False)) + row[-1] == 0
            ]
            rank = (-len(covered), len(variables))
            if len(covered) > len(variables) and (best is None or rank < best[0]):
                best = rank, variables, row, covered
        if best is None:
            return None
        term = AffineAnalysis(best[1]).equation(self.predicates.store, best[2])
        return None if term.op is Op.CONST else (term, best[3])

    def _candidates(self, points: list[Row]) -> Iterator[tuple[tuple[Term, ...], Row]]:
        """Equalities of few variables, all with coefficients, through as many of the points."""
        for n in range(1, min(MOST_TERMS, len(self.variables)) + 1):
            for places in combinations(range(len(self.variables)), n):
                seen: dict[Row, None] = {}
                analysis = AffineAnalysis([self.variables[i] for i in places])
                for chosen in combinations(
                    dict.fromkeys(tuple(p[i] for i in places) for p in points), n
                ):
                    for row in kernel(analysis.ring, [(*p, 1) for p in chosen], n + 1):
                        if all(row[:-1]) and row not in seen:
                            seen[row] = None
                            yield tuple(self.variables[i] for i in places), row


def _number(value: object) -> Number:
    assert isinstance(value, Number)
    return value
