"""Boolean IC3: the hooks of the skeleton on the bits of a system [Bra11; EMB11].

One SAT solver answers the questions about steps: lemmas of level l stand under an activation
literal, so that F_l is the literals of levels l and above; F_0 is the literal of `init`. The clause
"not cube" of a question is temporary. After `rebuild_every` questions the solver is made anew from
the live lemmas: then it holds only the cones that questions have needed since (a satisfiable answer
must assign every gate the solver knows), and temporary clauses are gone. For the same reason
violations at the frontier have a solver of their own, which knows the lemmas of the frontier only.

Lifting [CIMMN11]: the state s and inputs i of a model determine the next state, so s and i and not
(target') is unsatisfiable, and the core is a cube of states that do the same. Constraints and
filters count as part of the target: a state of the cube that violates them would do nothing. A
second solver without frames answers that. Where the relation is no function, the next state itself
counts as input. Where `ternary` is given, it finds such a cube by evaluation, and nothing is asked.
A move is the signed numbers of the free gates: the inputs that the step needs.
"""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of
from obligato.engines.ic3ts.hooks import Hooks, Lifted, Query, Reached, Unreached
from obligato.errors import InternalError, ResourceOut
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt import SAT, SatResult
from obligato.smt.blast.evaluate import evaluate_gates
from obligato.smt.relevant import agreeing, joined, signed_as

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3.ternary import TernaryLifting
    from obligato.engines.ic3ts.frames import Frames
    from obligato.models.ts_bits import BitSystem
    from obligato.smt.bit_solver import LiteralTable, Model
    from obligato.terms import Term


QUESTION = 75  # what the Python around a question takes, in propagations


def _decided(found: SatResult | Cube) -> Cube:
    if isinstance(found, SatResult):
        raise ResourceOut("interrupted")
    return found


class BitsReached(Reached):
    """A model of the SAT solver; bits that it does not know are false: any value would do."""

    __slots__ = ("bits", "model", "now")

    def __init__(self, bits: BitSystem, now: LiteralTable, model: Model) -> None:
        self.bits, self.now, self.model = bits, now, model

    @property
    def state(self) -> int:
        """See `Reached.state`."""
        model, known = self.model, len(self.model)
        places = self.now.known(range(len(self.bits.bit) - 1, 0, -1))
        return int("".join(["1" if y < known and model[y] > 0 else "0" for y in places]) + "0", 2)

    def digits(self, width: int) -> bytes:
        """See `Reached.digits`."""
        model, known = self.model, len(self.model)
        places = self.now.local[:width]
        if 0 in places[1:]:
            places = self.now.known(range(width))
        return bytes([0 < y < known and model[y] > 0 for y in places])

    def agreeing(self, cube: Cube) -> Cube:
        """See `Reached.agreeing`."""
        model = self.model
        if agreeing is not None and type(model) is bytes:
            found = agreeing(model, self.now.local, cube)
            if found is not None:
                return tuple(found)
        return tuple(
            [x for x, y in zip(cube, self.now(cube), strict=True) if (model[abs(y)] > 0) == (y > 0)]
        )

    def joined(self, cube: Cube, needed: Set[int]) -> Cube | None:
        """See `Reached.joined`."""
        if joined is not None and type(self.model) is bytes:
            found = joined(self.model, self.now.local, cube, needed)
            if found is not None:
                return tuple(found) if found is not False else None
        return super().joined(cube, needed)

    def values(self, numbers: list[int]) -> list[int]:
        """The numbers, signed as in the model. Requires: the solver knew them."""
        model = self.model
        if signed_as is not None and type(model) is bytes:
            found = signed_as(model, self.now.local, numbers)
            if found is not None:
                return found
        return [n if model[y] > 0 else -n for n, y in zip(numbers, self.now(numbers), strict=True)]


