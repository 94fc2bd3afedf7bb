"""Random transition systems with one or two narrow arrays: small enough for exploration, with all
that arrays can do.

Arrays are written, chosen, copied from one another, compared, read inside of indices and values,
without start value, with a constant one or with that of another; a state variable may keep its
value, so that fixed places are read too; steps are functions, functions with a filter, or a
relation.
"""

from __future__ import annotations

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.terms import BOOL, Kind, Sort, Term, array, bitvec
from tests.support.systems import RandomTerms

SHAPES = ((1, 1), (1, 2), (2, 1))  # bits of an index and of an element


class _WithArrays(RandomTerms):
    """Terms that read and compare arrays now and then."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, False)
        self.arrays: list[Term] = []

    def atom(self, variables: list[Term]) -> Term:
        """A comparison, of arrays as well."""
        same = [(a, b) for a in self.arrays for b in self.arrays if a is not b and a.sort is b.sort]
        if same and self.random.random() < 0.05:
            return self.store.eq(*self.random.choice(same))
        if self.arrays and self.random.random() < 0.4:
            a = self.random.choice(self.arrays)
            read = self.read(variables, a)
            return self.store.eq(read, self.word(variables, read.sort, 1))
        return super().atom([v for v in variables if v.sort.kind is not Kind.ARRAY])

    def word(self, variables: list[Term], sort: Sort, depth: int) -> Term:
        """A word, read from an array now and then."""
        readable = [a for a in self.arrays if a.sort.element is sort]
        if readable and depth and self.random.random() < 0.3:
            return self.read(variables, self.random.choice(readable))
        return super().word(variables, sort, depth)

    def read(self, variables: list[Term], a: Term) -> Term:
        """A read, or one through a write."""
        if self.random.random() < 0.1:
            a = self.array_of(variables, a.sort, 1)
        return self.store.select(a, self.word(variables, a.sort.index, 1))

    def array_of(self, variables: list[Term], sort: Sort, depth: int) -> Term:
        """An array."""
        s, r = self.store, self.random
        kind = r.random()
        if depth == 0 or kind < 0.1:
            return r.choice([a for a in self.arrays if a.sort is sort])
        old = self.array_of(variables, sort, depth - 1)
        if kind < 0.7:
            return s.store(
                old, self.word(variables, sort.index, 1), self.word(variables, sort.element, 1)
            )
        if kind < 0.95:
            return s.ite(self.formula(variables, 1), old, self.array_of(variables, sort, depth - 1))
        return s.const_array(sort, self.word(variables, sort.element, 0))


def random_array_system(seed: int) -> TransitionSystem:
    """The system of a seed."""
    g = _WithArrays(seed)
    r, s = g.random, g.store
    shapes = [r.choice(SHAPES)]
    shapes += [shapes[0] if r.random() < 0.6 else r.choice(SHAPES)] * (r.random() < 0.5)
    g.arrays = [s.var(f"m{n}", array(bitvec(i), bitvec(e))) for n, (i, e) in enumerate(shapes)]
    widths = [w for i, e in shapes for w in (i, e)]
    words = [s.var(f"x{n}", bitvec(r.choice(widths))) for n in range(r.choice((1, 2)))]
    plain = [*words, *([s.var("b", BOOL)] if r.random() < 0.6 else [])]
    inputs = [s.var(f"i{n}", bitvec(r.choice(widths))) for n in range(r.choice((1, 1, 2)))]
    both, state = [*plain, *inputs], [*g.arrays, *plain]
    next_ = {a: g.array_of(both, a.sort, r.choice((1, 1, 2))) for a in g.arrays}
    next_ |= {x: x if r.random() < 0.3 else g.value(both, x.sort, 2) for x in plain}
    filters = [g.formula(both, 1)] if r.random() < 0.15 else []
    bits = sum((1 << i) * e for i, e in shapes) + sum(x.width for x in words)
    relation = r.random() < 0.4 and bits <= 6  # exploration tries all next states
    trans = functional(s, next_, *filters)
    if relation and r.random() < 0.3:
        x = r.choice(plain)
        trans = s.and_(*filters, *(s.eq(next_var(y), e) for y, e in next_.items() if y is not x))
    constraints = tuple(g.formula(both, 1) for _ in range(r.choice((0, 0, 0, 1))))
    properties = tuple(Assertion(f"bad{n}", _property(g, both)) for n in range(r.choice((1, 1, 2))))
    return TransitionSystem(
        s,
        tuple(state),
        tuple(inputs),
        _init(g, plain),
        trans,
        properties,
        constraints,
        next=None if relation else next_,
    )


def _init(g: _WithArrays, plain: list[Term]) -> Term:
    r, s = g.random, g.store
    facts = [s.eq(x, g.constant(x.sort)) for x in plain if r.random() < 0.7]
    for n, a in enumerate(g.arrays):
        kind = r.random()
        before = [b for b in g.arrays[:n] if b.sort is a.sort]
        if kind < 0.6:
            facts.append(s.eq(a, s.const_array(a.sort, g.constant(a.sort.element))))
        elif kind < 0.8 and before:
            facts.append(
                s.eq(a, g.array_of(plain, a.sort, 1)) if r.random() < 0.3 else s.eq(a, before[0])
            )
        elif kind < 0.9:
            facts.append(s.eq(s.select(a, g.constant(a.sort.index)), g.constant(a.sort.element)))
    return s.and_(*facts)


def _property(g: _WithArrays, both: list[Term]) -> Term:
    """What few states violate."""
    s, r = g.store, g.random
    if r.random() < 0.1 and len({a.sort for a in g.arrays}) < len(g.arrays):
        return s.eq(*g.arrays[:2])
    return s.not_(s.and_(*(g.atom(both) for _ in range(r.choice((1, 2, 3))))))
