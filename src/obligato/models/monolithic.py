"""One relation with a program counter [LNNK19, Sect. 3]:
a CFA with one self-loop, as IC3 without control flow sees it.

The location is a variable: each edge assumes its source and assigns its target, and all edges
between locations that are not initial or error are joined to one choice. Edges come tagged
(`blocks`), so a trace is one of the original CFA; `lift` reads an invariant of the one location at
each value of the counter.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq
from obligato.terms import INT, Kind, Substitution, Term, bitvec

COUNTER = "pc!"


class Monolithic:
    """`cfa` is the automaton with the one location `everywhere`.
    Requires: the edges of `original` are blocks."""

    def __init__(self, original: CFA) -> None:
        self.original, self.store = original, original.store
        self.number = {loc: n for n, loc in enumerate(original.inner)}
        arithmetic = bool(original.variables) and all(
            v.sort.kind in (Kind.INT, Kind.REAL) for v in original.variables
        )
        self.sort = INT if arithmetic else bitvec(max(len(self.number).bit_length(), 1))
        self.counter = self.store.fresh(COUNTER, self.sort)
        self.everywhere = max(original.locations) + 1
        self.cfa = self._joined()

    def _value(self, location: int) -> Term:
        return self.store.const(self.number[location], self.sort)

    def _joined(self) -> CFA:
        o = self.original
        groups: dict[tuple[int, int], list[Command]] = {}
        for e in o.edges:
            key = self._place(e.source), self._place(e.target)
            groups.setdefault(key, []).append(self._command(e))
        edges = [
            Edge(n, source, target, commands[0] if len(commands) == 1 else Choice(tuple(commands)))
            for n, ((source, target), commands) in enumerate(groups.items())
        ]
        locations = {loc: o.locations[loc] for loc in (o.initial, o.error)}
        locations[self.everywhere] = Location(self.everywhere, "anywhere")
        return replace(
            o,
            variables=(*o.variables, self.counter),
            locations=locations,
            edges=tuple(edges),
            keep=(),
        )

    def _place(self, location: int) -> int:
        return (
            location
            if location in (self.original.initial, self.original.error)
            else self.everywhere
        )

    def _command(self, edge: Edge) -> Command:
        parts: list[Command] = []
        if edge.source in self.number:
            parts.append(Assume(self.store.eq(self.counter, self._value(edge.source))))
        parts.append(edge.command)
        if edge.target in self.number:
            parts.append(Assign(((self.counter, self._value(edge.target)),)))
        return Seq(tuple(parts))

    def lift(self, invariant: Term) -> dict[int, Term]:
        """What an invariant of the one location says at each location of the original."""
        return {
            loc: Substitution({self.counter: self._value(loc)})(invariant) for loc in self.number
        }
