"""Shortcuts: blocks that take any number of rounds of a loop at once, the number being an input
[KLW13; BFLP08].

A way around a loop has a shortcut if all that it assigns and reads is changed by what it does not
assign: x' = x + d. After n rounds x is x + n * d. That the guard holds in all of them is said about
the first and the last one: a comparison of words holds in between if both sides go on evenly, that
is, neither wraps around on the way. So a shortcut takes rounds that exist, though not all; what is
beyond a wrap-around takes a round of its own and another shortcut. Inputs are the same in all
rounds.

A program with its shortcuts has the reachable states of the program, and shorter runs. They may
refute; `as_trace` writes a run through shortcuts as one of the program with rounds that are repeated,
with all its values, as the checker wants it (`results.checking.rounds`).

Limitation: loops of blocks around one location, words, guards of comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from obligato.engines.bmc.debug import ShortcutChecker
from obligato.engines.bmc.states import Assignment, Way
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Repeat, Trace, TraceStep
from obligato.models.effect import PathEffect, path_effect, ways
from obligato.models.gcl import Assign, Assume, Seq, Tagged, walk
from obligato.terms import Kind, Op, Substitution, Term, Value, bitvec, default_value, free_vars
from obligato.terms.rules.bitvec import combine, from_linear

WIDTH = 32  # of the number of rounds at most: more of them wrap around narrower words
WAYS = 8  # around one location
WRITTEN = 2000  # steps of rounds that a trace has one by one: the interpreter can replay them
COMPARED = (Op.BVULT, Op.BVSLT, Op.EQ)
VALUES = (Kind.BITVEC, Kind.BOOL, Kind.INT, Kind.REAL)


@dataclass(frozen=True, slots=True)
class Shortened:
    """A CFA with shortcuts; by their tags, which no edge has, the numbers of rounds."""

    cfa: CFA
    counts: Mapping[int, Term]


class _NoClosedForm(Exception):
    """Raised where a way has no shortcut."""


def shortened(blocks: CFA, debug: bool = False) -> Shortened | None:
    """The CFA with a shortcut for each way around a loop that has one; None: there is none.
    Ensures: a shortcut does what `n` rounds of its way do, where it can be taken.
    """
    checker = ShortcutChecker(blocks.store) if debug else None
    tags = [c.edge for e in blocks.edges for c in walk(e.command) if isinstance(c, Tagged)]
    numbers = count(1 + max([*tags, *(e.id for e in blocks.edges)], default=0))
    edges, counts = list[Edge](), dict[int, Term]()
    for edge, effect in _ways(blocks):
        widths = [x.width for x in effect.pull.mapping if x.sort.kind is Kind.BITVEC]
        width = min(WIDTH, max([2, *widths]))
        n = blocks.store.fresh(f"rounds!{edge.id}", bitvec(width))
        try:
            command = _Shortcut(effect, n).command()
        except _NoClosedForm:
            continue
        if checker is not None:
            checker.shortcut(effect, command, n)
        tag = next(numbers)
        edges.append(Edge(tag, edge.source, edge.target, Tagged(tag, command)))
        counts[tag] = n
    if not edges:
        return None
    inputs = (*blocks.inputs, *counts.values())
    return Shortened(replace(blocks, edges=(*blocks.edges, *edges), inputs=inputs), counts)


def _ways(blocks: CFA) -> Iterator[tuple[Edge, PathEffect]]:
    """The ways around locations that have few of them."""
    for location in blocks.locations:
        around = [e for e in blocks.out(location) if e.target == location]
        for e, p in ways(around, WAYS) or ():
            yield e, path_effect(blocks.store, e.command, p)


class _Shortcut:
    """`n` rounds along one way. Raises `_NoClosedForm` if there is no closed form."""

    def __init__(self, effect: PathEffect, n: Term) -> None:
        self.effect, self.n, self.store = effect, n, n.store
        self.final = {x: e for x, e in effect.pull.mapping.items() if x is not e}
        reads = free_vars(*effect.guard, *self.final.values())
        self.steps = {x: self._step(x) for x in self.final if x in reads}
        self.before_last = self.store.mk(Op.BVSUB, (n, self.store.bv(1, n.width)))
        self.last = self._after(self.before_last)

    def command(self) -> Seq:
        """Guards, new values, and which edges are passed."""
        if not self.steps:
            raise _NoClosedForm  # one round is as good as many
        then = self._after(self.n)
        # what is assigned and never read has the value that the last round gives it
        pairs = [(x, then(x) if x in self.steps else self.last(e)) for x, e in self.final.items()]
        two = self.store.bv(2, self.n.width)
        conditions = [self.store.not_(self.store.mk(Op.BVULT, (self.n, two)))]
        conditions += [c for g in self.effect.guard for c in self._throughout(g)]
        passed = [Tagged(edge, Seq(())) for edge in self.effect.edges]
        return Seq((Assume(self.store.and_(*conditions)), Assign(tuple(pairs)), *passed))

    def _step(self, t: Term) -> Term:
        """What a round adds to a word, if that is the same in all rounds."""
        if t.sort.kind is not Kind.BITVEC:
            raise _NoClosedForm
        linear = combine([(1, self.effect.pull(t)), (-1, t)], t.width)
        step = from_linear(self.store, linear, t.sort)
        if any(v in self.final for v in free_vars(step)):
            raise _NoClosedForm
        return step

    def _after(self, rounds: Term) -> Substitution:
        """The state after so many rounds."""
        return Substitution(
            {
                x: self.store.mk(Op.BVADD, (x, self.store.mk(Op.BVMUL, (_fit(rounds, x), step))))
                for x, step in self.steps.items()
            }
        )

    def _throughout(self, g: Term) -> list[Term]:
        """Conditions under which a guard holds in all rounds."""
        if not any(v in self.final for v in free_vars(g)):
            return [g]
        atom = g.args[0] if g.op is Op.NOT else g
        if atom.op not in COMPARED or atom.args[0].sort.kind is not Kind.BITVEC:
            raise _NoClosedForm
        even = [self._is_even(t, atom.op is not Op.BVULT) for t in atom.args]
        if atom.op is not Op.EQ or g is atom:
            return [*even, g, self.last(g)]
        a, b = atom.args
        orders = [self.store.mk(Op.BVSLT, pair) for pair in ((a, b), (b, a))]
        return [*even, self.store.or_(*(self.store.and_(o, self.last(o)) for o in orders))]

    def _is_even(self, t: Term, signed: bool) -> Term:
        """The word changes by the same amount in each round up to the last one, without overflow."""
        s, step, width = self.store, self._step(t), t.width + self.n.width + 2
        extend = s.sign_ext if signed else s.zero_ext
        many = s.zero_ext(self.before_last, width - self.n.width)
        added = s.mk(Op.BVMUL, (many, s.sign_ext(step, width - t.width)))
        total = s.mk(Op.BVADD, (extend(t, width - t.width), added))
        return s.eq(extend(self.last(t), width - t.width), total)


def _fit(rounds: Term, x: Term) -> Term:
    """A number of rounds with the width of a word."""
    if x.width >= rounds.width:
        return x.store.zero_ext(rounds, x.width - rounds.width)
    return x.store.extract(rounds, x.width - 1, 0)


def as_trace(short: Shortened, taken: Sequence[Way], model: Assignment) -> Trace:
    """A run through shortcuts as a trace of the program, with its values.
    Requires: the ways are those of a run from depth 0 on, which the model names."""
    steps, repeats = list[TraceStep](), list[Repeat]()
    for depth, way in enumerate(taken):
        inputs = {x: _value(x, f"{x.name}@{depth}", model) for x in short.cfa.inputs}
        edges = way.edges(model)
        rounds = short.counts.get(edges[0]) if edges else None
        if rounds is not None:
            edges, times = edges[1:], inputs[rounds]
            assert isinstance(times, int)
            if times * len(edges) <= WRITTEN:
                edges *= times
            else:
                repeats.append(Repeat(len(steps), len(steps) + len(edges), times))
        given = {x.name: v for x, v in inputs.items() if x.sort.kind in VALUES}
        steps += [TraceStep(edge, given) for edge in edges]
    start = {x.name: _value(x, x.name, model) for x in short.cfa.variables if x.sort.kind in VALUES}
    return Trace(start, tuple(steps), tuple(repeats))


def _value(x: Term, name: str, model: Assignment) -> Value:
    return model.get(x.store.var(name, x.sort), default_value(x.sort))
