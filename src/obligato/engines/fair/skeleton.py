"""Skeletons [BSHZ11]: one step (s_i, x_i, t_i) in each fairness set B_i, all states in R and on one
side of each wall.

One SAT solver holds a copy of the circuit for each set. Walls and clauses of R are added as they
are found. Without the t_i on the same side the search would not advance: a wall may contain the
successor of s_i and exclude s_i itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.fair.walls import BitWall
from obligato.engines.ic3.service import Move, State, Successor
from obligato.engines.ic3ts.cube import Cube, put_in
from obligato.models.ts_bits import BitSystem
from obligato.smt import SAT
from obligato.smt.bit_solver import BitSolver, Model
from obligato.smt.blast import BlastContext
from obligato.smt.blast.rewrite import Rewriting


@dataclass(frozen=True, slots=True)
class Joint:
    """One step of a skeleton: the state, the inputs, the state after it."""

    state: State
    move: Move
    after: State


class Copy:
    """The literals of one copy of the circuit: the state before a step, the state after it, the
    inputs, and what each step satisfies.
    """

    now: list[int]
    then: list[int]
    free: dict[int, int]
    facts: list[int]


class NewCopy(Copy):
    """A copy of the system's transition relation in a new circuit."""

    def __init__(self, bits: BitSystem, context: BlastContext, wanted: int) -> None:
        gates = context.gates
        self.now = [1, *(gates.input() for _ in bits.bit[1:])]
        self.free = {g: gates.input() for g in bits.source[len(bits.bit) :]}
        given = dict(zip(bits.bit, self.now, strict=True)) | self.free
        roots = [*bits.constraints, *bits.step, wanted, *bits.next]
        new = Rewriting(bits.context.gates, roots, gates, given)
        self.facts = [new(x) for x in (*bits.constraints, *bits.step, wanted)]
        self.then = [new(x) for x in bits.next]


class Skeletons:
    """The search for skeletons; `copies` are in the circuit `context`, one for each fairness set."""

    def __init__(
        self,
        bits: BitSystem,
        context: BlastContext,
        copies: Sequence[Copy],
        successor: Successor,
        env: Environment,
        inner_first: bool = True,
    ) -> None:
        self.inner_first = inner_first
        self.bits, self.successor, self.env = bits, successor, env
        self.context, self.copies = context, copies
        self.solver = BitSolver(env.stats, context)
        self._side: list[int] = []  # by wall: the gate that says on which side all are
        self._wished: list[int] = []  # sides to be tried first
        self.assumed: list[int] = []  # gates that hold besides, for the time being
        for copy in self.copies:
            for x in copy.facts:
                self._assert([x])

    def _assert(self, gates: Iterable[int]) -> None:
        self.solver.add_clause([self.solver.load(x) for x in gates])

    def exclude(self, cubes: Iterable[Cube]) -> None:
        """Add these cubes to what R excludes."""
        for cube in cubes:
            for copy in self.copies:
                for literals in (copy.now, copy.then):
                    self._assert([-x for x in put_in(literals, cube)])

    def separate(self, wall: BitWall) -> None:
        """All states are on one side of the wall."""
        gates = self.context.gates
        side = gates.input()
        for copy in self.copies:
            for literals in (copy.now, copy.then):
                parts = [-gates.all_of(put_in(literals, cube)) for cube in wall.cubes]
                place = gates.all_of([*parts, *self._sides(wall)])
                self._assert([-side, place])
                self._assert([side, -place])
        self._side.append(side)
        if self.inner_first:
            self._wished.append(side)

    def _sides(self, wall: BitWall) -> list[int]:
        """Earlier walls are given by their side: all states are on it."""
        return [self._side[j] if side else -self._side[j] for j, side in wall.sides]

    def find(self) -> list[Joint] | None:
        """A skeleton; None: there is none. Runs end inside walls, so skeletons there are tried
        first.
        """
        while True:
            self.env.tick()
            wished, assumed = (
                [self.solver.load(x) for x in gates] for gates in (self._wished, self.assumed)
            )
            # for all i: R(s_i), C and T and B_i (s_i, x_i, t_i), R(t_i); for all walls: all s_i,
            # t_i on one side   (required)
            #   sat - a skeleton; unsat - none on the wished sides; with no wish in the core - no
            #   fair run exists
            if self.solver.decide([*assumed, *wished], "skeleton") is SAT:
                model = self.solver.model()
                return [self._joint(copy, model) for copy in self.copies]
            failed = self.solver.failed()
            hopeless = [x for x, y in zip(self._wished, wished, strict=True) if y in failed]
            if not hopeless:
                return None
            self._wished.remove(hopeless[-1])
            if len(hopeless) == 1 and failed.isdisjoint(assumed):
                self._assert([-hopeless[0]])

    def _joint(self, copy: Copy, model: Model) -> Joint:
        state = sum(1 << n for n, x in enumerate(copy.now) if n and self._holds(x, model))
        number = {g: n for n, g in enumerate(self.bits.source)}
        move = tuple(
            number[g] if self._holds(x, model) else -number[g] for g, x in copy.free.items()
        )
        return Joint(state, move, self.successor(state, move))

    def _holds(self, literal: int, model: Model) -> bool:
        if not self.solver.has(literal):
            return False
        y = self.solver.load(literal)
        return (model[abs(y)] > 0) is (y > 0)

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()
