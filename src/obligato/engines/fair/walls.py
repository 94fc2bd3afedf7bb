"""Walls: sets of states that are closed under steps, relative to earlier walls [BSHZ11; Bra12, 3].

A proof that t does not reach s within an arena (one side of each of some walls) is a set of cubes
that exclude s, are not true at t, and are not entered by steps inside the arena. `Builder.wall`
makes a wall of it: the smallest part of the proof that the
unsat cores lead to (weakening), the earlier walls that they need, and (required) the check that
makes it global:

    W and R and C and T and (W_j iff W_j' for j in J)  implies  W'

If that fails for the cubes alone, because they are closed on the arena's sides only, the wall is
the cubes and these sides: the sides of walls in J do not change where W_j iff W_j', so that it
holds then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.fair.debug import WallChecker
from obligato.engines.ic3.service import State, cube_of_state
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube, has_state, masks, put_in
from obligato.errors import InternalError
from obligato.models.ts_bits import BitSystem
from obligato.smt import SAT
from obligato.terms import Term

Side = tuple[int, bool]  # a wall by number, and whether its set is meant or the rest


@dataclass(slots=True)
class BitWall:
    """The states outside all `cubes`, on all `sides` of earlier walls. `now`, `then`: its gate
    before and after a step.
    """

    cubes: tuple[Cube, ...]
    sides: tuple[Side, ...]
    relative: tuple[int, ...]
    now: int
    then: int
    used: int  # the number of walls there were when it was last part of a proof
    masks: list[tuple[int, int]]  # of the cubes


class Builder:
    """The walls of one system."""

    # False: walls that are closed under a part of the system's steps only
    checks_contracts = True

    def __init__(self, bits: BitSystem, env: Environment, invariant: list[Cube]) -> None:
        self.bits, self.env, self.invariant = bits, env, invariant
        self.walls: list[BitWall] = []
        self._solver: StepSolver | None = None
        self._told = 0
        self._debug = WallChecker(bits.system) if env.debug and self.checks_contracts else None

    # -- sides -------------------------------------------------------------------------------------

    def arena(self, state: State, numbers: Iterable[int]) -> list[Side]:
        """The sides on which the state is."""
        inside: list[bool] = []
        for wall in self.walls:
            excluded = any(state & mask == value for mask, value in wall.masks)
            inside.append(not excluded and all(inside[j] is side for j, side in wall.sides))
        return [(j, inside[j]) for j in numbers]

    def gates(self, sides: Iterable[Side]) -> list[int]:
        """The gate literals that keep a step, before and after it, on these sides."""
        out = []
        for j, side in sides:
            wall = self.walls[j]
            out += [wall.now, wall.then] if side else [-wall.now, -wall.then]
        return out

    # -- from proofs to walls ----------------------------------------------------------------------

    def wall(self, cubes: Sequence[Cube], target: State, arena: Sequence[Side]) -> BitWall:
        """A wall that excludes `target`.

        Requires: the cubes' complement is closed under steps of R within the arena; one of the
        cubes has `target`.
        Ensures:  it is one of `walls`, without `target`, and closed as the head of this file says.
        """
        solver = self._fresh_enough()
        kept, relative = self._closure(solver, cubes, target, arena)
        sides: tuple[Side, ...] = ()
        if relative and not self._closed(solver, kept, relative):
            sides = tuple((j, side) for j, side in arena if j in relative)
        wall = self._add(tuple(kept), sides, tuple(relative))
        for j in relative:
            self.walls[j].used = len(self.walls)
        if self._debug is not None:
            *earlier, this = self.formulas()
            here = self.bits.system.store.not_(
                excluding(self.bits, cube_of_state(self.bits, target))
            )
            self._debug.wall(this, [earlier[j] for j in relative], self.reached(), here)
        return wall

    def _fresh_enough(self) -> StepSolver:
        """A solver that knows C and R."""
        if self._solver is None or self._solver.questions > 2000:
            if self._solver is not None:
                self._solver.close()
            self._solver, self._told = StepSolver(self.bits, self.env.stats), 0
            for c in self._solver.constraints:
                self._solver.add_clause((c,))
        solver = self._solver
        for cube in self.invariant[self._told :]:
            solver.add_clause([-y for y in solver.now(cube)])
        self._told = len(self.invariant)
        return solver

    def _closure(
        self, solver: StepSolver, cubes: Sequence[Cube], target: State, arena: Sequence[Side]
    ) -> tuple[list[Cube], list[int]]:
        """Part of the cubes that is closed within the arena and has `target`; the walls of the
        arena that this needs.
        """
        select = [self._selector(solver, cube) for cube in cubes]
        sides = {solver.load(x): j for side in arena for x in self.gates([side]) for j in [side[0]]}
        first = min(
            (n for n, c in enumerate(cubes) if has_state(c, target)), key=lambda n: len(cubes[n])
        )
        pending, kept, relative = [first], {first: None}, dict[int, None]()
        while pending:
            n = pending.pop()
            failed = self._core(solver, [*select, *sides], cubes[n])
            relative.update(dict.fromkeys(j for y, j in sides.items() if y in failed))
            new = [m for m, y in enumerate(select) if y in failed and m not in kept]
            kept.update(dict.fromkeys(new))
            pending += new
        self._retire(solver, select)
        return [cubes[n] for n in sorted(kept)], sorted(relative)

    def _core(self, solver: StepSolver, assumed: list[int], cube: Cube) -> set[int]:
        self.env.tick()
        # R and W and C and T and arena and arena' and c': unsat - the core; sat - the proof was
        # none   (required)
        if solver.decide([*assumed, *solver.step, *solver.then(cube)], "wall") is SAT:
            raise InternalError("a wall is not closed under steps")
        return solver.failed()

    def _closed(self, solver: StepSolver, cubes: Sequence[Cube], relative: Sequence[int]) -> bool:
        """Is the cubes' complement closed under steps that do not cross the walls `relative`, on
        whatever side of them?
        """
        gates = self.bits.context.gates
        select = [self._selector(solver, cube) for cube in cubes]
        same = [solver.load(-gates.xor(self.walls[j].now, self.walls[j].then)) for j in relative]
        try:
            return all(self._avoids(solver, [*select, *same], cube) for cube in cubes)
        finally:
            self._retire(solver, select)

    def _avoids(self, solver: StepSolver, assumed: list[int], cube: Cube) -> bool:
        self.env.tick()
        # R and W and C and T and (W_j iff W_j', j in J) and c': unsat - closed; sat - not
        # (required)
        return solver.decide([*assumed, *solver.step, *solver.then(cube)], "wall") is not SAT

    def _selector(self, solver: StepSolver, cube: Cube) -> int:
        """A literal that, if assumed, excludes the cube."""
        y = solver.load(self.bits.context.gates.input())
        solver.add_clause([-y, *[-x for x in solver.now(cube)]])
        return y

    def _retire(self, solver: StepSolver, select: Iterable[int]) -> None:
        for y in select:
            solver.add_clause((-y,))

    def _add(
        self, cubes: tuple[Cube, ...], sides: tuple[Side, ...], relative: tuple[int, ...]
    ) -> BitWall:
        bits, gates = self.bits, self.bits.context.gates

        def gate(literals: Sequence[int], after: bool) -> int:
            parts = [-gates.all_of(put_in(literals, cube)) for cube in cubes]
            walls = [self.walls[j].then if after else self.walls[j].now for j, _ in sides]
            return gates.all_of(
                [*parts, *(x if side else -x for x, (_, side) in zip(walls, sides, strict=True))]
            )

        wall = BitWall(
            cubes,
            sides,
            relative,
            gate(bits.bit, False),
            gate(bits.next, True),
            len(self.walls),
            [masks(cube) for cube in cubes],
        )
        self.walls.append(wall)
        return wall

    def formulas(self) -> list[Term]:
        """The walls as formulas over the state."""
        out: list[Term] = []
        s = self.bits.system.store
        for wall in self.walls:
            sides = [out[j] if side else s.not_(out[j]) for j, side in wall.sides]
            out.append(s.and_(*sides, *(excluding(self.bits, cube) for cube in wall.cubes)))
        return out

    def reached(self) -> list[Term]:
        """R as formulas: what is known of all reachable states."""
        return [*self.bits.known, *(excluding(self.bits, cube) for cube in self.invariant)]

    def close(self) -> None:
        """Free the solver."""
        if self._solver is not None:
            self._solver.close()


def excluding(bits: BitSystem, cube: Cube) -> Term:
    """The clause that excludes a cube, as a formula over the state."""
    s = bits.system.store
    return s.or_(*(s.not_(bits.atom(x)) if x > 0 else bits.atom(-x) for x in cube))
