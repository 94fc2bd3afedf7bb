"""The runs of a program by their length in blocks, and the solver that decides which exist.

`Runs.extend` unwinds by one block (`unwinding`), leaves out the states that no run reaches, and
names the state in which all ways into the error location are joined; whether a run takes one of
them `error` says. Bounded model checking starts from the initial location; the step of k-induction
from any location (`anywhere`). `assumed` are formulas that hold at locations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from obligato.engines.bmc.acceleration import Accelerator
from obligato.engines.bmc.states import Past, State, Values
from obligato.engines.bmc.unwinding import Arrival, Unwinding
from obligato.engines.environment import Environment
from obligato.models.cfa import CFA
from obligato.models.claims import Certificate, Trace, conjoined
from obligato.models.claims import Unwinding as ClaimedUnwinding
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult
from obligato.smt.factory import Make
from obligato.terms import BOOL, Term, Value, evaluate, free_vars

Formulas = Mapping[int, Sequence[Term]]


class Runs:
    """The runs of `blocks` after `depth` extensions;
    `frontier` has one state for each location where some end."""

    def __init__(
        self,
        blocks: CFA,
        make: Make,
        env: Environment,
        assumed: Formulas,
        *,
        anywhere: bool = False,
        accelerator: Accelerator | None = None,
        budget: int | None = None,
    ) -> None:
        self.cfa, self.store, self.env, self.assumed = blocks, blocks.store, env, assumed
        self.solver, self.budget = make(), budget  # of one question that names none
        self.definitions: dict[Term, Term] = {}
        self.unwinding = Unwinding(blocks, self._define)
        self.dead: list[tuple[int, int]] = []  # lengths and locations that were left out
        # lengths, and how many rounds were then taken at once
        self.jumps: list[tuple[int, int]] = []
        self.depth, self.anywhere = 0, anywhere
        # `length`: the depth, and the rounds that were taken at once
        self.accelerator, self.length = accelerator, 0
        self.frontier = self._anywhere() if anywhere else [self.unwinding.start()]

    def _define(self, name: Term, condition: Term) -> None:
        self.definitions[name] = condition
        self.solver.add(self.store.eq(name, condition))

    def _anywhere(self) -> list[State]:
        """Any state at any location but the initial one and the error;
        of the conditions one holds."""
        none_before, out = self.store.true, []
        for loc in self.cfa.inner:
            here = self.store.fresh(f"start!{loc}!", BOOL)
            condition = self.unwinding.named(self.store.and_(none_before, here))
            none_before = self.unwinding.named(self.store.and_(none_before, self.store.not_(here)))
            out.append(State(loc, condition, Values(self.store), Past()))
            self._assume(out[-1])
        return out

    def _assume(self, state: State) -> None:
        """What is assumed at the location of a state holds in it."""
        for f in self.assumed.get(state.location, ()):
            self.solver.add(self.store.implies(state.condition, state.values.of(f, {})))

    def extend(self) -> State | None:
        """One block further. The state in the error location; None if no way leads there."""
        arrivals = self.unwinding.advance(self.frontier, self.depth)
        self.depth += 1
        self.length += 1
        errors = arrivals.pop(self.cfa.error, [])
        error = self.unwinding.merged(self.cfa.error, errors) if errors else None
        self.frontier = []
        for location, found in arrivals.items():
            state = self._state(location, found) if found else None
            if state is None:
                self.dead.append((self.length, location))
            else:
                self._assume(state)
                self.frontier.append(state)
        if self.accelerator is not None and error is None and len(arrivals) == 1 and self.frontier:
            self._accelerate(arrivals[self.frontier[0].location])
        return error

    def _accelerate(self, arrivals: list[Arrival]) -> None:
        """Take rounds of a loop at once where there is only one run, which is being executed."""
        assert self.accelerator is not None
        step = arrivals[0].step if len(arrivals) == 1 else None
        if step is not None:
            self.frontier[0], rounds = self.accelerator.watch(step, self.frontier[0])
            if rounds:
                self.jumps.append((self.length, rounds))
                self.length += rounds

    def _state(self, location: int, arrivals: list[Arrival]) -> State | None:
        """What arrives at a location as one state; None if no run does."""
        state = self.unwinding.merged(location, arrivals)
        if self.anywhere or state.condition is self.store.true or any(a.executed for a in arrivals):
            # its source has a run, or nobody asks: from any state most locations are reached
            return state
        self.env.tick()
        # runs of this length and one is at the location: unsat - it is left out;
        # sat, unknown - it is kept   (heuristic)
        if self.solver.check([state.condition], budget=self.budget, kind="reach") is not UNSAT:
            return state
        self.solver.add(self.store.not_(state.condition))
        return None

    def error(self, error: State, budget: int | None = None) -> SatResult:
        """Does a run of this length arrive in the error location? If not, that is remembered.
        Whoever gives a `budget` must be able to go on with UNKNOWN.
        """
        if error.condition is self.store.true:
            return SAT
        self.env.tick()
        # runs of this length and one is in the error location: sat - it is a run;
        # unsat - there is none; unknown - see the caller
        answer = self.solver.check([error.condition], budget=budget or self.budget, kind="error")
        if answer is UNSAT:
            self.solver.add(self.store.not_(error.condition))
        return answer

    def violation(self) -> Trace | None:
        """One block further; a run that then arrives in the error location."""
        error = self.failing()
        return None if error is None else error.past.trace(self.model(error.condition))

    def failing(self) -> State | None:
        """One block further; the state in the error location, if a run then arrives there."""
        error = self.extend()
        answer = UNSAT if error is None else self.error(error)
        if answer is UNKNOWN:
            raise self.env.undecided("whether a run of this length fails")
        return None if answer is UNSAT else error

    def model(self, condition: Term) -> dict[Term, Value]:
        """Start values, inputs and selectors from the solver,
        and the truth of the conditions that these determine."""
        if condition is self.store.true:
            model: dict[Term, Value] = {}
        else:
            free = free_vars(condition, *self.definitions.values())
            model = self.solver.model_of([v for v in free if v not in self.definitions])
        memo: dict[Term, object] = {}
        for name, meaning in self.definitions.items():
            model[name] = evaluate(meaning, model, memo)
        return model

    def _unwinding(self) -> ClaimedUnwinding:
        return ClaimedUnwinding(self.length, tuple(self.dead), tuple(self.jumps))

    def exhausted(self) -> Certificate | None:
        """The proof that no run is longer than `length`, if that is so,
        and none reaches an error, as was asked before.

        Nothing has to be unwound where no way leads to the error location.
        """
        trivial = not self.cfa.into(self.cfa.error)
        if self.frontier and not trivial:
            return None
        unwinding = None if trivial else self._unwinding()
        return Certificate(conjoined(self.cfa, self.assumed), unwinding=unwinding)
