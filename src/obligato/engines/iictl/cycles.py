"""FAIR's questions for one EG node: is there a fair cycle inside U,
and is it reached from a state? [BSHZ11; HBS12]

Walls are proved relative to U (and R) only, never to the state that is asked about: U shrinks, so a
wall once proved stays one, and all questions of the node share them. What is proved about one state
s is Q, a set that contains s and is closed under the steps inside U: the "no" answers about stems.
If there is no skeleton inside U and Q on one side of each wall, no state of Q has a fair path
inside U, and all of Q leaves U. The walls alone remove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from obligato.engines.fair.engine import connected
from obligato.engines.fair.skeleton import Copy, Joint, Skeletons
from obligato.engines.fair.walls import Builder
from obligato.engines.ic3.service import Path, State
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube
from obligato.engines.iictl.model import Image, Model, Move
from obligato.engines.iictl.reach import Reach


@dataclass(frozen=True, slots=True)
class BitLasso:
    """Steps, and where the loop begins; the last one leads back there."""

    steps: tuple[tuple[State, Move], ...]
    loop: int


class _Copy(Copy):
    """The circuit once more, in the same gates; the first copy is the circuit itself."""

    def __init__(self, model: Model, wanted: int, first: bool) -> None:
        bits, gates = model.bits, model.gates
        fresh = {g: g if first else gates.input() for g in bits.source[1:]}
        self.before = Image(gates, fresh)
        self.now = [1, *(fresh[g] for g in bits.bit[1:])]
        self.free = {g: fresh[g] for g in bits.source[len(bits.bit) :]}
        self.then = [1, *(self.before(x) for x in bits.next[1:])]
        self.after = Image(gates, dict(zip(bits.bit[1:], self.then[1:], strict=True)))
        self.facts = [self.before(x) for x in (*bits.constraints, *bits.step, wanted)]


class InsideSkeletons(Skeletons):
    """Skeletons of which all states are inside U, and inside Q for the time being."""

    def __init__(self, model: Model, sets: Sequence[int]) -> None:
        self.places = [_Copy(model, wanted, not n) for n, wanted in enumerate(sets)]
        super().__init__(model.bits, model.bits.context, self.places, model.successor, model.env)
        self.exclude(model.invariant)
        self._inside = 1

    def inside(self, upper: int) -> None:
        """U is the gate literal `upper` from now on."""
        if upper != self._inside:
            self._inside = upper
            for x in self._everywhere(upper):
                self._assert([x])

    def _everywhere(self, x: int) -> list[int]:
        return [image(x) for copy in self.places for image in (copy.before, copy.after)]

    def closed(self, outside: int | None) -> None:
        """Assume in all states, until the next call, that the gate literal `outside` is true."""
        self.assumed = [] if outside is None else self._everywhere(outside)


class InsideBuilder(Builder):
    """Walls that are closed under the steps inside U."""

    checks_contracts = False
    upper: tuple[int, int] = (1, 1)  # U before and after a step

    def _fresh_enough(self) -> StepSolver:
        solver = super()._fresh_enough()
        for x in self.upper:
            solver.add_clause((solver.load(x),))
        return solver


class Cycles:
    """The questions of one EG node."""

    def __init__(self, model: Model, sets: Sequence[int], reach: Reach, budget: int) -> None:
        self.model, self.reach = model, reach
        self.builder = InsideBuilder(model.bits, model.env, model.invariant)
        self.skeletons = InsideSkeletons(model, sets)
        self.closed: list[Cube] = []  # Q is what is in none of them
        self._left = 0  # solver calls
        self.budget = budget  # solver calls of the next turn
        # solver calls of FAIR so far, and of searches for dead ends
        self.spent = self.descended = 0
        self.tried = False  # whether there is a way for all states to go on
        self._seen = 0  # walls that somebody has been told of

    def begin(self) -> None:
        """Questions are about another state from now on."""
        self.closed = []
        self.skeletons.closed(None)

    def close_in(self, cubes: Sequence[Cube]) -> None:
        """Exclude these cubes from Q, the states in which a loop is still looked for."""
        self.closed += [c for c in cubes if c not in self.closed]
        self.skeletons.closed(self.model.outside(self.closed))

    def take_walls(self) -> range:
        """The numbers of the walls that are new since the last call."""
        new, self._seen = range(self._seen, len(self.builder.walls)), len(self.builder.walls)
        return new

    def reach_from(
        self, start: State, target: int, upper: int, budget: int
    ) -> Path | tuple[Cube, ...]:
        """A path inside U from the state to the target (a gate literal), or the cubes whose
        complement proves there is none."""
        self.reach.begin(start)
        return self.reach.ask(target, [upper, self.model.after(upper)], budget)

    def find(self, start: State, upper: int, budget: int) -> BitLasso | None:
        """A fair lasso from the state inside U = `upper`; None: there is none in all of Q. Raises
        `PutOff` where that takes more solver calls than the budget."""
        self._left = budget
        within = [upper, self.model.after(upper)]
        self.skeletons.inside(upper)
        self.builder.upper = (within[0], within[1])
        self.model.env.count("fair_calls")
        while (skeleton := self.skeletons.find()) is not None:
            self.model.env.count("skeletons")
            lasso = self._connect(start, skeleton, within)
            if lasso is not None:
                return lasso
        return None

    def _connect(self, start: State, skeleton: list[Joint], within: list[int]) -> BitLasso | None:
        """The lasso of the skeleton; None: it has been excluded, by a wall or by Q."""
        paths: list[Path] = []
        for here, there in zip(skeleton, [*skeleton[1:], skeleton[0]], strict=True):
            arena = self.builder.arena(here.after, range(len(self.builder.walls)))
            found = self._travel(here.after, there.state, [*within, *self.builder.gates(arena)])
            if not isinstance(found, Path):
                self.skeletons.separate(self.builder.wall(found, there.state, arena))
                self.model.env.count("walls")
                return None
            paths.append(found)
        stem = self._travel(start, skeleton[0].state, within)
        if not isinstance(stem, Path):
            self.close_in(stem)
            return None
        steps, loop = connected(stem, skeleton, paths)
        return BitLasso(tuple((state, self.model.move(move)) for state, move in steps), loop)

    def _travel(self, start: State, target: State, within: list[int]) -> Path | tuple[Cube, ...]:
        self.reach.begin(start)
        found = self.reach.ask(
            self.model.gate(self.model.literals(target)), within, max(1, self._left)
        )
        self._left -= self.reach.spent
        return found

    def close(self) -> None:
        """Free the solvers."""
        for part in (self.builder, self.skeletons, self.reach):
            part.close()
