"""Does a trace of a transition system violate a property?
The check that every FALSE about a system passes (DESIGN 4).

The run is simulated on the *original* system by evaluation of its terms: the first state is
initial, each state and its inputs satisfy the constraints (the last ones too), each step is one of
the transition relation, and at the end a property is false. Next states are computed where the
system has next-state functions; what the trace says about them must agree.

Start values that the trace leaves open follow from the equations of `init`, else they are solved
for; so are open values of next states where there are no functions. Other open values take their
sort's default. `check_system_trace` carries the idea.
Trusted: evaluation; the solver only proposes. From the `OFTEN`-th step on constraints and next
values are evaluated all at once (`terms.flat`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.checking.solving import SAT, Link, Questions
from obligato.results.checking.status import TraceStatus
from obligato.terms import (
    ArrayValue,
    Op,
    Sort,
    Term,
    Value,
    conjuncts,
    default_value,
    evaluate,
    free_vars,
)
from obligato.terms.flat import Flat, flat
from obligato.terms.semantics import settled

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem

OFTEN = 4
Values = dict[Term, Value]


@dataclass(frozen=True, slots=True)
class SystemTraceCheck:
    """The result; a confirmed trace is complete,
    and `failed` names the properties that fail at its end."""

    status: TraceStatus
    reason: str = ""
    trace: SystemTrace | None = None
    failed: tuple[str, ...] = ()

    @property
    def violated(self) -> str:
        """The first property that fails at the end of a confirmed trace."""
        return self.failed[0]


class Rejected(Exception):
    """Why the trace is no run."""


def check_system_trace(
    system: TransitionSystem,
    trace: SystemTrace,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> SystemTraceCheck:
    """Simulate `trace` on the original `system`."""
    try:
        steps, failed = Simulation(system, links, tick).run(trace)
    except Rejected as problem:
        return SystemTraceCheck(TraceStatus.REJECTED, str(problem))
    return SystemTraceCheck(TraceStatus.CONFIRMED, trace=SystemTrace(tuple(steps)), failed=failed)


class Simulation:
    """Steps of a system, by evaluation."""

    def __init__(
        self, system: TransitionSystem, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        self.system, self.links, self.tick = system, links, tick
        self._steps = 0  # that were looked at
        self._flat: Flat | None = None

    def run(self, trace: SystemTrace) -> tuple[list[SystemStep], tuple[str, ...]]:
        """The completed steps and the violated properties."""
        if not trace.steps:
            raise Rejected("the trace has no steps")
        out: list[SystemStep] = []
        state = self.initial(trace.steps[0])
        for time, step in enumerate(trace.steps):
            now, memo = self.allowed(state, step, time)
            out.append(self.described(now))
            if time + 1 < len(trace.steps):
                state = self.following(now, trace.steps[time + 1], memo, time)
        failed = [p.name for p in self.system.assertions if not evaluate(p.formula, now, memo)]
        if not failed:
            raise Rejected("no property is violated at the end")
        return out, tuple(failed)

    def allowed(self, state: Values, step: SystemStep, time: int) -> tuple[Values, dict[Term, Any]]:
        """The values of state and inputs, and a memo for evaluation.
        Ensures: the constraints hold."""
        self.tick()
        system = self.system
        now = {**state, **_completed(system.inputs, _by_term(system.inputs, step.inputs))}
        memo = self._memo(now)
        for n, constraint in enumerate(system.constraints):
            if not evaluate(constraint, now, memo):
                raise Rejected(f"step {time}: constraint {n} is violated")
        return now, memo

    def _memo(self, now: Values) -> dict[Term, Any]:
        """What is known of the values of terms: nothing, or those that each step needs."""
        self._steps += 1
        if self._steps == OFTEN:
            self._flat = flat([*self.system.constraints, *(self.system.next or {}).values()])
        return {} if self._flat is None else self._flat.values(now)

    def described(self, now: Values) -> SystemStep:
        """A step by the names of its variables."""
        system = self.system
        return SystemStep(
            {x.name: now[x] for x in system.state}, {i.name: now[i] for i in system.inputs}
        )

    def initial(self, step: SystemStep) -> Values:
        """The first state, completed. Ensures: it is initial."""
        init, given = self.system.init, _by_term(self.system.state, step.state)
        state = _completed(
            self.system.state, _by_equations(given, conjuncts(init), self.system.state)
        )
        if evaluate(init, state):
            return state
        if len(given) == len(self.system.state):
            raise Rejected("the first state is not initial")
        return self._solved(init, given, self.system.state, "the first state is not initial")

    def following(self, now: Values, step: SystemStep, memo: dict[Term, Any], time: int) -> Values:
        """The state after a step, which agrees with what is said about it.
        Ensures: there is such a transition."""
        system = self.system
        given = _by_term(system.state, step.state)
        wrong = f"step {time}: there is no such transition"
        if system.next is not None:
            state = {x: evaluate(system.next[x], now, memo) for x in system.state}
            differing = [x.name for x, v in given.items() if not same_value(state[x], v, x.sort)]
            if differing:
                raise Rejected(f"step {time}: the next value of {differing[0]} is another one")
        elif len(given) < len(system.state):
            primed = {system.primed[x]: v for x, v in given.items()}
            solved = self._solved(
                system.trans, {**now, **primed}, list(system.primed.values()), wrong
            )
            state = {x: solved[y] for x, y in system.primed.items()}
        else:
            state = given
        if not evaluate(
            system.trans, {**now, **{y: state[x] for x, y in system.primed.items()}}, memo
        ):
            raise Rejected(wrong)
        return state

    def _solved(
        self, formula: Term, given: Values, wanted: Sequence[Term], otherwise: str
    ) -> Values:
        """Values of `wanted` that satisfy `formula` together with the given ones."""
        store = self.system.store
        fixed = [store.eq(v, store.const(x, v.sort)) for v, x in given.items()]
        with closing(Questions(self.links, [formula, *fixed], self.tick)) as questions:
            # formula and the given values: sat - the values that were left open;
            # unsat - the trace is wrong   (required)
            reply = questions.ask([], "complete")
        if reply.result is not SAT:
            raise Rejected(f"{otherwise} {reply.reason}".rstrip())
        return _completed(wanted, {v: reply.model[v] for v in wanted if v in reply.model})


def same_value(a: Value, b: Value, sort: Sort) -> bool:
    """Are two values of a sort equal? One array may be told in several ways."""
    if isinstance(a, ArrayValue) and isinstance(b, ArrayValue):
        return settled(a, sort) == settled(b, sort)
    return a == b


def _by_term(variables: Sequence[Term], values: Mapping[str, Value]) -> Values:
    return {v: values[v.name] for v in variables if v.name in values}


def _completed(variables: Sequence[Term], values: Values) -> Values:
    return {v: values[v] if v in values else default_value(v.sort) for v in variables}


def _by_equations(given: Values, facts: Sequence[Term], variables: Sequence[Term]) -> Values:
    """The given values and those that equations `x = e` (or a Boolean x, or its negation) say."""
    known, wanted = dict(given), set(variables) - given.keys()
    equations: list[tuple[Term, Term]] = []
    for f in facts:
        if f.atom in wanted:
            known[f.atom] = f is f.atom
        elif f.op is Op.EQ:
            equations += [(x, e) for x, e in (f.args, f.args[::-1]) if x in wanted]
    changed = True
    while changed:
        changed = False
        for x, e in equations:
            if x not in known and all(v in known for v in free_vars(e)):
                known[x] = evaluate(e, known)
                changed = True
    return known
