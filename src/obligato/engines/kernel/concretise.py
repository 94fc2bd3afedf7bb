"""Concretise [KGSC20]: parts of obligations whose lemmas would go on for ever.

Where a loop adds one variable to another, lemmas differ in factors, not only in numbers:
x >= 0,  x + y >= 0,  x + 2 * y >= 0, ... The cubes that they exclude (`x + 2 * y <= -1`) have no
literal that could be dropped, and no line leads to what all of them follow from (`y >= 0`). So an
obligation that such a lemma has blocked is parted when it comes back: in one of its states what the
factors belong to, and what is left of the sums, become bounds (`x <= 1 and y <= -1`), literals that
can be dropped one by one.

What the factors belong to are variables in the paper. Here it is a basis of the differences of the
lemmas: of x + y - z, x + 2 * y - 2 * z, ... the sum y - z.

The part is an under-approximation of the obligation: its states are the obligation's, so that they
lead to the same violation, but that it is blocked says nothing about the others.

Limitation: integers only. A bound that a state gives comes ever closer to that of reals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from obligato.engines.kernel.clusters import echelon, plain, rows_of
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.engines.kernel.normalize import normalize
from obligato.smt.implicant import halves
from obligato.smt.projection.linear import Rel, add, build, inequality, scale, shift, value_of
from obligato.terms import INT, Term, Value, free_vars
from obligato.terms.rules.arith import Linear

KINDS = 3  # lemmas of one pattern with different factors from which on obligations are parted
Factors = tuple[Fraction, ...]
Row = tuple[Term, ...]  # the terms of a sum
Direction = tuple[tuple[Term, Fraction], ...]  # a sum whose first factor is 1


@dataclass(slots=True)
class Slopes:
    """The lemmas of one location by pattern: a cube without its numbers and factors. What literals
    say about the variables `apart` only belongs to the pattern."""

    apart: frozenset[Term] = frozenset()
    of: dict[tuple[tuple[Row, ...], Literals], dict[tuple[Factors, ...], None]] = field(
        default_factory=dict
    )

    def directions(self, cube: Literals) -> tuple[Direction, ...]:
        """Take a lemma's cube in; a basis of the differences of the lemmas of its pattern, if
        these are many."""
        rows, factors, others = _parsed(cube, self.apart)
        seen = self.of.setdefault((rows, others), {})
        seen[factors] = None
        if len(seen) < KINDS:
            return ()
        first = next(iter(seen))
        found: dict[Direction, None] = {}
        for i, terms in enumerate(rows):
            for step in echelon(_minus(other[i], first[i]) for other in seen):
                found[tuple((t, c) for t, c in zip(terms, step, strict=True) if c)] = None
        return tuple(found)


def _minus(p: Factors, q: Factors) -> Factors:
    return tuple(a - b for a, b in zip(p, q, strict=True))


def _parsed(
    cube: Literals, apart: Set[Term]
) -> tuple[tuple[Row, ...], tuple[Factors, ...], Literals]:
    """A cube's sums, their factors, and what it says otherwise."""
    rows: list[tuple[Row, Factors]] = []
    others: list[Term] = []
    for literal in cube:
        found = list(rows_of(literal))
        if not all(sort is INT for _, _, sort in found) or (apart and _only(literal, apart)):
            found = []
        if not found:
            others.append(literal)
        for (factors, _), _, _ in found:
            terms = tuple(sorted(factors, key=lambda t: t.id))
            rows.append((terms, tuple(Fraction(factors[t]) for t in terms)))
    rows.sort(key=lambda r: ([t.id for t in r[0]], r[1]))
    return tuple(r for r, _ in rows), tuple(c for _, c in rows), cube_of(others)


def _only(literal: Term, apart: Set[Term]) -> bool:
    return free_vars(literal).keys() <= apart


def concretised(
    cube: Literals, directions: Iterable[Direction], state: Mapping[Term, Value]
) -> Literals:
    """The part of a cube around a state of it: sums are split into the directions and the rest.

    Requires: the state is in the cube. Ensures: it is in the result, which implies the cube.
    """
    parts = (p for literal in cube for p in _parts(literal, tuple(directions), state))
    return cube_of(normalize(parts))


def _parts(
    literal: Term, directions: tuple[Direction, ...], state: Mapping[Term, Value]
) -> list[Term]:
    bounds = [b for half in halves(literal) for b in _bounds(half, directions, state)]
    return bounds or [literal]


def _bounds(
    half: Term, directions: tuple[Direction, ...], state: Mapping[Term, Value]
) -> Iterator[Term]:
    """Bounds that imply an inequality; none if it cannot be split."""
    found = inequality(half)
    if found is None:
        return
    sums = _split((found[0][0], 0), directions)
    for total in sums if len(sums) > 1 else ():
        yield build(half.store, Rel.LE, shift(total, -value_of(total, state)), found[2])


def _split(total: Linear, directions: tuple[Direction, ...]) -> list[Linear]:
    """Sums of which the given one is the sum, but for positive factors."""
    sums: list[Linear] = []
    for direction in directions:
        if all(t in total[0] for t, _ in direction):
            part: Linear = scale((dict(direction), 0), total[0][direction[0][0]])
            sums.append(part)
            total = add(total, part, -1)
    return [_whole(s) for s in (*sums, total) if s[0]]


def _whole(total: Linear) -> Linear:
    """A positive multiple with whole numbers."""
    common = lcm(*(Fraction(c).denominator for c in total[0].values()))
    return {t: plain(Fraction(c) * common) for t, c in total[0].items()}, 0
