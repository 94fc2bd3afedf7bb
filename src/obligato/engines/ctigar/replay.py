"""Replay of a chain of obligations, step by step, each a question about one concrete state.

The first state is the concrete CTI where lifting failed, else any initial state of the cube. From a
state the next one is asked for in what its obligation leads to. Where lifting succeeded there is
one for every state; where it failed there is one for the concrete CTI. So a chain can break only at
an obligation that was entered by a spurious transition [BBW14, 3.2]; that of an engine with exact
pre-images, whose obligations are cubes without a CTI, cannot break.
"""

from __future__ import annotations

from obligato.engines.ctigar.cti import Cti, cti, equations, state_of
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.initial import Initial
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Obligation
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.errors import ResourceOut
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt import SAT, UNSAT, SatResult
from obligato.smt.activation import ActivationSolver
from obligato.terms import Term, Value, evaluate


class Replay:
    """Replays chains; `steps` knows C and T, `ends` C and not P, `initial` the initial states."""

    def __init__(
        self,
        predicates: Predicates,
        steps: ActivationSolver,
        ends: ActivationSolver,
        initial: Initial,
        env: Environment,
    ) -> None:
        self.predicates, self.system, self.env = predicates, predicates.system, env
        self.steps, self.ends, self.initial = steps, ends, initial

    def run(self, chain: list[Obligation]) -> tuple[SystemTrace | None, int]:
        """A run along the chain; or None and the position of the obligation after which it ends.

        Requires: the cube of chain[0] meets I. (So does its concrete state where lifting failed, if
        no solver gave up.)
        """
        state, out = self._start(chain[0]), list[SystemStep]()
        for position, o in enumerate(chain):
            model = self._move(state, o)
            if model is None:
                return None, position
            out.append(
                SystemStep(
                    _named(state), _named({i: evaluate(i, model) for i in self.system.inputs})
                )
            )
            state = {x: evaluate(p, model) for x, p in self.system.primed.items()}
        return SystemTrace(tuple(out)), 0

    def _start(self, o: Obligation) -> ConcreteState:
        if o.state is not None:
            if not evaluate(self.system.init, o.state):
                raise ResourceOut(
                    "incomplete: a solver could not lift a state whose abstraction meets the"
                    " initial states"
                )
            return o.state
        literals = [self.predicates.literal(n) for n in o.cube]
        self.env.tick()
        # I and cube: sat - the start of the run; unsat - a broken contract   (required)
        self._decided(self.initial.solver.check(literals, kind="replay"))
        return state_of(self.system, self.initial.solver.model_of(self.system.state))

    def _move(self, state: ConcreteState, o: Obligation) -> dict[Term, Value] | None:
        """A model of a step from the state to what follows it."""
        solver = self.ends if o.parent is None else self.steps
        self.env.tick()
        # x = state and C and T and target' (or C and not P): sat - the step; unsat - the chain ends
        # here   (required)
        result = solver.check([*equations(state), *self._target(o)], kind="replay")
        if result is UNSAT:
            return None
        self._decided(result)
        return solver.model_of((*self.system.inputs, *self.system.primed.values()))

    def _target(self, o: Obligation) -> list[Term]:
        """What the step from an obligation leads to, about the next state; nothing where it is a
        violation.
        """
        if o.parent is None:
            return []
        if isinstance(o.move, Cti) and o.move.into_state:
            return equations(cti(o.parent).state, self.system.primed)
        return [self.predicates.next_literal(n) for n in o.parent.cube]

    def _decided(self, result: SatResult) -> None:
        if result is not SAT:
            raise self.env.undecided("a step of a counterexample")


def _named(values: ConcreteState) -> dict[str, Value]:
    return {x.name: v for x, v in values.items()}
