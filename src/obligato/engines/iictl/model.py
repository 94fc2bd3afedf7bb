"""The system as all nodes of a formula see it:
its bits, an invariant R, copies of gates after a step, lifting.

A *state* is an integer (bit n for number n), a *move* the numbers of the free gates that are true
in a step; all others are false, so that a state and a move have one successor. `after(x)` is the
gate literal x about the state after a step. `widen` is forall-exists lifting: the cube of states
that the same move leads to the same target; that the step is allowed counts as part of the target,
because a cube of states without a step would satisfy any target vacuously.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3.hooks import BitsReached
from obligato.engines.ic3.service import State, Successor, cube_of_state
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube, cube_of, put_in
from obligato.errors import InternalError
from obligato.models.ts_bits import BitSystem
from obligato.smt import SAT, SatResult
from obligato.smt.blast.evaluate import evaluate_gates
from obligato.smt.blast.gates import AND, INPUT, Gates
from obligato.smt.blast.rewrite import MAKE

REBUILD_EVERY = 1500

Move = frozenset[int]


@dataclass(frozen=True, slots=True)
class Step:
    """A state, the move it makes, the state after that."""

    state: State
    move: Move
    after: State


class Image:
    """Gates with some gates replaced, in the same circuit;
    remembered, so that a formula that grows is not done again."""

    def __init__(self, gates: Gates, given: Mapping[int, int]) -> None:
        self.gates = gates
        self._known: dict[int, int] = {1: 1, **given}

    def __call__(self, literal: int) -> int:
        """The literal of the copy."""
        known, gates, stack = self._known, self.gates, [abs(literal)]
        while stack:
            gate = stack[-1]
            pending = (
                [] if gate in known else [abs(x) for x in gates.inputs[gate] if abs(x) not in known]
            )
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            if gate not in known:
                known[gate] = self._copy(gate)
        found = known[abs(literal)]
        return found if literal > 0 else -found

    def _copy(self, gate: int) -> int:
        known, kind = self._known, self.gates.kinds[gate]
        inputs = [known[abs(x)] if x > 0 else -known[abs(x)] for x in self.gates.inputs[gate]]
        if kind == INPUT:
            raise InternalError("a bound is about more than the state")
        return self.gates.all_of(inputs) if kind == AND else MAKE[kind](self.gates, *inputs)


class Model:
    """One system; also what IC3's questions want to know of it (`ic3.service.Surroundings`)."""

    def __init__(self, bits: BitSystem, env: Environment, drop: bool = True) -> None:
        self.bits, self.env, self.drop = bits, env, drop
        self.gates = bits.context.gates
        self.successor = Successor(bits)
        self.invariant: list[Cube] = []  # R: none of these cubes has a reachable state
        self.after = Image(self.gates, dict(zip(bits.bit[1:], bits.next[1:], strict=True)))
        self.free = range(len(bits.bit), len(bits.source))
        self._lifter: StepSolver | None = None
        self._stepper: StepSolver | None = None

    def gate(self, cube: Iterable[int]) -> int:
        """The gate literal of a cube."""
        return self.gates.all_of(put_in(self.bits.bit, cube))

    def outside(self, cubes: Iterable[Cube]) -> int:
        """The gate literal of the states that are in none of the cubes."""
        return self.gates.all_of([-self.gate(cube) for cube in cubes])

    def literals(self, state: State) -> Cube:
        """The cube of one state."""
        return cube_of_state(self.bits, state)

    def move(self, numbers: Iterable[int]) -> Move:
        """The move of the signed numbers that a path or model gives."""
        return frozenset(n for n in numbers if n > 0)

    def holds(self, literal: int, state: State, move: Move) -> bool:
        """Is the gate literal true in this step?"""
        source, now = self.bits.source, range(1, len(self.bits.bit))
        true = {source[n] for n in now if state >> n & 1} | {source[n] for n in move}
        return evaluate_gates(self.gates, [literal], true)[0]

    def state_outside(self, cubes: Sequence[Cube]) -> State | None:
        """A state of R in none of the cubes."""
        with closing(self._informed(StepSolver(self.bits, self.env.stats), False)) as solver:
            for cube in cubes:
                solver.add_clause([-y for y in solver.now(cube)])
            # R and no cube: sat - a state; unsat - the cubes cover R   (required)
            if self.ask(solver, [], "outside") is not SAT:
                return None
            return BitsReached(self.bits, solver.now, solver.model()).state

    # -- questions about one step ------------------------------------------------------------------

    def step_into(self, state: State, target: int) -> Step | Cube:
        """A step from a state into the target (a gate literal over the state);
        or a cube of states none of which has one."""
        solver = self._stepper = self._fresh(self._stepper)
        literals = self.literals(state)
        wanted = [*solver.step, solver.load(self.after(target))]
        # R and s and C and T and target': sat - a successor;
        # unsat - the core of s has none   (required)
        if self.ask(solver, [*wanted, *solver.now(literals)], "successor") is SAT:
            found = BitsReached(self.bits, solver.now, solver.model())
            move = self.move(
                found.values([n for n in self.free if solver.has(self.bits.source[n])])
            )
            return Step(state, move, self.successor(state, move))
        core = self._core(solver, literals)
        return self._dropped(solver, core, wanted) if self.drop else core

    def widen(self, state: State, move: Move, wanted: Sequence[int]) -> Cube:
        """A cube around the state all of whose states, by this move, take an allowed step and
        satisfy the gate literals `wanted` (about the state, and by `after` about the one after the
        step). Requires: the state does."""
        if self._lifter is not None and self._lifter.questions >= REBUILD_EVERY:
            self._lifter.close()
            self._lifter = None
        lifter = self._lifter = self._lifter or self._informed(
            StepSolver(self.bits, self.env.stats), False
        )
        wanted = [*self.bits.constraints, *self.bits.step, *wanted]
        state_numbers, free = self.bits.support(wanted)
        clause = [-lifter.load(x) for x in wanted]
        fixed = lifter.now([n if n in move else -n for n in free])
        core: Cube = tuple([n if state >> n & 1 else -n for n in state_numbers])
        for _ in range(2):
            # R and cube and i and not (C and T and wanted): unsat - the core does the same; sat -
            # the state does not (required)
            if self.ask(lifter, [*fixed, *lifter.now(core)], "widen", clause) is SAT:
                raise InternalError("a state does not do what its move says")
            smaller = self._core(lifter, core)
            if len(smaller) == len(core):
                break
            core = smaller[::-1]
        return cube_of(self._dropped(lifter, core, fixed, clause) if self.drop else core)

    def _dropped(
        self, solver: StepSolver, cube: Cube, fixed: list[int], clause: Sequence[int] | None = None
    ) -> Cube:
        """A part of the cube that is still unsatisfiable with `fixed` and the clause; if one more
        literal is left out it no longer is.
        """
        for x in cube:
            if x not in cube:
                continue
            smaller = tuple([y for y in cube if y != x])
            # as before, without x: unsat - x is not needed; sat - it is   (heuristic)
            if self.ask(solver, [*fixed, *solver.now(smaller)], "drop", clause) is not SAT:
                cube = self._core(solver, smaller)
        return cube

    def _core(self, solver: StepSolver, literals: Cube) -> Cube:
        failed = solver.failed()
        return tuple(
            [x for x, y in zip(literals, solver.now(literals), strict=True) if y in failed]
        )

    def ask(
        self,
        solver: StepSolver,
        assumptions: list[int],
        kind: str,
        clause: Sequence[int] | None = None,
    ) -> SatResult:
        """The solver's answer, which is never unknown."""
        self.env.tick()
        # see the callers for what sat and unsat mean
        return solver.decide(assumptions, kind, clause)

    def _fresh(self, solver: StepSolver | None) -> StepSolver:
        """A solver that knows C and R, made anew if it is old."""
        if solver is not None and solver.questions < REBUILD_EVERY:
            return solver
        if solver is not None:
            solver.close()
        return self._informed(StepSolver(self.bits, self.env.stats), True)

    def _informed(self, solver: StepSolver, constrained: bool) -> StepSolver:
        for c in solver.constraints if constrained else ():
            solver.add_clause((c,))
        for cube in self.invariant:
            solver.add_clause([-y for y in solver.now(cube)])
        return solver

    def close(self) -> None:
        """Free the solvers."""
        for solver in (self._lifter, self._stepper):
            if solver is not None:
                solver.close()
