"""IC3 as a service: one blasted system, thousands of questions "is this set reached from there?"
[BSHZ11].

`Service` keeps the circuit, the SAT solvers and an invariant R of the system that grows. It answers
two kinds of questions:

`stem(target)`: is the target reached from the initial states? Start and relation never change, so
all frames are kept from one question to the next. The proof of a "no" joins R.

`travel(start, target, within)`: is the target reached from the states of a cube in zero or more
steps, where every step satisfies the literals `within` (over the state before and after it) and R
holds before it? Each question has frames of its own. Lemmas of earlier proofs may be offered to it:
those that hold at the start and are inductive together, relative to R and this question's relation
(`_houdini`), become part of its proof.

An answer is a `Path`, a `Proof`, or None when the budget, counted in solver calls, is used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from obligato.engines.environment import Environment
from obligato.engines.ic3.hooks import BooleanHooks
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of, has_state, put_in
from obligato.engines.ic3ts.engine import IC3
from obligato.engines.ic3ts.hooks import Reached
from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.errors import ResourceOut
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemTrace
from obligato.smt import UNSAT, SatResult
from obligato.smt.blast.evaluate import Evaluator

OVER_BUDGET = "budget"
State = int  # bit n is the truth of number n
Move = tuple[int, ...]  # signed numbers of free gates: the inputs of a step


@dataclass(frozen=True, slots=True)
class Path:
    """States and the inputs given in them: one more state than moves, the last one is in the
    target.
    """

    states: tuple[State, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """Cubes none of whose states is reached: what excludes them all holds at the start and is
    closed under steps.
    """

    cubes: tuple[Cube, ...]


Answer = Path | Proof | None


def cube_of_state(bits: BitSystem, state: State) -> Cube:
    """The cube of one state."""
    return tuple([n if state >> n & 1 else -n for n in range(1, len(bits.bit))])


class Successor:
    """The states after steps, by evaluation of the gates."""

    def __init__(self, bits: BitSystem) -> None:
        self.bits = bits
        self._values = Evaluator(bits.context.gates, bits.next[1:])

    def __call__(self, state: State, move: Iterable[int]) -> State:
        """The state after a step from `state` with the inputs `move`."""
        bits = self.bits
        true = {bits.bit[n] for n in range(1, len(bits.bit)) if state >> n & 1} | {
            bits.source[n] for n in move if n > 0
        }
        return sum(1 << n for n, v in enumerate(self._values(true), 1) if v)


class Surroundings(Protocol):
    """The circuit and the solvers that all questions about one system share."""

    @property
    def bits(self) -> BitSystem:
        """The system on its bits."""

    @property
    def env(self) -> Environment:
        """The environment of the run."""

    @property
    def successor(self) -> Successor:
        """The states after steps."""

    @property
    def invariant(self) -> Sequence[Cube]:
        """R: none of these cubes has a reachable state."""


class QuestionHooks(BooleanHooks):
    """Boolean hooks whose question changes: start, target, what steps must satisfy besides; with R,
    and a budget.
    """

    def __init__(self, service: Surroundings, rebuild_every: int) -> None:
        self.service = service
        self.within: tuple[int, ...] = ()  # gate literals that every step satisfies
        self.left = 0  # solver calls until the budget is used up
        self.path: Path | None = None
        super().__init__(service.bits, service.env, rebuild_every, True)

    def start_at(self, start: Cube) -> None:
        """The start is a cube from now on."""
        self.init = self.gates.all_of(put_in(self.bits.bit, start))
        self._not_initial = frozenset(-x for x in start)
        self._start = start

    _start: Cube | None = None

    def pose(self, target: int, within: Sequence[int], budget: int) -> None:
        """The question from now on."""
        self.target, self.within, self.left, self.path = target, tuple(within), budget, None
        self._main.step = self._needs(self._main)

    def forget_frames(self) -> None:
        """The frames of the question before are gone."""
        self.cut(0)
        self._frame = [self._main.load(self.init)]

    def cut(self, level: int) -> None:
        """The levels above are gone."""
        for y in self._frame[level + 1 :]:
            self._main.add_clause((-y,))
        del self._activation[level + 1 :], self._frame[level + 1 :]

    def _needs(self, solver: StepSolver) -> list[int]:
        return [solver.load(x) for x in (*self.bits.step, *self.within)]

    def _fresh(self) -> StepSolver:
        solver = super()._fresh()
        for cube in self.service.invariant:
            solver.add_clause([-y for y in solver.now(cube)])
        solver.step = self._needs(solver)
        return solver

    def tell_invariant(self, cubes: Iterable[Cube]) -> None:
        """Exclude more cubes by the invariant R."""
        for cube in cubes:
            self._main.add_clause([-y for y in self._main.now(cube)])

    def fresh_main(self) -> StepSolver:
        """The solver for questions about steps, made anew if it is old."""
        if self._main.questions >= self.rebuild_every:
            self._rebuild()
        return self._main

    def _ask(
        self, solver: StepSolver, assumptions: list[int], kind: str, clause: list[int] | None = None
    ) -> SatResult:
        self.left -= 1
        if self.left < 0:
            raise ResourceOut(OVER_BUDGET)
        return super()._ask(solver, assumptions, kind, clause)

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks.add_lemma`; all questions go to one solver."""
        self._tell([lemma.cube], lemma.level)

    def bad(self, level: int) -> Reached | None:
        """See `Hooks.bad`."""
        return self._bad_in(self._main, self._in_frame(level))

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """The run as numbers; a trace is made of it where it is asked for."""
        state = self._first_state(chain[0].cube)
        states = [state]
        for o in chain[:-1]:
            state = self.service.successor(state, o.move)
            states.append(state)
        self.path = Path(tuple(states), tuple(o.move for o in chain[:-1]))
        return SystemTrace(())

    def _first_state(self, cube: Cube) -> State:
        if self._start is None:
            return super()._first_state(cube)
        return sum(1 << n for n in self._start if n > 0)


