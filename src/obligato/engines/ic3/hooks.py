"""Boolean IC3: the hooks of the skeleton on the bits of a system [Bra11; EMB11].

One SAT solver answers all questions about frames: lemmas of level l stand under an activation literal, so that F_l is the
literals of levels l and above; F_0 is the literal of `init`. The clause "not cube" of a question is temporary. After
`rebuild_every` questions the solver is made anew from the live lemmas: then it holds only the cones that questions have
needed since (a satisfiable answer must assign every gate the solver knows), and temporary clauses are gone.

Lifting [CIMMN11]: the state s and inputs i of a model determine the next state, so s and i and not (target') is unsatisfiable,
and the core is a cube of states that do the same. Constraints and filters count as part of the target: a state of the cube
that violates them would do nothing. A second solver without frames answers that. Where the relation is no function, the next
state itself counts as input.
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.hooks import Hooks, Reached, Unreached
from obligato.errors import InternalError, ResourceOut
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt import SAT, UNKNOWN, SatResult
from obligato.smt.bit_solver import BitModel, BitSolver
from obligato.smt.blast.evaluate import evaluate_gates
from obligato.terms import BOOL, Term, Value

Move = tuple[int, ...]  # literals of input gates: the inputs that a step needs


class BitsReached(Reached):
    """A model of the SAT solver; bits that it does not know are false: any value would do."""

    __slots__ = ("bits", "model")

    def __init__(self, bits: BitSystem, model: BitModel) -> None:
        self.bits, self.model = bits, model

    @property
    def state(self) -> int:
        """See `Reached.state`."""
        values = self.model.values(self.bits.bit[:0:-1])
        return int("".join(["1" if v > 0 else "0" for v in values]) + "0", 2)

    def agreeing(self, cube: Cube) -> Cube:
        """See `Reached.agreeing`."""
        bit = self.bits.bit
        values = self.model.values([bit[abs(x)] for x in cube])
        return tuple([x for x, v in zip(cube, values, strict=True) if (v > 0) is (x > 0)])


class BooleanHooks(Hooks):
    """Questions about one system, answered by SAT."""

    frames: Frames

    def __init__(self, bits: BitSystem, env: Environment, rebuild_every: int, lift_twice: bool) -> None:
        self.bits, self.env = bits, env
        self.rebuild_every, self.lift_twice = rebuild_every, lift_twice
        self.start = bits.start
        self.gates = bits.context.gates
        self._activation: list[int] = [1]  # by level; level 0 has none
        self._spare: list[int] = []  # literals for temporary clauses, all used once per solver
        self._main = self._fresh_main()
        self._lifter = BitSolver(env.stats, bits.context)
        self._lift_spare = [self.gates.input() for _ in range(rebuild_every)]
        self._initial: BitSolver | None = None
        self._checks = self._lifts = 0

    # -- solvers -------------------------------------------------------------------------------------------------------

    def _fresh_main(self) -> BitSolver:
        solver = BitSolver(self.env.stats, self.bits.context)
        for c in self.bits.constraints:
            solver.add_clause((c,))
        return solver

    def _rebuild(self) -> None:
        self._main.close()
        self._main = self._fresh_main()
        self._checks = 0
        for level, lemmas in enumerate(self.frames.lemmas):
            for lemma in lemmas:
                self._tell(lemma.cube, level)
        self.env.count("rebuilds")

    def _ask(self, solver: BitSolver, assumptions: list[int], kind: str) -> SatResult:
        self.env.tick()
        answer = solver.solve(assumptions, kind)
        if answer is UNKNOWN:
            raise ResourceOut("interrupted")
        return answer

    def _temporary(self) -> int:
        """A literal for a clause that holds in one question; the clause of the question before goes."""
        if self._checks >= self.rebuild_every:
            self._rebuild()
        elif self._checks:
            self._main.add_clause((-self._spare[self._checks - 1],))
        if self._checks == len(self._spare):
            self._spare.append(self.gates.input())
        self._checks += 1
        return self._spare[self._checks - 1]

    def _frame(self, level: int) -> list[int]:
        return [self.bits.init] if level == 0 else self._activation[level:]

    # -- the contracts -------------------------------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        """See `Hooks.bad`."""
        # F_level and C and not P: sat - a violation in the frame; unsat - none   (required)
        if self._ask(self._main, [*self._frame(level), self.bits.bad], "bad") is SAT:
            return BitsReached(self.bits, self._main.model())
        return None

    def predecessor(self, cube: Cube, level: int, kind: str = "block") -> Reached | Unreached:
        """See `Hooks.predecessor`."""
        bits, temporary, main = self.bits, self._temporary(), self._main
        main.add_clause([-temporary, *self._clause(cube)])
        targets = [bits.next[x] if x > 0 else -bits.next[-x] for x in cube]
        # F_level and not c and C and T and c': sat - a predecessor; unsat - the core of c'   (required)
        answer = self._ask(main, [*self._frame(level), temporary, *bits.step, *targets], kind)
        if answer is SAT:
            return BitsReached(bits, main.model())
        failed = set(main.failed())
        core = tuple([x for x, t in zip(cube, targets, strict=True) if t in failed])
        return Unreached(self._apart(core, cube))

    def _apart(self, core: Cube, cube: Cube) -> Cube:
        """The core, with what of `cube` keeps it from the initial states."""
        if not self.meets_initial(core):
            return core
        if self.start is not None:
            extra = next(x for x in cube if self.start.get(abs(x), x) != x)
            return cube_of((*core, extra))
        self.meets_initial(cube)
        assert self._initial is not None
        failed = set(self._initial.failed())
        return cube_of((*core, *(x for x in cube if self._literal(x) in failed)))

    def meets_initial(self, cube: Cube) -> bool:
        """See `Hooks.meets_initial`."""
        start = self.start
        if start is not None:
            return all(start.get(abs(x), x) == x for x in cube)
        if self._initial is None:
            self._initial = BitSolver(self.env.stats, self.bits.context)
            for fact in self.bits.init_facts:
                self._initial.add_clause((fact,))
        # I and c: sat - the cube has an initial state; unsat - it has none   (required)
        return self._ask(self._initial, [self._literal(x) for x in cube], "initial") is SAT

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks.add_lemma`."""
        self._tell(lemma.cube, lemma.level)

    def _tell(self, cube: Cube, level: int) -> None:
        self._main.add_clause([-self._activation[level], *self._clause(cube)])

    def extend(self) -> None:
        """See `Hooks.extend`."""
        self._activation.append(self.gates.input())

    def _literal(self, x: int) -> int:
        return self.bits.bit[x] if x > 0 else -self.bits.bit[-x]

    def _clause(self, cube: Cube) -> list[int]:
        bit = self.bits.bit
        return [-bit[x] if x > 0 else bit[-x] for x in cube]

    # -- models and lifting --------------------------------------------------------------------------------------------

    def lift(self, reached: Reached, target: Cube | None) -> tuple[Cube, Move]:
        """See `Hooks.lift`."""
        assert isinstance(reached, BitsReached)
        bits, model = self.bits, reached.model
        wanted = [bits.bad] if target is None else [
            *(bits.next[x] if x > 0 else -bits.next[-x] for x in target), *bits.step]
        wanted += bits.constraints
        below = sorted(frozenset().union(*map(bits.support, wanted)))
        number = bits.number
        state, free = [], []
        for g, v in zip(below, model.values(below), strict=True):
            if g in number:
                state.append(number[g] if v > 0 else -number[g])
            else:
                free.append(g if v > 0 else -g)
        move = tuple(free)
        return self._shrink(state, move, wanted), move

    def _shrink(self, state: list[int], move: Move, wanted: list[int]) -> Cube:
        if self._lifts == len(self._lift_spare):
            self._lifter.close()
            self._lifter, self._lifts = BitSolver(self.env.stats, self.bits.context), 0
        temporary = self._lift_spare[self._lifts]
        self._lifts += 1
        lifter = self._lifter
        lifter.add_clause([-temporary, *(-x for x in wanted)])
        core = state
        for _ in range(2 if self.lift_twice else 1):
            literals = [self._literal(x) for x in core]
            # s and i and not (target' and C): unsat - the core of s does the same as s; sat - a contract is broken (required)
            if self._ask(lifter, [temporary, *move, *literals], "lifting") is SAT:
                raise InternalError("a state does not do what its model says")
            failed = set(lifter.failed())
            smaller = [x for x, t in zip(core, literals, strict=True) if t in failed]
            if len(smaller) == len(core):
                break
            core = smaller[::-1]
        lifter.add_clause((-temporary,))
        return cube_of(core)

    # -- the end -------------------------------------------------------------------------------------------------------

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks.refine`: obligations are exact, so the chain is a run; it is computed from its first state on."""
        bits = self.bits
        solver = BitSolver(self.env.stats, bits.context)
        for fact in bits.init_facts:
            solver.add_clause((fact,))
        # I and c: sat - the first state of the run   (required)
        if self._ask(solver, [self._literal(x) for x in chain[0].cube], "start") is not SAT:
            raise InternalError("the counterexample does not start in an initial state")
        true = {g for g, v in zip(bits.bit[1:], solver.model().values(bits.bit[1:]), strict=True) if v > 0}
        solver.close()
        steps = []
        for o in chain:
            moved = {g for g in o.move if g > 0}
            steps.append(self._step(true, moved))
            if o.parent is not None:
                true = self._successor(true, moved)
        return SystemTrace(tuple(steps))

    def _step(self, true: set[int], moved: set[int]) -> SystemStep:
        system, value = self.bits.system, self.bits.value
        state: dict[str, Value] = {x.name: value(x, true) for x in system.state}
        return SystemStep(state, {i.name: value(i, moved) for i in system.inputs})

    def _successor(self, true: set[int], moved: set[int]) -> set[int]:
        """The state bits that are true after the step: by evaluation of the gates."""
        bits = self.bits
        values = evaluate_gates(self.gates, bits.next[1:], true | moved)
        return {g for g, v in zip(bits.bit[1:], values, strict=True) if v}

    def formula(self, cube: Cube) -> Term:
        """See `Hooks.formula`."""
        s = self.bits.system.store
        return s.and_(*(self._atom(abs(x)) if x > 0 else s.not_(self._atom(abs(x))) for x in cube))

    def _atom(self, n: int) -> Term:
        s, (x, i) = self.bits.system.store, self.bits.place[n]
        return x if x.sort is BOOL else s.eq(s.extract(x, i, i), s.bv(1, 1))

    def close(self) -> None:
        """Free the solvers."""
        for solver in (self._main, self._lifter, self._initial):
            if solver is not None:
                solver.close()
