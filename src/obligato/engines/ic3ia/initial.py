"""Does a cube meet the initial states? Asked for every cube and every literal dropped, so answers
are remembered.

A cube that includes (as a set of literals) one that I excludes is excluded; one that agrees with a
known initial state meets I.
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube, cube_of
from obligato.engines.ic3ts.cube import masks
from obligato.smt import SAT, UNSAT, Solver
from obligato.terms import Term, Value

KEPT = 200  # answers of each kind


class _Known:
    """A known initial state; which predicates it satisfies is found out when they are new."""

    __slots__ = ("_bits", "_width", "values")

    def __init__(self, values: dict[Term, Value]) -> None:
        self.values, self._bits, self._width = values, 0, 1

    def bits(self, predicates: Predicates) -> int:
        """Bit n is the truth of predicate n."""
        if self._width < len(predicates.terms):
            self._bits |= predicates.state(self.values, self._width)
            self._width = len(predicates.terms)
        return self._bits


class Initial:
    """The initial states of a system; `solver` gets them as its only formula."""

    def __init__(self, predicates: Predicates, solver: Solver, env: Environment) -> None:
        self.predicates, self.solver, self.env = predicates, solver, env
        self.solver.add(predicates.system.init)
        self._excluded: list[tuple[int, int, Cube]] = []
        self._states: list[_Known] = []

    def meets(self, cube: Cube) -> bool:
        """Is I and cube satisfiable?"""
        return self.common_state(cube) is not None

    def common_state(self, cube: Cube) -> dict[Term, Value] | None:
        """A state of I and cube; None: there is none."""
        mask, value = masks(cube)
        for s in self._states:
            if s.bits(self.predicates) & mask == value:
                return s.values
        if self._known(mask, value) is not None or self._ask(cube) is not None:
            return None
        return self._states[0].values

    def excluding(self, core: Cube, cube: Cube) -> Cube:
        """A part of `cube` that includes `core` and excludes I. Requires: I and cube is
        unsatisfiable.
        """
        if not self.meets(core):
            return core
        mask, value = masks(cube)
        needed = self._known(mask, value) or self._ask(cube)
        assert needed is not None
        return cube_of((*core, *needed))

    def _known(self, mask: int, value: int) -> Cube | None:
        for m, v, cube in self._excluded:
            if mask & m == m and value & m == v:
                return cube
        return None

    def _ask(self, cube: Cube) -> Cube | None:
        """A part of the cube that excludes I, None if it meets I."""
        origin = {self.predicates.literal(n): n for n in cube}
        self.env.tick()
        # I and cube: sat - a common state; unsat - a core of the cube excludes the initial states
        # (required)
        result = self.solver.check(list(origin), kind="initial")
        if result is UNSAT:
            core = cube_of(origin[t] for t in self.solver.core())
            self._excluded = [(*masks(core), core), *self._excluded[: KEPT - 1]]
            return core
        if result is not SAT:
            raise self.env.undecided()
        self._states = [
            _Known(self.solver.model_of(self.predicates.system.state)),
            *self._states[: KEPT - 1],
        ]
        return None

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()
