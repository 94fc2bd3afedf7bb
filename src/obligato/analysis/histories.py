"""Candidates about the history of a loop that folds the cells of an array into a total: sums,
counts, extremes.

That two such loops have the same result is no fact about their variables.  So the first one keeps a
record: an array `history` that has, at each value of the counter, the total when the loop came by
with it.  It is a ghost of the certificate (`models.claims.Certificate.ghosts`), not a variable of
the program.  Candidates for every index j:

    history[j + 1] == step(history[j], cell j)

where j lies between a constant or a counter and a counter or the bound; the same for cells that
have moved by one place.  Other loops then compare their total with the history: equal, the rest of
it, or one value short of the next.  The first few totals are also written out, for cells that were
exchanged at the start of the array.

Limitation: loops of one large block that count up by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from obligato.analysis.cell_places import linear, widened
from obligato.analysis.cells import Cells
from obligato.analysis.graph import reachable, successors
from obligato.analysis.single_loops import counters, ends, entry, round_of
from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Seq, walk
from obligato.terms import Kind, Op, Term, array, free_vars, postorder, substitute

FOLDS = 3  # of a program, the first ones, that keep a history
ROUNDS = 3  # of the first ones, written out
STARTS = 2  # of a total
SPARE = 3  # variables that hold a cell

Ghosts = dict[int, tuple[tuple[Term, Term], ...]]


@dataclass(frozen=True, slots=True)
class Fold:
    """A loop at `head`: `total` becomes `step` in each round, while `counter` grows by one.

    `first` is the value of the counter where the loop begins, `starts` are those that the total may
    have; `bounds` are what the counter is compared with.
    """

    head: int
    counter: Term
    total: Term
    step: Term
    first: Term | None
    starts: tuple[Term, ...]
    bounds: tuple[Term, ...]

    def reads(self) -> list[Term]:
        """The cells of this round."""
        return [
            t
            for t in postorder((self.step,))
            if t.op is Op.SELECT and self.counter in free_vars(t.args[1])
        ]

    def arrays(self) -> dict[Term, None]:
        """What the cells are read from."""
        return free_vars(*(r.args[0] for r in self.reads()))

    def is_like(self, other: Fold) -> bool:
        """Does another loop fold the same cells to a number of the same kind?"""
        same = self.total.sort is other.total.sort and self.head != other.head
        return same and any(a in other.arrays() for a in self.arrays())

    def stepped(self, total: Term, counter: Term, place: Term) -> Term:
        """The total after a round that has these values, and the cells of the counter `place`."""
        cells = {r: substitute(r, {self.counter: place}) for r in self.reads()}
        return substitute(self.step, {**cells, self.total: total, self.counter: counter})

    def replaced(self, total: Term, counter: Term, cell: Term) -> Term | None:
        """The same with the value `cell` instead of the only cell that is read."""
        match self.reads():
            case [read] if read.sort is cell.sort:
                return substitute(self.step, {read: cell, self.total: total, self.counter: counter})
        return None


@dataclass(frozen=True, slots=True)
class Recording:
    """The program with its records, and the candidates about them."""

    blocks: CFA
    ghosts: Ghosts
    cells: Cells


def recorded(blocks: CFA) -> Recording | None:
    """Candidates about the histories of folds; None if no loop is like another one."""
    folds = [f for loc in blocks.locations for f in _folds(blocks, loc)]
    sort = folds[0].counter.sort if folds else None
    folds = [f for f in folds if f.counter.sort is sort]
    if sort is None:
        return None
    moves = _moves_of(blocks, folds)
    behind = {f: reachable([f.head], successors(blocks)) for f in folds}
    early = [f for f in folds if any(g.head in behind[f] and f.is_like(g) for g in folds)]
    chosen = early if moves else [f for f in early if f.head == early[0].head]
    kept = [(f, _history(blocks, f)) for f in chosen[:FOLDS]]
    if not kept:
        return None
    index = blocks.store.fresh("index", sort)
    ghosts: Ghosts = {}
    for f, history in kept:
        value = blocks.store.mk(Op.STORE, (history, f.counter, f.total))
        ghosts[f.head] = (*ghosts.get(f.head, ()), (history, value))
    miner = _Miner(blocks, folds, index, moves)
    formulas = {
        loc: [
            t
            for f, history in kept
            if loc in behind[f]
            for t in dict.fromkeys(miner.candidates(f, history, loc))
            if not t.is_const
        ]
        for loc in blocks.inner
    }
    places = {loc: list(dict.fromkeys(miner.places(loc))) for loc in formulas}
    return Recording(with_ghosts(blocks, ghosts), ghosts, Cells(index, formulas, places=places))


def _moves_of(blocks: CFA, folds: list[Fold]) -> list[int]:
    """By how many places cells are moved after the first fold, 0 among them; none if no cell is
    written there.
    """
    reads = [r for f in folds for r in f.reads()]
    arrays = {v for r in reads for v in free_vars(r.args[0])}  # membership only
    steps = {
        c
        for f in folds
        for r in f.reads()
        for m, c in linear(r.args[1])[0].items()
        if widened(m) is f.counter
    }
    behind = reachable([folds[0].head], successors(blocks))
    written = [e for x, e in _assignments(blocks, behind) if x in arrays]
    found = [d // k for e in written for d in _distances(e) for k in steps if k and d % k == 0]
    return [0, *dict.fromkeys(d for d in found if abs(d) == 1)] if written else []


def _distances(e: Term) -> Iterator[int]:
    """How far what is written in a chain of writes was from its new place."""
    while e.op is Op.STORE:
        e, place, value = e.args
        if value.op is Op.SELECT and value.args[1].sort is place.sort:
            (there, a), (here, b) = linear(value.args[1]), linear(place)
            if there == here:
                yield a - b


def with_ghosts(cfa: CFA, ghosts: Ghosts) -> CFA:
    """The CFA whose edges give the ghosts their values where they end."""

    def recording(e: Edge) -> Edge:
        pairs = ghosts.get(e.target)
        return replace(e, command=Seq((e.command, Assign(pairs)))) if pairs else e

    new = dict.fromkeys(g for pairs in ghosts.values() for g, _ in pairs)
    return replace(
        cfa, variables=(*cfa.variables, *new), edges=tuple(recording(e) for e in cfa.edges)
    )


def _history(blocks: CFA, f: Fold) -> Term:
    return blocks.store.fresh(f"history${f.total.name}", array(f.counter.sort, f.total.sort))


# -- loops -----------------------------------------------------------------------------------------


def _folds(blocks: CFA, loc: int) -> Iterator[Fold]:
    """The totals of the loop at a location."""
    found = round_of(blocks, loc)
    if found is None:
        return
    effect, variables = found, frozenset(blocks.variables)  # membership only
    for counter in counters(effect, 1):
        for total, step in effect.pull.mapping.items():
            if (
                total is not counter
                and total in free_vars(step)
                and total.sort.kind in (Kind.BITVEC, Kind.INT)
                and all(v in variables for v in free_vars(step))
            ):
                starts = tuple(_starts(blocks, loc, total))
                bounds = tuple(ends(effect.guard, counter, variables))
                first = entry(blocks, loc, counter)
                fold = Fold(loc, counter, total, step, first, starts, bounds)
                if fold.reads() and bounds:
                    yield fold


def _starts(blocks: CFA, loc: int, total: Term) -> list[Term]:
    """The value that a total has where its loop begins; if it was assigned earlier than that, the
    constants that are assigned to it.
    """
    start = entry(blocks, loc, total)
    if start is not None:
        return [start]
    given = [e for x, e in _assignments(blocks) if x is total and e.is_const]
    return list(dict.fromkeys(given))[:STARTS]


def _assignments(blocks: CFA, sources: Iterable[int] | None = None) -> list[tuple[Term, Term]]:
    chosen = blocks.edges if sources is None else [e for loc in sources for e in blocks.out(loc)]
    commands = [c for e in chosen for c in walk(e.command) if isinstance(c, Assign)]
    return [pair for c in commands for pair in c.pairs]


# -- candidates ------------------------------------------------------------------------------------


class _Miner:
    """Candidates from the loops of a program."""

    def __init__(self, blocks: CFA, folds: list[Fold], index: Term, moves: list[int]) -> None:
        self.store, self.folds, self.index = blocks.store, folds, index
        self.moves, self.rounds = (moves, ROUNDS) if moves else ([0], 1)
        rounds = {loc: round_of(blocks, loc) for loc in blocks.locations}
        self.counters = {
            loc: [c for m in (1, -1) for c in counters(effect, m) if c.sort is index.sort]
            for loc, effect in rounds.items()
            if effect is not None
        }
        variables = frozenset(blocks.variables)  # membership only
        self.pairs = [
            (x, e) for x, e in _assignments(blocks) if all(v in variables for v in free_vars(e))
        ]
        spare = dict.fromkeys(x for x, e in self.pairs if e.op is Op.SELECT)
        self.spare = list(spare)[:SPARE]

    def candidates(self, f: Fold, history: Term, loc: int) -> Iterator[Term]:
        """What may hold of a fold's history at a location."""
        yield from self._cells(f, history, loc)
        yield from self._first_totals(f, history, loc)
        yield from self._results(f, history)
        yield from self._copies()
        for g in self.folds:
            if g.head == loc and g.total.sort is f.total.sort:
                yield from self._compared(f, history, g)

    def places(self, loc: int) -> Iterator[Term]:
        """Values of the index at which formulas are needed."""
        for counter in self.counters.get(loc, ()):
            yield from (self._plus(counter, k) for k in self.moves)
        yield from (self._number(k) for k in range(self.rounds - 1))

    def _cells(self, f: Fold, history: Term, loc: int) -> Iterator[Term]:
        """For every index: how the next total comes from the one before and a cell."""
        s, counters = self.store, self.counters.get(loc, [])
        lower = [*(self._number(k) for k in range(self.rounds)), *counters]
        less = [self._plus(b, -1) for b in f.bounds if len(self.moves) > 1]
        upper = [*f.bounds, *less, *counters]
        for move in self.moves:
            now = self._plus(self.index, move)
            stepped = f.stepped(self._at(history, now), now, self.index)
            claim = s.eq(self._at(history, self._plus(now, 1)), stepped)
            begun = s.true if f.first is None else s.not_(self._less(now, f.first))
            for a in lower:
                inside = s.and_(s.not_(self._less(self.index, a)), *(begun,) * (a in counters))
                for b in (b for b in upper if b is not a):
                    yield s.implies(s.and_(inside, self._less(self.index, b)), claim)

    def _first_totals(self, f: Fold, history: Term, loc: int) -> Iterator[Term]:
        """The first few totals written out, perhaps with a variable that holds the first cell."""
        s = self.store
        for n, total in self._written_out(f):
            claim = s.eq(self._at(history, n), total)
            yield s.or_(self._less(f.counter, n), claim) if loc == f.head else claim

    def _written_out(self, f: Fold) -> Iterator[tuple[Term, Term]]:
        if f.first is None or not f.first.is_const:
            return
        for total in f.starts:
            for n in [self._plus(f.first, k) for k in range(self.rounds)]:
                reads = [t for t in postorder((total,)) if t.op is Op.SELECT]
                yield n, total
                for x in self.spare:
                    for r in reads:
                        if r.sort is x.sort:
                            yield n, substitute(total, {r: x})
                total = f.stepped(total, n, n)

    def _results(self, f: Fold, history: Term) -> Iterator[Term]:
        """The last total as that of any loop, and what the program makes of it."""
        totals = dict.fromkeys(g.total for g in self.folds if g.total.sort is f.total.sort)
        for last in (self._at(history, b) for b in f.bounds):
            for total in totals:
                yield self.store.eq(total, last)
                for x, e in self.pairs:
                    if x is not total and list(free_vars(e)) == [total] and x.sort is e.sort:
                        yield self.store.eq(x, substitute(e, {total: last}))

    def _copies(self) -> Iterator[Term]:
        """Candidates: a cell equals the variable that was stored in it."""
        for x, e in self.pairs:
            if e.op is Op.STORE and e.args[2] in self.spare:
                yield self.store.eq(self.store.select(x, e.args[1]), e.args[2])

    def _compared(self, f: Fold, history: Term, g: Fold) -> Iterator[Term]:
        """Candidates that relate the total of the loop g to the history of f."""
        s, n = self.store, g.counter
        same = s.eq(g.total, self._at(history, n))
        yield same
        for k, total in self._written_out(g):
            yield s.implies(s.eq(n, k), s.eq(g.total, total))
            yield s.or_(self._less(n, k), same)
        for b in f.bounds:
            yield s.or_(self._less(n, b), same)
            both = self._sum(g.total, self._at(history, n))
            for first in () if f.first is None else (f.first,):
                whole = self._sum(self._at(history, b), self._at(history, first))
                yield s.eq(both, whole)
            for x in self.spare:
                ahead = g.replaced(g.total, n, x)
                if ahead is not None:
                    claim = s.eq(ahead, self._at(history, self._plus(n, 1)))
                    yield s.implies(self._less(n, b), claim)

    # -- formulas

    def _at(self, history: Term, place: Term) -> Term:
        return self.store.select(history, place)

    def _number(self, k: int) -> Term:
        return self.store.const(k, self.index.sort)

    def _plus(self, t: Term, k: int) -> Term:
        s = self.store
        size = 1 << t.sort.width if t.sort.kind is Kind.BITVEC else 0
        return self._sum(t, s.const(k % size if size else k, t.sort)) if k else t

    def _sum(self, a: Term, b: Term) -> Term:
        if a.sort.kind is Kind.INT:
            return self.store.add(a, b)
        return self.store.mk(Op.BVADD, (a, b))

    def _less(self, a: Term, b: Term) -> Term:
        if a.sort.kind is Kind.INT:
            return self.store.lt(a, b)
        return self.store.mk(Op.BVSLT, (a, b))
