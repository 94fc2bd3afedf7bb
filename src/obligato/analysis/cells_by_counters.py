"""Candidates about what the rounds of a loop nest have written, by counters instead of places.

A place says what its cell holds as long as the counters follow from it (`cell_places`).  They do
not where ``b[j][i] = a[i][j]`` exchanges them, or where ``a[i][j] = i + j`` mentions both.  Then the
rounds are what formulas speak about: for all values k and l that the counters i and j had,

    b[n * l + k] == a[n * k + l]

The index stands for all counters at once: its bits are cut into one number for each, in the order
of their coefficients in the place.  So such a formula is one about one index, like any other, and
is used at the numbers that the counters of a place have where it is read.

Ranges: what a nest has passed by the order of its rounds (either order of the counters is tried),
at the heads of outer loops too, and all rounds there are.

All of this only suggests candidates: counters are taken to be small and never negative, and the
first bound that each is compared with is taken for its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from obligato.analysis.cell_places import COUNTERS, linear, plus
from obligato.terms import Op, Sort, Term, free_vars, substitute

FORMULAS, GUARDS = 6, 24  # of a program
NARROWEST = 8  # bits of the index for one counter
_BEFORE = {Op.BVSLT: 0, Op.BVULT: 0, Op.BVSLE: 1, Op.BVULE: 1}


@dataclass(frozen=True, slots=True)
class ByCounters:
    """The candidates, and the values of the index at which they are used."""

    index: Term
    is_counter: Callable[[Term], bool]
    formulas: Mapping[Term, tuple[int, Term]]  # how many counters each is about, and which array
    arrays: Mapping[Term, frozenset[Term]]  # by their places

    def at(self, formula: Term, place: Term) -> Term | None:
        """The value of the index that stands for the counters of a place; None if there are others
        than those that the formula is about, or if the place is one of another array.
        """
        counters, (count, array) = counters_of(place, self.is_counter), self.formulas[formula]
        if counters is None or len(counters) != count:
            return None
        known = self.arrays.get(place)
        return packed(counters, self.index.sort) if known is None or array in known else None

    def beside(self, places: Iterable[Term]) -> list[Term]:
        """The values of the index that stand for the counters of the places."""
        known = [self.at(f, p) for f in self.formulas for p in places]
        return [t for t in dict.fromkeys(known) if t is not None]


def counters_of(place: Term, is_counter: Callable[[Term], bool]) -> tuple[Term, ...] | None:
    """The counters of a place, the one with the largest coefficient first; None if there are none
    or too many.
    """
    coeffs, _ = linear(place)
    mine = [(_variable(m), c) for m, c in coeffs.items()]
    known = sorted(((v, c) for v, c in mine if is_counter(v)), key=lambda item: -item[1])
    counters = tuple(dict.fromkeys(v for v, _ in known))
    rest = free_vars(*(m for m in coeffs if not is_counter(_variable(m))))
    if not 1 <= len(counters) <= COUNTERS or len(counters) < len(known):
        return None
    return None if any(map(is_counter, rest)) or any(c <= 0 for _, c in known) else counters


def _array(a: Term) -> Term:
    """The array that a chain of writes starts from."""
    while a.op is Op.STORE:
        a = a.args[0]
    return a


def _variable(m: Term) -> Term:
    """What was widened or narrowed to a number."""
    while m.op in (Op.SIGN_EXT, Op.ZERO_EXT, Op.EXTRACT):
        m = m.args[0]
    return m


def packed(counters: Sequence[Term], sort: Sort) -> Term:
    """The counters as one number, the first one in its highest bits."""
    store, widths = counters[0].store, _widths(len(counters), sort)
    out = _fitted(counters[0], widths[0])
    for v, width in zip(counters[1:], widths[1:], strict=True):
        out = store.mk(Op.CONCAT, (out, _fitted(v, width)))
    return out


def unpacked(index: Term, counters: Sequence[Term]) -> dict[Term, Term]:
    """The numbers in the index, as values of the counters."""
    out, top = {}, index.width
    for v, width in zip(counters, _widths(len(counters), index.sort), strict=True):
        part = index if width == index.width else index.store.extract(index, top - 1, top - width)
        out[v], top = _fitted(part, v.width), top - width
    return out


def _widths(count: int, sort: Sort) -> list[int]:
    each = sort.width // count
    return [sort.width - each * (count - 1)] + [each] * (count - 1)


def _fitted(t: Term, width: int) -> Term:
    if t.width == width:
        return t
    more = width - t.width
    return t.store.zero_ext(t, more) if more > 0 else t.store.extract(t, width - 1, 0)


class CounterMiner:
    """Candidates from claims about cells that places do not say; `nodes` are the terms of the
    program, `starts` the constants that variables get.
    """

    def __init__(
        self,
        index: Term,
        nodes: Sequence[Term],
        is_counter: Callable[[Term], bool],
        starts: Mapping[Term, Sequence[int]],
    ) -> None:
        self.index, self.store, self.starts = index, index.store, starts
        self.is_counter = is_counter
        found: dict[Term, list[Term]] = {}
        for t in nodes:
            if t.op in (Op.SELECT, Op.STORE):
                found.setdefault(t.args[1], []).append(_array(t.args[0]))
        self.arrays = {place: frozenset(arrays) for place, arrays in found.items()}
        self.ends: dict[Term, Term] = {}
        for t in nodes:
            for counter, end in self._compared(t):
                self.ends.setdefault(counter, end)

    def _compared(self, t: Term) -> Iterator[tuple[Term, Term]]:
        """Counters, and what follows the last value that a condition lets them have."""
        if t.op in _BEFORE:
            a, b = t.args
            for x, y, more in ((a, b, _BEFORE[t.op]), (b, a, 1 - _BEFORE[t.op])):
                if (
                    x.op is Op.VAR
                    and self.is_counter(x)
                    and not any(map(self.is_counter, free_vars(y)))
                ):
                    yield x, plus(y, more)

    def mined(
        self, claims: Iterable[tuple[Term, Term, Term]], usable: Callable[[Term], bool]
    ) -> ByCounters:
        """Range implies claim; each claim is about the cell of an array at a place."""
        about: dict[Term, tuple[int, Term]] = {}
        nests: dict[tuple[Term, ...], None] = {}
        for claim, array, place in claims:
            counters = counters_of(place, self.is_counter)
            if counters is None or self.index.width < NARROWEST * len(counters):
                continue
            moved = substitute(claim, unpacked(self.index, counters))
            if usable(moved) and not any(map(self.is_counter, free_vars(moved))):
                about[moved], nests[counters] = (len(counters), array), None
        out: dict[Term, tuple[int, Term]] = {}
        for claim, known in list(about.items())[:FORMULAS]:
            guards = [g for n in nests if len(n) == known[0] for g in self._ranges(n)]
            for guard in list(dict.fromkeys(guards))[:GUARDS]:
                out[self.store.implies(guard, claim)] = known
        return ByCounters(self.index, self.is_counter, out, self.arrays)

    def _ranges(self, counters: tuple[Term, ...]) -> Iterator[Term]:
        """All rounds, and those that a nest has passed where it is, or at the head of an outer
        loop.
        """
        s, parts = self.store, unpacked(self.index, counters)
        inside = [self._inside(v, part) for v, part in parts.items()]
        within = s.and_(*inside)
        if all(v in self.ends for v in counters):
            yield within
        for order in (counters, counters[::-1]):
            for n in range(1, len(order) + 1):
                yield s.and_(within, self._earlier(order[:n], parts))

    def _inside(self, counter: Term, part: Term) -> Term:
        """The formula that a counter may have had this value."""
        first = min(self.starts.get(counter, ()), default=0)
        known = [self.store.mk(Op.BVSLE, (self.store.const(first, counter.sort), part))]
        if counter in self.ends:
            known.append(self.store.mk(Op.BVSLT, (part, self.ends[counter])))
        return self.store.and_(*known)

    def _earlier(self, order: Sequence[Term], parts: Mapping[Term, Term]) -> Term:
        """The formula that a round came before this one, the outermost counter first."""
        s, v = self.store, order[0]
        before = s.mk(Op.BVSLT, (parts[v], v))
        if len(order) == 1:
            return before
        return s.or_(before, s.and_(s.eq(parts[v], v), self._earlier(order[1:], parts)))
