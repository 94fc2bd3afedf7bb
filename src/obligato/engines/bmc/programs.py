"""Bounded model checking of programs along the control flow: is the error location reached after 1, 2, ... blocks?

`Search.prove` carries it: unwind by one block (`unwinding`), ask whether a run arrives in the error location, leave out the
states that no run reaches. A model names a run, of the fewest blocks there are. When no state is left there is no error: the
claim is the depth and what was left out, and the checker unwinds again (`results.checking.unwinding`). States whose step is
determined are executed without any question.

Limitation: a loop that always goes on is never exhausted.
"""

from __future__ import annotations

from obligato.engines.bmc.options import Options
from obligato.engines.bmc.states import State
from obligato.engines.bmc.unwinding import Arrival, Unwinding
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.models.claims import Unwinding as ClaimedUnwinding
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict
from obligato.smt import UNKNOWN, UNSAT
from obligato.smt.factory import solver_factory
from obligato.terms import Term, Value, evaluate, free_vars


def prove_cfa(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run bounded model checking on a program."""
    blocks = in_blocks(cfa, env)
    env.stage("prove")
    search = Search(blocks, options, env)
    try:
        return search.prove()
    except ResourceOut as out:
        return EngineResult(Verdict.UNKNOWN, reason=out.resource, stats=dict(env.counters))
    finally:
        search.solver.close()


class Search:
    """One search on the blocks of a program."""

    def __init__(self, blocks: CFA, options: Options, env: Environment) -> None:
        self.cfa, self.store, self.options, self.env = blocks, blocks.store, options, env
        prefer = None if options.backend == "auto" else options.backend
        self.make = solver_factory(sorts_of(blocks), prefer=prefer, stats=env.stats, seed=env.seed)
        self.solver = self.make()
        self.definitions: dict[Term, Term] = {}
        self.unwinding = Unwinding(blocks, self._define)
        self.dead: list[tuple[int, int]] = []  # depths and locations that were left out

    def _define(self, name: Term, condition: Term) -> None:
        self.definitions[name] = condition
        self.solver.add(self.store.eq(name, condition))

    def prove(self) -> EngineResult:
        """Unwind until an error or nothing is left, or the bound is reached."""
        if not self.cfa.into(self.cfa.error):
            return self._exhausted(0)
        frontier = [self.unwinding.start()]
        for depth in range(self.options.bound):
            self.env.counters["bound"] = depth + 1
            if self.env.cancelled():
                raise ResourceOut("cancelled")
            arrivals = self.unwinding.advance(frontier, depth)
            errors = arrivals.pop(self.cfa.error, [])
            trace = self._violation(errors) if errors else None
            if trace is not None:
                return EngineResult(Verdict.FALSE, trace=trace, stats=dict(self.env.counters))
            frontier = []
            for location, found in arrivals.items():
                state = self._state(location, found) if found else None
                if state is not None:
                    frontier.append(state)
                else:
                    self.dead.append((depth + 1, location))
            if not frontier:
                return self._exhausted(depth + 1)
        return self._unknown(f"no error within {self.options.bound} blocks")

    def _unknown(self, reason: str) -> EngineResult:
        return EngineResult(Verdict.UNKNOWN, reason=reason, stats=dict(self.env.counters))

    def _violation(self, arrivals: list[Arrival]) -> Trace | None:
        """A run that arrives in the error location."""
        error = self.unwinding.merged(self.cfa.error, arrivals)
        if error.condition is not self.store.true:
            self.env.tick()
            # runs of this length and one is in the error location: sat - it is a run; unsat - there is none   (required)
            answer = self.solver.check([error.condition], kind="error")
            if answer is UNKNOWN:
                raise ResourceOut("the solver gave up")
            if answer is UNSAT:
                self.solver.add(self.store.not_(error.condition))
                return None
        return Trace({}, tuple(TraceStep(edge, {}) for edge in error.past.edges(self._model(error.condition))))

    def _model(self, condition: Term) -> dict[Term, Value]:
        """Start values, inputs and selectors from the solver, and the truth of the conditions that these determine."""
        if condition is self.store.true:
            model: dict[Term, Value] = {}
        else:
            free = free_vars(condition, *self.definitions.values())
            model = self.solver.model_of([v for v in free if v not in self.definitions])
        memo: dict[Term, object] = {}
        for name, meaning in self.definitions.items():
            model[name] = evaluate(meaning, model, memo)
        return model

    def _state(self, location: int, arrivals: list[Arrival]) -> State | None:
        """What arrives at a location as one state; None if no run does."""
        state = self.unwinding.merged(location, arrivals)
        if state.condition is self.store.true or any(a.executed for a in arrivals):
            return state  # its source has a run
        self.env.tick()
        # runs of this length and one is at the location: unsat - it is left out; sat, unknown - it is kept   (heuristic)
        if self.solver.check([state.condition], kind="reach") is not UNSAT:
            return state
        self.solver.add(self.store.not_(state.condition))
        return None

    def _exhausted(self, depth: int) -> EngineResult:
        """No run is longer than `depth`, and none reaches an error; that needs no unwinding where no way leads there."""
        places = [loc for loc in self.cfa.locations if loc not in (self.cfa.initial, self.cfa.error)]
        invariants = dict.fromkeys(places, self.store.true)
        unwinding = ClaimedUnwinding(depth, tuple(self.dead)) if self.cfa.into(self.cfa.error) else None
        certificate = Certificate(invariants, unwinding=unwinding)
        return EngineResult(Verdict.TRUE, certificate=certificate, stats=dict(self.env.counters))
