"""What has changed the bounds of a formula, in order:
the certificate, as bits and as claims (`models.ctl_claims`).

A change is made here and nowhere else, so that the certificate is the list of what was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from obligato.engines.fair.walls import excluding
from obligato.engines.ic3.service import State
from obligato.engines.ic3ts.cube import Cube
from obligato.engines.iictl.cycles import Cycles
from obligato.engines.iictl.graph import Graph, Node
from obligato.engines.iictl.model import Model, Move
from obligato.models.ctl_claims import Bounds, CubeStep, Entry, Leads, Leaves, Loops, Separates
from obligato.terms import Term, Value


class Entries:
    """The changes of one run."""

    def __init__(self, model: Model, graph: Graph) -> None:
        self.model, self.graph, self.env = model, graph, model.env
        self.claims: list[Entry] = []

    def join(self, node: Node, state: State, cube: Cube, move: Move) -> None:
        """The cube joins L: the move leads all its states into what `state` was led into."""
        self.claims.append(Leads(node.formula, self._step(state, cube, move)))
        self._joined(node, cube)

    def join_loop(
        self, node: Node, loop: Sequence[tuple[State, Move]], cubes: Sequence[Cube]
    ) -> None:
        """The cubes of a loop join L together."""
        steps = tuple(
            self._step(state, cube, move) for (state, move), cube in zip(loop, cubes, strict=True)
        )
        self.claims.append(Loops(node.formula, steps))
        for cube in cubes:
            self._joined(node, cube)

    def _joined(self, node: Node, cube: Cube) -> None:
        self.graph.join(node, cube)
        self.env.count("joined")
        self.env.count("joined_sets", len(cube) < len(self.model.bits.bit) - 1)

    def leave(self, node: Node, cubes: tuple[Cube, ...]) -> None:
        """The states in none of the cubes leave U."""
        self.claims.append(Leaves(node.formula, self._outside(cubes)))
        self.graph.leave(node, cubes)
        self.env.count("left")
        self.env.count("left_sets", not self._one_state(cubes))

    def _one_state(self, cubes: tuple[Cube, ...]) -> bool:
        return len({abs(c[0]) for c in cubes if len(c) == 1}) == len(self.model.bits.bit) - 1

    def walls(self, node: Node, numbers: Iterable[int], cycles: Cycles) -> None:
        """New walls of an EG node."""
        new = list(numbers)
        if new:
            formulas = cycles.builder.formulas()
            self.claims += [
                Separates(node.formula, formulas[k], cycles.builder.walls[k].relative) for k in new
            ]

    # -- as claims ---------------------------------------------------------------------------------

    def _outside(self, cubes: Iterable[Cube]) -> Term:
        return self.model.bits.system.store.and_(
            *(excluding(self.model.bits, cube) for cube in cubes)
        )

    def _cube(self, cube: Cube) -> Term:
        s, atom = self.model.bits.system.store, self.model.bits.atom
        return s.and_(*(atom(x) if x > 0 else s.not_(atom(-x)) for x in cube))

    def _step(self, state: State, cube: Cube, move: Move) -> CubeStep:
        bits = self.model.bits
        free = {bits.source[n] for n in move}
        inputs: dict[str, Value] = {i.name: bits.value(i, free) for i in bits.system.inputs}
        follows = (
            {} if bits.system.next is not None else self.values(self.model.successor(state, move))
        )
        return CubeStep(self._cube(cube), inputs, follows)

    def values(self, state: State) -> Mapping[str, Value]:
        """A state by the names of the system."""
        bits = self.model.bits
        true = {g for n, g in enumerate(bits.bit) if n and state >> n & 1}
        return {x.name: bits.value(x, true) for x in bits.system.state}

    def certificate(self, violation: State | None) -> Bounds:
        """The claim; `violation` is an initial state outside the upper bound of the root,
        if the formula does not hold."""
        bits, s = self.model.bits, self.model.bits.system.store
        invariant = s.and_(*bits.known, *(excluding(bits, cube) for cube in self.model.invariant))
        return Bounds(
            invariant, tuple(self.claims), None if violation is None else self.values(violation)
        )
