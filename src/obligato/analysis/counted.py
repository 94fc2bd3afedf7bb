"""Locations of recovered control flow told apart by the values of counted variables.

A loop that runs eight times over eight variables that stand for an array has no short invariant:
each round says something else. Where a variable is assigned constants and counted up or down from
them its values can be part of the location, like the values of the program counter; what is left
has a formula for each round, and loops that end are none any more.

`split` follows the edges from the start with what is known of such variables, as conditional
constant propagation would, but joins nothing. A variable that takes too many values is given up.
Nothing is claimed: the certificate says of each copy of a location which values it stands for
(`ControlFlow.pinned`), and the checker sees the system only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from obligato.analysis.maps import NeededAt
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.control_flow import ControlFlow, edge_command, propagated, solved
from obligato.models.effect import PathEffect, path_effect
from obligato.terms import Kind, Op, Substitution, Term, conjuncts, free_vars
from obligato.terms.traversal import assigned_constant

VALUES, LOCATIONS = 40, 200  # of a variable at one location; of the result
# variables and their constants, in the order of the variables
Known = tuple[tuple[Term, Term], ...]
Node = tuple[int, Known]


def split(flow: ControlFlow, tick: Callable[[], None] = lambda: None) -> ControlFlow | None:
    """The control flow with a location for each value of counted variables; None: there are none
    with few values, or that leaves no fewer loops.
    """
    effects = {e.id: path_effect(flow.cfa.store, e.command) for e in flow.cfa.edges}
    tracked = counted(flow.cfa, effects)
    while tracked:
        walk = _Walk(flow, effects, tracked, tick)
        excess = walk.explore()
        if excess is None:
            found = walk.build()
            return found if len(cut_points(found.cfa)) < len(cut_points(flow.cfa)) else None
        tracked = [x for x in tracked if x not in excess]
    return None


def counted(cfa: CFA, effects: dict[int, PathEffect]) -> list[Term]:
    """The numbers that some edge changes by a constant and some edge sets to one, or asks
    for one.
    """
    found: dict[Term, set[bool]] = {}
    for effect in effects.values():
        for x, e in (*effect.pull.mapping.items(), *said(effect.guard)):
            if e.is_const or (e.op in (Op.ADD, Op.BVADD) and list(free_vars(e)) == [x]):
                found.setdefault(x, set()).add(e.is_const)
    numbers = (Kind.INT, Kind.REAL, Kind.BITVEC)
    return [x for x in cfa.variables if found.get(x) == {True, False} and x.sort.kind in numbers]


def said(guard: Iterable[Term]) -> Iterator[tuple[Term, Term]]:
    """The variables that must have one value, and that value."""
    for fact in guard:
        for part in conjuncts(fact):
            x, value = assigned_constant(part)
            if x is not None and value is not None:
                yield x, value


class _Walk:
    """The exploration of locations with values."""

    def __init__(
        self,
        flow: ControlFlow,
        effects: dict[int, PathEffect],
        tracked: list[Term],
        tick: Callable[[], None],
    ) -> None:
        self.flow, self.cfa, self.store = flow, flow.cfa, flow.cfa.store
        self.effects, self.tracked, self.tick = effects, tracked, tick
        self.needed = NeededAt.of(self.cfa)
        self.number: dict[Node, int] = {
            (self.cfa.initial, ()): self.cfa.initial,
            (self.cfa.error, ()): self.cfa.error,
        }
        self.copies: list[tuple[Edge, Node, Node]] = []
        self.seen: dict[tuple[int, Term], set[Term]] = {}

    def explore(self) -> list[Term] | None:
        """Follow all edges; the variables that have too many values, if there are any."""
        pending: list[Node] = [(self.cfa.initial, ())]
        while pending:
            here = pending.pop()
            for edge in self.cfa.out(here[0]):
                self.tick()
                there = self._after(edge, here[1])
                if there is None:
                    continue
                self.copies.append((edge, here, there))
                if there not in self.number:
                    self.number[there] = len(self.number) + max(self.cfa.locations)
                    pending.append(there)
                    excess = self._excess(there)
                    if excess:
                        return excess
        return None

    def _after(self, edge: Edge, known: Known) -> Node | None:
        """Where an edge leads with known values; None: no run passes."""
        put, effect = Substitution(dict(known)), self.effects[edge.id]
        guard = [put(g) for g in effect.guard]
        if self.store.false in guard:
            return None
        if edge.target == self.cfa.error:
            return edge.target, ()
        put = Substitution({**dict(known), **dict(said(guard))})
        values = ((x, put(effect.pull(x))) for x in self.tracked if (edge.target, x) in self.needed)
        return edge.target, tuple((x, v) for x, v in values if v.is_const)

    def _excess(self, node: Node) -> list[Term]:
        for x, v in node[1]:
            self.seen.setdefault((node[0], x), set()).add(v)
        most = max((len(vs) for vs in self.seen.values()), default=0)
        limit = most - 1 if len(self.number) > LOCATIONS else VALUES
        return list(dict.fromkeys(x for (_, x), vs in self.seen.items() if len(vs) > limit))

    def build(self) -> ControlFlow:
        """The control flow of the copies; each has inputs of its own."""
        edges: list[Edge] = []
        inputs: list[Term] = []
        origin: dict[int, dict[Term, Term]] = {}
        for edge, here, there in self.copies:
            self.tick()
            copy, own, told = self._copy(edge, len(edges), here, there)
            edges.append(copy)
            inputs += own
            origin[copy.id] = told
        locations = {n: Location(n, self._name(node)) for node, n in self.number.items()}
        cfa = replace(
            self.cfa, inputs=tuple(inputs), locations=locations, edges=tuple(edges), keep=()
        )
        real = {node: n for node, n in self.number.items() if node[0] in self.flow.values}
        return replace(
            self.flow,
            cfa=cfa,
            values={n: self.flow.values[node[0]] for node, n in real.items()},
            inputs=origin,
            pinned={n: node[1] for node, n in real.items()},
        )

    def _name(self, node: Node) -> str:
        names = (f"{self.cfa.display.get(x.name, x.name)} = {v}" for x, v in node[1])
        return ", ".join([self.cfa.locations[node[0]].name, *names])

    def _copy(
        self, edge: Edge, number: int, here: Node, there: Node
    ) -> tuple[Edge, list[Term], dict[Term, Term]]:
        """An edge between copies with the known values put in; its inputs that are left; those of
        the system by them.
        """
        s, effect = self.store, self.effects[edge.id]
        own = {i: s.fresh(f"{i.name}!c{number}", i.sort) for i in self.cfa.edge_inputs(edge)}
        put = Substitution({**dict(here[1]), **own})
        told = {i: put(e) for i, e in self.flow.inputs[edge.id].items()}
        determined, rest = solved(propagated(s.and_(*map(put, effect.guard))), list(own.values()))
        last = Substitution(determined)
        pairs = tuple(
            (x, e) for x in effect.pull.mapping if (e := last(put(effect.pull(x)))) is not x
        )
        copy = replace(
            edge,
            id=number,
            source=self.number[here],
            target=self.number[there],
            command=edge_command(rest, pairs),
        )
        return (
            copy,
            [i for i in own.values() if i not in determined],
            {i: last(e) for i, e in told.items()},
        )
