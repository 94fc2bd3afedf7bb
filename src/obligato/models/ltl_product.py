"""The product of a program with the automaton of the runs that violate a temporal formula.

The letters are the states after each edge, from the first statement of the entry procedure on: how
globals get their initial values is no step, and neither is a check of a limit before that
statement. A run that has ended stays where it is. A location of the product is one of the program,
a state of the automaton, and whose turn it is among the U's; an edge is one of the program that
also assumes what the automaton reads after it. Accepting is where all U's have had their turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from obligato.models.automata import Automaton, Move
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import SKIP, Assume, Command, Seq
from obligato.models.ltl import Formula
from obligato.models.rank_claims import Base, BuchiCFA
from obligato.terms import Term, free_vars

Place = tuple[int, int, int, bool]  # location, state, whose turn it is, have all had theirs
STUTTER = -1  # the number of the edge on which a run that has ended stays where it is


@dataclass(frozen=True, eq=False)
class LtlProduct:
    """The product; `origin` gives the edge of the program, or STUTTER, of each of its edges."""

    problem: BuchiCFA
    origin: dict[int, int]


def product_of(cfa: CFA, automaton: Automaton, silent: int) -> LtlProduct:
    """The product with `cfa`, whose first `silent` edges are no steps;
    its error location stands for limits."""
    return _Product(cfa, automaton, silent).build()


def entry_location(cfa: CFA, silent: int) -> dict[int, None]:
    """The locations before the first step, the last of which is where it begins."""
    before = {cfa.initial: None}
    here = cfa.initial
    while True:
        ways = [e for e in cfa.out(here) if e.target != cfa.error]
        checks = len(ways) == 1 < len(cfa.out(here))
        start = cfa.locations[here].name == "start"
        if len(ways) != 1 or not (silent > 0 or start or checks) or ways[0].target in before:
            return before
        silent -= not start and not checks
        here = ways[0].target
        before[here] = None


class _Product:
    def __init__(self, cfa: CFA, automaton: Automaton, silent: int) -> None:
        self.cfa, self.automaton, self.store = cfa, automaton, cfa.store
        self.before = entry_location(cfa, silent)
        self.number: dict[Place, int] = {}
        self.edges: list[Edge] = []
        self.origin: dict[int, int] = {}
        self.error = 0

    def build(self) -> LtlProduct:
        """All that is reachable in the graph."""
        path = list(self.before)
        start = (path[0], -1, 0, False)
        self._at(start)
        self.error = 1
        done, limits = 0, {1: Location(1, "error")}
        while done < len(self.number):
            place = list(self.number)[done]
            done += 1
            self._leave(place, waiting=place[1] < 0 and place[0] != path[-1])
        locations = {
            n: replace(self.cfa.locations[p[0]], id=n, name=self._name(p))
            for p, n in self.number.items()
        } | limits
        accepting = frozenset(n for p, n in self.number.items() if p[3])
        product = replace(
            self.cfa,
            locations=dict(sorted(locations.items())),
            edges=tuple(self.edges),
            initial=0,
            error=self.error,
            keep=(),
        )
        letters = [a for moves in self.automaton.moves for m in moves for a in (*m.true, *m.false)]
        observed = tuple(v.name for v in free_vars(*map(_term, letters)))
        base = Base(self.cfa, {n: place[0] for place, n in self.number.items()})
        return LtlProduct(BuchiCFA(product, accepting, observed, base), self.origin)

    def _at(self, place: Place) -> int:
        if place not in self.number:
            # 1 is the error location
            self.number[place] = len(self.number) + (1 if self.number else 0)
        return self.number[place]

    def _name(self, place: Place) -> str:
        name = self.cfa.locations[place[0]].name
        return name if place[1] < 0 else f"{name}/{place[1]}.{place[2]}{'+' if place[3] else ''}"

    def _leave(self, place: Place, waiting: bool) -> None:
        here = self.number[place]
        out: list[tuple[int, int, Edge | None]] = [
            (e.id, e.target, e) for e in self.cfa.out(place[0])
        ]
        for number, target, edge in out or [(STUTTER, place[0], None)]:
            command = SKIP if edge is None else edge.command
            if target == self.cfa.error:
                self._add(here, self.error, command, number, edge)
            elif waiting:
                self._add(here, self._at((target, -1, 0, False)), command, number, edge)
            else:
                self._read(here, place, target, command, number, edge)

    def _read(
        self, here: int, place: Place, target: int, command: Command, number: int, edge: Edge | None
    ) -> None:
        """The edge, and then each move of the automaton."""
        for move in self.automaton.moves[max(place[1], 0)]:
            turn, all_had = self._turns(place[2], move)
            after = (target, self.automaton.states.index(move.after), turn, all_had)
            letter = self.store.and_(
                *map(_term, move.true), *(self.store.not_(_term(a)) for a in move.false)
            )
            both = Seq((command, Assume(letter))) if letter is not self.store.true else command
            self._add(here, self._at(after), both, number, edge)

    def _turns(self, turn: int, move: Move) -> tuple[int, bool]:
        """Whose turn it is after a move, and whether all have had theirs."""
        untils = self.automaton.untils
        while turn < len(untils) and untils[turn] not in move.postponed:
            turn += 1
        return (0, True) if turn == len(untils) else (turn, False)

    def _add(
        self, source: int, target: int, command: Command, number: int, edge: Edge | None
    ) -> None:
        self.origin[len(self.edges)] = number
        new = Edge(len(self.edges), source, target, command)
        if edge is not None:
            new = replace(edge, id=new.id, source=source, target=target, command=command)
        self.edges.append(new)


def _term(atom: Formula) -> Term:
    assert atom.atom is not None
    return atom.atom
