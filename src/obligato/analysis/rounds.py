"""What one round of a loop adds to its variables: as linear forms, and as ranges.

A loop is a location with blocks that lead back to it. Each path through these is a round: its
guard, and for each number that it assigns the change ``x' - x``, a linear form. Ranges of changes
are those of integers, as if no word wrapped around: they suggest candidates and claim nothing.

`Loop.assumed` is where the idea is: a number that no round makes less is never less than it was
when the loop was entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from obligato.analysis.abstract_eval import Range, evaluate_range, top
from obligato.analysis.dataflow import Solution, solve
from obligato.analysis.intervals import IntervalAnalysis
from obligato.analysis.ranges import (
    ALL,
    IntRange,
    bit_meet,
    bit_top,
    int_add,
    int_join,
    int_meet,
    int_scale,
)
from obligato.analysis.refine import State, assume
from obligato.models.cfa import CFA
from obligato.models.effect import PathEffect, path_effect, ways
from obligato.models.gcl import Assume, walk
from obligato.terms import INT, Kind, Op, Term, free_vars, postorder, to_signed
from obligato.terms.rules import arith, bitvec

PATHS = 16  # around one loop
NARROWING = 3
Line = tuple[Mapping[Term, int], int]  # coefficients and a constant


@dataclass(frozen=True, slots=True)
class Round:
    """One way around a loop: what must hold before, and what is added to the numbers it assigns."""

    guard: tuple[Term, ...]
    changes: Mapping[Term, Line]


@dataclass(frozen=True, slots=True)
class Loop:
    """The rounds at a location; what is known where it is entered, and always. `unsigned` are the
    words that are read so.
    """

    location: int
    rounds: tuple[Round, ...]
    unsigned: frozenset[Term]  # membership only
    entry: State
    head: State

    @property
    def changed(self) -> list[Term]:
        """The numbers that rounds change."""
        return list(dict.fromkeys(x for r in self.rounds for x in r.changes))

    def range(self, t: Term, state: State) -> IntRange:
        """The values of a term as integers; a limit of its sort says nothing."""
        found = evaluate_range(t, state)
        if t.sort is INT:
            return found or ALL
        found, limits = found or top(t.sort), bit_top(t.width)
        view = 0 if t in self.unsigned else 2
        low, high = found[view], found[view + 1]
        return (None if low == limits[view] and view else low), (
            None if high == limits[view + 1] else high
        )

    def line(self, line: Line, state: State) -> IntRange:
        """The values of a linear form."""
        coefficients, constant = line
        parts = [int_scale(c, self.range(t, state)) for t, c in coefficients.items()]
        return int_add([(constant, constant), *parts])

    def change(self, x: Term, state: State) -> IntRange:
        """What some round adds to a number, in a state that satisfies its guard."""
        return reduce(int_join, self._changes(x, state))

    def _changes(self, x: Term, state: State) -> Iterator[IntRange]:
        reached = False
        for r in self.rounds:
            here: State | None = state
            for g in r.guard:
                here = assume(g, True, here) if here is not None else None
            if here is not None:
                reached = True
                yield self.line(r.changes.get(x, ({}, 0)), here)
        if not reached:
            yield ALL

    def assumed(self) -> State:
        """What is known, and that numbers which no round makes less (greater) stay above (below)
        their values on entry.
        """
        state = self.head
        for _ in range(2):
            for x in self.changed:
                (least, most), (low, high) = self.change(x, state), self.range(x, self.entry)
                bounds = (
                    low if least is not None and least >= 0 else None,
                    high if most is not None and most <= 0 else None,
                )
                state = self._bounded(x, bounds, state)
        return state

    def _bounded(self, x: Term, bounds: IntRange, state: State) -> State:
        old = state.get(x) or top(x.sort)
        new: Range
        if x.sort is INT:
            new = int_meet(old, bounds)
        else:
            limits = list(bit_top(x.width))
            view = 0 if x in self.unsigned else 2
            for i, bound in enumerate(bounds):
                limits[view + i] = limits[view + i] if bound is None else bound
            new = bit_meet(old, tuple(limits), x.width)  # type: ignore[arg-type]
        return state if new is None or new == top(x.sort) else state.with_fact(x, new)


def loops(blocks: CFA) -> list[Loop]:
    """The loops of one block or several around one location that have few rounds and change
    numbers.
    """
    found = {loc: _rounds(blocks, loc) for loc in blocks.locations}
    found = {loc: rounds for loc, rounds in found.items() if any(r.changes for r in rounds)}
    if not found:
        return []
    analysis = IntervalAnalysis(blocks)
    solution, unsigned = solve(blocks, analysis, NARROWING), _unsigned(blocks)
    out = []
    for loc, rounds in found.items():
        states = _states(blocks, loc, solution)
        if states is not None:
            out.append(Loop(loc, tuple(rounds), unsigned, *states))
    return out


def _states(blocks: CFA, location: int, solution: Solution[State]) -> tuple[State, State] | None:
    """The state in which a loop is entered, and the one of all its rounds; None: it is not
    reached.
    """
    analysis = solution.analysis
    edges = [e for e in blocks.into(location) if e.source != location]
    before = solution.at([location, *(e.source for e in edges)])
    after = [analysis.transfer(e, before[e.source]) for e in edges if e.source in before]
    entries = [state for state in after if state is not None]
    if not entries or location not in before:
        return None
    return reduce(analysis.join, entries), before[location]


def _rounds(blocks: CFA, location: int) -> list[Round]:
    """The rounds at a location; none if there are too many."""
    around = [e for e in blocks.out(location) if e.target == location]
    return [_round(path_effect(blocks.store, e.command, p)) for e, p in ways(around, PATHS) or ()]


def _round(effect: PathEffect) -> Round:
    numbers = {
        x: e
        for x, e in effect.pull.mapping.items()
        if x is not e and (x.sort is INT or x.sort.kind is Kind.BITVEC)
    }
    return Round(tuple(effect.guard), {x: _difference(e, x) for x, e in numbers.items()})


def _difference(e: Term, x: Term) -> Line:
    if x.sort is INT:
        coefficients, constant = arith.combine([(1, e), (-1, x)])
        return {t: int(c) for t, c in coefficients.items()}, int(constant)
    words, constant = bitvec.combine([(1, e), (-1, x)], x.width)
    return {t: to_signed(c, x.width) for t, c in words.items()}, to_signed(constant, x.width)


def _unsigned(blocks: CFA) -> frozenset[Term]:
    """The words that conditions compare without a sign, and never with one."""
    commands = (c for e in blocks.edges for c in walk(e.command))
    compared: dict[Op, set[Term]] = {Op.BVULT: set(), Op.BVSLT: set()}
    for t in postorder([c.condition for c in commands if isinstance(c, Assume)]):
        if t.op in compared:
            compared[t.op].update(free_vars(t))
    return frozenset(compared[Op.BVULT] - compared[Op.BVSLT])
