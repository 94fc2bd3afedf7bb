"""Is a chain of cubes a run? [CGMT16, 3.3, Eq. 5], incrementally: one solver unrolls the system once for all chains.

The query is I(x0) and c0(x0) and T(x0, i0, x1) and c1(x1) ... and not P(xn, in), with the constraints at each step. Steps are
switched on by literals, cubes are assumptions: an unsat core says how far the refutation reaches. The cubes are kept
whole: they say which way the steps go, without which questions about a long prefix are hard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem, Unrolling
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import FrameSolver
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term, Value

REBUILD_EVERY = 100


@dataclass(frozen=True, slots=True)
class Spurious:
    """A chain that is no run, already its first `length` steps with their cubes (n + 1 of n: all and the violation)."""

    cubes: list[Cube]
    length: int


class Concretiser:
    """The unrolling of one system."""

    def __init__(self, system: TransitionSystem, predicates: Predicates, env: Environment, make: Make) -> None:
        self.system, self.predicates, self.env = system, predicates, env
        self.unrolling = Unrolling(system)
        self.solver = FrameSolver(system.store, make, rebuild_every=REBUILD_EVERY)
        self.solver.add(self.unrolling.at(system.init, 0))
        self._steps: list[Term] = []
        self._ends: dict[int, Term] = {}

    def _until(self, n: int) -> list[Term]:
        """The literals that switch on n steps and a violation after them."""
        store, unrolling = self.system.store, self.unrolling
        while len(self._steps) < n:
            t = len(self._steps)
            self._steps.append(store.fresh(f"step!{t}", BOOL))
            self.solver.add(unrolling.step(t), under=self._steps[t])
        if n not in self._ends:
            self._ends[n] = store.fresh(f"end!{n}", BOOL)
            self.solver.add(unrolling.violation(n), under=self._ends[n])
        return [*self._steps[:n], self._ends[n]]

    def run(self, cubes: list[Cube]) -> SystemTrace | Spurious:
        """The run that the cubes stand for, or why there is none."""
        n = len(cubes) - 1
        switches = self._until(n)
        literal = self.predicates.literal
        origin = {self.unrolling.at(literal(x), t): (t, x) for t, cube in enumerate(cubes) for x in cube}
        self.env.tick()
        # I and c0 and T and c1 ... and not P: sat - a run; unsat - spurious, with the literals that took part   (required)
        result = self.solver.check([*switches, *origin], kind="concretise")
        if result is SAT:
            return self._trace(n)
        if result is not UNSAT:
            self.env.tick()
            raise ResourceOut("incomplete: a solver could not decide whether a counterexample is spurious")
        core = dict.fromkeys(self.solver.core())
        steps = [t for t, switch in enumerate(switches, 1) if switch in core]
        return Spurious(cubes, max([0, *steps, *(t for term, (t, _) in origin.items() if term in core)]))

    # -- prefixes, for refinement -----------------------------------------------------------------------------------------

    def excluded(self, spurious: Spurious, k: int, literals: Sequence[Term], budget: int) -> list[Term] | None:
        """A part of `literals`, about x_k, that the prefix A_k excludes; None if it does not, or cannot be decided."""
        at, literal = self.unrolling.at, self.predicates.literal
        origin = {at(x, k): x for x in literals}
        prefix = [at(literal(x), t) for t, cube in enumerate(spurious.cubes[: k + 1]) for x in cube]
        self.env.tick()
        # A_k and literals: unsat - a core of the literals; sat - none   (heuristic)
        if self.solver.check([*self._steps[:k], *prefix, *origin], budget=budget, kind="exclude") is not UNSAT:
            return None
        return [origin[t] for t in self.solver.core() if t in origin]

    def formulas(self, spurious: Spurious) -> list[Term]:
        """The chain as a sequence: initial states, steps, violation; each step with the cube that it reaches."""
        store, at, cubes = self.system.store, self.unrolling.at, spurious.cubes
        here = [at(self.predicates.formula(c), t) for t, c in enumerate(cubes)]
        steps = [store.and_(self.unrolling.step(t - 1), here[t]) for t in range(1, len(cubes))]
        whole = [store.and_(at(self.system.init, 0), here[0]), *steps, self.unrolling.violation(len(cubes) - 1)]
        return whole[: spurious.length + 1]

    def prefix_formula(self, spurious: Spurious, k: int) -> Term:
        """A_k."""
        return self.system.store.and_(*self.formulas(spurious)[: k + 1])

    def untimed(self, k: int) -> dict[Term, Term]:
        """The state at time k without its time."""
        return {self.unrolling.var(x, k): x for x in self.system.state}

    def _trace(self, n: int) -> SystemTrace:
        steps = []
        for t in range(n + 1):
            state = self.solver.model_of({self.unrolling.var(x, t): None for x in self.system.state})
            inputs = self.solver.model_of({self.unrolling.var(x, t): None for x in self.system.inputs})
            steps.append(SystemStep(_named(state), _named(inputs)))
        return SystemTrace(tuple(steps))

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()


def _named(values: Mapping[Term, Value]) -> dict[str, Value]:
    """Values by the names without time."""
    return {x.name.rpartition("@")[0]: v for x, v in values.items()}
