"""Places of arrays as linear expressions of counters: ranges of places that loops have passed, and
what a place says of others.

``1500 * i + j + 3`` is a place of two counters. A loop nest that visits such places in order has
passed those below the place where it is, and at the head of an outer loop those below the place
with the inner counters zero (`Places.passed`). If another place is a multiple of this one up to
what no loop changes (``b[m - i - 1][n - j - 1]`` beside ``a[i][j]``), it is a function of it, and
so is the only counter of a place in steps of a power of two (`Places.at_index`).

All of this only suggests candidates: extensions of words are taken to be those of numbers, as if
nothing overflowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from obligato.terms import Kind, Op, Term, free_vars, postorder, substitute
from obligato.terms.rules import arith, bitvec

Linear = tuple[dict[Term, int], int]
COUNTERS = 3  # of a place
LARGEST = 1 << 32  # coefficient


def widened(t: Term) -> Term:
    """The variable that was widened to `t`, if it was."""
    return t.args[0] if t.op in (Op.SIGN_EXT, Op.ZERO_EXT) else t


def plus(t: Term, k: int) -> Term:
    """The number t + k."""
    s, sort = t.store, t.sort
    if sort.kind is Kind.INT:
        return s.add(t, s.const(k, sort))
    return s.mk(Op.BVADD, (t, s.const(k & sort.mask, sort)))


def linear(t: Term) -> Linear:
    """The linear form of a number; of a word with signed coefficients, looking through
    extensions.
    """
    if t.sort.kind is Kind.INT:
        coeffs, constant = arith.linear_of(t)
        return {m: int(c) for m, c in coeffs.items()}, int(constant)
    found: dict[Term, int] = {}
    return found, _collect(t, 1, found)


def _collect(t: Term, factor: int, found: dict[Term, int]) -> int:
    """Add `factor` times the monomials of the word `t`; its constant."""
    coeffs, constant = bitvec.combine([(1, t)], t.width)
    total = factor * _signed(constant, t.width)
    for m, c in coeffs.items():
        inner = widened(m)
        if (
            inner is not m
            and inner.op is not Op.VAR
            and bitvec.combine([(1, inner)], inner.width)[0].keys() != {inner}
        ):
            narrow: dict[Term, int] = {}
            total += factor * _signed(c, t.width) * _collect(inner, 1, narrow)
            parts = {m.store.mk(m.op, (n,), m.data): k for n, k in narrow.items()}
        else:
            parts = {m: 1}
        for n, k in parts.items():
            found[n] = found.get(n, 0) + factor * _signed(c, t.width) * k
            if not found[n]:
                del found[n]
    return total


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True, slots=True)
class Place:
    """base + constant + the sum of coefficient * counter, the largest coefficient first."""

    base: Term
    constant: int
    counters: tuple[tuple[Term, int], ...]


def tiled(places: Iterable[Place]) -> list[Place]:
    """The first place of each group of places that differ in their constants only and together cover
    all indices: for each remainder by the smallest coefficient there is one.
    """
    beside: dict[tuple[Term, tuple[tuple[Term, int], ...]], list[Place]] = {}
    for p in places:
        beside.setdefault((p.base, p.counters), []).append(p)
    first = [min(group, key=lambda p: p.constant) for group in beside.values()]
    return [
        p
        for p, group in zip(first, beside.values(), strict=True)
        if len({q.constant % p.counters[-1][1] for q in group}) == p.counters[-1][1]
    ]


class Places:
    """The places of a program whose `counters` are these variables; `bounds` are what a counter,
    perhaps widened, is compared with, widened like it.
    """

    def __init__(
        self,
        index: Term,
        counters: Callable[[Term], bool],
        bounds: Callable[[Term], Sequence[Term]],
    ) -> None:
        self.index, self.store = index, index.store
        self.is_counter, self.bounds = counters, bounds

    def place(self, t: Term) -> Place | None:
        """`t` as a place with one to three counters, all going up."""
        coeffs, constant = linear(t)
        mine = sorted(
            ((m, c) for m, c in coeffs.items() if self._counts(m)), key=lambda item: -item[1]
        )
        if not 1 <= len(mine) <= COUNTERS or any(not 0 < c < LARGEST for _, c in mine):
            return None
        rest = {m: c for m, c in coeffs.items() if not self._counts(m)}
        if any(self.is_counter(v) for v in free_vars(*rest)):
            return None
        return Place(self._sum(rest, 0), constant, tuple(mine))

    def _counts(self, m: Term) -> bool:
        return widened(m).op is Op.VAR and self.is_counter(widened(m))

    def passed(self, place: Place, dense: bool) -> Iterator[Term]:
        """Formulas that may describe the indices that a loop nest has passed: from the first one to
        where the nest is now, where it was at the head of each outer loop, or where it ends. They
        are in steps of the smallest coefficient, unless they are `dense`.
        """
        low = max(place.constant, 0)
        tops = [place.counters[:n] for n in range(len(place.counters), 0, -1)]
        ends = [self._sum(dict(top), place.constant) for top in tops]
        first, coefficient = place.counters[0]
        for bound in self.bounds(first):
            end = self._sum({bound: coefficient}, place.constant)
            ends += [end, self._sum({end: 1}, coefficient)]
        step = 1 if dense else place.counters[-1][1]
        for end in dict.fromkeys(ends):
            yield self.store.and_(self._between(place.base, low, end), self._aligned(place, step))

    def _aligned(self, place: Place, step: int) -> Term:
        """The formula that the index lies a multiple of `step` from the place where all counters are
        zero.
        """
        s, sort = self.store, self.index.sort
        if step == 1 or sort.kind is Kind.INT:
            return s.true
        offset = self._sum({self.index: 1, place.base: -1}, -place.constant % step)
        rest = (Op.BVAND, step - 1) if step & (step - 1) == 0 else (Op.BVUREM, step)
        return s.eq(s.mk(rest[0], (offset, s.bv(rest[1], sort.width))), s.bv(0, sort.width))

    def _between(self, base: Term, low: int, end: Term) -> Term:
        """The formula low <= index - base < end."""
        s, sort = self.store, self.index.sort
        offset = self._sum({self.index: 1, base: -1}, 0)
        if sort.kind is Kind.INT:
            return s.and_(s.le(s.const(low, sort), offset), s.lt(offset, end))
        return s.and_(
            s.mk(Op.BVSLE, (s.bv(low, sort.width), offset)), s.mk(Op.BVSLT, (offset, end))
        )

    def at_index(self, formula: Term, t: Term, place: Place) -> Term | None:
        """What `formula`, which mentions the place `t`, says if the index stands for `t`; None if that
        cannot be said without the counters of the place.
        """
        places = dict.fromkeys(
            s.args[1]
            for s in postorder((formula,))
            if s.op is Op.SELECT and s.args[1].sort is t.sort
        )
        moved = {q: other for q in places if (other := self._related(q, place)) is not None}
        out = substitute(formula, moved)
        left = [m for m, _ in place.counters if widened(m) in free_vars(out)]
        if left and len(place.counters) == 1 and (value := self._solved(place)) is not None:
            out, left = substitute(out, {widened(left[0]): value}), []
        return None if left else out

    def _related(self, q: Term, place: Place) -> Term | None:
        """The place `q` written with the index in place of the counters; None if it is no multiple of
        `place` up to what no loop changes.
        """
        coeffs, constant = linear(q)
        first, unit = place.counters[0]
        times, rest = divmod(coeffs.get(first, 0), unit)
        if rest or not times:
            return None
        base, _ = linear(place.base)
        for m, c in (*place.counters, *base.items()):
            coeffs[m] = coeffs.get(m, 0) - times * c
        coeffs = {m: c for m, c in coeffs.items() if c}
        if any(self.is_counter(v) for v in free_vars(*coeffs)):
            return None
        return self._sum({**coeffs, self.index: times}, constant - times * place.constant)

    def _solved(self, place: Place) -> Term | None:
        """The value of the place's only counter where the index is the place; None if the coefficient
        has no inverse shift.
        """
        (m, stride), s, sort = place.counters[0], self.store, self.index.sort
        offset = self._sum({self.index: 1, place.base: -1}, -place.constant)
        if stride & (stride - 1) or (sort.kind is Kind.INT and stride > 1):
            return None
        if stride > 1:
            offset = s.mk(Op.BVASHR, (offset, s.bv(stride.bit_length() - 1, sort.width)))
        width = widened(m).sort.width if sort.kind is Kind.BITVEC else 0
        return (
            offset
            if sort.kind is Kind.INT or width == sort.width
            else s.extract(offset, width - 1, 0)
        )

    def _sum(self, coeffs: dict[Term, int], constant: int) -> Term:
        s, sort = self.store, self.index.sort
        times, plus = (Op.MUL, Op.ADD) if sort.kind is Kind.INT else (Op.BVMUL, Op.BVADD)
        out = s.const(constant if sort.kind is Kind.INT else constant & sort.mask, sort)
        for m, c in coeffs.items():
            scaled = s.mk(times, (s.const(c if sort.kind is Kind.INT else c & sort.mask, sort), m))
            out = s.mk(plus, (out, scaled))
        return out
