"""Expressions that may decrease: what the conditions of a component compare, and sums and
differences of what they speak about.

Words become numbers without wrap-around: an expression is computed with more bits, so that it is
exact over the signed or the unsigned values of its words, and then stated as an unsigned word,
either moved up by half the range or cut off at zero (max(e, 0), which turns phases of a loop into
components of a tuple). A condition is a candidate of one bit: where no step that leaves earlier
components as they are makes it true again, it is a wall [BSHZ11]. The difference of two words
modulo 2^w is a candidate, too: it is the number of steps from one to the other where a loop counts
through the wrap-around, by one or (divided by it) by an odd number, the *stride*. Integers are cut
off at zero, and so are the whole parts of real numbers and of their multiples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.engines.rank.relation import Component, Sample
from obligato.engines.rank.synthesis import Candidate
from obligato.terms import BOOL, Kind, Op, Term, TermStore, free_vars, postorder

LIMIT = 600
BASES = 14
CONDITIONS = 10
WALLS = 60
NUMBERS = (Kind.BITVEC, Kind.INT, Kind.REAL)
PARTS = (1, 8)  # of one: by how much a real number decreases at least
_SIGNED = {Op.BVSLT, Op.BVSLE, Op.BVSGT, Op.BVSGE}
_UNSIGNED = {Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE}
_OTHER = {Op.EQ, Op.LT, Op.LE, Op.GT, Op.GE}
_TESTS = _SIGNED | _UNSIGNED | _OTHER | {Op.VAR}


def stride(x: Term, samples: Iterable[Sample]) -> int | None:
    """The odd number that each step adds to a word modulo 2^w, if there is one that is not one or
    minus one.
    """
    if x.sort.kind is not Kind.BITVEC:
        return None
    size = 1 << x.sort.width
    words = [(s.before[x], s.after[x]) for s in samples if x in s.before and x in s.after]
    added = {(b - a) % size for a, b in words if isinstance(a, int) and isinstance(b, int)}
    k = added.pop() if len(added) == 1 else 0
    return k if k % 2 and k not in (1, size - 1) else None


class Candidates:
    """The candidates of one component, most promising first."""

    def __init__(
        self,
        store: TermStore,
        component: Component,
        variables: Iterable[Term],
        samples: Iterable[Sample] = (),
    ) -> None:
        self.store, self.component = store, component
        self.variables = frozenset(variables)
        self.changed = {x for h in component.hops for x in h.effect.pull.mapping}
        self.strides = {
            x: k
            for x in self.changed
            if self._is_plain(x) and (k := stride(x, samples)) is not None
        }

    def _is_plain(self, x: Term) -> bool:
        """Is what is assigned to it one expression on each hop, without conditions?"""
        given = [
            h.effect.pull.mapping[x] for h in self.component.hops if x in h.effect.pull.mapping
        ]
        return not any(t.op is Op.ITE for t in postorder(given))

    def all_of_them(self, first: Iterable[Term]) -> list[Candidate]:
        """All candidates, each once, the given ones first."""
        found: dict[Term, None] = dict.fromkeys(first)
        for t in self._all():
            if t.op is not Op.CONST and len(found) < LIMIT:
                found[t] = None
        walls = [
            self._flag(p) for t in list(self._tests())[:WALLS] for p in (t, self.store.not_(t))
        ]
        return [self._stays(), *found, *(t for t in walls if t not in found)]

    def _stays(self) -> Candidate:
        """One where a run can go on inside the component, as far as the state tells, and zero where
        it leaves.
        """
        ways: dict[int, list[Term]] = {loc: [] for loc in self.component.locations}
        for hop in self.component.hops:
            known = [g for g in hop.effect.guard if all(v in self.variables for v in free_vars(g))]
            ways[hop.source].append(self.store.and_(*known))
        return {loc: self._flag(self.store.or_(*conditions)) for loc, conditions in ways.items()}

    def _all(self) -> Iterator[Term]:
        pairs = list(dict.fromkeys(self._pairs()))
        for a, b, signed in pairs:
            yield from self._differences(a, b, signed)
        yield from self._strides(pairs)
        bases = list(
            dict.fromkeys(
                [t for a, b, _ in pairs for t in (a, b) if t.op is not Op.CONST] + self._words()
            )
        )[:BASES]
        for t in bases:
            yield from self._alone(t)
        for x in self.component.relevant:
            if x.sort is BOOL and x in self.variables:
                yield from (self._flag(x), self._flag(self.store.not_(x)))
        for i, a in enumerate(bases):
            for b in bases[:i]:
                if a.sort is b.sort:
                    yield from self._sums(a, b)
        for a, b, signed in pairs:
            for c in bases:
                if (
                    c.sort is a.sort is b.sort
                    and c not in (a, b)
                    and a.op is not Op.CONST
                    and b.op is not Op.CONST
                ):
                    yield from self._triple(a, b, c, signed)

    def conditions(self) -> list[Term]:
        """Conditions that may divide what a component does: those that its hops test, and signs."""
        s, found = self.store, dict[Term, None]()
        numbers = [
            x for x in self.component.relevant if x in self.variables and x not in self.changed
        ]
        for x in numbers:
            if x.sort.kind is Kind.BITVEC:
                found[s.mk(Op.BVSGE, (x, s.bv(0, x.sort.width)))] = None
            elif x.sort.kind is Kind.INT:
                found[s.ge(x, s.int_(0))] = None
        return list(found | self._tests())[:CONDITIONS]

    def _tests(self) -> dict[Term, None]:
        """The conditions that hops test."""
        return {
            t: None
            for t in self._tested()
            if t.sort is BOOL and t.op in _TESTS and all(v in self.variables for v in free_vars(t))
        }

    def _tested(self) -> Iterator[Term]:
        """All parts of what hops test: of whether they can be taken first, then of which values are
        assigned.
        """
        hops = self.component.hops
        return postorder(
            [g for h in hops for g in h.effect.guard]
            + [e for h in hops for e in h.effect.pull.mapping.values()]
        )

    def _pairs(self) -> Iterator[tuple[Term, Term, bool]]:
        """What conditions compare, in terms of the program's variables; signed unless they are
        compared otherwise.
        """
        for t in self._tested():
            if t.op not in _SIGNED and t.op not in _UNSIGNED and t.op not in _OTHER:
                continue
            a, b = t.args[0], t.args[1]
            if a.sort.kind in NUMBERS and all(v in self.variables for v in free_vars(a, b)):
                yield (a, b, t.op not in _UNSIGNED)
                if t.op is Op.EQ:
                    yield (a, b, False)

    def _words(self) -> list[Term]:
        """The relevant variables that are numbers, those that change first."""
        words = [
            x for x in self.component.relevant if x in self.variables and x.sort.kind in NUMBERS
        ]
        return sorted(words, key=lambda x: x not in self.changed)

    def _flag(self, condition: Term) -> Term:
        return self.store.ite(condition, self.store.bv(1, 1), self.store.bv(0, 1))

    def _differences(self, a: Term, b: Term, signed: bool) -> Iterator[Term]:
        for up, down in ((b, a), (a, b)):
            yield from self._stated([up], [down], signed)
        if a.sort.kind is Kind.BITVEC:
            yield self.store.mk(Op.BVSUB, (b, a))
            yield self.store.mk(Op.BVSUB, (a, b))

    def _strides(self, pairs: Iterable[tuple[Term, Term, bool]]) -> Iterator[Term]:
        """The distance between two words in steps of the constant by which one of their variables
        moves, modulo 2^w.
        """
        for a, b, _ in pairs:
            for x in free_vars(a, b):
                if x in self.strides and a.sort.kind is Kind.BITVEC:
                    width = a.sort.width
                    one = self.store.bv(pow(self.strides[x], -1, 1 << width), width)
                    for up, down in ((b, a), (a, b)):
                        yield self.store.mk(Op.BVMUL, (self.store.mk(Op.BVSUB, (up, down)), one))

    def _alone(self, t: Term) -> Iterator[Term]:
        yield from self._stated([t], [], True)
        yield from self._stated([], [t], True)
        if t.sort.kind is Kind.BITVEC:
            yield t
            yield self.store.mk(Op.BVNOT, (t,))
            # of its bits: moves up where it is doubled
            lowest = self.store.mk(Op.BVAND, (t, self.store.mk(Op.BVNEG, (t,))))
            yield self.store.mk(Op.BVNOT, (lowest,))

    def _sums(self, a: Term, b: Term) -> Iterator[Term]:
        for signed in (True, False) if a.sort.kind is Kind.BITVEC else (True,):
            for up, down in (([a, b], []), ([a], [b]), ([b], [a]), ([], [a, b])):
                yield from self._stated(up, down, signed)

    def _triple(self, a: Term, b: Term, c: Term, signed: bool) -> Iterator[Term]:
        for up, down in (([a, c], [b]), ([b, c], [a]), ([a], [b, c]), ([b], [a, c])):
            yield from self._stated(up, down, signed)

    def _stated(self, up: list[Term], down: list[Term], signed: bool) -> Iterator[Term]:
        """The sum of `up` minus that of `down`, exactly: moved up by half the range, and cut off at
        zero after adding one.
        """
        s, sort = self.store, (up or down)[0].sort
        if sort.kind is Kind.INT:
            for offset in (1, 0):
                total = s.add(s.int_(offset), *up, *(s.neg(t) for t in down))
                yield s.ite(s.ge(total, s.int_(0)), total, s.int_(0))
            return
        if sort.kind is Kind.REAL:
            for parts in PARTS:
                whole = s.to_int(
                    s.mul(s.real(parts), s.add(s.real(1), *up, *(s.neg(t) for t in down)))
                )
                yield s.ite(s.ge(whole, s.int_(0)), whole, s.int_(0))
            return
        width = sort.width + 3
        total = s.bv(0, width)
        for t in up:
            total = s.mk(Op.BVADD, (total, s.resize(t, width, signed)))
        for t in down:
            total = s.mk(Op.BVSUB, (total, s.resize(t, width, signed)))
        more = s.mk(Op.BVADD, (total, s.bv(1, width)))
        yield s.mk(Op.BVADD, (total, s.bv(1 << (width - 1), width)))
        yield s.ite(s.mk(Op.BVSGE, (more, s.bv(0, width))), more, s.bv(0, width))
