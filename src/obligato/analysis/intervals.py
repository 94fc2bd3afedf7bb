"""Intervals of Int variables, and signed and unsigned intervals of bit-vectors, by widening with
thresholds and narrowing.

`IntervalAnalysis` joins precisely for a few rounds, then moves an unstable bound to the next
constant of the program text (thresholds: the constants, and one less and one more), then gives it
up; `solve(..., narrowing=...)` recovers bounds that the conditions imply.  `as_formulas` states an
interval as terms.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from obligato.analysis.abstract_eval import Range, evaluate_range, top
from obligato.analysis.commands import Leaf, terms_of
from obligato.analysis.maps import MapAnalysis, NeededAt
from obligato.analysis.persistent import Meeting
from obligato.analysis.ranges import ALL, BitRange, IntRange, bit_top, tighten
from obligato.analysis.refine import State, assume, joined
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.terms import Kind, Op, Sort, Term, TermStore, postorder, to_signed

# joins at a cut point before: thresholds, extreme bounds, no information
_EXACT, _STEPS, _GIVE_UP = (2, 10, 24)


class IntervalAnalysis(MapAnalysis[Range]):
    """Forward; a state maps Int and bit-vector variables to ranges."""

    def __init__(self, cfa: CFA, needed: NeededAt | None = None) -> None:
        super().__init__(cfa, needed)
        self._meeting = Meeting[Range](self.keys, joined)
        self._thresholds = thresholds(cfa)
        # membership only
        self._tracked = frozenset(
            v for v in cfa.variables if v.sort.kind in (Kind.INT, Kind.BITVEC)
        )

    def leaf(self, command: Leaf, state: State) -> State | None:
        """Evaluate, then assign or narrow."""
        if isinstance(command, Assume):
            return assume(command.condition, True, state)
        new = [(x, evaluate_range(e, state)) for x, e in command.pairs if x in self._tracked]
        for x, r in new:
            state = state.with_fact(x, None if r == top(x.sort) else r)
        return state

    def join(self, old: State, new: State) -> State:
        """Variable by variable; no information on either side is none."""
        return self._meeting(old, new)

    def widen(self, old: State, joined: State, visits: int) -> State:
        """Move bounds that grew."""
        if visits <= _EXACT:
            return joined

        def grown(x: Term, new: Range, before: Range) -> Range:
            r = None if visits > _GIVE_UP else self._widened(x.sort, before, new, visits <= _STEPS)
            return None if r == top(x.sort) else r

        return Meeting[Range](self.keys, grown)(joined, old)

    def _widened(self, sort: Sort, old: Range, new: Range, stepwise: bool) -> Range:
        steps = self._thresholds.get(sort, []) if stepwise else []
        if sort.kind is Kind.INT:
            return _widened_pair(old, new, steps, ALL)
        limits = bit_top(sort.width)
        u = _widened_pair(old[:2], new[:2], steps, limits[:2])
        s = _widened_pair(old[2:], new[2:], steps, limits[2:])
        return tighten((*u, *s), sort.width)  # type: ignore[arg-type]


def _widened_pair(
    old: IntRange, new: IntRange, steps: list[int], limits: IntRange
) -> tuple[int | None, int | None]:
    lo, hi = new
    if lo is not None and lo != old[0]:
        i = bisect_right(steps, lo) - 1
        lo = limits[0] if i < 0 else steps[i]
        lo = lo if limits[0] is None or lo is None else max(lo, limits[0])
    if hi is not None and hi != old[1]:
        i = bisect_left(steps, hi)
        hi = limits[1] if i == len(steps) else steps[i]
        hi = hi if limits[1] is None or hi is None else min(hi, limits[1])
    return lo, hi


def thresholds(cfa: CFA) -> dict[Sort, list[int]]:
    """The constants of the program text by sort, and one less and one more, sorted."""
    found: dict[Sort, set[int]] = {}
    leaves = (c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume))
    for t in postorder(t for c in leaves for t in terms_of(c)):
        if t.op is Op.CONST and isinstance(t.data, int) and t.sort.kind in (Kind.INT, Kind.BITVEC):
            values = found.setdefault(t.sort, set())
            for k in (t.data,) if t.sort.kind is Kind.INT else (t.data, to_signed(t.data, t.width)):
                values.update((k - 1, k, k + 1))
    return {sort: sorted(values) for sort, values in found.items()}


def as_formulas(store: TermStore, x: Term, r: Range) -> Iterator[Term]:
    """The bounds of `r` that say something, as atoms over `x`."""
    if x.sort.kind is Kind.INT:
        lo, hi = r
        if lo is not None and lo == hi:
            yield store.eq(x, store.int_(lo))
            return
        if lo is not None:
            yield store.le(store.int_(lo), x)
        if hi is not None:
            yield store.le(x, store.int_(hi))
    else:
        yield from _bit_formulas(store, x, r)


def _bit_formulas(store: TermStore, x: Term, r: BitRange) -> Iterator[Term]:
    """Where the sign is known both readings say the same; else each is given."""
    w, full = x.width, bit_top(x.width)
    if r[0] == r[1]:
        yield store.eq(x, store.bv(r[0], w))
        return
    sign_known = r[2] >= 0 or r[3] < 0
    for view, op in ((0, Op.BVULE),) if sign_known else ((0, Op.BVULE), (2, Op.BVSLE)):
        if r[view] != full[view]:
            yield store.mk(op, (store.bv(r[view], w), x))
        if r[view + 1] != full[view + 1]:
            yield store.mk(op, (x, store.bv(r[view + 1], w)))
