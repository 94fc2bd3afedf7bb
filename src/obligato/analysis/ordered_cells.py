"""Candidates about the order of cells: sorted ranges, and cells that bound a range from below or
above.

Where a program compares cells with each other, what sorting, merging and searching loops keep is

    neighbours   a[index] <= a[index + 1]        for all index in a range
    a bound      a[index] <= b[t], or >=, and the same for a variable that holds a cell
    two cells    a[t] <= b[u]

with ranges between constants, counters and what these are compared with, and places t and u that
the program reads or writes, perhaps less one.  Such a place may lie outside of the array (there is
no a[i - 1] yet), so a formula may have the premise that it does not.  One index is enough: that
neighbours are in order is inductive where a loop walks along them.

These are thousands.  Runs of a smaller program (`small_runs.Samples`) tell which are worth a
question: those that are true in all samples and say something in one, of each property those with
the largest ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from obligato.analysis.cell_places import linear, plus, widened
from obligato.analysis.maps import NeededAt
from obligato.analysis.small_runs import Samples
from obligato.models.cfa import CFA
from obligato.terms import Kind, Op, Term, free_vars

ORDERS = (Op.LE, Op.LT, Op.BVSLT, Op.BVSLE, Op.BVULT, Op.BVULE)
SIGNED = (Op.BVSLT, Op.BVSLE)
ARRAYS, PLACES, HOLDERS, BOUNDS = 4, 10, 4, 3  # of a program
RANGES = 3  # of one property, those with most samples
MOST = 150  # candidates at one location


@dataclass(frozen=True, slots=True)
class Compared:
    """What a program compares: arrays by cells, variables that hold cells, by a signed order or
    not; places of these arrays, and what their counters are compared with.
    """

    arrays: tuple[Term, ...]
    holders: tuple[Term, ...]
    signed: bool
    places: tuple[Term, ...]
    bounds: tuple[Term, ...]


def compared(
    nodes: Sequence[Term],
    variables: frozenset[Term],
    index: Term,
    bounds: Callable[[Term], list[Term]],
    counts: Container[Term],
) -> Compared | None:
    """What the terms of a program over these variables compare; None if no cells with each other.

    `bounds` are what a counter is compared with; those that change are places, too (`counts`).
    """
    orders = [t for t in nodes if t.op in ORDERS and any(_is_cell(a, index) for a in t.args)]
    both = [t for t in orders if all(_is_cell(a, index) for a in t.args)]
    if not both:
        return None
    element = both[0].args[0].sort
    cells = [t for t in nodes if t.op in (Op.SELECT, Op.STORE) and t.args[1].sort is index.sort]
    arrays = [a for a in _variables(t.args[0] for t in cells) if a.sort.element is element]
    arrays = [a for a in arrays if a.sort.index is index.sort and a in variables]
    holders = [a for t in orders for a in t.args if a.op is Op.VAR and a.sort is element]
    known = [t.args[1] for t in cells if all(v in variables for v in free_vars(t.args[1]))]
    places = [p for p in dict.fromkeys(known) if len(linear(p)[0]) <= 1][:PLACES]
    counters = dict.fromkeys(widened(m) for p in places for m in linear(p)[0])
    ends = [_fitted(b, index) for c in counters for b in bounds(c) if widened(b) not in counters]
    ends = [b for b in dict.fromkeys(ends) if b.sort is index.sort]
    places += [plus(b, k) for b in ends if widened(b) in counts for k in (0, 1)]
    return Compared(
        tuple(arrays[:ARRAYS]),
        tuple(h for h in dict.fromkeys(holders) if h in variables)[:HOLDERS],
        both[0].op in SIGNED,
        tuple(dict.fromkeys(places)),
        tuple(ends[:BOUNDS]),
    )


def _variables(terms: Iterable[Term]) -> dict[Term, None]:
    return {v: None for v in free_vars(*terms) if v.sort.kind is Kind.ARRAY}


def _fitted(b: Term, index: Term) -> Term:
    """A bound of a counter as a value of the index."""
    missing = index.sort.width - b.sort.width if b.sort.kind is Kind.BITVEC else 0
    return b.store.sign_ext(b, missing) if missing > 0 else b


def _is_cell(t: Term, index: Term) -> bool:
    return t.op is Op.SELECT and t.args[1].sort is index.sort


def ordered_cells(
    cfa: CFA, about: Compared, index: Term, locations: Sequence[int], seed: int
) -> dict[int, list[Term]]:
    """By location, the candidates about the order of cells that runs of a smaller program do not
    refute.
    """
    needed, samples = NeededAt.of(cfa), Samples(cfa, locations, index, seed)

    def used(loc: int, terms: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(t for t in terms if all((loc, v) in needed for v in free_vars(t)))

    out: dict[int, list[Term]] = {}
    for loc in locations:
        arrays, holders = used(loc, about.arrays), used(loc, about.holders)
        places, bounds = used(loc, about.places), used(loc, about.bounds)
        here = Compared(arrays, holders, about.signed, places, bounds)
        out[loc] = _Miner(here, index).at(loc, samples)[:MOST]
    return out


@dataclass(frozen=True, slots=True)
class _Claim:
    """Formulas that may hold, each perhaps with one of the premises, the weakest first. Where
    `same` holds they say nothing.
    """

    claims: tuple[Term, ...]
    premises: tuple[Term, ...]
    same: Term
    ranges: int = RANGES


class _Miner:
    """Ranges, premises and properties, put together as samples allow."""

    def __init__(self, about: Compared, index: Term) -> None:
        self.store, self.index, self.about = index.store, index, about
        counters = dict.fromkeys(m for p in about.places for m in linear(p)[0])
        self.zero = self.store.const(0, index.sort)
        ends = about.bounds
        near = [plus(c, k) for c in counters for k in (0, 1, 2)]
        self.lower = list(dict.fromkeys((self.zero, *near)))
        less = [plus(b, -1) for b in (*ends, *counters)]
        self.upper = list(dict.fromkeys((*ends, *near, *less)))
        self.ends = ends
        before = [plus(p, k) for k in (0, -1) for p in about.places]
        self.places = list(dict.fromkeys(before))

    def at(self, location: int, samples: Samples) -> list[Term]:
        """The candidates at one location, those with an index first."""
        ranges = list(dict.fromkeys(self._ranges()))
        about, plain = list(self._about()), list(self._cells())
        terms = [*ranges, *(t for c in (*about, *plain) for t in (*c.premises, *c.claims, c.same))]
        every = list(dict.fromkeys(terms))
        true = dict(zip(every, samples.at(location, every), strict=True))
        found = [f for c in about for f in self._guarded(c, ranges, true)]
        found += [f for c in plain for f in self._guarded(c, [self.store.true], true)]
        return list(dict.fromkeys(found))

    def _guarded(self, claim: _Claim, ranges: list[Term], true: dict[Term, int]) -> Iterator[Term]:
        """A property with the largest ranges, and the weakest premise for each."""
        wide = sorted(ranges, key=lambda g: -true[g].bit_count())
        for formula in claim.claims:
            chosen: dict[int, None] = {}
            for g in wide:
                premise, held = self._premise(claim, formula, true[g], true)
                if held and held not in chosen and len(chosen) < claim.ranges:
                    chosen[held] = None
                    yield self.store.implies(self.store.and_(g, premise), formula)

    def _premise(
        self, claim: _Claim, formula: Term, inside: int, true: dict[Term, int]
    ) -> tuple[Term, int]:
        """The first premise with which the formula is true, and where it says something then."""
        for premise in claim.premises:
            held = inside & true[premise]
            if held and not held & ~true[formula]:
                return premise, held & ~true[claim.same]
        return self.store.true, 0

    # -- parts

    def _ranges(self) -> Iterator[Term]:
        """lower <= index < upper."""
        for a, b in product(self.lower, self.upper):
            if a is not b:
                yield self.store.and_(self._le(a, self.index), self._lt(self.index, b))

    def _inside(self, place: Term) -> Iterator[Term]:
        """That a place is inside of the array."""
        if not place.is_const:
            yield self._le(self.zero, place)
            yield from (self._lt(place, b) for b in self.ends)

    def _about(self) -> Iterator[_Claim]:
        """What may hold of the cell at the index."""
        s, always = self.store, (self.store.true,)
        for a in self.about.arrays:
            here, behind = self._cell(a, self.index), self._cell(a, plus(self.index, 1))
            yield _Claim(self._both(here, behind), always, s.false, 2 * RANGES)
            for b, p in product(self.about.arrays, self.places):
                same = s.eq(self.index, p) if a is b else s.false
                yield _Claim(self._both(here, self._cell(b, p)), (*always, *self._inside(p)), same)
            for x, cell in product(self.about.holders, (here, behind)):
                both = self._both(cell, x)
                yield _Claim((*both, *(s.not_(t) for t in both)), always, s.false)

    def _cells(self) -> Iterator[_Claim]:
        """What may hold of two places, two cells, or a cell and a variable that holds one."""
        s, always = self.store, (self.store.true,)
        for p, q in permutations(self.about.places, 2):
            yield _Claim((self._lt(p, q),), always, s.false)
        cells = list(product(self.about.arrays, self.places))
        for (a, p), (b, q) in combinations(cells, 2):
            order = (self._lt(p, q), self._lt(q, p))
            premises = (*always, *self._inside(p), *self._inside(q), *order)
            yield _Claim(self._both(self._cell(a, p), self._cell(b, q)), premises, s.false)
        for (a, p), x in product(cells, self.about.holders):
            yield _Claim(self._both(self._cell(a, p), x), (*always, *self._inside(p)), s.false)

    def _both(self, x: Term, y: Term) -> tuple[Term, ...]:
        return (self._below(x, y), self._below(y, x))

    # -- formulas

    def _below(self, x: Term, y: Term) -> Term:
        s = self.store
        if x.sort.kind in (Kind.INT, Kind.REAL):
            return s.le(x, y)
        return s.mk(Op.BVSLE if self.about.signed else Op.BVULE, (x, y))

    def _le(self, x: Term, y: Term) -> Term:
        return self.store.le(x, y) if x.sort.kind is Kind.INT else self.store.mk(Op.BVSLE, (x, y))

    def _lt(self, x: Term, y: Term) -> Term:
        return self.store.lt(x, y) if x.sort.kind is Kind.INT else self.store.mk(Op.BVSLT, (x, y))

    def _cell(self, a: Term, place: Term) -> Term:
        return self.store.select(a, place)
