"""Candidates about running sums that a loop leaves in the cells of an array: prefix and suffix sums,
in an array of their own or in place.

In each round, which a counter counts up or down by one, something is added to what the round before
has left in a cell (``b[i] = b[i - 1] + a[i]``) or in a variable that is stored (``s += a[i]; b[i] =
s``).  What is added lies between two numbers l and m, by the types of what is read, by conditions,
and by what is ever written to the cells.  Candidates, for every index that the loop has passed, are

    l * rounds <= b[index] <= m * rounds            so that nothing wraps around
    b[index] == b[index - 1] + what is added there
    b[index - 1] <= b[index], b[index] <= b[last]   if l >= 0; the other way round if m <= 0

and for the variables that hold sums: the same bounds; that s is the cell of the round before; and
that another loop, which adds the same, has as its total the difference of two cells.

All of this only suggests: ranges are those of integers, as if nothing wrapped around.

Limitation: loops of one large block, cells that lie beside each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice, product

from obligato.analysis.abstract_eval import Range, evaluate_range, join, top
from obligato.analysis.cell_places import Places, plus
from obligato.analysis.graph import reachable, successors
from obligato.analysis.persistent import FactMap, Keys
from obligato.analysis.ranges import bit_top
from obligato.analysis.refine import State, assume
from obligato.analysis.summing_loops import (
    Loop,
    Sums,
    Total,
    difference,
    loops_of,
    sums_of,
    totals_of,
    writes,
)
from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect
from obligato.terms import Kind, Op, Sort, Term, free_vars, postorder, substitute

MOST = 200  # candidates at one location
SUMS, TOTALS = 6, 8  # of a program
STARTS = 8  # cells that are written outside of loops
Limits = tuple[int, int] | None  # the least and the most of a number; None if nothing is known


def running_sums(blocks: CFA, index: Term) -> dict[int, list[Term]]:
    """Candidates by location of a CFA of large blocks; none if no loop leaves sums in cells."""
    loops = [loop for loc in blocks.inner for loop in loops_of(blocks, loc)]
    totals = [t for loop in loops for t in totals_of(blocks, loop)][:TOTALS]
    sums = [s for loop in loops for s in sums_of(loop, totals, index.sort)][:SUMS]
    if not sums:
        return {}
    miner = _Miner(blocks, index, totals, sums)
    found: dict[int, dict[Term, None]] = {loc: {} for loc in blocks.inner}
    for head, formulas in miner.candidates():
        behind = reachable([head], successors(blocks))
        usable = dict.fromkeys(f for f in formulas if not f.is_const and miner.is_known(f))
        for loc in (loc for loc in blocks.inner if loc in behind):
            found[loc] |= usable
    return {loc: list(islice(fs, MOST)) for loc, fs in found.items() if fs}


# -- ranges of what is added -----------------------------------------------------------------------


class _Values:
    """What cells may hold, by all that is ever written to them but sums."""

    def __init__(self, blocks: CFA, sums: Iterable[Sums], index: Sort) -> None:
        self.store, self.index = blocks.store, index
        self.spare: dict[Term, Term] = {}  # by array: a variable that stands for its cells
        arrays = [v for v in blocks.variables if v.sort.kind is Kind.ARRAY]
        for a in arrays:
            self.spare[a] = self.store.fresh("cell", a.sort.element)
        self.state: State = FactMap(Keys((*blocks.variables, *blocks.inputs, *self.spare.values())))
        own = {(s.array, s.place) for s in sums}  # membership only
        effects = [BlockEffect(self.store, e.command, f"cells!{e.id}!") for e in blocks.edges]
        written = [
            (x, value, effect)
            for effect in effects
            for x, e in effect.pull.mapping.items()
            for place, value in (writes(e, index) if x in self.spare else ())
            if (x, place) not in own
        ]
        for _ in range(2):  # cells of cells
            found: dict[Term, Range] = {}
            for x, value, effect in written:
                r = self.range(value, effect.guard)
                found[x] = join(found[x], r, value.sort) if x in found else r
            for x, r in found.items():
                self.state = self.state.with_fact(self.spare[x], r)
        self.known = found

    def range(self, t: Term, guard: Iterable[Term] = ()) -> Range:
        """The values of a term where the guard holds."""
        state: State | None = self.state
        for g in guard:
            state = assume(self._plain(g), True, state) if state is not None else None
        return top(t.sort) if state is None else self._of(self._plain(t), state)

    def _of(self, t: Term, state: State) -> Range:
        """The same by cases."""
        if t.op is Op.ITE and t.sort.kind in (Kind.BITVEC, Kind.INT):
            ways = [
                (assume(t.args[0], truth, state), e)
                for truth, e in zip((True, False), t.args[1:], strict=True)
            ]
            return reduce(
                lambda a, b: join(a, b, t.sort),
                [self._of(e, s) for s, e in ways if s is not None] or [top(t.sort)],
            )
        return evaluate_range(t, state)

    def _plain(self, t: Term) -> Term:
        """The term with a variable for each cell."""
        reads = [r for r in postorder((t,)) if r.op is Op.SELECT and r.args[0] in self.spare]
        return substitute(t, {r: self.spare[r.args[0]] for r in reads})


def _limits(r: Range, sort: Sort) -> Limits:
    """The least and the most value, as signed numbers if they are bounded as such; None if nothing
    bounds them.
    """
    if r is None or None in r:
        return None
    if sort.kind is Kind.INT:
        return r[0], r[1]
    limits = bit_top(sort.width)
    for view in (2, 0):
        if r[view] > limits[view] or r[view + 1] < limits[view + 1]:
            return r[view], r[view + 1]
    return None


def _rounded(limits: tuple[int, int]) -> tuple[int, int]:
    """Powers of two that lie outside of the limits: easier to reason about, as factors."""
    low, high = limits
    below = 0 if low >= 0 else -1 << (-low - 1).bit_length()
    return below, 1 << (high - 1).bit_length() if high > 0 else 0


# -- candidates ------------------------------------------------------------------------------------


class _Miner:
    """Candidates from running sums."""

    def __init__(self, blocks: CFA, index: Term, totals: list[Total], sums: list[Sums]) -> None:
        self.blocks, self.store, self.index = blocks, blocks.store, index
        self.totals, self.sums = totals, sums
        self.known = frozenset((*blocks.variables, index))  # membership only
        self.values = _Values(blocks, sums, index.sort)
        moving = frozenset(s.loop.counter for s in sums)  # membership only
        self.places = Places(index, lambda v: v in moving, lambda m: ())
        orders = [
            t
            for e in blocks.edges
            for t in postorder(BlockEffect(self.store, e.command, f"order!{e.id}!").guard)
            if t.op in (Op.BVULT, Op.BVULE)
        ]
        self.unsigned = {
            v for t in orders for a in t.args if a.op is Op.SELECT for v in free_vars(a)
        }

    def is_known(self, f: Term) -> bool:
        """Is it about variables of the program, and the index?"""
        return all(v in self.known for v in free_vars(f))

    def candidates(self) -> Iterator[tuple[int, Iterable[Term]]]:
        """Formulas, and the location from which on they may hold."""
        yield self.blocks.initial, [*self._starts(), *self._ranges_of_cells()]
        for t in self.totals:
            yield t.loop.head, self._bounds_of_total(t)
        for a, b in product(self.totals, self.totals):
            if a.loop is b.loop and a is not b and a.variable.sort is b.variable.sort:
                yield a.loop.head, [self._le(a.variable, b.variable, True)]
        for s in self.sums:
            yield s.loop.head, self._about(s)
            for t in self.totals:
                if t.variable.sort is s.array.sort.element:
                    yield t.loop.head, self._same(s, t)

    # -- cells

    def _starts(self) -> Iterator[Term]:
        """Cells that are written outside of loops hold what is written."""
        loops = {s.loop.head for s in self.sums}
        arrays = {v for s in self.sums for v in free_vars(s.array, s.added)}
        found: dict[Term, None] = {}
        for e in self.blocks.edges:
            if e.source not in loops or e.target != e.source:
                effect = BlockEffect(self.store, e.command, f"start!{e.id}!")
                for x, value in effect.pull.mapping.items():
                    for place, v in writes(value, self.index.sort) if x in arrays else ():
                        found[self.store.eq(self.store.select(x, place), v)] = None
        yield from list(found)[:STARTS]

    def _ranges_of_cells(self) -> Iterator[Term]:
        """What is written to cells bounds them, everywhere or where a loop has passed, or not yet
        come by.
        """
        s = self.store
        for x, r in self.values.known.items():
            limits = _limits(r, x.sort.element)
            if limits is not None:
                cell = s.select(x, self.index)
                claim = s.and_(*self._between(limits, cell))
                yield claim
                for sums in self.sums:
                    for inside in self._passed(sums):
                        yield s.implies(inside, claim)
                        yield s.implies(s.not_(inside), claim)
                        yield s.implies(self._nonnegative(), s.implies(s.not_(inside), claim))

    def _nonnegative(self) -> Term:
        return self._le(self.store.const(0, self.index.sort), self.index, True)

    def _about(self, s: Sums) -> Iterator[Term]:
        """What may hold of the cells that a loop has passed."""
        limits = _limits(self.values.range(s.added, s.loop.effect.guard), s.added.sort)
        cell = self.store.select(s.array, self.index)
        every, but_first = list(self._passed(s)), list(self._passed(s, 1))
        one_more = [*self._passed(s, -1), *every]
        steps = [*self._recurrence(s), *self._neighbours(s, limits, cell)]
        yield from (self.store.implies(g, f) for f in steps for g in (*every, *but_first))
        sides = [*self._bounds(s, limits, cell), *self._largest(s, limits, cell)]
        yield from (self.store.implies(g, f) for f in sides for g in one_more)
        if s.total is not None:
            yield from self._first_or(
                s.loop, self.store.eq(s.total.variable, self._held(s, s.total))
            )

    def _first_or(self, loop: Loop, claim: Term) -> Iterator[Term]:
        """The claim, and that it holds from the second round on."""
        yield claim
        if loop.first is not None:
            yield self.store.or_(self.store.eq(loop.counter, loop.first), claim)

    def _recurrence(self, s: Sums) -> Iterator[Term]:
        """How the cell at the index comes from the one of the round before."""
        before, place = self._sum(s.cell(s.loop.before), s.added), self.places.place(s.place)
        claim = self.store.eq(s.cell(s.loop.counter), before)
        moved = None if place is None else self.places.at_index(claim, s.place, place)
        if moved is not None:
            yield moved

    def _neighbours(self, s: Sums, limits: Limits, cell: Term) -> Iterator[Term]:
        """The order of the cell at the index and the one before."""
        before = self.store.select(s.array, plus(self.index, -s.loop.move))
        yield from self._orders(s, limits, before, cell)

    def _largest(self, s: Sums, limits: Limits, cell: Term) -> Iterator[Term]:
        """The order of the cell at the index and the last one."""
        ends = s.loop.ends
        for last in (s.loop.before, *ends, *(plus(e, -s.loop.move) for e in ends)):
            yield from self._orders(s, limits, cell, s.cell(last))

    def _held(self, s: Sums, t: Total) -> Term:
        """The total by the cell of the round before: a round may store it before it adds."""
        cell = s.cell(s.loop.before)
        late = s.added is not t.added
        return self._sum(cell, s.added) if late else cell

    def _orders(self, s: Sums, limits: Limits, a: Term, b: Term) -> Iterator[Term]:
        """The order of two cells, of which the loop writes `b` later."""
        signed = s.array not in self.unsigned
        if limits is not None and limits[0] >= 0:
            yield self._le(a, b, signed)
        if limits is not None and limits[1] <= 0:
            yield self._le(b, a, signed)

    def _passed(self, s: Sums, skipped: int = 0) -> Iterator[Term]:
        """The index lies where the loop has been, from the first round on or one round earlier or
        later.
        """
        move, first = s.loop.move, s.loop.first
        zero = self.store.const(0, self.index.sort)
        if first is None and move < 0:
            return
        low = zero if first is None else s.at(first)
        low = plus(low, skipped * move)
        for end in (s.loop.counter, *s.loop.ends, *(plus(e, move) for e in s.loop.ends)):
            last = plus(s.at(end), -move)
            least, most = (low, last) if move > 0 else (last, low)
            inside = self._le(least, self.index, True), self._le(self.index, most, True)
            yield self.store.and_(*inside)

    def _bounds(self, s: Sums, limits: Limits, cell: Term) -> Iterator[Term]:
        """A cell lies between multiples of the number of rounds."""
        move, first = s.loop.move, s.loop.first
        if limits is None or (first is None and move < 0):
            return
        low = self.store.const(0, self.index.sort) if first is None else s.at(first)
        rounds = difference(self.index, low) if move > 0 else difference(low, self.index)
        fixed = low.is_const
        for more in (2, 1) if fixed else (2,):
            count = self._fitted(plus(rounds, more), cell.sort)
            yield self._multiple(limits if fixed else _rounded(limits), count, cell)

    # -- totals

    def _bounds_of_total(self, t: Total) -> Iterator[Term]:
        limits = _limits(self.values.range(t.added, t.loop.effect.guard), t.added.sort)
        if limits is None:
            return
        first, move = t.loop.first, t.loop.move
        fixed = first is not None and first.is_const
        if first is None and move < 0:
            return
        low = self.store.const(0, t.loop.counter.sort) if first is None else first
        rounds = difference(*(t.loop.counter, low)[::move])
        for more in (0, 1):
            count = self._fitted(plus(rounds, more), t.variable.sort)
            yield self._multiple(limits if fixed else _rounded(limits), count, t.variable)

    def _same(self, s: Sums, t: Total) -> Iterator[Term]:
        """Another loop adds what lies between the cells: its total and a cell keep their difference,
        or, where it goes the other way, their sum.
        """
        own = t.loop
        for k in (0, 1, -1) if own.counter.sort is s.loop.counter.sort else ():
            if substitute(s.added, {s.loop.counter: plus(own.counter, k)}) is t.added:
                if own.move == s.loop.move:
                    yield from self._differences(s, t, k - s.loop.move)
                elif own.first is not None and t.start is not None:
                    whole = self._sum(t.start, s.cell(plus(own.first, k)))
                    now = self._sum(t.variable, s.cell(plus(own.counter, k)))
                    yield self.store.eq(now, whole)

    def _differences(self, s: Sums, t: Total, k: int) -> Iterator[Term]:
        """The total is the cell `k` rounds from here, perhaps less the first of these."""
        own, cell = t.loop, s.cell(plus(t.loop.counter, k))
        yield from self._first_or(own, self.store.eq(t.variable, cell))
        if own.first is not None and t.start is not None:
            more = difference(self._sum(t.start, cell), s.cell(plus(own.first, k)))
            yield self.store.eq(t.variable, more)

    # -- formulas

    def _sum(self, a: Term, b: Term) -> Term:
        if a.sort.kind is Kind.INT:
            return self.store.add(a, b)
        return self.store.mk(Op.BVADD, (a, b))

    def _le(self, a: Term, b: Term, signed: bool) -> Term:
        if a.sort.kind is Kind.INT:
            return self.store.le(a, b)
        return self.store.mk(Op.BVSLE if signed else Op.BVULE, (a, b))

    def _between(self, limits: tuple[int, int], t: Term) -> Iterator[Term]:
        yield self._multiple(limits, self.store.const(1, t.sort), t)

    def _multiple(self, limits: tuple[int, int], count: Term, t: Term) -> Term:
        """The number lies between the limits, times the count."""
        low, high = limits
        if low >= 0 and t.sort.kind is Kind.BITVEC:
            above = self.store.true if not low else self._le(self._times(low, count), t, False)
            return self.store.and_(above, self._le(t, self._times(high, count), False))
        sides = (self._times(low, count), t), (t, self._times(high, count))
        return self.store.and_(*(self._le(a, b, True) for a, b in sides))

    def _times(self, factor: int, count: Term) -> Term:
        sort = count.sort
        if sort.kind is Kind.INT:
            return self.store.mul(self.store.const(factor, sort), count)
        return self.store.mk(Op.BVMUL, (self.store.const(factor & sort.mask, sort), count))

    def _fitted(self, t: Term, sort: Sort) -> Term:
        """The number as one of another sort."""
        if t.sort is sort or sort.kind is Kind.INT:
            return t
        missing = sort.width - t.width
        return (
            self.store.sign_ext(t, missing)
            if missing > 0
            else self.store.extract(t, sort.width - 1, 0)
        )
