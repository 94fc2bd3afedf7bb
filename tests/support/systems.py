"""Random small finite transition systems, and an explicit-state oracle for them.

A system has 2 to 12 state bits in Booleans and small words, inputs of up to 3 bits, perhaps
constraints, several properties (over inputs too), a start that may be constant, symbolic, partial
or empty, and next-state functions, functions with a filter, or a relation that need not be total.
The oracle explores breadth first by `terms.evaluate`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.terms import (
    BOOL,
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    bitvec,
    evaluate,
)
from obligato.terms.semantics import settled

State = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """`depth` is the number of steps of a shortest run to a violation; None: there is none."""

    depth: int | None
    states: int


WORDS = (Op.BVADD, Op.BVADD, Op.BVSUB, Op.BVAND, Op.BVOR, Op.BVXOR, Op.BVSHL)
COMPARISONS = (Op.EQ, Op.EQ, Op.BVULT, Op.BVULE, Op.BVSLT)
MORE_WORDS = (
    *WORDS,
    Op.BVMUL,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVSMOD,
    Op.BVLSHR,
    Op.BVASHR,
)
MORE_COMPARISONS = (*COMPARISONS, Op.BVUGT, Op.BVUGE, Op.BVSLE, Op.BVSGT, Op.BVSGE, Op.DISTINCT)


class RandomTerms:
    """Draws terms of one store."""

    def __init__(self, seed: int, rich: bool) -> None:
        self.random = random.Random(seed)
        self.store = TermStore.raw()
        self.rich = rich
        self.words: tuple[Op, ...] = MORE_WORDS if rich else WORDS
        self.comparisons: tuple[Op, ...] = MORE_COMPARISONS if rich else COMPARISONS

    def variables(self, prefix: str, bits: int) -> list[Term]:
        """Booleans and words of `bits` bits together."""
        out: list[Term] = []
        while bits > 0:
            width = self.random.choice((1, 1, 1, 2, 3, 4))
            width = min(width, bits)
            sort = BOOL if width == 1 and self.random.random() < 0.8 else bitvec(width)
            out.append(self.store.var(f"{prefix}{len(out)}", sort))
            bits -= width
        return out

    def formula(self, variables: list[Term], depth: int) -> Term:
        """A Boolean term."""
        s, r = self.store, self.random
        if depth == 0 or r.random() < 0.1:
            return self.atom(variables)
        a, b = self.formula(variables, depth - 1), self.formula(variables, depth - 1)
        kind = r.randrange(7)
        if kind < 2:
            return s.and_(a, b)
        if kind < 4:
            return s.or_(a, b)
        if kind == 4:
            return s.not_(a)
        return s.xor(a, b) if kind == 5 else s.ite(self.atom(variables), a, b)

    def atom(self, variables: list[Term]) -> Term:
        """A Boolean variable or a comparison."""
        s, r = self.store, self.random
        v = r.choice(variables) if variables else s.bool_(r.random() < 0.5)
        if v.sort is BOOL:
            return v if r.random() < 0.7 else s.not_(v)
        other = self.word(variables, v.sort, 1)
        return s.mk(r.choice(self.comparisons), (v, other))

    def word(self, variables: list[Term], sort: Sort, depth: int) -> Term:
        """A bit-vector term."""
        s, r = self.store, self.random
        same = [v for v in variables if v.sort is sort]
        if depth == 0 or r.random() < 0.2:
            return (
                r.choice(same)
                if same and r.random() < 0.7
                else s.bv(r.randrange(1 << sort.width), sort.width)
            )
        a, b = self.word(variables, sort, depth - 1), self.word(variables, sort, depth - 1)
        if r.random() < 0.3:
            return s.ite(self.formula(variables, 1), a, b)
        if self.rich and r.random() < 0.2:
            return self.resized(variables, sort)
        return s.mk(r.choice(self.words), (a, b))

    def resized(self, variables: list[Term], sort: Sort) -> Term:
        """A bit-vector term made of one of another width."""
        s, r, width = self.store, self.random, sort.width
        other = r.choice([v for v in variables if v.sort is not BOOL] or [s.bv(5, 3)])
        if other.width > width:
            low = r.randrange(other.width - width + 1)
            return s.extract(other, low + width - 1, low)
        if other.width == width:
            return s.mk(Op.BVNEG if r.random() < 0.5 else Op.BVNOT, (other,))
        extra = width - other.width
        kind = r.randrange(3)
        return (
            s.concat(other, s.bv(r.randrange(1 << extra), extra))
            if kind == 0
            else s.mk(Op.ZERO_EXT if kind == 1 else Op.SIGN_EXT, (other,), extra)
        )

    def constant(self, sort: Sort) -> Term:
        """A value."""
        r = self.random
        return (
            self.store.bool_(r.random() < 0.5)
            if sort is BOOL
            else self.store.bv(r.randrange(1 << sort.width), sort.width)
        )

    def value(self, variables: list[Term], sort: Sort, depth: int) -> Term:
        """A term of a sort."""
        return self.formula(variables, depth) if sort is BOOL else self.word(variables, sort, depth)


def random_system(seed: int, max_bits: int = 12, rich: bool = False) -> TransitionSystem:
    """The system of a seed; `rich`: all operators on words, and relations that are no functions at
    any size.
    """
    g = RandomTerms(seed, rich)
    r, s = g.random, g.store
    bits = min(max_bits, r.choice((2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 10, 12)))
    state, inputs = g.variables("s", bits), g.variables("i", r.choice((0, 1, 1, 2, 3)))
    both = [*state, *inputs]
    next_, trans = _steps(g, state, both, bits)
    constraints = tuple(
        g.formula(both, r.choice((1, 2))) for _ in range(r.choice((0, 0, 0, 1, 1, 2)))
    )
    properties = tuple(
        Assertion(f"bad{n}", _rare(g, both if r.random() < 0.4 else state, bits))
        for n in range(r.choice((1, 1, 2, 3)))
    )
    return TransitionSystem(
        s, tuple(state), tuple(inputs), _init(g, state), trans, properties, constraints, next=next_
    )


def _steps(
    g: RandomTerms, state: list[Term], both: list[Term], bits: int
) -> tuple[dict[Term, Term] | None, Term]:
    r, s = g.random, g.store
    next_ = {x: _next(g, x, both) for x in state}
    kind = r.random()
    if kind < 0.65 or (bits > 5 and not g.rich):
        return next_, functional(s, next_)
    if kind < 0.8:
        return next_, functional(s, next_, g.formula(both, 2))
    primed = [next_var(x) for x in state]
    # bits with any next value: few in large systems, for the sake of exploration
    bound, open_ = ([], 0)
    for x, e in next_.items():
        width = 1 if x.sort is BOOL else x.width
        if r.random() < 0.7 or (bits > 5 and open_ + width > 4):
            bound.append(s.eq(next_var(x), e))
        else:
            open_ += width
    return None, s.and_(*bound, g.formula([*both, *primed], 2))


def _next(g: RandomTerms, x: Term, both: list[Term]) -> Term:
    """Often the variable itself, counted on or flipped under a condition: so violations lie deep
    now and then.
    """
    s, r = g.store, g.random
    kind = r.random()
    if kind < 0.1:
        return x
    if kind < 0.6:
        moved = (
            s.not_(x)
            if x.sort is BOOL
            else s.mk(Op.BVADD, (x, s.bv(r.choice((1, 1, 3, -1)), x.width)))
        )
        return s.ite(g.formula(both, 1), moved, x)
    return g.value(both, x.sort, r.choice((1, 2, 2, 3)))


def _init(g: RandomTerms, state: list[Term]) -> Term:
    r, s = g.random, g.store
    facts = []
    for n, x in enumerate(state):
        kind = r.random()
        if kind < 0.75:
            facts.append(s.eq(x, g.constant(x.sort)))
        elif kind < 0.85:
            facts.append(s.eq(x, g.value(state[:n], x.sort, 1)))
    if r.random() < 0.1:
        facts.append(g.formula(state, 2))
    return s.and_(*facts)


def _rare(g: RandomTerms, variables: list[Term], bits: int) -> Term:
    """A property that few states violate: otherwise almost all systems are unsafe at once."""
    s, r = g.store, g.random
    kind = r.random()
    if kind < 0.1:
        return g.formula(variables, 3)
    if kind < 0.4:
        return s.not_(s.and_(*(g.atom(variables) for _ in range(r.choice((1, 2, 3)) + bits // 3))))
    chosen = r.sample(variables, max(1, len(variables) - r.choice((0, 1, 2))))
    return s.not_(s.and_(*(s.eq(x, g.constant(x.sort)) for x in chosen)))


def values_of(sort: Sort) -> list[Value]:
    """All values of a small sort."""
    if sort.kind is Kind.ARRAY:
        all_cells = product(values_of(sort.element), repeat=1 << sort.index.width)
        return [settled(ArrayValue(cells[0], dict(enumerate(cells))), sort) for cells in all_cells]
    return [False, True] if sort is BOOL else list(range(1 << sort.width))


def assignments(variables: tuple[Term, ...]) -> Iterator[dict[Term, Value]]:
    """All assignments of variables."""
    for values in product(*(values_of(v.sort) for v in variables)):
        yield dict(zip(variables, values, strict=True))


def explore(system: TransitionSystem) -> Explored:
    """Breadth first from all initial states."""
    inputs = list(assignments(system.inputs))
    layer = [s for s in assignments(system.state) if evaluate(system.init, s)]
    seen = {tuple(s.values()) for s in layer}
    depth = 0
    while layer:
        following: list[dict[Term, Value]] = []
        for state in layer:
            for i in inputs:
                now, memo = {**state, **i}, dict[Term, Value]()
                if not all(evaluate(c, now, memo) for c in system.constraints):
                    continue
                if not all(evaluate(p.formula, now, memo) for p in system.assertions):
                    return Explored(depth, len(seen))
                for after in successors(system, now, memo):
                    key = tuple(after.values())
                    if key not in seen:
                        seen.add(key)
                        following.append(after)
        layer, depth = following, depth + 1
    return Explored(None, len(seen))


def successors(
    system: TransitionSystem, now: dict[Term, Value], memo: dict[Term, Value]
) -> Iterator[dict[Term, Value]]:
    """The states after a step with these inputs."""
    primed = system.primed
    candidates = (
        assignments(system.state)
        if system.next is None
        else iter(
            [{x: _settled(evaluate(system.next[x], now, memo), x.sort) for x in system.state}]
        )
    )
    for after in candidates:
        if evaluate(system.trans, {**now, **{primed[x]: v for x, v in after.items()}}):
            yield after


def _settled(value: Value, sort: Sort) -> Value:
    return settled(value, sort) if isinstance(value, ArrayValue) else value


def random_formula(system: TransitionSystem, seed: int, depth: int) -> Term:
    """A formula over state and inputs of a system."""
    g = RandomTerms(seed, False)
    g.store = system.store
    return g.formula([*system.state, *system.inputs], depth)
