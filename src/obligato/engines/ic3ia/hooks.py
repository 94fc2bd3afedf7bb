"""IC3IA [CGMT16]: the hooks of the IC3 skeleton for implicit predicate abstraction.

Idea: cubes and lemmas are about predicates, so that IC3 works on the abstract states, but the abstract transition relation is
never computed: F and c are about predicates only, so Formula 4 is equisatisfiable with

    F(x) and not c(x) and C(x, i) and T(x, i, x') and c(x')

with the predicates themselves in place of their names (a test proves it). `predecessor` asks it. `lift` makes the abstract
state of a model smaller (`lifting`), `refine` (Fig. 3, line 10, 11) decides whether a chain of cubes is a run (`chain`)
and if not finds predicates that tell (`refinement`). Initial states and violations are asked about as they are, not in their
abstraction; so no predicate is needed for them, and the inputs of a property are existential where it is asked about.

Predicates are about the state only: no input is ever shared between two states.
Limitation: an abstraction that cannot be refined (`refinement`) ends as unknown.
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.chain import Chain
from obligato.engines.ic3ia.initial import Initial
from obligato.engines.ic3ia.lifting import Lifting, preimage
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reaching import Reaching
from obligato.engines.ic3ia.refinement import Refinement
from obligato.engines.ic3ts import Answer, Cube, Hooks, Lemma, Lifted, Obligation, Query, Reached, Undecided, Unreached
from obligato.errors import ResourceOut
from obligato.models.ts_claims import SystemTrace
from obligato.smt import SAT, UNKNOWN, SatResult
from obligato.smt.activation import FrameSolver
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term, conjuncts


class PredicateAbstraction(Hooks):
    """The abstraction of one system."""

    exact = False

    def __init__(self, predicates: Predicates, options: Options, env: Environment, make: Make) -> None:
        system = predicates.system
        self.system, self.predicates, self.options, self.env = system, predicates, options, env
        self.store = system.store
        self._steps = FrameSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._ends = FrameSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._plain = FrameSolver(self.store, make, rebuild_every=options.rebuild_every)
        self._bad = self.store.or_(*(self.store.not_(p.formula) for p in system.properties))
        self._starts = self.store.fresh("level!0", BOOL)
        self._levels: list[Term] = [self._starts]
        for solver, formulas in ((self._steps, (system.trans,)), (self._ends, (self._bad,))):
            for f in (*system.constraints, *formulas):
                solver.add(f)
            solver.add(system.init, under=self._starts)
        self._initial = Initial(predicates, make(), env)
        self._lifting = Lifting(predicates, self._plain, env)
        self._refinement = Refinement(predicates, options, env, make)
        self._make = make

    @property
    def width(self) -> int:
        """See `Hooks`."""
        return len(self.predicates) + 1

    # -- frames ---------------------------------------------------------------------------------------------------------

    def extend(self) -> None:
        """See `Hooks`."""
        self._levels.append(self.store.fresh(f"level!{len(self._levels)}", BOOL))
        self.env.counters["predicates"] = len(self.predicates)

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks`."""
        clause = self.store.not_(self.predicates.formula(lemma.cube))
        self._steps.add(clause, under=self._levels[lemma.level])
        self._ends.add(clause, under=self._levels[lemma.level])

    def _frame(self, level: int) -> list[Term]:
        """The assumptions that switch on F_level."""
        return self._levels[level:] if level else self._levels[:1]

    # -- questions ------------------------------------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        """See `Hooks`."""
        self.env.tick()
        # F_level and C and not P: sat - a state to block; unsat - the frontier is safe   (required)
        result = self._ends.check(self._frame(level), kind="bad")
        self._decided(result)
        return Reaching(self.predicates, self._ends) if result is SAT else None

    def predecessor(self, query: Query) -> Answer:
        """See `Hooks`."""
        cube = query.cube
        origin = {self.predicates.next_literal(n): n for n in cube}
        other = [] if query.in_frame else [self.store.not_(self.predicates.formula(cube))]
        budget = None if query.required else self.options.budget or None
        self.env.tick()
        # F_level and not c and C and T and c': sat - a predecessor; unsat - a core of c has none   (the query says whether it
        # is required)
        result = self._steps.check([*self._frame(query.level), *origin], temporary=other, budget=budget, kind=query.purpose)
        if result is UNKNOWN and not query.required:
            self.env.count("gave_up")
            return Undecided()
        self._decided(result)
        if result is SAT:
            return Reaching(self.predicates, self._steps)
        core = tuple(sorted([origin[t] for t in self._steps.core() if t in origin], key=abs))
        return Unreached(self._initial.excluding(core, cube))

    def _decided(self, result: SatResult) -> None:
        if result is UNKNOWN:
            self.env.tick()
            raise ResourceOut("incomplete: a solver could not decide a query that the proof needs")

    def meets_initial(self, cube: Cube) -> bool:
        """See `Hooks`."""
        return self._initial.meets(cube)

    # -- cubes ----------------------------------------------------------------------------------------------------------

    def formula(self, cube: Cube) -> Term:
        """See `Hooks`."""
        return self.predicates.formula(cube)

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks`: abstract states with an abstract step to the target. There is no move: inputs come from `refine`."""
        assert isinstance(reached, Reaching)
        if not self.options.shrink_cubes:
            return Lifted(self.predicates.cube(reached.state), None)
        if query is None:
            step, hidden = [*self.system.constraints, self._bad], list(self.system.inputs)
        else:
            step = [*self.system.constraints, self.system.trans, *map(self.predicates.next_literal, query.cube)]
            hidden = [*self.system.primed.values(), *self.system.inputs]
        model = reached.values((*self.system.state, *hidden))
        pre = preimage([c for f in step for c in conjuncts(f)], hidden, model)
        return Lifted(self._lifting.shrink(reached.state, pre, model), None)

    # -- refinement -----------------------------------------------------------------------------------------------------

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks` [CGMT16, 3.3]."""
        found = Chain(self.predicates, [o.cube for o in chain], self.env, self._make)
        try:
            trace = found.run()
            if trace is not None:
                return trace
            added = self._refinement.refine(found)
        finally:
            found.close()
        self.env.event("refinement", length=len(chain), predicates=[repr(self.predicates.terms[n]) for n in added])
        if not added:
            raise ResourceOut("incomplete: no new predicate refutes a spurious counterexample")
        self._initial.grown()
        return None

    def close(self) -> None:
        """See `Hooks`."""
        for solver in (self._steps, self._ends, self._plain):
            solver.close()
        self._initial.close()
