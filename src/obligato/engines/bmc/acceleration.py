"""Rounds of a counting loop at once: the closed form of words that a round changes by a constant.

When the only state of an unwinding has gone the same way around a loop a few times
(`Accelerator.watch`), that way is tried: let L be the variables that a round assigns and that
guards or new values read. If x' = x + d for each of them, with a constant d, then after i rounds x
is x0 + i * d, modulo 2^w. A number of rounds is found by evaluation of the guards (doubling, then
bisection) and then verified, together with the closed form:

    S(i):            x = x0 + i * d for x in L
    for all i < n:   the guards hold in S(i), no other way can be taken, and a round leads from S(i)
                     to S(i + 1)

A counterexample is a smaller number of rounds, and bisection finds the first. The rounds but the
last are taken at once; the last one is executed, which gives the variables that are assigned but
never read before their right values. The checker shows the closed form again
(`results.checking.rounds`).

Limitation: loops of one block around one location, without inputs, whose state is known;
words of up to 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from obligato.engines.bmc.debug import check_rounds
from obligato.engines.bmc.execution import Always, OnlyStep
from obligato.engines.bmc.states import Past, State, Values, Way
from obligato.engines.environment import Environment
from obligato.models.cfa import CFA
from obligato.models.effect import PathEffect, path_effect, ways
from obligato.smt import SAT, UNSAT, Solver
from obligato.smt.factory import Make
from obligato.terms import Kind, Op, Substitution, Term, Value, bitvec, evaluate, free_vars

PATIENCE = 32  # rounds along one way before it is tried
WORTH = 10_000  # rounds that are worth it
WIDTH = 64  # of the number of rounds
WAYS = 64  # around a loop and out of it
LONGEST = 1 << 40
TRIES = 200
BUDGET = 3_000_000


@dataclass(frozen=True, slots=True)
class _Closed:
    """A round along one way: what it reads and changes (L), by how much, and what must hold: its
    guards, and that of all other ways none can be taken."""

    effect: PathEffect
    others: tuple[Term, ...]
    start: Mapping[Term, int]
    change: Mapping[Term, int]

    def after(self, rounds: int) -> dict[Term, Value]:
        """The values of L after some rounds."""
        return {x: (self.start[x] + rounds * d) & x.sort.mask for x, d in self.change.items()}


class Accelerator:
    """Watches the only run of an unwinding."""

    def __init__(self, cfa: CFA, make: Make, env: Environment) -> None:
        self.cfa, self.store, self.make, self.env = cfa, cfa.store, make, env
        self._last: tuple[int, tuple[int, ...]] | None = None
        self._rounds = 0
        self._wait: dict[tuple[int, tuple[int, ...]], int] = {}

    def watch(self, step: OnlyStep, state: State) -> tuple[State, int]:
        """The state after `step`, or after as many rounds more as can be taken at once;
        how many these are. Ensures: they lead there, one by one."""
        way = (step.block.id, step.path)
        self._rounds = (
            self._rounds + 1 if way == self._last and step.block.source == step.block.target else 0
        )
        self._last = way
        if self._rounds < self._wait.get(way, PATIENCE):
            return state, 0
        self._rounds = 0
        rounds = self._taken(step, state)
        if rounds is None:
            self._wait[way] = 4 * self._wait.get(way, PATIENCE)
            return state, 0
        count, values = rounds
        self.env.event("accelerate", location=state.location, rounds=count)
        edges = Always(step.way.edges({}))
        past = Past((Way(state.condition, state.past, edges, count),))
        return State(state.location, state.condition, values, past), count

    def _taken(self, step: OnlyStep, state: State) -> tuple[int, Values] | None:
        """How many rounds can be taken at once, at least `WORTH`, and the values after them."""
        closed = self._closed(step, state.values.known)
        count = 0 if closed is None else _failure(closed, state.values.known)
        if closed is None or count <= WORTH:
            return None
        count = self._verified(closed, state.values.known, count)
        if count <= WORTH:
            return None
        if self.env.debug:
            check_rounds(closed.effect, closed.others, closed.after, state.values.known, count - 1)
        values = state.values.copy()
        for x, value in closed.after(count - 1).items():
            values.know(x, value)
        return count - 1, values

    def _closed(self, step: OnlyStep, known: Mapping[Term, Value]) -> _Closed | None:
        effect = path_effect(self.store, step.block.command, step.path)
        others = self._others(step)
        if others is None:
            return None
        final = effect.pull.mapping
        read = free_vars(*effect.guard, *others, *final.values())
        changed = [x for x in read if x in final]
        if any(v not in known for v in free_vars(*effect.guard, *changed)):
            return None
        if any(x.sort.kind is not Kind.BITVEC or x.sort.width > WIDTH for x in changed):
            return None
        if any(v not in known for x in changed for v in free_vars(final[x])):
            return None
        start = {x: value for x in changed if isinstance(value := known[x], int)}
        return _Closed(
            effect,
            others,
            start,
            {x: (evaluate(final[x], known) - start[x]) & x.sort.mask for x in changed},
        )

    def _others(self, step: OnlyStep) -> tuple[Term, ...] | None:
        """That no other way can be taken, one formula for each; None if there are too many."""
        found = ways(self.cfa.out(step.block.source), WAYS)
        if found is None:
            return None
        rest = [(e, path) for e, path in found if e is not step.block or path != step.path]
        return tuple(
            self.store.not_(self.store.and_(*path_effect(self.store, e.command, p).guard))
            for e, p in rest
        )

    def _verified(self, closed: _Closed, known: Mapping[Term, Value], count: int) -> int:
        """The largest number of rounds up to `count`;
        0 if it is not found out, or beyond all measure."""
        s, i = self.store, self.store.var("round!", bitvec(WIDTH))
        here = self._at(closed, known, i)
        then = self._at(closed, known, s.mk(Op.BVADD, (i, s.bv(1, WIDTH))))
        holds = [here(g) for g in (*closed.effect.guard, *closed.others)]
        holds += [s.eq(here(closed.effect.pull.mapping[x]), then(x)) for x in closed.change]
        with closing(self.make()) as solver:
            solver.add(s.not_(s.and_(*holds)))
            return self._first(solver, i, count)

    def _first(self, solver: Solver, i: Term, count: int) -> int:
        """The first `i` up to `count` that satisfies what the solver knows, by bisection;
        0 if that is not found out."""
        s, low, high, middle = self.store, 0, count, count
        for _ in range(TRIES):
            self.env.tick()
            within = [
                s.not_(s.mk(Op.BVULT, (i, s.bv(low, WIDTH)))),
                s.mk(Op.BVULT, (i, s.bv(middle, WIDTH))),
            ]
            # low <= i < middle and not (guards in S(i) and S(i) to S(i + 1)): unsat - rounds up to
            # middle; sat - at most i; unknown - none is taken at once   (heuristic)
            answer = solver.check(within, budget=BUDGET, kind="accelerate")
            if answer is SAT:
                found = solver.model_of([i]).get(i, 0)
                high = int(found) if isinstance(found, int) else 0
                middle = (low + high + 1) // 2
            elif answer is UNSAT:
                low, middle = middle, high
            else:
                return 0
            if low >= high:
                return high if high < LONGEST else 0
        return 0

    def _at(self, closed: _Closed, known: Mapping[Term, Value], i: Term) -> Substitution:
        """The state after `i` rounds."""
        s, out = self.store, dict[Term, Term]()
        new = [closed.effect.pull.mapping[x] for x in closed.change]
        for v in free_vars(*closed.effect.guard, *closed.others, *new, *closed.change):
            if v not in known:
                continue  # whatever it is: an input, or what is not known
            start = s.const(known[v], v.sort)
            if v in closed.change:
                rounds = (
                    i if v.sort.width == WIDTH else s.mk(Op.EXTRACT, (i,), (v.sort.width - 1, 0))
                )
                start = s.mk(
                    Op.BVADD,
                    (start, s.mk(Op.BVMUL, (rounds, s.bv(closed.change[v], v.sort.width)))),
                )
            out[v] = start
        return Substitution(out)


def _failure(closed: _Closed, known: Mapping[Term, Value]) -> int:
    """A number of rounds after which a guard fails while all hold one round before;
    `LONGEST` if none is found."""

    def passes(rounds: int) -> bool:
        state = {**known, **closed.after(rounds)}
        return all(evaluate(g, state) for g in closed.effect.guard)

    high = 1
    while passes(high):
        high *= 2
        if high >= LONGEST:
            return LONGEST
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return high
