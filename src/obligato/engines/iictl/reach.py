"""IC3's questions for one node: is a target reached from a state,
by steps that stay inside some set? [Bra12, 3]

The frames of a start are kept from one question to the next while only the target and the set
change: what is reached inside a smaller set is reached inside the larger one. A path is one of the
set: it counts as part of what lifting must keep.

A "no" is a set P (the states in none of the proof's cubes) that holds at the start, is closed under
the steps inside and has no state of the target. `weaken` leaves out what the unsat cores do not
need, so that P is larger.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ic3.hooks import BitsReached
from obligato.engines.ic3.service import (
    OVER_BUDGET,
    Path,
    Proof,
    Question,
    QuestionHooks,
    State,
    cube_of_state,
)
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube
from obligato.engines.ic3ts.hooks import Lifted, Query, Reached, Unreached
from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.iictl.model import REBUILD_EVERY, Model
from obligato.errors import InternalError, ResourceOut
from obligato.smt import SAT

NO_LIMIT = 1 << 60


class PutOff(Exception):
    """A question has used up its budget."""


class InsideHooks(QuestionHooks):
    """The hooks of a question whose obligations are cubes of states that stay inside."""

    steps_left = NO_LIMIT  # questions about predecessors, which the budget does not count

    def predecessor(self, query: Query) -> Reached | Unreached:
        """See `Hooks.predecessor`."""
        self.steps_left -= 1
        if self.steps_left < 0:
            raise ResourceOut(OVER_BUDGET)
        return super().predecessor(query)

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks.lift`."""
        assert isinstance(reached, BitsReached)
        target = None if query is None else query.cube
        wanted = [self.target] if target is None else [*self.bits.step, *self.within]
        state, free = self.bits.support([*wanted, *self.bits.constraints], target or ())
        move = reached.values(free)
        return Lifted(self._shrink(reached.values(state), move, target), tuple(move))

    def _new_lifter(self) -> StepSolver:
        lifter = super()._new_lifter()
        lifter.step = self._needs(lifter)
        return lifter

    def pose(self, target: int, within: Sequence[int], budget: int) -> None:
        """See `QuestionHooks.pose`."""
        super().pose(target, within, budget)
        self._lifter.step = self._needs(self._lifter)

    def start_anywhere(self) -> None:
        """The start is the system's from now on."""
        self.init, self._start = self.bits.init, None
        self._not_initial = (
            None if self.bits.start is None else frozenset(-x for x in self.bits.start.values())
        )


class Reach:
    """The questions of one node."""

    def __init__(self, model: Model, options: SkeletonOptions) -> None:
        self.model, self.options = model, options
        self.hooks = InsideHooks(model, REBUILD_EVERY)
        self._run: Question | None = None
        self.spent = 0  # solver calls of the last question

    def begin(self, start: State | None) -> None:
        """Questions are from now on about what is reached from this state; None:
        from the initial states."""
        if start is None:
            self.hooks.start_anywhere()
        else:
            self.hooks.start_at(cube_of_state(self.model.bits, start))
        self.hooks.forget_frames()
        self._run = Question(self.model.bits.system, self.hooks, self.options, self.model.env)
        self.hooks.frames = self._run.frames

    def ask(
        self, target: int, within: Sequence[int], budget: int = NO_LIMIT, steps: int = NO_LIMIT
    ) -> Path | tuple[Cube, ...]:
        """A path to the target by steps that satisfy the gate literals `within`; or the cubes whose
        complement P proves that there is none. Raises `PutOff` where that takes more solver calls
        than the budget, or more questions about predecessors than `steps`."""
        assert self._run is not None
        self.model.env.count("ic3_calls")
        self.hooks.pose(target, within, budget)
        self.hooks.steps_left = steps
        answer = self._run.answer()
        self.spent = budget - max(0, self.hooks.left)
        if answer is None:
            raise PutOff
        return tuple(self.weaken(answer.cubes, target)) if isinstance(answer, Proof) else answer

    def weaken(self, cubes: Sequence[Cube], target: int) -> list[Cube]:
        """Part of the cubes whose complement is still closed and has no state of the target."""
        solver, gates = self.hooks.fresh_main(), self.model.gates
        select = [solver.load(gates.input()) for _ in cubes]
        for y, cube in zip(select, cubes, strict=True):
            solver.add_clause([-y, *[-x for x in solver.now(cube)]])
        kept: dict[int, None] = {}
        pending = [solver.load(target)]
        done = 0
        while done < len(kept) or pending:
            # R and P and C and target; for a cube c of P: R and P and C and T and inside and c'
            #   unsat - the cubes in the core suffice; sat - the proof was none   (required)
            wanted = pending or [*solver.step, *solver.then(cubes[list(kept)[done]])]
            done += not pending
            pending = []
            if self.model.ask(solver, [*select, *wanted], "weaken") is SAT:
                raise InternalError("a proof is not closed under steps")
            failed = solver.failed()
            kept.update(dict.fromkeys(n for n, y in enumerate(select) if y in failed))
        for y in select:
            solver.add_clause((-y,))
        return [cubes[n] for n in sorted(kept)]

    def close(self) -> None:
        """Free the solvers."""
        self.hooks.close()
