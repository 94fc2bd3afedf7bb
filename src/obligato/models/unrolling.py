"""A transition system at points of time 0, 1, 2, ...:
its formulas about the state and inputs of a time, and its runs.

By default the state of each time has variables of its own (``x@3``), and the caller relates them
with `step`. With `functions` the next state is a term over the state before and the inputs, where
the system has next-state functions: simplified as it grows, so that a step adds no formula. With
`initial` time 0 is an initial state: start values that `init` gives by equations are put in, and
`facts` is the rest of `init`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms import (
    Op,
    Substitution,
    Term,
    Value,
    assigned_constant,
    conjuncts,
    evaluate,
    free_vars,
)

Table = dict[Term, Term]  # what a state variable or input is at a time


class Unrolling:
    """Copies of a system's formulas at points of time; each copy is made once."""

    def __init__(
        self, system: TransitionSystem, *, initial: bool = False, functions: bool = False
    ) -> None:
        self.system, self.store = system, system.store
        self.functions = functions and system.next is not None
        self.facts: list[Term] = []
        self._states: list[Table] = []
        self._views: dict[int, Substitution] = {}
        self._steps: dict[int, Substitution] = {}
        if initial:
            self._start(self.state(0))

    def _start(self, first: Table) -> None:
        """Put in the start values that are given by constants; the rest of `init` is a fact."""
        rest = []
        for f in conjuncts(self.system.init):
            x, value = assigned_constant(f)
            if x is not None and first[x].op is Op.VAR and value is not None:
                first[x] = value
            else:
                rest.append(f)
        self.facts = [Substitution(first)(f) for f in rest]

    # -- time --------------------------------------------------------------------------------------

    def var(self, x: Term, time: int) -> Term:
        """The variable that stands for a state variable or input at a time."""
        return x.store.var(f"{x.name}@{time}", x.sort)

    def state(self, time: int) -> Table:
        """The copies of all state variables at a time."""
        states, system = self._states, self.system
        while len(states) <= time:
            now = len(states)
            if now and self.functions and system.next is not None:
                states.append({x: self.at(system.next[x], now - 1) for x in system.state})
            else:
                states.append({x: self.var(x, now) for x in system.state})
        return states[time]

    def inputs(self, time: int) -> Table:
        """What each input is at a time: a variable."""
        return {i: self.var(i, time) for i in self.system.inputs}

    def at(self, formula: Term, time: int) -> Term:
        """A formula over state and inputs at a time."""
        if time not in self._views:
            self._views[time] = Substitution({**self.state(time), **self.inputs(time)})
        return self._views[time](formula)

    def across(self, formula: Term, time: int) -> Term:
        """A formula over state, inputs (at `time`) and next state (at `time` + 1)."""
        if time not in self._steps:
            then = self.state(time + 1)
            primed = {p: then[x] for x, p in self.system.primed.items()}
            self._steps[time] = Substitution({**self.state(time), **self.inputs(time), **primed})
        return self._steps[time](formula)

    # -- the system --------------------------------------------------------------------------------

    def constraint(self, time: int) -> Term:
        """All constraints at a time."""
        return self.store.and_(*(self.at(c, time) for c in self.system.constraints))

    def bad(self, time: int) -> Term:
        """Some property is violated at a time."""
        s = self.store
        return s.or_(*(s.not_(self.at(p.formula, time)) for p in self.system.assertions))

    def step(self, time: int) -> Term:
        """What relates a time to the next, beside the constraints;
        with `functions` alone it is true."""
        system = self.system
        if (
            self.functions
            and system.next is not None
            and system.trans is functional(self.store, system.next)
        ):
            return self.store.true
        return self.across(system.trans, time)

    def trace(
        self, values_of: Callable[[Sequence[Term]], Mapping[Term, Value]], time: int
    ) -> SystemTrace:
        """The run up to `time` that a solver's model describes;
        variables that the model leaves open are left out."""
        tables = [(self.state(t), self.inputs(t)) for t in range(time + 1)]
        model = values_of(
            list(free_vars(*(t for pair in tables for table in pair for t in table.values())))
        )
        memo: dict[Term, Value] = {}

        def values(table: Table) -> dict[str, Value]:
            return {
                x.name: evaluate(t, model, memo)
                for x, t in table.items()
                if t.op is not Op.VAR or t in model
            }

        return SystemTrace(
            tuple(SystemStep(values(state), values(inputs)) for state, inputs in tables)
        )
