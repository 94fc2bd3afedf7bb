"""Does a cube meet the initial states? Asked for every cube and every literal dropped, so answers are remembered.

A cube that includes (as a set of literals) one that I excludes is excluded; one that agrees with the abstract state of a known
initial state meets I.
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube
from obligato.engines.ic3ts.cube import masks
from obligato.errors import ResourceOut
from obligato.smt import SAT, UNSAT, Solver

KEPT = 200  # answers of each kind


class Initial:
    """The initial states of a system; `solver` gets them as its only formula."""

    def __init__(self, predicates: Predicates, solver: Solver, env: Environment) -> None:
        self.predicates, self.solver, self.env = predicates, solver, env
        self.solver.add(predicates.system.init)
        self._excluded: list[tuple[int, int, Cube]] = []
        self._states: list[int] = []

    def meets(self, cube: Cube) -> bool:
        """Is I and cube satisfiable?"""
        mask, value = masks(cube)
        if any(s & mask == value for s in self._states):
            return True
        return self._known(mask, value) is None and self._ask(cube) is None

    def excluding(self, core: Cube, cube: Cube) -> Cube:
        """A part of `cube` that includes `core` and excludes I. Requires: I and cube is unsatisfiable."""
        if not self.meets(core):
            return core
        mask, value = masks(cube)
        needed = self._known(mask, value) or self._ask(cube)
        assert needed is not None
        return tuple(sorted({*core, *needed}, key=abs))

    def _known(self, mask: int, value: int) -> Cube | None:
        for m, v, cube in self._excluded:
            if mask & m == m and value & m == v:
                return cube
        return None

    def _ask(self, cube: Cube) -> Cube | None:
        """A part of the cube that excludes I, None if it meets I."""
        origin = {self.predicates.literal(n): n for n in cube}
        self.env.tick()
        # I and cube: sat - a common state; unsat - a core of the cube excludes the initial states   (required)
        result = self.solver.check(list(origin), kind="initial")
        if result is UNSAT:
            core = tuple(sorted([origin[t] for t in self.solver.core()], key=abs))
            self._excluded = [(*masks(core), core), *self._excluded[: KEPT - 1]]
            return core
        if result is not SAT:
            self.env.tick()
            raise ResourceOut("incomplete: a solver could not decide a query that the proof needs")
        state = self.predicates.state(self.solver.model_of(self.predicates.system.state))
        self._states = [state, *self._states[: KEPT - 1]]
        return None

    def grown(self) -> None:
        """There are new predicates: known states are incomplete."""
        self._states.clear()

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()
