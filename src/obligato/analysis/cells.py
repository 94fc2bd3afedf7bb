"""Candidates about all cells of an array at once: for every index, if it is in a range, the cell
there has a property.

A formula over a fresh variable `index` that no command assigns speaks about all its values when it
holds for an arbitrary one (the cell abstraction of [MG16]).  So quantified invariants need no
quantifiers: `houdini` treats the index like any other variable, and where such an invariant is used
the index is replaced by the places that are read (`reads`).

Properties of a cell: what a loop writes there (``a[i] := e`` suggests ``a[index] == e[i :=
index]``), and the conditions on cells that are read (``a[x] > m`` suggests ``a[index] > m`` and its
negation).  Ranges: from a base in steps of a stride, as the place is written or read, up to or down
to a counter, up to a bound that a counter is compared with, or everywhere.

They are candidates everywhere, also where an array is not read any more: a copy of a copy equals
the first through the second.

Limitation: one sort of index per program, that of most arrays; bit-vectors and integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from obligato.analysis.cell_places import Places, linear, plus, tiled
from obligato.analysis.cell_places import widened as _widened
from obligato.analysis.cells_by_counters import ByCounters, CounterMiner
from obligato.analysis.commands import terms_of
from obligato.analysis.heap_cells import AboutAllocations, heap_candidates
from obligato.analysis.ordered_cells import compared, ordered_cells
from obligato.analysis.running_sums import running_sums
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.terms import BOOL, Kind, Op, Sort, Term, free_vars, postorder, substitute
from obligato.terms.rules import arith, bitvec

LIMIT = 500  # candidates at one location
BESIDE = 60  # of these beside candidates about allocations
PLACES, PROPERTIES = 16, 40  # of a program
SIDES = 8  # exceptions to a property
FLAGS = 6  # exceptions that are no property of a cell
READS = 12  # instances at one location
BOUNDS = 5  # bounds of one counter
FURTHEST = 4  # start of a counter behind zero, less one
_WORDS = (Kind.BOOL, Kind.BITVEC, Kind.ARRAY)
LOOPS = 16  # of a program that the order of cells is looked at in
SHARED = 3  # of these from counters beside it


@dataclass(frozen=True, slots=True)
class Cells:
    """The index, and the candidates about it (and about the pointers beside it) by location.

    `places` are, by location, the values of the index at which they are used; without them those
    are the places that are read. Formulas about the order of cells are in `ordered`, to be tried
    before the others; those about two neighbours are used at the place before, too. `words`: what
    is asked about them has words and arrays only. Formulas in `by_counters` are used at the
    counters of a place instead of at the place. Those about running sums (`sums`) are tried first
    of all, and used at the places beside those that are read, too.
    """

    index: Term
    formulas: dict[int, list[Term]]
    allocations: AboutAllocations | None = None
    places: Mapping[int, list[Term]] | None = None
    ordered: dict[int, list[Term]] = field(default_factory=dict)
    words: bool = False
    by_counters: ByCounters | None = None
    sums: dict[int, list[Term]] = field(default_factory=dict)
    beside: frozenset[Term] = frozenset()  # membership only: those of `sums`

    def concerns(self, formula: Term, place: Term) -> bool:
        """May a formula about the index say something about this place?"""
        return self.allocations is None or self.allocations.concerns(formula, place)

    def around(self, places: Iterable[Term]) -> list[Term]:
        """The places, those before them if that is needed, and their counters."""
        moves = (-1, 1) if self.sums else (-1,) if self.ordered else ()
        beside = [plus(t, k) for t in places for k in moves]
        counters = [] if self.by_counters is None else self.by_counters.beside(places)
        return list(dict.fromkeys((*places, *beside, *counters)))

    def used_at(self, formula: Term, places: Sequence[Term]) -> list[Term]:
        """The values of the index at which a formula about it is used where these places are
        read.
        """
        if self.by_counters is not None and formula in self.by_counters.formulas:
            counters = [self.by_counters.at(formula, p) for p in places]
            return [t for t in dict.fromkeys(counters) if t is not None]
        if formula in self.beside:
            beside = [plus(t, k) for t in places for k in (-1, 1)]
            return list(dict.fromkeys((*places, *beside)))
        if self.ordered and plus(self.index, 1) in postorder((formula,)):
            before = [plus(t, -1) for t in places]
            return list(dict.fromkeys((*places, *before)))
        return [p for p in places if self.concerns(formula, p)]


def cell_candidates(
    cfa: CFA, locations: Iterable[int], seed: int = 0, blocks: CFA | None = None
) -> Cells | None:
    """Candidates at `locations`, those of its `blocks` if they are given; None if no array is written."""
    leaves = [c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume)]
    sort = _index_sort(leaves)
    if sort is None:
        return None
    index = cfa.store.fresh("index", sort)
    miner = _Miner(cfa, leaves, index)
    rounds = miner.by_counters()
    words = all(t.sort.kind in _WORDS for t in miner.nodes)
    every = (*(rounds.formulas if rounds is not None else ()), *miner.mined())
    mined = list(dict.fromkeys(t for t in every if not t.is_const))[:LIMIT]
    wanted = [loc for loc in locations if loc not in (cfa.initial, cfa.error)]
    about_allocations = heap_candidates(cfa, index, wanted)
    sums = {} if blocks is None or about_allocations is not None else running_sums(blocks, index)
    beside = frozenset(f for fs in sums.values() for f in fs)
    if about_allocations is None:
        about = compared(
            miner.nodes, miner.variables, index, lambda c: miner.bounds(c)[1:], miner.steps
        )
        if about is None or len(wanted) > LOOPS:
            formulas = dict.fromkeys(wanted, mined)
            return Cells(index, formulas, by_counters=rounds, sums=sums, beside=beside)
        ordered = ordered_cells(cfa, about, index, wanted, seed)
        formulas = dict.fromkeys(wanted, mined)
        return Cells(
            index,
            formulas,
            ordered=ordered,
            words=words,
            by_counters=rounds,
            sums=sums,
            beside=beside,
        )
    return Cells(
        index,
        {loc: [*formulas, *mined[:BESIDE]] for loc, formulas in about_allocations.formulas.items()},
        about_allocations,
        by_counters=rounds,
    )


def reads(terms: Iterable[Term], sort: Sort, variables: frozenset[Term]) -> list[Term]:
    """The places of arrays that `terms` read, as far as they are given by `variables`."""
    found = [t.args[1] for t in postorder(terms) if t.op is Op.SELECT and t.args[1].sort is sort]
    return [t for t in dict.fromkeys(found) if all(v in variables for v in free_vars(t))][:READS]


def _index_sort(leaves: list[Assign | Assume]) -> Sort | None:
    """The index sort of most writes."""
    places = [
        t.args[1].sort
        for t in postorder(e for c in leaves for e in terms_of(c))
        if t.op is Op.STORE
    ]
    usable = Counter(s for s in places if s.kind in (Kind.BITVEC, Kind.INT))
    return usable.most_common(1)[0][0] if usable else None


@dataclass(frozen=True, slots=True)
class _Place:
    """base + stride * counter; `counter` is a variable, perhaps widened, that grows by `step`."""

    base: Term
    stride: int
    counter: Term
    step: int


class _Miner:
    """Candidates from the program text."""

    def __init__(self, cfa: CFA, leaves: list[Assign | Assume], index: Term) -> None:
        self.store, self.index = cfa.store, index
        self.variables = frozenset(cfa.variables)  # membership only
        self.leaves = leaves
        self.nodes = nodes = list(postorder(e for c in leaves for e in terms_of(c)))
        self.steps: dict[Term, dict[int, None]] = {}  # by counter
        self.moves: dict[Term, dict[int, None]] = {}  # the same, if it is a constant whatever it is
        self.starts: dict[Term, list[int]] = {}  # constants that variables get
        self._see_counters()
        cells = [
            t
            for op in (Op.STORE, Op.SELECT)
            for t in nodes
            if t.op is op and t.args[1].sort is index.sort
        ]
        self.places = list(
            dict.fromkeys(
                p for t in dict.fromkeys(c.args[1] for c in cells) for p in self._places(t)
            )
        )[:PLACES]
        self.counters = {_widened(p.counter) for p in self.places}  # membership only
        self.atoms = [
            t for t in nodes if t.sort is BOOL and t.op is not Op.NOT and t.is_literal and t.args
        ]
        self.comparisons = [t for t in nodes if t.op in _ORDER]
        self.linear = Places(index, lambda v: v in self.steps, lambda m: self.bounds(m)[1:])
        found = {
            t: self.linear.place(t)
            for t in dict.fromkeys(c.args[1] for c in cells)
            if self._known(t)
        }
        # places, perhaps of several counters
        self.nested = {t: p for t, p in found.items() if p is not None}

    def _see_counters(self) -> None:
        """Note by how much variables move that are assigned a value depending on their own, and where
        they start.
        """
        for x, e in (p for c in self.leaves if isinstance(c, Assign) for p in c.pairs):
            if e.is_const and isinstance(e.data, int):
                self.starts.setdefault(x, []).append(e.data)
        for x, e in (
            pair
            for c in self.leaves
            if isinstance(c, Assign)
            for pair in c.pairs
            if pair[0] in free_vars(pair[1])
        ):
            self.steps.setdefault(x, {})[self._step(x, e)] = None
            if isinstance(move := self._move(x, e), int):
                self.moves.setdefault(x, {})[move] = None

    def mined(self) -> Iterator[Term]:
        """Range implies property, for all of both."""
        properties = self._usable(self.properties())[:PROPERTIES]
        ranges = list(dict.fromkeys(self.ranges()))
        for guard in ranges:
            for p in properties:
                yield self.store.implies(guard, p)
        yield from properties
        sides, conditions = self._usable(self.sides())[:SIDES], self._usable(self._conditions())
        sides = [*dict.fromkeys((*self._flags(), *conditions))][:FLAGS] + sides
        excepted = dict.fromkeys(
            self.store.or_(p, q) for q in sides for p in (*conditions, *properties)
        )
        for guard in ranges:
            for p in excepted:
                yield self.store.implies(guard, p)

    def _usable(self, formulas: Iterable[Term]) -> list[Term]:
        return [p for p in dict.fromkeys(formulas) if not p.is_const and self._plain(p)]

    def _known(self, t: Term) -> bool:
        return all(v in self.variables for v in free_vars(t))

    def _plain(self, t: Term) -> bool:
        vs = free_vars(t)
        return self.index in vs and all(v in self.variables or v is self.index for v in vs)

    # -- properties --------------------------------------------------------------------------------

    def properties(self) -> Iterator[Term]:
        """What may hold of the cell at the index."""
        for claim, _, place in self._written():
            yield from self._at_index(claim, place)
        yield from self._conditions()

    def _written(self) -> Iterator[tuple[Term, Term, Term]]:
        """That the cells which are written hold what is written there, with array and place."""
        for c in self.leaves:
            for x, e in c.pairs if isinstance(c, Assign) else ():
                while e.op is Op.STORE and e.args[1].sort is self.index.sort:
                    e, place, value = e.args
                    yield self.store.eq(self.store.select(x, place), value), x, place

    def _is_said(self, claim: Term, place: Term) -> bool:
        """Can a claim about a place be made without the counters of the place?"""
        counters = [v for v in free_vars(place) if v in self.steps]
        found = self._usable(self._at_index(claim, place))
        return any(all(v not in free_vars(f) for v in counters) for f in found)

    def by_counters(self) -> ByCounters | None:
        """Candidates about what is written, by counters, where places do not say it."""
        if self.index.sort.kind is not Kind.BITVEC:
            return None
        left = [(c, x, place) for c, x, place in self._written() if not self._is_said(c, place)]

        def counts(v: Term) -> bool:
            return v in self.steps and v.sort.kind is Kind.BITVEC

        miner = CounterMiner(self.index, self.nodes, counts, self.starts)
        found = miner.mined(left, self._plain) if left else None
        return found if found is not None and found.formulas else None

    def _conditions(self) -> Iterator[Term]:
        """The program's conditions on cells, and their negations."""
        for t in self.atoms:
            for place in dict.fromkeys(
                s.args[1] for s in postorder((t,)) if _reads_variable(s, self.index.sort)
            ):
                for at_index in self._at_index(t, place):
                    yield at_index
                    yield self.store.not_(at_index)

    def _at_index(self, formula: Term, place: Term) -> Iterator[Term]:
        """A formula about a place as one about the index: other places, and counters, as far as
        they are determined by it.
        """
        known = self.nested.get(place)
        moved = None if known is None else self.linear.at_index(formula, place, known)
        plain = substitute(formula, {place: self.index})
        if (
            moved is None
            or known is None
            or all(_widened(m) not in free_vars(plain) for m, _ in known.counters)
        ):
            yield plain
        if moved is not None:
            yield moved

    def sides(self) -> Iterator[Term]:
        """What may excuse a cell from a property: its place (``i != z``), or a condition on it or
        another one there.
        """
        for t in self.atoms:
            if t.op is Op.EQ:
                for x in free_vars(t):
                    if x in self.counters:
                        yield substitute(t, {x: self._narrowed(x.sort)})
                        yield self.store.not_(substitute(t, {x: self._narrowed(x.sort)}))
        yield from self._conditions()

    def _flags(self) -> Iterator[Term]:
        """What may excuse all cells: a variable that is only ever set to constants, two of them,
        has one of these.
        """
        given: dict[Term, dict[Term, None]] = {}
        for x, e in (pair for c in self.leaves if isinstance(c, Assign) for pair in c.pairs):
            given.setdefault(x, {})[e] = None
        tested = {v for t in self.atoms for v in free_vars(t)}
        for x, values in given.items():
            if x in tested and len(values) == 2 and all(e.is_const for e in values):
                yield from (self.store.eq(x, e) for e in values)

    def _narrowed(self, sort: Sort) -> Term:
        """The index as a value of a counter, which may have been widened to it."""
        return (
            self.index
            if sort is self.index.sort
            else self.store.extract(self.index, sort.width - 1, 0)
        )

    # -- ranges ------------------------------------------------------------------------------------

    def ranges(self) -> Iterator[Term]:
        """Conditions on the index: between the base and a bound, in steps of the stride; or beyond
        a counter.
        """
        for place in self.places:
            bounds = self.bounds(place.counter)
            for b in bounds:
                yield self._up_to(place, b)
            for b in bounds[1:]:
                yield self.store.and_(
                    self._up_to(place, b),
                    self.store.not_(self._up_to(place, place.counter, after=True)),
                )
        for place, b in ((p, b) for p in self.places for b in self.bounds(p.counter)):
            for start in dict.fromkeys(self.starts.get(_widened(place.counter), ())):
                if 0 < start < FURTHEST:
                    first = self.store.const(start, place.counter.sort)
                    passed = self._up_to(place, b), self.store.not_(self._up_to(place, first))
                    yield self.store.and_(*passed)
        # a place before the first cell is none: what is passed there begins with the first cell
        nested = list(
            dict.fromkeys(
                p for t, p in self.nested.items() if p.constant < 0 or not self._places(t)
            )
        )
        for dense in tiled(nested):
            yield from self.linear.passed(dense, True)
        for sparse in nested:
            yield from self.linear.passed(sparse, False)

    def _up_to(self, place: _Place, bound: Term, after: bool = False) -> Term:
        """0 <= index - base < stride * bound (<= if `after`), and the stride divides the
        difference.
        """
        s, index = self.store, self.index
        if index.sort.kind is Kind.INT:
            offset, end = s.sub(index, place.base), s.mul(s.const(place.stride, index.sort), bound)
            return s.and_(
                s.le(s.const(0, index.sort), offset),
                s.le(offset, end) if after else s.lt(offset, end),
            )
        offset = s.mk(Op.BVSUB, (index, place.base))
        end = s.mk(Op.BVMUL, (s.bv(place.stride, index.width), bound))
        aligned = s.eq(
            s.mk(Op.BVAND, (offset, s.bv(place.stride * place.step - 1, index.width))),
            s.bv(0, index.width),
        )
        below = s.mk(Op.BVSLE if after else Op.BVSLT, (offset, end))
        return s.and_(s.mk(Op.BVSLE, (s.bv(0, index.width), offset)), below, aligned)

    def _places(self, t: Term) -> list[_Place]:
        """`t` as a place with one counter, for each of the counter's steps."""
        coeffs, constant = self._linear(t)
        counters = [
            m
            for m in coeffs
            if any(v in self.steps for v in free_vars(m)) and _widened(m).op is Op.VAR
        ]
        if len(counters) != 1 or any(v not in self.variables for v in free_vars(t)):
            return []
        stride = coeffs.pop(counters[0])
        if (
            stride <= 0
            or stride > 1 << 16
            or stride & (stride - 1)
            or any(c != 1 for c in coeffs.values())
        ):
            return []
        base = self.store.const(constant, t.sort)
        for m in coeffs:
            base = self.store.mk(Op.ADD if t.sort.kind is Kind.INT else Op.BVADD, (base, m))
        return [
            _Place(base, stride, counters[0], step) for step in self.steps[_widened(counters[0])]
        ]

    def _step(self, x: Term, e: Term) -> int:
        """The power of two by which ``x := e`` moves x; 1 if it is none."""
        step = self._move(x, e) if x.sort.kind is Kind.BITVEC else None
        return step if step is not None and 0 < step <= 64 and step & (step - 1) == 0 else 1

    def _move(self, x: Term, e: Term) -> int | None:
        """What ``x := e`` adds to the number x, if that is a constant."""
        if x.sort.kind not in (Kind.BITVEC, Kind.INT):
            return None
        coeffs, constant = linear(e)
        return constant if coeffs == {x: 1} else None

    def _linear(self, t: Term) -> tuple[dict[Term, int], int]:
        if t.sort.kind is not Kind.INT:
            return bitvec.combine([(1, t)], t.width)
        coeffs, constant = arith.linear_of(t)
        return {m: int(c) for m, c in coeffs.items()}, int(constant)

    def bounds(self, counter: Term) -> list[Term]:
        """The counter, and what it is compared with, widened like it."""
        variable = _widened(counter)
        others = [
            b
            for t in self.comparisons
            for a, b in (t.args, t.args[::-1])
            if _moves_with(a, variable)
        ]
        usable = [b for b in others if b.sort is variable.sort and variable not in free_vars(b)]
        plain = [b for b in dict.fromkeys(usable) if all(v in self.variables for v in free_vars(b))]
        bounds = [*plain[:BOUNDS], *self._shared_bounds(variable)]
        return [counter, *(substitute(counter, {variable: b}) for b in dict.fromkeys(bounds))]

    def _shared_bounds(self, variable: Term) -> list[Term]:
        """Where the counter is when another one, which goes by other steps beside it, comes to a
        constant.
        """
        own = next(iter(self.moves.get(variable, ())), 0)
        found: dict[Term, None] = {}
        for other, steps in self.moves.items() if own > 0 else ():
            ends = [
                b.data
                for t in self.comparisons
                for a, b in (t.args, t.args[::-1])
                if _widened(a) is other and b.is_const
            ]
            for step in steps:
                if step > 0 and step != own and other.sort is variable.sort:
                    found |= {
                        self.store.const(own * -(-e // step), variable.sort): None
                        for e in ends
                        if isinstance(e, int)
                    }
        return list(found)[:SHARED]


_ORDER = (Op.LE, Op.LT, Op.EQ, Op.BVSLT, Op.BVSLE, Op.BVULT, Op.BVULE)


def _moves_with(t: Term, variable: Term) -> bool:
    """Is it the variable, widened or with numbers added?"""
    return variable in free_vars(t) and any(_widened(m) is variable for m in linear(t)[0])


def _reads_variable(t: Term, sort: Sort) -> bool:
    return t.op is Op.SELECT and t.args[1].sort is sort and not t.args[1].is_const


def instances(
    formulas: Mapping[int, list[Term]], cells: Cells, places: Mapping[int, list[Term]]
) -> dict[int, list[Term]]:
    """The formulas about the index, at the given places."""
    return {loc: at_places(fs, cells, places.get(loc, ())) for loc, fs in formulas.items()}


def at_places(formulas: Iterable[Term], cells: Cells, places: Iterable[Term]) -> list[Term]:
    """Those of the formulas that are about the index, at the places that they may be about."""
    about = [f for f in formulas if cells.index in free_vars(f)]
    known = list(places)
    return [substitute(f, {cells.index: at}) for f in about for at in cells.used_at(f, known)]