class BooleanHooks(Hooks):
    """Questions about one system, answered by SAT."""

    frames: Frames

    def __init__(
        self,
        bits: BitSystem,
        env: Environment,
        rebuild_every: int,
        lift_twice: bool,
        ternary: TernaryLifting | None = None,
    ) -> None:
        self.bits, self.env, self.ternary = bits, env, ternary
        self.rebuild_every, self.lift_twice = rebuild_every, lift_twice
        self.known = bits.known
        # gate literals: the initial states, the states that must not be reached
        self.init, self.target = (bits.init, bits.bad)
        # literals each of which excludes all initial states; None: the initial states are not a
        # cube
        self._not_initial = (
            None if bits.start is None else frozenset(-x for x in bits.start.values())
        )
        self.gates = bits.context.gates
        self._worked = self._asked = 0  # by solvers that are gone
        self._activation: list[int] = [1]  # gates by level; level 0 has none
        self._main = self._fresh()
        self._violating = self._fresh()
        # the literals of `_activation` in the solver; F_0 is `init`
        self._frame = [self._main.load(self.init)]
        self._lifter = self._new_lifter()
        self._initial: StepSolver | None = None

    @property
    def width(self) -> int:
        """See `Hooks.width`."""
        return len(self.bits.bit)

    def work(self) -> int:
        """What was done so far, in propagations of bounded model checking, which take about twice
        as long as those here; the Python around a question takes as long as `QUESTION` of them.
        """
        solvers = (self._main, self._violating, self._lifter)
        return (self._worked + sum(x.work for x in solvers)) // 2 + QUESTION * (
            self._asked + sum(x.questions for x in solvers)
        )

    def _retire(self, solver: StepSolver) -> None:
        self._worked += solver.work
        self._asked += solver.questions
        solver.close()

    # -- solvers -----------------------------------------------------------------------------------

    def _fresh(self) -> StepSolver:
        solver = StepSolver(self.bits, self.env.stats)
        for c in solver.constraints:
            solver.add_clause((c,))
        return solver

    def _new_lifter(self) -> StepSolver:
        """A solver for lifting: it knows neither frames nor constraints."""
        return StepSolver(self.bits, self.env.stats)

    def _rebuild(self) -> None:
        self._retire(self._main)
        self._main = main = self._fresh()
        self._frame = [main.load(self.init), *map(main.load, self._activation[1:])]
        for level, lemmas in enumerate(self.frames.lemmas):
            self._tell([lemma.cube for lemma in lemmas], level)
        self.env.count("rebuilds")

    def _ask(
        self, solver: StepSolver, assumptions: list[int], kind: str, clause: list[int] | None = None
    ) -> SatResult:
        self.env.tick()
        # see the callers for what sat and unsat mean
        return solver.decide(assumptions, kind, clause)

    def _in_frame(self, level: int) -> list[int]:
        return self._frame[:1] if level == 0 else self._frame[level:]

    # -- the contracts -----------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        """See `Hooks.bad`."""
        solver = self._violating if level == self.frames.top else self._main
        return self._bad_in(
            solver,
            self._in_frame(level) if solver is self._main else [solver.load(self._gate(level))],
        )

    def _bad_in(self, solver: StepSolver, frame: list[int]) -> Reached | None:
        # F_level and C and not P: sat - a violation in the frame; unsat - none   (required)
        if self._ask(solver, [*frame, solver.load(self.target)], "bad") is SAT:
            return BitsReached(self.bits, solver.now, solver.model())
        return None

    def _gate(self, level: int) -> int:
        return self._activation[level] if level else self.init

    def predecessor(self, query: Query) -> Reached | Unreached:
        """See `Hooks.predecessor`."""
        if self._main.questions >= self.rebuild_every:
            self._rebuild()
        main, cube = self._main, query.cube
        self.env.tick()
        # F_level and not c and C and T and c': sat - a predecessor; unsat - the core of c'
        # (required)
        found = main.needed(
            self._in_frame(query.level) + main.step,
            cube,
            main.then,
            query.purpose,
            None if query.in_frame else cube,
            main.now,
        )
        if found is SAT:
            return BitsReached(self.bits, main.now, main.model())
        return Unreached(self._apart(_decided(found), cube))

    def _apart(self, core: Cube, cube: Cube) -> Cube:
        """The core; if it has an initial state, with literals of `cube` that exclude all of them."""
        if not self.meets_initial(core):
            return core
        if self._not_initial is not None:
            return cube_of((*core, next(x for x in cube if x in self._not_initial)))
        self.meets_initial(cube)
        assert self._initial is not None
        failed = self._initial.failed()
        return cube_of(
            (*core, *(x for x, y in zip(cube, self._initial.now(cube), strict=True) if y in failed))
        )

    def meets_initial(self, cube: Cube) -> bool:
        """See `Hooks.meets_initial`."""
        if self._not_initial is not None:
            return self._not_initial.isdisjoint(cube)
        if self._initial is None:
            self._initial = self._in_initial_states()
        # I and c: sat - the cube has an initial state; unsat - it has none   (required)
        return self._ask(self._initial, self._initial.now(cube), "initial") is SAT

    def _in_initial_states(self) -> StepSolver:
        solver = StepSolver(self.bits, self.env.stats)
        for fact in self.bits.init_facts:
            solver.add_clause((solver.load(fact),))
        return solver

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks.add_lemma`."""
        self._tell([lemma.cube], lemma.level)
        if lemma.level == self.frames.top:
            solver = self._violating
            solver.deny([lemma.cube], solver.now, -solver.load(self._activation[lemma.level]))

    def _tell(self, cubes: list[Cube], level: int) -> None:
        self._main.deny(cubes, self._main.now, -self._frame[level])

    def extend(self) -> None:
        """See `Hooks.extend`."""
        self._activation.append(self.gates.input())
        self._frame.append(self._main.load(self._activation[-1]))

    # -- lifting -----------------------------------------------------------------------------------

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks.lift`."""
        assert isinstance(reached, BitsReached)
        bits, target = self.bits, None if query is None else query.cube
        wanted = [self.target] if target is None else bits.step
        state, free = bits.support([*wanted, *bits.constraints], target or ())
        move, literals = reached.values(free), reached.values(state)
        found = None if self.ternary is None else self.ternary.needed(literals, move, target)
        cube = self._shrink(literals, move, target) if found is None else cube_of(found)
        return Lifted(cube, tuple(move))

    def _lifting(self, target: Cube | None) -> tuple[StepSolver, list[int]]:
        """The solver for lifting, and its literals of what a step to the target satisfies; None: a
        violation is meant.
        """
        if self._lifter.questions >= self.rebuild_every:
            self._retire(self._lifter)
            self._lifter = self._new_lifter()
        lifter = self._lifter
        wanted = (
            [lifter.load(self.target)] if target is None else [*lifter.then(target), *lifter.step]
        )
        return lifter, [*wanted, *lifter.constraints]

    def _shrink(self, state: list[int], move: list[int], target: Cube | None) -> Cube:
        lifter, wanted = self._lifting(target)
        fixed, clause = lifter.now(move), [-y for y in wanted]
        core = tuple(state)
        for _ in range(2 if self.lift_twice else 1):
            self.env.tick()
            # s and i and not (target' and C): unsat - the core of s does the same as s; sat - a
            # contract is broken (required)
            found = lifter.needed(fixed, core, lifter.now, "lifting", clause)
            if found is SAT:
                raise InternalError(
                    "a simulated step does not reach the state of the solver's model"
                )
            smaller = _decided(found)
            if len(smaller) == len(core):
                break
            core = smaller[::-1]
        return cube_of(core)

    # -- the end -----------------------------------------------------------------------------------

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks.refine`: obligations are exact, so the chain is a run; it is computed from its
        first state on.
        """
        bits, first = self.bits, self._first_state(chain[0].cube)
        true = {gate for n, gate in enumerate(bits.bit) if n and first >> n & 1}
        steps: list[SystemStep] = []
        for o in chain:
            moved = {bits.source[n] for n in o.move if n > 0}
            steps.append(bits.step_of(true, moved, not steps))
            if o.parent is not None:
                true = self._successor(true, moved)
        return SystemTrace(tuple(steps))

    def _first_state(self, cube: Cube) -> int:
        """An initial state of the cube."""
        solver = self._in_initial_states()
        # I and c: sat - the first state of the run   (required)
        if self._ask(solver, solver.now(cube), "start") is not SAT:
            raise InternalError("the counterexample does not start in an initial state")
        first = BitsReached(self.bits, solver.now, solver.model()).state
        solver.close()
        return first

    def _successor(self, true: set[int], moved: set[int]) -> set[int]:
        """The state bits that are true after the step: by evaluation of the gates."""
        bits = self.bits
        values = evaluate_gates(self.gates, bits.next[1:], true | moved)
        return {g for g, v in zip(bits.bit[1:], values, strict=True) if v}

    def formula(self, cube: Cube) -> Term:
        """See `Hooks.formula`."""
        s, atom = self.bits.system.store, self.bits.atom
        return s.and_(*(atom(x) if x > 0 else s.not_(atom(-x)) for x in cube))

    def close(self) -> None:
        """Free the solvers."""
        for solver in (self._main, self._violating, self._lifter, self._initial):
            if solver is not None:
                solver.close()
