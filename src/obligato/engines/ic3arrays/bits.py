"""The bits of a system of watched cells (`models.ts_cells`), with predicates beside the bits. Both
are also there for each instance, that is, about the cells at places where the system reads.

A predicate is a formula over the state such as ``index = rd``. It has a number like a bit, so that
it can stand in cubes: a lemma about equal words is one clause then, not one for each value. Its
gate is defined by the bits, so that no clause has to say what it means. `at[k]` gives, for each
number, the gate literal of that bit or predicate at the places of instance k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from obligato.models.ts_bits import BitSystem
from obligato.models.ts_cells import CellSystem
from obligato.terms import BOOL, Term, Value, evaluate, substitute


class CellBits(BitSystem):
    """The gates of the system, its predicates and its instances."""

    def __init__(self, cells: CellSystem, predicates: Sequence[Term]) -> None:
        self.cells, system = cells, cells.system
        self.raw = 0  # numbers below it are bits
        maps = [i.values for i in cells.instances]
        formulas = [*predicates, *map(system.pull, predicates)]
        for values in maps:
            formulas += [substitute(p, values) for p in predicates]
            formulas += [_bit(e, i) for e in values.values() for i in range(_width(e))]
            formulas.append(substitute(system.init, values))
        super().__init__(system, formulas)
        self.raw = len(self.bit)
        found = iter(self.watched)
        now, then = ([next(found) for _ in predicates] for _ in range(2))
        chosen = self._useful(now)
        self.predicates = [predicates[k] for k in chosen]
        self.place += [(p, 0) for p in self.predicates]
        self.bit += [now[k] for k in chosen]
        self.next += [then[k] for k in chosen]
        self.at: list[list[int]] = []
        self.starts: list[int] = []  # by instance, `init` there
        for values in maps:
            there = [next(found) for _ in predicates]
            image = {(x, i): next(found) for x, e in values.items() for i in range(_width(e))}
            bits = [image.get(self.place[n], g) for n, g in enumerate(self.bit[: self.raw])]
            self.at.append(bits + [there[k] for k in chosen])
            self.starts.append(next(found))
        self._index()
        self._depends = [self._mask(abs(g)) for g in self.bit[self.raw :]]
        # no bit of a word
        self.plain = [n >= self.raw or self.place[n][0].sort is BOOL for n in range(len(self.bit))]

    def _useful(self, literals: Sequence[int]) -> list[int]:
        """Which predicates are neither constant nor a bit nor said before."""
        seen = {1, *self.bit}
        return [k for k, x in enumerate(literals) if abs(x) not in seen and not seen.add(abs(x))]  # type: ignore[func-returns-value]

    def _index(self) -> None:
        """See `BitSystem`: predicates depend on bits, and nothing on predicates."""
        super()._index()
        if self.raw:
            self._masks = {
                g: 1 << n
                for n, g in enumerate(self.source)
                if n and not self.raw <= n < len(self.bit)
            } | {1: 0}

    def support(
        self, literals: Iterable[int], after: Iterable[int] = ()
    ) -> tuple[list[int], list[int]]:
        """See `BitSystem`. Predicates that depend on the bits found are put before them."""
        state, free = super().support(literals, after)
        mask = sum(1 << n for n in state)
        return [self.raw + k for k, m in enumerate(self._depends) if m & mask] + state, free

    def depends(self, predicate: int, cube: Sequence[int]) -> bool:
        """Does a predicate depend on bits that a cube speaks about?"""
        mask = 0
        for x in cube:
            n = abs(x)
            mask |= self._depends[n - self.raw] if n >= self.raw else 1 << n
        return bool(self._depends[predicate - self.raw] & mask)

    def values_of(self, state: int) -> dict[Term, Value]:
        """The values of the state variables where the numbers in `state` are true."""
        true = {self.bit[n] for n in range(1, self.raw) if state >> n & 1}
        return {x: self.value(x, true) for x in self.system.state}

    def truths(self, values: Mapping[Term, Value]) -> int:
        """The numbers of the predicates that are true, as a state."""
        memo: dict[Term, Value] = {}
        return sum(
            1 << self.raw + k for k, p in enumerate(self.predicates) if evaluate(p, values, memo)
        )

    def state_of(self, values: Mapping[Term, Value]) -> int:
        """The bits and predicates that are true where the state variables have these values."""
        out = self.truths(values)
        for n in range(1, self.raw):
            x, i = self.place[n]
            out |= (int(values[x]) >> i & 1) << n  # type: ignore[call-overload]
        return int(out)

    def atom(self, n: int) -> Term:
        """See `BitSystem`."""
        return self.place[n][0] if n >= self.raw else super().atom(n)


def _width(t: Term) -> int:
    return 1 if t.sort is BOOL else t.sort.width


def _bit(t: Term, i: int) -> Term:
    s = t.store
    return t if t.sort is BOOL else s.eq(s.extract(t, i, i), s.bv(1, 1))
