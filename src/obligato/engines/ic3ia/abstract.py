"""The questions of IC3 about predicates: what IC3IA, CTIGAR and IC3QE share.

Cubes and lemmas are about predicates, so that IC3 works on the abstract states, but the abstract
transition relation is never computed: F and c are about predicates only, so [CGMT16, Formula 4] is
equisatisfiable with

    F(x) and not c(x) and C(x, i) and T(x, i, x') and c(x')

with the predicates themselves in place of their names (a test proves it). `predecessor` asks it.
Initial states and violations are asked about as they are, not in their abstraction; so no predicate
is needed for them, and the inputs of a property are existential where it is asked about. Predicates
are about the state only: no input is ever shared between two states.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.analysis.affine_system import control_variables
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.halfspace import HalfSpaces
from obligato.engines.ic3ia.initial import Initial
from obligato.engines.ic3ia.lifting import preimage
from obligato.engines.ic3ia.options import FrameOptions
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reaching import Reaching
from obligato.engines.ic3ts import (
    Answer,
    Cube,
    Hooks,
    Lemma,
    Query,
    Reached,
    Undecided,
    Unreached,
    cube_of,
)
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.smt.implicant import halves
from obligato.terms import BOOL, INT, REAL, Term, conjuncts

SUGGESTED = 100  # predicates that others may suggest


class AbstractFrames(Hooks):
    """Frames over the predicates of one system."""

    def __init__(
        self,
        predicates: Predicates,
        options: FrameOptions,
        env: Environment,
        make: Make,
        known: tuple[Term, ...] = (),
    ) -> None:
        system = predicates.system
        self.system, self.predicates, self.options, self.env = system, predicates, options, env
        self.known, self.assumes = known, True
        self._suggested = 0  # predicates that others have suggested
        numbers = any(x.sort in (INT, REAL) for x in system.state)
        self.guidance = options.guidance if numbers else 0
        self.concretise = options.concretise and any(x.sort is INT for x in system.state)
        self._numbers = bool(self.guidance or self.concretise)
        self.control = control_variables(system) if self._numbers else ()
        self.store = system.store
        self._steps = ActivationSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._ends = ActivationSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._plain = ActivationSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._frames = ActivationSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._bad = self.store.or_(*(self.store.not_(p.formula) for p in system.assertions))
        self._starts = self.store.fresh("level!0", BOOL)
        self._levels: list[Term] = [self._starts]
        for solver, formulas in ((self._steps, (system.trans,)), (self._ends, (self._bad,))):
            for f in (*system.constraints, *known, *formulas):
                solver.add(f)
            solver.add(system.init, under=self._starts)
        self._initial = Initial(predicates, make(), env)
        self._half_spaces = HalfSpaces(
            predicates, self._steps, self._initial, env, make, options.half_spaces
        )

    @property
    def width(self) -> int:
        """See `Hooks`."""
        return len(self.predicates) + 1

    def assume(self, formulas: Sequence[Term], others: Sequence[Term]) -> None:
        """See `Hooks`. Atoms of the others become predicates, a few."""
        self.known = (*self.known, *formulas)
        for f in formulas:
            self._steps.add(f)
            self._ends.add(f)
        new = dict.fromkeys(p for f in others for p in self.predicates.parts(f))
        left = SUGGESTED - self._suggested
        self._suggested += len(self.predicates.add(list(new)[: max(0, left)]))

    # -- frames ------------------------------------------------------------------------------------

    def extend(self) -> None:
        """See `Hooks`."""
        self._levels.append(self.store.fresh(f"level!{len(self._levels)}", BOOL))
        self.env.counters["predicates"] = len(self.predicates)

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks`."""
        clause = self.store.not_(self.predicates.formula(lemma.cube))
        self._steps.add(clause, under=self._levels[lemma.level])
        self._ends.add(clause, under=self._levels[lemma.level])
        if self._numbers:
            self._frames.add(clause, under=self._levels[lemma.level])

    def _frame(self, level: int) -> list[Term]:
        """The assumptions that switch on F_level."""
        return self._levels[level:] if level else self._levels[:1]

    # -- questions ---------------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        """See `Hooks`."""
        self.env.tick()
        # F_level and C and not P: sat - a state to block; unsat - the frontier is safe   (required)
        result = self._ends.check(self._frame(level), kind="bad")
        self._decided(result)
        return Reaching(self.predicates, self._ends) if result is SAT else None

    def predecessor(self, query: Query) -> Answer:
        """See `Hooks`. A half-space lemma is tried before the whole cube."""
        part = (
            self._half_spaces.candidate(query.cube)
            if query.required and self.options.half_spaces
            else None
        )
        if part is not None and not self.meets_initial(part):
            answer = self._predecessor(Query(part, query.level, "half-space"))
            if isinstance(answer, Unreached):
                return answer
        return self._predecessor(query)

    def _predecessor(self, query: Query) -> Answer:
        cube = query.cube
        origin = {self.predicates.next_literal(n): n for n in cube}
        other = [] if query.in_frame else [self.store.not_(self.predicates.formula(cube))]
        budget = None if query.required else self.options.budget or None
        self.env.tick()
        # F_level and not c and C and T and c': sat - a predecessor; unsat - a core of c has none
        # (the query says whether it is required)
        result = self._steps.check(
            [*self._frame(query.level), *origin], temporary=other, budget=budget, kind=query.purpose
        )
        if result is UNKNOWN and not query.required:
            self.env.count("gave_up")
            return Undecided()
        self._decided(result)
        if result is SAT:
            return Reaching(self.predicates, self._steps)
        core = cube_of(origin[t] for t in self._steps.core() if t in origin)
        return Unreached(self._initial.excluding(core, cube))

    def _decided(self, result: SatResult) -> None:
        if result is UNKNOWN:
            raise self.env.undecided()

    def _try_half_space(self, state: ConcreteState) -> list[int]:
        """Look for a half-space lemma against a CTI; the literals that say that the CTI is outside
        of half-spaces. May add predicates. The lemma is to hold relative to the frontier and the
        properties, so that it can rise up to there.
        """
        if not self.options.half_spaces:
            return []
        self._half_spaces.note(
            state, [*self._levels[-1:], *(p.formula for p in self.system.assertions)]
        )
        return self._half_spaces.excluding(state)

    def before(self, reached: Reached, query: Query) -> Cube:
        """See `Hooks`: the projection of an implicant of the step, with its literals as new
        predicates where there are none.
        """
        assert isinstance(reached, Reaching)
        goal = map(self.predicates.next_literal, query.cube)
        step = [*self.system.constraints, self.system.trans, *goal]
        hidden = [*self.system.primed.values(), *self.system.inputs]
        model = dict(reached.values((*self.system.state, *hidden)))
        return self.entered(preimage([c for f in step for c in conjuncts(f)], hidden, model))

    def entered(self, literals: Sequence[Term]) -> Cube:
        """See `Hooks`; equations become two inequalities."""
        return cube_of(self.predicates.signed(half) for x in literals for half in halves(x))

    def excludes(self, cube: Cube, level: int) -> bool:
        """See `Hooks`."""
        # F_level and c: unsat - blocked already; sat or unknown - go on   (heuristic)
        return self._inside(cube, level, "subsumption") is UNSAT

    def state_in(self, cube: Cube, level: int) -> ConcreteState | None:
        """See `Hooks`."""
        # F_level and c: sat - a state of both; otherwise none is known   (heuristic)
        if self._inside(cube, level, "concretise") is SAT:
            return self._frames.model_of(self.system.state)
        return None

    def _inside(self, cube: Cube, level: int, kind: str) -> SatResult:
        """Is F_level and cube satisfiable?"""
        self.env.tick()
        literals = [self.predicates.literal(n) for n in cube]
        # the callers say what the answers mean   (heuristic)
        return self._frames.check([*self._frame(level), *literals], kind=kind)

    def meets_initial(self, cube: Cube) -> bool:
        """See `Hooks`."""
        return self._initial.meets(cube)

    def formula(self, cube: Cube) -> Term:
        """See `Hooks`."""
        return self.predicates.formula(cube)

    def close(self) -> None:
        """See `Hooks`."""
        for solver in (self._steps, self._ends, self._plain, self._frames):
            solver.close()
        self._initial.close()
