"""Is a lasso of very many steps a fair run that violates a property?
Like `checking.lasso`, but no state of it is kept.

The run is executed by compiled code (`models.stepping`); at steps 0, 1, 2, 4, ... and at every
`SAMPLE`-th one the terms of the *original* system are evaluated as well, and both must agree. What
is kept is one state (where the loop begins) and a byte per step for each formula that is watched.
The loop must close in all variables: no going round again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from obligato.models.live_claims import Lasso
from obligato.models.stepping import State, stepper
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep
from obligato.results.checking.run import Rejected, Simulation
from obligato.terms import Term, Value, default_value, evaluate

SAMPLE = 4096


class LongRun:
    """A lasso on its way. `truths`: for each watched formula, by step, 1 where it is true."""

    def __init__(
        self,
        system: TransitionSystem,
        lasso: Lasso,
        watched: Sequence[Term],
        simulation: Simulation,
    ) -> None:
        self.system, self.lasso, self.watched, self.simulation = system, lasso, watched, simulation
        self.truths = [bytearray(len(lasso.steps)) for _ in watched]
        self._step = stepper(system, watched)

    def follow(self) -> None:
        """Take all steps. Ensures: the first state is initial, constraints hold,
        the last step ends where the loop begins."""
        state: State = tuple(self.simulation.initial(self.lasso.steps[0]).values())
        there = state
        for n, (step, inputs) in enumerate(self._moves()):
            if n == self.lasso.loop:
                there = state
            if n % SAMPLE == 0 or n & (n - 1) == 0:
                self._compare(n, state, step)
            self._agree(n, state, step)
            allowed, truths, state = self._step((*state, *inputs))
            if not allowed:
                raise Rejected(f"step {n}: a constraint is violated")
            for row, true in zip(self.truths, truths, strict=True):
                row[n] = true
        if state != there:
            raise Rejected("the loop does not close")

    def _moves(self) -> Iterator[tuple[SystemStep, tuple[Value, ...]]]:
        """The steps with their inputs in order; steps that share an object are read once."""
        last: SystemStep | None = None
        values: tuple[Value, ...] = ()
        for step in self.lasso.steps:
            if step is not last:
                last, values = (
                    step,
                    tuple(
                        step.inputs.get(i.name, default_value(i.sort)) for i in self.system.inputs
                    ),
                )
            yield step, values

    def _agree(self, n: int, state: State, step: SystemStep) -> None:
        """What the lasso says about the state must be so."""
        if step.state:
            wrong = [
                x.name
                for x, v in zip(self.system.state, state, strict=True)
                if step.state.get(x.name, v) != v
            ]
            if wrong:
                raise Rejected(f"step {n}: the value of {wrong[0]} is another one")

    def _compare(self, n: int, state: State, step: SystemStep) -> None:
        """Compiled code and evaluation say the same about a step."""
        values = dict(zip(self.system.state, state, strict=True))
        now, memo = self.simulation.allowed(values, step, n)
        truths = tuple(bool(evaluate(f, now, memo)) for f in self.watched)
        after = tuple(self.simulation.following(now, SystemStep(), memo, n).values())
        if (True, truths, after) != self._step(tuple(now.values())):
            raise Rejected(f"step {n}: compiled code and evaluation of the terms disagree")


def first_steps(system: TransitionSystem, lasso: Lasso, count: int) -> tuple[SystemStep, ...]:
    """The first steps of a confirmed lasso, complete.
    Requires: there are as many, and their states follow by functions."""
    simulation = Simulation(system, [], lambda: None)
    state, out = simulation.initial(lasso.steps[0]), list[SystemStep]()
    for n in range(count):
        now, memo = simulation.allowed(state, lasso.steps[n], n)
        out.append(simulation.described(now))
        state = simulation.following(now, SystemStep(), memo, n)
    return tuple(out)
