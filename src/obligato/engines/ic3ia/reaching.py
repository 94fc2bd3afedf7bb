"""The model of a step, read as far as it is needed: reading values costs as much as asking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Cube, Reached
from obligato.errors import InternalError
from obligato.smt.activation import ActivationSolver
from obligato.terms import Term, Value, evaluate, free_vars


class Reaching(Reached):
    """A model in `solver`, valid until its next check."""

    def __init__(self, predicates: Predicates, solver: ActivationSolver) -> None:
        self.predicates, self.solver = predicates, solver
        self._asked = solver.checks
        self._values: dict[Term, Value] = {}
        self._open: dict[Term, None] = {}  # read, and left open by the model

    def values(self, variables: Sequence[Term]) -> dict[Term, Value]:
        """The values of variables; those left open are missing."""
        missing = [x for x in variables if x not in self._values and x not in self._open]
        if missing:
            if self.solver.checks != self._asked:
                raise InternalError("a model was read after the next question")
            self._values.update(self.solver.model_of(missing))
            self._open.update(dict.fromkeys(x for x in missing if x not in self._values))
        return self._values

    @cached_property
    def state(self) -> int:
        """See `Reached`."""
        return self.predicates.state(self.values(tuple(free_vars(*self.predicates.terms))))

    def agreeing(self, cube: Cube) -> Cube:
        """See `Reached`."""
        terms = [self.predicates.literal(n) for n in cube]
        values = self.values(tuple(free_vars(*terms)))
        memo: dict[Term, Value] = {}
        return tuple([n for n, t in zip(cube, terms, strict=True) if evaluate(t, values, memo)])
