"""Loops that leave running sums in the cells of an array (`analysis.running_sums`): in each round
something is added to what the round before has left in a cell, or in a variable that is stored.

Limitation: loops of one large block whose counter moves by one, cells that lie beside each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from obligato.analysis.cell_places import linear, plus, widened
from obligato.analysis.single_loops import counters, ends, entry, round_of
from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect
from obligato.terms import Kind, Op, Sort, Term, postorder, substitute
from obligato.terms.rules import arith, bitvec


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop at `head` that moves `counter` by `move`, from `first` on; `ends` are what the counter
    is compared with.
    """

    head: int
    effect: BlockEffect
    counter: Term
    move: int
    first: Term | None
    ends: tuple[Term, ...]

    @property
    def before(self) -> Term:
        """The value of the counter one round ago."""
        return plus(self.counter, -self.move)


@dataclass(frozen=True, slots=True)
class Total:
    """A variable to which each round adds a number; `start` is its value where the loop begins."""

    loop: Loop
    variable: Term
    added: Term
    start: Term | None


@dataclass(frozen=True, slots=True)
class Sums:
    """Each round writes, at `place`, what is `added` to the cell of the round before. It is the
    value of `total`, if there is one.
    """

    loop: Loop
    array: Term
    place: Term
    added: Term
    total: Total | None

    def at(self, counter: Term) -> Term:
        """The place in the round with this counter."""
        return substitute(self.place, {self.loop.counter: counter})

    def cell(self, counter: Term) -> Term:
        """The cell of the round with this counter."""
        return self.place.store.select(self.array, self.at(counter))


def loops_of(blocks: CFA, loc: int) -> Iterator[Loop]:
    effect, variables = round_of(blocks, loc), frozenset(blocks.variables)  # membership only
    for move in (1, -1) if effect is not None else ():
        assert effect is not None
        for counter in counters(effect, move):
            bounds = ends(effect.guard, counter, variables)
            if bounds:
                first = entry(blocks, loc, counter)
                yield Loop(loc, effect, counter, move, first, tuple(bounds))


def totals_of(blocks: CFA, loop: Loop) -> Iterator[Total]:
    for x, e in loop.effect.pull.mapping.items():
        if x is not loop.counter and x.sort.kind in (Kind.BITVEC, Kind.INT) and e is not x:
            added = _without(e, x)
            if added is not None and any(t.op is Op.SELECT for t in postorder((added,))):
                yield Total(loop, x, added, entry(blocks, loop.head, x))


def _without(e: Term, x: Term) -> Term | None:
    """What is added to the number x, if e is a sum with x in it or a choice of such sums."""
    if e.op is Op.ITE:
        parts = [_without(a, x) for a in e.args[1:]]
        both = [p for p in parts if p is not None]
        return e.store.ite(e.args[0], *both) if len(both) == len(parts) else None
    rest = difference(e, x)
    return None if x in postorder((rest,)) else rest


def difference(a: Term, b: Term) -> Term:
    s, sort = a.store, a.sort
    if sort.kind is Kind.INT:
        return arith.from_linear(s, arith.combine([(1, a), (-1, b)]), sort)
    return bitvec.from_linear(s, bitvec.combine([(1, a), (-1, b)], sort.width), sort)


def writes(e: Term, sort: Sort) -> Iterator[tuple[Term, Term]]:
    """Places and values of a chain of writes."""
    while e.op is Op.STORE:
        e, place, value = e.args
        if place.sort is sort:
            yield place, value


def sums_of(loop: Loop, totals: Iterable[Total], sort: Sort) -> Iterator[Sums]:
    """The running sums that a loop leaves in cells."""
    for array, e in loop.effect.pull.mapping.items():
        for place, value in writes(e, sort) if array.sort.kind is Kind.ARRAY else ():
            if _steps_by_one(place, loop.counter) and value.sort.kind in (Kind.BITVEC, Kind.INT):
                yield from _written(loop, array, place, value, totals)


def _steps_by_one(place: Term, counter: Term) -> bool:
    return sum(c for m, c in linear(place)[0].items() if widened(m) is counter) == 1


def _written(
    loop: Loop, array: Term, place: Term, value: Term, totals: Iterable[Total]
) -> Iterator[Sums]:
    """What is written is the cell of the round before and something, or a total."""
    for read in dict.fromkeys(t for t in postorder((value,)) if t.op is Op.SELECT):
        if read.args[0] is array and _is_before(read.args[1], place, loop.move):
            added = _without(value, read)
            if added is not None:
                yield Sums(loop, array, place, added, None)
    for t in totals:
        if t.loop is loop and value in (t.variable, loop.effect.pull.mapping[t.variable]):
            late = value is t.variable
            added = substitute(t.added, {loop.counter: loop.before}) if late else t.added
            yield Sums(loop, array, place, added, t)


def _is_before(read: Term, place: Term, move: int) -> bool:
    (there, a), (here, b) = linear(read), linear(place)
    return there == here and a == b - move
