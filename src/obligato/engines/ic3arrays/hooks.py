"""Boolean IC3 on watched cells: every lemma also holds at the places where the system reads.

F_l is about one arbitrary index. As it holds for all of them, questions assume F_l at the index and
at the places of all instances (`models.ts_cells`), which says what inputs that stand for reads can
be. Everything else is `engines.ic3`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.engines.ic3.hooks import BitsReached, BooleanHooks
from obligato.engines.ic3.run import completed
from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of
from obligato.engines.ic3ts.hooks import Lifted, Query, Reached, Unreached
from obligato.errors import InternalError
from obligato.smt import SAT
from obligato.smt.bit_solver import LiteralTable
from obligato.smt.blast.evaluate import evaluate_gates
from obligato.terms import Term, Value, evaluate, free_vars

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from obligato.engines.environment import Environment
    from obligato.engines.ic3.solver import StepSolver
    from obligato.engines.ic3arrays.bits import CellBits
    from obligato.models.ts_claims import SystemStep, SystemTrace
    from obligato.smt import SatResult
    from obligato.smt.bit_solver import Model


class CellReached(BitsReached):
    """A model; predicates are true or false as its bits say."""

    __slots__ = ("_whole",)
    bits: CellBits

    def __init__(self, bits: CellBits, now: LiteralTable, model: Model) -> None:
        super().__init__(bits, now, model)
        self._whole = -1

    @property
    def state(self) -> int:
        """See `Reached.state`."""
        if self._whole < 0:
            bits = super().state & (1 << self.bits.raw) - 1
            self._whole = bits | self.bits.truths(self.bits.values_of(bits))
        return self._whole

    def digits(self, width: int) -> bytes:
        """See `Reached.digits`."""
        return Reached.digits(self, width)

    def agreeing(self, cube: Cube) -> Cube:
        """See `Reached.agreeing`."""
        return Reached.agreeing(self, cube)

    def assigned(self, numbers: list[int]) -> list[int]:
        """The numbers of free gates, signed as in the model; what it leaves open is false."""
        model, known = self.model, len(self.model)
        return [
            n if y and y < known and model[y] > 0 else -n
            for n, y in zip(numbers, self.now.known(numbers), strict=True)
        ]

    def holds(self, gate: int) -> bool:
        """Is a gate literal true?"""
        bits = self.bits
        true = {
            bits.source[n]
            for n in self.assigned(list(range(len(bits.bit), len(bits.source))))
            if n > 0
        }
        true |= {bits.bit[n] for n in range(1, bits.raw) if self.state >> n & 1}
        return evaluate_gates(bits.context.gates, [gate], true)[0]


@dataclass(frozen=True, slots=True)
class _Origin:
    """What an obligation was made of: the model, its target, and gate literals that its states
    satisfy besides.
    """

    reached: CellReached
    target: Cube | None
    conditions: tuple[int, ...]


class CellHooks(BooleanHooks):
    """Questions about one system of watched cells."""

    bits: CellBits
    generalize: Callable[[Cube, int], Cube]

    def __init__(
        self, bits: CellBits, env: Environment, rebuild_every: int, lift_twice: bool
    ) -> None:
        self._tables: dict[int, list[LiteralTable]] = {}  # of a solver, by instance
        self._seeds: list[Cube] = []
        self._origins: dict[tuple[Cube, tuple[int, ...]], _Origin] = {}
        super().__init__(bits, env, rebuild_every, lift_twice)
        self._not_initial = None  # predicates exclude initial states, too

    @property
    def width(self) -> int:
        """A state may be excluded at an instance: no lemma can be told not to exclude it."""
        return 0

    def begin_with(self, cubes: list[Cube]) -> None:
        """No reachable state is in the cubes. Requires: they are inductive together, and no initial
        state is in them.
        """
        self._seeds = cubes
        self.known = tuple(self.bits.system.store.not_(self.formula(c)) for c in cubes)
        for solver in (self._main, self._violating):
            for cube in cubes:
                self.exclude(solver, cube)

    # -- solvers -----------------------------------------------------------------------------------

    def _there(self, solver: StepSolver) -> list[LiteralTable]:
        """The literals of all numbers at the instances."""
        found = self._tables.get(id(solver))
        if found is None:
            found = self._tables[id(solver)] = [
                LiteralTable(solver, gates) for gates in self.bits.at
            ]
        return found

    def _fresh(self) -> StepSolver:
        solver = super()._fresh()
        for cube in self._seeds:
            self.exclude(solver, cube)
        return solver

    def new_solver(self) -> StepSolver:
        """A solver for steps that knows the constraints, and nothing of the frames."""
        return self._fresh()

    def exclude(self, solver: StepSolver, cube: Cube) -> None:
        """Tell the solver that no state before a step is in the cube, for the watched cells and for
        each instance.
        """
        solver.add_clause([-y for y in solver.now(cube)])
        for there in self._there(solver):
            solver.add_clause([-y for y in there(cube)])

    def ask(self, solver: StepSolver, assumptions: list[int]) -> SatResult:
        """One question about a step."""
        return self._ask(solver, assumptions, "seed")

    def retire(self, solver: StepSolver) -> None:
        """Free a solver."""
        self._retire(solver)

    def _retire(self, solver: StepSolver) -> None:
        self._tables.pop(id(solver), None)
        super()._retire(solver)

    def _everywhere(self, solver: StepSolver, cube: Cube, guard: int) -> None:
        for there in self._there(solver):
            solver.add_clause([-y for y in there(cube)], guard)

    def _in_frame(self, level: int) -> list[int]:
        if level == 0:
            return [*self._frame[:1], *map(self._main.load, self.bits.starts)]
        return super()._in_frame(level)

    def _tell(self, cubes: list[Cube], level: int) -> None:
        super()._tell(cubes, level)
        for cube in cubes:
            self._everywhere(self._main, cube, -self._frame[level])

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks.add_lemma`."""
        super().add_lemma(lemma)
        if lemma.level == self.frames.top:
            self._everywhere(
                self._violating, lemma.cube, -self._violating.load(self._activation[lemma.level])
            )

    # -- questions ---------------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        """See `Hooks.bad`."""
        frame = self._in_frame(level) if level == 0 or level != self.frames.top else None
        if frame is not None:
            return self._found(self._bad_in(self._main, frame))
        return self._found(self._bad_in(self._violating, [self._violating.load(self._gate(level))]))

    def _found(self, reached: Reached | None) -> Reached | None:
        assert reached is None or isinstance(reached, BitsReached)
        return None if reached is None else CellReached(self.bits, reached.now, reached.model)

    def predecessor(self, query: Query) -> Reached | Unreached:
        """See `Hooks.predecessor`; that the cube is excluded is assumed at all instances."""
        if self._main.questions >= self.rebuild_every:
            self._rebuild()
        main, cube = self._main, query.cube
        targets = main.then(cube)
        assumptions = [*self._in_frame(query.level), *main.step, *targets]
        other = None
        if not query.in_frame:
            other = [-y for y in main.now(cube)]
            assumptions.append(self._denial(cube))
        # F_level and not c and C and T and c', F_level and not c at all instances: sat - a
        # predecessor; unsat - the core of c'
        #   (required)
        if self._ask(main, assumptions, query.purpose, other) is SAT:
            return CellReached(self.bits, main.now, main.model())
        failed = main.failed()
        return Unreached(
            self._apart(tuple([x for x, y in zip(cube, targets, strict=True) if y in failed]), cube)
        )

    def _denial(self, cube: Cube) -> int:
        """A literal under which the cube is excluded at all instances. Earlier ones go when the
        solver is rebuilt.
        """
        main = self._main
        guard = main.load(self.gates.input())
        for there in self._there(main):
            main.add_clause([-y for y in there(cube)], -guard)
        return guard

    def weaken(self, cube: Cube, level: int) -> Cube:
        """See `Hooks.weaken`: what the cube implies of predicates instead of bits of words, if that
        is excluded, too.
        """
        plain = self.bits.plain
        if all(plain[abs(x)] for x in cube):
            return cube
        implied = cube_of([*(x for x in cube if plain[abs(x)]), *self._implied(cube)])
        if not implied or self.meets_initial(implied):
            return cube
        # F_(level-1) and not g and C and T and g' for the implied g: unsat - it is excluded; sat -
        # the cube stays   (heuristic)
        answer = self.predecessor(Query(implied, level - 1, "weaken"))
        return self.generalize(answer.core, level) if isinstance(answer, Unreached) else cube

    def _implied(self, cube: Cube) -> list[int]:
        """The predicates, or their negations, that follow from a cube."""
        solver = self._lifter
        numbers = list(range(self.bits.raw, len(self.bits.bit)))
        here = solver.now(cube)
        out = []
        for n in numbers:
            if self.bits.depends(n, cube):
                for x in (n, -n):
                    # c and not p: unsat - the cube implies the predicate   (heuristic)
                    if self._ask(solver, [*here, *solver.now([-x])], "implied") is not SAT:
                        out.append(x)
                        break
        return out

    # -- lifting -----------------------------------------------------------------------------------

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks.lift`. That the move can read what it does is known of the state only, not of
        its cube (`sharper`).
        """
        assert isinstance(reached, CellReached)
        return self._lifted(_Origin(reached, None if query is None else query.cube, ()))

    def _lifted(self, origin: _Origin) -> Lifted:
        state, free = self._support(origin.target, origin.conditions)
        move = origin.reached.assigned(free)
        literals = _signed(origin.reached.state, state)
        cube = self._core(
            [x for x in literals if self.bits.plain[abs(x)]], move, origin.target, origin.conditions
        )
        if cube is None:
            cube = literals
        shrunk = self._shrink(cube, move, origin.target, origin.conditions)
        self._origins[shrunk, tuple(move)] = origin
        return Lifted(shrunk, tuple(move))

    def _shrink(
        self, state: list[int], move: list[int], target: Cube | None, conditions: Sequence[int] = ()
    ) -> Cube:
        """See `BooleanHooks`; `conditions` are gate literals that the states of the cube satisfy as
        well.
        """
        core = state
        for _ in range(2):
            smaller = self._core(core, move, target, conditions)
            if smaller is None:
                raise InternalError(
                    "a simulated step does not reach the state of the solver's model"
                )
            if len(smaller) == len(core):
                break
            core = smaller
        return cube_of(core)

    def _core(
        self, state: list[int], move: list[int], target: Cube | None, conditions: Sequence[int]
    ) -> list[int] | None:
        """The literals of a state that make a move lead to the target; None if the state does not
        do that.
        """
        lifter, wanted = self._lifting(target)
        literals = lifter.now(state)
        clause = [-y for y in (*wanted, *map(lifter.load, conditions))]
        # s and i and not (target' and C): unsat - the core of s does the same as s; sat - s does
        # something else   (required)
        if self._ask(lifter, lifter.now(move) + literals, "lifting", clause) is SAT:
            return None
        failed = lifter.failed()
        return [x for x, y in zip(state, literals, strict=True) if y in failed]

    def sharper(self, o: Obligation, instance: int, excluded: Cube | None) -> Lifted | None:
        """The obligation for those states only that are not excluded at an instance (None: are
        initial there); None if its own state is none of them.
        """
        origin, table = self._origins[o.cube, o.move], self.bits.at[instance]
        if excluded is None:
            gates = [self.bits.starts[instance]]
        else:
            gates = [-table[x] if x > 0 else table[-x] for x in excluded]
        gate = next((g for g in gates if origin.reached.holds(g)), None)
        return (
            None
            if gate is None
            else self._lifted(_Origin(origin.reached, origin.target, (*origin.conditions, gate)))
        )

    def _support(
        self, target: Cube | None, conditions: Sequence[int] = ()
    ) -> tuple[list[int], list[int]]:
        bits = self.bits
        wanted = [self.target] if target is None else bits.step
        return bits.support([*wanted, *bits.constraints, *conditions], target or ())

    # -- counterexamples ---------------------------------------------------------------------------

    def run_of(self, chain: list[Obligation]) -> SystemTrace:
        """The run of the abstraction along a chain, with all its states."""
        trace = super().refine(chain)
        assert trace is not None
        return completed(self.bits.system, trace)

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """The engine decides what a chain means."""
        raise NotImplementedError

    def looked_at(self, o: Obligation, step: SystemStep) -> list[tuple[int, int, list[Term]]]:
        """The instances at which a step of a run reads what it needs: their number, the state
        there, and the inputs that stand for what is read.
        """
        bits, target = self.bits, o.parent.cube if o.parent is not None else None
        now: dict[str, Value] = {**step.state, **step.inputs}
        values = {x: now[x.name] for x in (*bits.system.state, *bits.system.inputs)}
        read, memo = self._reads(o, target), dict[Term, Value]()
        out = []
        for k, instance in enumerate(bits.cells.instances):
            needed = [r for r in free_vars(*instance.values.values()) if r in read]
            if needed:
                at = {x: evaluate(e, values, memo) for x, e in instance.values.items()}
                out.append(
                    (k, bits.state_of({**{x: values[x] for x in bits.system.state}, **at}), needed)
                )
        return out

    def suspect(self, o: Obligation, state: int, needed: Sequence[Term]) -> Cube:
        """A cube of the state at an instance: if it is excluded, the step is not possible."""
        cube = self._suspect(o, o.parent.cube if o.parent is not None else None, state, needed)
        whole = self.whole(state)
        return self._apart(cube, whole) if not self.meets_initial(whole) else cube

    def whole(self, state: int) -> Cube:
        """The cube of one state."""
        return tuple(_signed(state, list(range(1, len(self.bits.bit)))))

    def _reads(self, o: Obligation, target: Cube | None) -> set[object]:
        """The inputs that stand for reads and on which it depends that a step leads to its
        target.
        """
        lifter, move = self._lifter, list(o.move)
        wanted = (
            [lifter.load(self.target)] if target is None else [*lifter.then(target), *lifter.step]
        )
        fixed, state = lifter.now(move), lifter.now(o.cube)
        # c and i and not (target' and C): unsat - the core of i matters   (required)
        self._ask(lifter, state + fixed, "lifting", [-y for y in (*wanted, *lifter.constraints)])
        failed = lifter.failed()
        gates = {self.bits.source[abs(n)] for n, y in zip(move, fixed, strict=True) if y in failed}
        return {
            x
            for (x, _), g in self.bits.image.items()
            if abs(g) in gates and x in self.bits.cells.reads
        }

    def _suspect(
        self, o: Obligation, target: Cube | None, state: int, needed: Sequence[Term]
    ) -> Cube:
        """Of the state at an instance, where what is `needed` is a watched cell: what makes the
        step lead to what the target says of other things than cells, and, if it says something of
        cells, what is known of the instance.
        """
        local = self._about_cells
        plain = None if target is None else tuple(x for x in target if abs(x) not in local)
        numbers, free = self._support(plain)
        read = {abs(g) for (x, _), g in self.bits.image.items() if x in needed}
        move = [x for x in o.move if abs(x) in free and self.bits.source[abs(x)] not in read]
        cube: list[int] = []
        if plain is None or plain:
            found = self._core(_signed(state, numbers), move, plain, ())
            cube += _signed(state, numbers) if found is None else found
        if target is not None and plain != target:
            cube += _signed(state, sorted(local)) + [x for x in o.cube if abs(x) not in local]
        return cube_of(cube)

    @property
    def _about_cells(self) -> set[int]:
        """The numbers that say something of an index or cell."""
        bits = self.bits
        own = {*bits.cells.indices, *bits.cells.cells}
        return {
            n for n in range(1, len(bits.bit)) if any(v in own for v in free_vars(bits.place[n][0]))
        }


def _signed(state: int, numbers: list[int]) -> list[int]:
    return [n if state >> n & 1 else -n for n in numbers]
