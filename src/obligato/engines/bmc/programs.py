"""Bounded model checking of programs along the control flow: is the error location reached after 1, 2, ... blocks?

`Search.prove` carries it: unwind by one block (`unwinding`), ask whether a run arrives in the error location, leave out the
states that no run reaches. A model names a run, of the fewest blocks there are. When no state is left there is no error, and
the values that were known at each location are tried as an invariant: it is a proof where what remains unknown matters to no
path. States whose step is determined are executed without any question.

Limitation: a loop that always goes on is never exhausted, and an invariant of known values is often too weak; both are UNKNOWN.
"""

from __future__ import annotations

from obligato.engines.bmc.options import Options
from obligato.engines.bmc.states import State
from obligato.engines.bmc.unwinding import Arrival, Unwinding
from obligato.engines.cfa_queries import CFAQueries, Infeasible
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict
from obligato.smt import UNKNOWN, UNSAT
from obligato.smt.factory import solver_factory
from obligato.terms import Kind, Term, Value, evaluate, free_vars

VISITS = 200  # states at one location that an invariant is made of


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
        self.seen: dict[int, dict[Term, None]] = {loc: {} for loc in blocks.locations}

    def _define(self, name: Term, condition: Term) -> None:
        self.definitions[name] = condition
        self.solver.add(self.store.eq(name, condition))

    def prove(self) -> EngineResult:
        """Unwind until an error or nothing is left, or the bound is reached."""
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
            frontier = [s for loc, found in arrivals.items() if (s := self._state(loc, found)) is not None]
            if not frontier:
                return self._exhausted(depth + 1)
            for state in frontier:
                self._remember(state)
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

    # -- proof --------------------------------------------------------------------------------------------------------

    def _remember(self, state: State) -> None:
        """The known values of a state as a formula about its location."""
        seen = self.seen[state.location]
        if len(seen) <= VISITS:
            known = [(x, v) for x, v in state.values.known.items() if x.sort.kind is not Kind.ARRAY]
            seen[self.store.and_(*(self.store.eq(x, self.store.const(v, x.sort)) for x, v in known))] = None

    def _exhausted(self, depth: int) -> EngineResult:
        """No run is longer than `depth`, and none reaches an error: a proof if the known values are inductive."""
        invariants = {loc: self.store.or_(*seen) for loc, seen in self.seen.items() if loc != self.cfa.error}
        invariants[self.cfa.initial] = self.store.true
        if any(len(seen) > VISITS for seen in self.seen.values()) or not self._inductive(invariants):
            return self._unknown(f"no error up to depth {depth}, and no path is longer; no invariant was found")
        del invariants[self.cfa.initial]
        return EngineResult(Verdict.TRUE, certificate=Certificate(invariants), stats=dict(self.env.counters))

    def _inductive(self, invariants: dict[int, Term]) -> bool:
        queries = CFAQueries(self.cfa, self.env, self.make)
        for edge in self.cfa.edges:
            before, after = invariants[edge.source], invariants.get(edge.target, self.store.false)
            # invariant and edge and not invariant': unsat - it is inductive along the edge; sat - it is not   (heuristic)
            if not isinstance(queries.reach(edge, before, self.store.not_(after)), Infeasible):
                return False
        return True
