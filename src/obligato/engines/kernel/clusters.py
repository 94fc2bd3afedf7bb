"""Clusters of lemmas that differ in numbers only, and the cubes that they suggest [KGSC20].

A *pattern* is a cube without its numbers: the sums of its inequalities, and its other literals; the
numbers are a point. Where a loop is unrolled by lemmas, the points of one pattern lie on a line:
k <= 22 and n > 22,  k <= 23 and n > 23,  ... If a new point is on a line with two older ones, or on a
plane with four, cubes are offered, the weakest one first:

    conjecture: the cube without the inequalities whose numbers vary:  what else is said may be enough
    subsume:    the least cube that includes those at all points of the line, made by eliminating
                the place on it (Fourier, Motzkin):  k - n <= -1;  then at the points from one end of
                what is known on

Limitations: lines and planes (the paper has convex hulls), no congruences, inequalities over one
sort of numbers; what a cube says otherwise, and about variables that are no data (`apart`), must be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import lcm

from obligato.engines.kernel.cube import Literals, cube_of
from obligato.smt.implicant import halves
from obligato.smt.projection.linear import Rel, add, build, inequality, scale
from obligato.terms import Sort, Term, TermStore, free_vars
from obligato.terms.rules.arith import Linear, Number

OLDER = 6  # points that are tried to span lines and planes with the new one
# lemmas that come of one cluster: more of them hold only as far as the frontier is, where an error is deep
ENDED = 3
Point = tuple[Fraction, ...]
Form = tuple[tuple[tuple[Term, Number], ...], bool, Sort]  # a sum without its number, strict, sort


@dataclass(frozen=True, slots=True)
class Pattern:
    """A cube without its numbers."""

    forms: tuple[Form, ...]
    others: Literals


@dataclass(slots=True)
class Cluster:
    """The points of a pattern, in the order in which they came."""

    points: dict[Point, None] = field(default_factory=dict)
    ended: int = 0  # lemmas that have come of it

    def flats(self, new: Point) -> Iterator[list[Point]]:
        """Lines and planes through the new point on which there are others, at least two and four:
        points that span them, and the outermost one in the direction of the first step."""
        older = [p for p in reversed(self.points) if p != new]
        seen: set[tuple[Point, ...]] = set()
        for number in (1, 2):
            for chosen in combinations(older[:OLDER], number):
                steps = echelon([_minus(p, new) for p in chosen])
                if len(steps) < number or tuple(steps) in seen:
                    continue
                seen.add(tuple(steps))
                on = [p for p in older if len(echelon([*steps, _minus(p, new)])) == number]
                if len(on) >= 2 * number:
                    yield _outermost([new, *on], steps)


def _minus(p: Point, q: Point) -> Point:
    return tuple(a - b for a, b in zip(p, q, strict=True))


def echelon(rows: Iterable[Point]) -> list[Point]:
    """A basis of what the rows span, the same one for the same span."""
    out: list[Point] = []
    for row in rows:
        for known in out:
            row = _cleared(row, known)
        if any(row):
            lead = next(d for d in row if d)
            row = tuple(d / lead for d in row)
            out = [*(_cleared(known, row) for known in out), row]
    return sorted(out, reverse=True)


def _cleared(row: Point, known: Point) -> Point:
    """The row with zero where the other one begins."""
    i = next(i for i, d in enumerate(known) if d)
    return tuple(a - row[i] * b for a, b in zip(row, known, strict=True))


def _outermost(points: list[Point], steps: list[Point]) -> list[Point]:
    """Points that span the same; of a line the two ends."""
    i = next(i for i, d in enumerate(steps[0]) if d)
    low, high = min(points, key=lambda p: p[i]), max(points, key=lambda p: p[i])
    return [low, high] if len(steps) == 1 else [low, *(_plus(low, d) for d in steps)]


def _plus(p: Point, q: Point) -> Point:
    return tuple(a + b for a, b in zip(p, q, strict=True))


def parse(cube: Literals, apart: Set[Term] = frozenset()) -> tuple[Pattern, Point] | None:
    """Pattern and point of a cube; None without numbers, or with numbers of two sorts."""
    rows: list[tuple[Form, Fraction]] = []
    others: list[Term] = []
    for literal in cube:
        found = [] if _only(literal, apart) else list(rows_of(literal))
        if not found:
            others.append(literal)
        for (coeffs, number), strict, sort in found:
            terms = tuple(sorted(coeffs.items(), key=lambda x: x[0].id))
            rows.append(((terms, strict, sort), Fraction(number)))
    if len({form[2] for form, _ in rows}) != 1:
        return None
    rows.sort(key=lambda r: ([(x.id, c) for x, c in r[0][0]], r[0][1], r[1]))
    return Pattern(tuple(f for f, _ in rows), cube_of(others)), tuple(n for _, n in rows)


def _only(literal: Term, apart: Set[Term]) -> bool:
    return bool(apart) and all(v in apart for v in free_vars(literal))


def rows_of(literal: Term) -> Iterator[tuple[Linear, bool, Sort]]:
    """The inequalities that a literal says, an equation being two; none if it is neither."""
    return (p for half in halves(literal) if (p := inequality(half)) is not None)


@dataclass(frozen=True, slots=True)
class _Row:
    """total + sum of t_j * steps_j  <= 0, or < 0."""

    total: Linear
    steps: Point
    strict: bool

    def joined(self, other: _Row, j: int) -> _Row:
        """What follows from both without t_j; its factors have different signs in them."""
        d, e = abs(self.steps[j]), abs(other.steps[j])
        whole = lcm(d.denominator, e.denominator)
        d, e = d * whole, e * whole
        total = add(scale(self.total, plain(e)), other.total, plain(d))
        steps = tuple(e * a + d * b for a, b in zip(self.steps, other.steps, strict=True))
        return _Row(total, steps, self.strict or other.strict)


@dataclass(frozen=True, slots=True)
class _Flat:
    """The cubes of a pattern at the points that some points span."""

    store: TermStore
    pattern: Pattern
    points: list[Point]

    def cubes(self) -> Iterator[Literals]:
        """Cubes that include those at all points, the weakest first: without what varies; with
        what all have in common; of a line also those from one end on."""
        steps = [_minus(p, self.points[0]) for p in self.points[1:]]
        rows = [self._row(i, self.points[0], steps) for i in range(len(self.pattern.forms))]
        common = _eliminated(rows, len(steps))
        offered = [[r for r in rows if not any(r.steps)], common]
        if len(steps) == 1:
            last = [self._row(i, self.points[1], steps) for i in range(len(rows))]
            offered.append([*common, *(r for r in rows if r.steps[0] > 0)])
            offered.append([*common, *(r for r in last if r.steps[0] < 0)])
        for chosen in offered:
            literals = (*self.pattern.others, *self._literals(chosen))
            yield cube_of(x for x in literals if x is not self.store.true)

    def _row(self, i: int, point: Point, steps: list[Point]) -> _Row:
        terms, strict, _ = self.pattern.forms[i]
        return _Row((dict(terms), plain(point[i])), tuple(d[i] for d in steps), strict)

    def _literals(self, rows: list[_Row]) -> Iterator[Term]:
        """The rows as literals; t <= k and t >= k as t = k."""
        sort = self.pattern.forms[0][2]
        opposite = {_key(scale(r.total, -1)) for r in rows if not r.strict}
        for r in rows:
            both = not r.strict and _key(r.total) in opposite
            rel = Rel.EQ if both else Rel.LT if r.strict else Rel.LE
            yield build(self.store, rel, r.total, sort)


def _key(total: Linear) -> tuple[frozenset[tuple[Term, Number]], Number]:
    return frozenset(total[0].items()), total[1]


def _eliminated(rows: list[_Row], number: int) -> list[_Row]:
    """What the rows say for some t (Fourier, Motzkin)."""
    for j in range(number):
        rising = [r for r in rows if r.steps[j] > 0]
        falling = [r for r in rows if r.steps[j] < 0]
        rows = [r for r in rows if not r.steps[j]]
        rows += [r.joined(q, j) for r in rising for q in falling]
        rows = [r for r in rows if r.total[0]]
    return rows


def plain(n: Fraction) -> Number:
    """A whole number as an int."""
    return int(n) if n.denominator == 1 else n


class Clusters:
    """The lemmas of one location by pattern."""

    def __init__(self, store: TermStore, apart: Set[Term] = frozenset()) -> None:
        self.store, self.apart = store, apart
        self.of: dict[Pattern, Cluster] = {}

    def suggested(self, cube: Literals) -> Iterable[Literals]:
        """Take a lemma's cube in; cubes that its cluster suggests, without repetition.

        Ensures: each of them includes the cube.
        """
        parsed = parse(cube, self.apart)
        if parsed is None:
            return ()
        pattern, point = parsed
        cluster = self.of.setdefault(pattern, Cluster())
        if cluster.ended >= ENDED:
            return ()
        found: dict[Literals, None] = {}
        for points in cluster.flats(point):
            found.update(dict.fromkeys(_Flat(self.store, pattern, points).cubes()))
        cluster.points[point] = None
        return [c for c in found if c and c != cube]

    def end(self, cube: Literals) -> None:
        """A lemma has come of what this cube's cluster suggests."""
        parsed = parse(cube, self.apart)
        if parsed is not None:
            self.of[parsed[0]].ended += 1