class Question(IC3):
    """One IC3 run whose answer is a path or cubes."""

    hooks: QuestionHooks
    checks_contracts = False

    def answer(self) -> Answer:
        """As `prove`; lemmas of infinite level leave the frames and are the proof."""
        self.queue.clear()
        try:
            while True:
                if self.strengthen() is not None:
                    return self.hooks.path
                self.frames.extend()
                level = self.frames.propagate()
                if level is not None:
                    return self._settled(level)
        except ResourceOut as out:
            if out.resource != OVER_BUDGET:
                raise
            return None

    def _settled(self, level: int) -> Proof:
        cubes = tuple(lemma.cube for lemma in self.frames.at(level))
        for lemma in self.frames.at(level + 1):
            lemma.dropped = True  # it is part of the proof, and no lemma of these frames any more
        del self.frames.lemmas[level + 1 :]
        self.hooks.cut(level)
        return Proof(cubes)


class Service:
    """Reachability questions about one system."""

    def __init__(
        self, bits: BitSystem, env: Environment, options: SkeletonOptions, rebuild_every: int = 1000
    ) -> None:
        self.bits, self.env, self.options = bits, env, options
        self.successor = Successor(bits)
        self.invariant: list[Cube] = []  # R: none of these cubes has a reachable state
        self._stems = QuestionHooks(self, rebuild_every)
        self._travels = QuestionHooks(self, rebuild_every)
        self._from_start = self._question(self._stems)

    def _question(self, hooks: QuestionHooks) -> Question:
        run = Question(self.bits.system, hooks, self.options, self.env)
        hooks.frames = run.frames
        return run

    def stem(self, target: int, budget: int) -> Answer:
        """Is the target (a gate literal) reached from the initial states? A proof has joined R when
        it is returned.
        """
        run, hooks = self._from_start, self._stems
        hooks.pose(target, (), budget)
        answer = run.answer()
        if isinstance(answer, Proof):
            self.learn(answer.cubes)
        return answer

    def learn(self, cubes: Sequence[Cube]) -> None:
        """R excludes these cubes, too. Requires: it is inductive then."""
        self.invariant += cubes
        for hooks in (self._stems, self._travels):
            hooks.tell_invariant(cubes)

    def travel(
        self,
        start: State,
        target: State,
        within: Sequence[int],
        budget: int,
        offered: Iterable[Cube] = (),
    ) -> Answer:
        """Is the state `target` reached from `start`, by steps that satisfy the gate literals
        `within`? Of the cubes `offered` those that are not reached either become part of the proof.
        """
        hooks = self._travels
        known = self._houdini(start, within, offered)
        if any(has_state(cube, target) for cube in known):
            return Proof(tuple(known))
        hooks.start_at(cube_of_state(self.bits, start))
        hooks.forget_frames()
        run = self._question(hooks)
        hooks.pose(
            self.gate(cube_of_state(self.bits, target)),
            [*within, *(-self.gate(cube) for cube in known)],
            budget,
        )
        answer = run.answer()
        return Proof((*answer.cubes, *known)) if isinstance(answer, Proof) else answer

    def gate(self, cube: Cube) -> int:
        """The gate literal of a cube."""
        return self.bits.context.gates.all_of(put_in(self.bits.bit, cube))

    def _houdini(self, start: State, within: Sequence[int], offered: Iterable[Cube]) -> list[Cube]:
        """The largest set of the cubes in which none contains `start`, and none is entered by a
        step from outside of all of them.
        """
        cubes = [cube for cube in dict.fromkeys(offered) if not has_state(cube, start)]
        if not cubes:
            return []
        solver = self._travels.fresh_main()
        needed = [solver.load(x) for x in (*self.bits.step, *within)]
        select = {cube: solver.load(-self.gate(cube)) for cube in cubes}
        pending = list(select)
        while pending:
            cube = pending.pop()
            if cube not in select:
                continue
            self.env.tick()
            # R and no cube and C and T and within and c': sat - c must go; unsat - not entered from
            # outside all   (required)
            answer = solver.solve([*select.values(), *needed, *solver.then(cube)], "houdini")
            if answer is not UNSAT:
                del select[cube]
                pending = list(select)
        return list(select)

    def close(self) -> None:
        """Free all solvers."""
        self._stems.close()
        self._travels.close()


__all__ = [
    "Answer",
    "Move",
    "Path",
    "Proof",
    "Service",
    "State",
    "Successor",
    "cube_of",
    "cube_of_state",
]
