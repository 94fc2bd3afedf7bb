"""Runs of a program whose large numbers are made small, so that a few steps pass all of its loops.

A loop over 100,000 cells ends in no run that can be afforded, one over seven cells does.  `shrunk`
gives large constants small values in the same order, and what is near stays as near.  Such runs are
none of the program and show nothing about it: they say which candidates are worth a question, and
which of several is the strongest (`Samples`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from obligato.analysis.commands import mapped, terms_of
from obligato.analysis.sampling import run
from obligato.models.cfa import CFA
from obligato.models.execution import State
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged, walk
from obligato.terms import Kind, Term, Value, evaluate, postorder, substitute
from obligato.terms.semantics import to_signed

KEPT = 4  # numbers up to here stay as they are
GAP = 3  # the distance of others at most
WIDTH = 16  # of words that are numbers
RUNS, TRIES, SHORT, STEPS = 16, 60, 12, 600
STATES = 40  # at one location
INDICES = range(-1, 9)  # that are tried in each state


def shrunk(cfa: CFA) -> tuple[CFA, dict[int, int]]:
    """The program with small numbers, and which."""
    leaves = [c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume)]
    constants = [t for t in postorder(t for c in leaves for t in terms_of(c)) if t.is_const]
    numbers = {t: n for t in constants if (n := _number(t)) is not None}
    small = _small(numbers.values())
    mapping = {t: _constant(t, small[n]) for t, n in numbers.items() if small[n] != n}
    edges = tuple(replace(e, command=_replaced(e.command, mapping)) for e in cfa.edges)
    return replace(cfa, edges=edges), small


def _number(t: Term) -> int | None:
    if not isinstance(t.data, int):
        return None
    if t.sort.kind is Kind.BITVEC:
        return to_signed(t.data, t.sort.width) if t.sort.width >= WIDTH else None
    return t.data if t.sort.kind is Kind.INT else None


def _constant(t: Term, n: int) -> Term:
    return t.store.const(n & t.sort.mask if t.sort.kind is Kind.BITVEC else n, t.sort)


def _small(numbers: Iterable[int]) -> dict[int, int]:
    """Small numbers in the same order."""
    out, known = {0: 0}, set(numbers)
    for sign in (1, -1):
        before = new = 0
        for n in sorted(sign * n for n in known if sign * n > 0):
            new = n if n <= KEPT else max(new, KEPT) + min(n - before, GAP)
            out[sign * n], before = sign * new, n
    return out


def _replaced(command: Command, mapping: Mapping[Term, Term]) -> Command:
    if isinstance(command, Seq):
        return Seq(tuple(_replaced(c, mapping) for c in command.parts))
    if isinstance(command, Choice):
        return Choice(tuple(_replaced(c, mapping) for c in command.branches))
    if isinstance(command, Tagged):
        return Tagged(command.edge, _replaced(command.command, mapping))
    return mapped(command, lambda t: substitute(t, mapping))


class Samples:
    """States of small runs by location, each with several values of the index; formulas as the set
    of those in which they are true, one bit for each.
    """

    def __init__(self, cfa: CFA, locations: Iterable[int], index: Term, seed: int) -> None:
        self.index = index
        self.cfa, self.small = shrunk(cfa)
        self.states: dict[int, list[State]] = {loc: [] for loc in locations}
        runs = 0
        for number in range(TRIES):
            seen = list(run(self.cfa, Random(f"{seed} {number}"), STEPS, len(INDICES)))
            for location, state in seen:
                if location in self.states:
                    self.states[location].append(state)
            runs += len(seen) > SHORT
            if runs == RUNS:
                break

    def at(self, location: int, formulas: Sequence[Term]) -> list[int]:
        """For each formula the set of samples at a location in which it is true."""
        sets, bit = [0] * len(formulas), 1
        small = self._shrunk(formulas)
        for state in self._chosen(location):
            for place in INDICES:
                memo: dict[Term, Value] = {}
                values: State = {**state, self.index: self._value(place)}
                for k, f in enumerate(small):
                    if evaluate(f, values, memo):
                        sets[k] |= bit
                bit <<= 1
        return sets

    def _shrunk(self, formulas: Sequence[Term]) -> list[Term]:
        """The formulas with small numbers, also those that are only near to one of the program."""
        mapping = {}
        for t in postorder(formulas):
            n = _number(t) if t.is_const else None
            if n is not None and abs(n) > KEPT:
                near = min(self.small, key=lambda m: (abs(m - n), m))
                mapping[t] = _constant(t, self.small[near] + n - near)
        return [substitute(f, mapping) for f in formulas]

    def _chosen(self, location: int) -> list[State]:
        """Some of the states, spread over all runs."""
        states = self.states[location]
        step = max(1, len(states) / STATES)
        return [states[int(k * step)] for k in range(min(len(states), STATES))]

    def _value(self, place: int) -> Value:
        return place & self.index.sort.mask if self.index.sort.kind is Kind.BITVEC else place
