"""IC3IA [CGMT16]: the hooks of the IC3 skeleton for implicit predicate abstraction.

Idea: IC3 works on abstract states, without an abstract transition relation (`abstract` asks its
questions). `lift` makes the abstract state of a model smaller (`lifting`), `refine` (Fig. 3, line
10, 11) decides whether a chain of cubes is a run (`chain`) and if not finds predicates that tell
(`refinement`).

Limitation: an abstraction that cannot be refined (`refinement`) ends as unknown.
"""

from __future__ import annotations

from contextlib import closing

from obligato.engines.environment import Environment
from obligato.engines.ic3ia.abstract import AbstractFrames
from obligato.engines.ic3ia.chain import Chain
from obligato.engines.ic3ia.lifting import Lifting, preimage
from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reaching import Reaching
from obligato.engines.ic3ia.refinement import Refinement
from obligato.engines.ic3ts import Lifted, Obligation, Query, Reached, cube_of
from obligato.errors import ResourceOut
from obligato.models.ts_claims import SystemTrace
from obligato.smt.factory import Make
from obligato.terms import Term, conjuncts, evaluate


class PredicateAbstraction(AbstractFrames):
    """The abstraction of one system."""

    exact = False
    options: Options

    def __init__(
        self,
        predicates: Predicates,
        options: Options,
        env: Environment,
        make: Make,
        known: tuple[Term, ...] = (),
    ) -> None:
        super().__init__(predicates, options, env, make, known)
        self._lifting = Lifting(predicates, self._plain, env)
        self._refinement = Refinement(predicates, options, env, make)
        self._make = make

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks`: abstract states with an abstract step to the target. There is no move:
        inputs come from `refine`.
        """
        assert isinstance(reached, Reaching)
        if query is None:
            step, hidden = [*self.system.constraints, self._bad], list(self.system.inputs)
        else:
            step = [
                *self.system.constraints,
                self.system.trans,
                *map(self.predicates.next_literal, query.cube),
            ]
            hidden = [*self.system.primed.values(), *self.system.inputs]
        model = dict(reached.values((*self.system.state, *hidden)))
        outside = self._try_half_space({x: evaluate(x, model) for x in self.system.state})
        state = self.predicates.state(model)
        if not self.options.shrink_cubes:
            return Lifted(self.predicates.cube(state), None)
        pre = preimage([c for f in step for c in conjuncts(f)], hidden, model)
        return Lifted(cube_of([*self._lifting.shrink(state, pre), *outside]), None)

    # -- refinement --------------------------------------------------------------------------------

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks` [CGMT16, 3.3]."""
        with closing(
            Chain(self.predicates, [o.cube for o in chain], self.env, self._make)
        ) as found:
            trace = found.run()
            if trace is not None:
                return trace
            added = self._refinement.refine(found)
        self.env.event(
            "refinement",
            length=len(chain),
            predicates=[repr(self.predicates.terms[n]) for n in added],
        )
        if not added:
            raise ResourceOut("incomplete: no new predicate refutes a spurious counterexample")
        return None
