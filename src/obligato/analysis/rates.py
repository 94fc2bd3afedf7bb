"""Linear sums that the rounds of a loop never make less: candidates for Houdini.

If a round adds at least m to x and at least d > 0 to y, which so counts rounds, then

    d * x - m * y        (m < 0; if m >= 0 with the most that a round adds to y instead of d)

is never less than it was when the loop was entered; the same with the most that is added to x. So
``2 * i <= s && s <= 5 * i`` holds where a round adds 2 or 5 to s, and ``x + 999 * y >= c`` where it
adds y, which is -999 at first and counts upwards. What a round adds is a range (`analysis.rounds`),
read off the program text and found by intervals; the least value on entry, too.

Words wrap around, numbers do not: sums of words are stated with as many bits as they need, and
where a change depends on what changes itself it takes bounds to show that nothing wraps around.
Their size is guessed, a power of two above the numbers met so far: of the changing numbers, and of
what these were one round ago, said about the state after it (``x - y`` where x' = x + y, y' = y + 1).

Limitation: loops of blocks around one location, two variables in a sum of which one counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice
from math import gcd

from obligato.analysis.ranges import IntRange, bit_top, int_add, int_scale
from obligato.analysis.refine import State
from obligato.analysis.rounds import Loop, loops
from obligato.models.cfa import CFA
from obligato.terms import INT, Op, Term, TermStore
from obligato.terms.rules import arith

MOST = 40  # candidates at a location
VARIABLES = 8  # that change, in one loop
LARGEST = 1 << 24  # factor
LOOSE = (0, 1, 2, 4)  # powers of two above the numbers met
Form = Mapping[Term, int]


def rate_candidates(blocks: CFA) -> dict[int, list[Term]]:
    """Bounds of linear sums at the loops of a CFA of large blocks."""
    found = {loop.location: list(islice(_Rates(loop).candidates(), MOST)) for loop in loops(blocks)}
    return {
        loc: [f for f in dict.fromkeys(fs) if not f.is_const] for loc, fs in found.items() if fs
    }


class _Rates:
    """The candidates of one loop."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.variables = loop.changed if len(loop.changed) <= VARIABLES else []
        self.state: State = loop.assumed()
        self.changes = {x: loop.change(x, self.state) for x in self.variables}

    def candidates(self) -> Iterator[Term]:
        """Sums and their bounds, then guessed bounds."""
        bounded = [
            (form, low)
            for form in self._forms()
            if (low := self._entry(form)[0]) is not None and max(map(abs, form.values())) <= LARGEST
        ]
        yield from (self._at_least(form, low) for form, low in bounded)
        sizes = [abs(low) for _, low in bounded]
        ends = [abs(k) for x in self.variables for k in self.loop.range(x, self.loop.entry) if k]
        yield from self._guessed(max([*sizes, *ends, 1]).bit_length())

    def _forms(self) -> Iterator[Form]:
        """Linear forms that no round of the loop decreases."""
        for x, (least, most) in self.changes.items():
            if least is not None and least >= 0:
                yield {x: 1}
            if most is not None and most <= 0:
                yield {x: -1}
        for y, (least, most) in self.changes.items():
            for x in self.variables:
                if x is not y and x.sort is y.sort and least is not None and least > 0:
                    yield from self._against(x, {y: 1}, (least, most))
                if x is not y and x.sort is y.sort and most is not None and most < 0:
                    yield from self._against(x, {y: -1}, int_scale(-1, (least, most)))

    def _against(self, x: Term, counter: Form, step: IntRange) -> Iterator[Form]:
        """d * x - m * y, with the least m that is added to x, and with the most."""
        least, most = self.changes[x]
        for sign, added in ((1, least), (-1, None if most is None else -most)):
            d = None if added is None else step[0] if added < 0 else step[1]
            if added and d is not None:
                for m in dict.fromkeys((_rounded(added), added)):
                    yield _reduced({x: sign * d, **{y: -c * m for y, c in counter.items()}})

    def _entry(self, form: Form) -> IntRange:
        """The values of a form where the loop is entered."""
        return int_add(int_scale(c, self.loop.range(x, self.loop.entry)) for x, c in form.items())

    def _guessed(self, bits: int) -> Iterator[Term]:
        """Loose bounds of what sums of changing words consist of."""
        for form in dict.fromkeys(tuple(f.items()) for f in self._contributions()):
            for more in LOOSE:
                for sign in (1, -1):
                    scaled = {x: sign * c for x, c in form}
                    if bits + more < form[0][0].width - 1:
                        yield self._at_least(scaled, -(1 << (bits + more)))

    def _contributions(self) -> Iterator[Form]:
        """The words that a round changes by a sum of variables: each word, the word less that sum,
        and the variables of the sum.
        """
        for r in self.loop.rounds:
            for x, (added, _) in r.changes.items():
                inner = {y: c for y, c in added.items() if y in self.variables}
                if x.sort is not INT and inner and x not in inner and len(inner) == len(added):
                    yield {x: 1}
                    yield {x: 1, **{y: -c for y, c in inner.items()}}
                    yield from ({y: 1} for y in inner)

    def _at_least(self, form: Form, bound: int) -> Term:
        x = next(iter(form))
        store = x.store
        if x.sort is INT:
            return store.le(store.int_(bound), arith.from_linear(store, (dict(form), 0), INT))
        return _words_at_least(store, form, bound, self.loop.unsigned)


def _rounded(added: int) -> int:
    """A number that is not more, a power of two if it is negative: easier to reason about."""
    return added if added > 0 else -(1 << (-added - 1).bit_length())


def _reduced(form: Form) -> Form:
    divisor = reduce(gcd, form.values())
    return {x: c // divisor for x, c in form.items()}


def _words_at_least(store: TermStore, form: Form, bound: int, unsigned: frozenset[Term]) -> Term:
    """The sum as an integer is at least the bound: with so many bits that nothing wraps around."""
    (x, factor), *others = form.items()
    if not others and factor in (1, -1):
        return _word_at_least(store, x, factor, bound, x in unsigned)
    total = sum(map(abs, form.values()))
    width = 2 + max(bound.bit_length(), max(x.width for x in form) + total.bit_length())
    parts = []
    for x, c in form.items():
        extend = store.zero_ext if x in unsigned else store.sign_ext
        parts.append(store.mk(Op.BVMUL, (store.bv(c, width), extend(x, width - x.width))))
    return store.mk(Op.BVSLE, (store.bv(bound, width), store.mk(Op.BVADD, tuple(parts))))


def _word_at_least(store: TermStore, x: Term, sign: int, bound: int, unsigned: bool) -> Term:
    """x >= bound, or -x >= bound."""
    limits, view = bit_top(x.width), 0 if unsigned else 2
    if not limits[view] <= sign * bound <= limits[view + 1]:
        return store.true  # the bound is below all of them
    sides = (store.bv(sign * bound, x.width), x)[::sign]
    return store.mk(Op.BVULE if unsigned else Op.BVSLE, sides)
