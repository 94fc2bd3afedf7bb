"""Bounded model checking of transition systems [BCCZ99]: is there a violation after 0, 1, 2, ... steps?

`Path` unrolls. Where the system has next-state functions, the state at a time is a term over the start state and the inputs so
far, simplified as it grows, and a step adds no formula; else each time has variables of its own, related by T. Start values
that `init` gives by equations are put in likewise. `prove` asks bound by bound; a model is a run.

Limitation: it refutes only; it proves a system that has no run longer than some bound, which it does not look for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3ts.options import option
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.models.ts_reduce import sorts_of
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SAT, UNKNOWN, Solver
from obligato.smt.factory import solver_factory
from obligato.terms import Op, Substitution, Term, Value, assigned_constant, conjuncts, evaluate, free_vars

BACKENDS = ("auto", "sat", "sat-cadical153", "bitwuzla", "z3", "cvc5")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in bounded model checking."""

    bound: int = option(1_000_000, "steps after which it gives up", "[BCCZ99]", low=0)
    backend: str = option("auto", "solver", "", BACKENDS)


class Path:
    """States and inputs of a run at times 0, 1, ..., as terms; `anywhere`: also from states that are not initial."""

    def __init__(self, system: TransitionSystem, *, anywhere: bool = False) -> None:
        self.system, self.store = system, system.store
        self.facts: list[Term] = []  # what makes it a run, beside the constraints
        self.states: list[dict[Term, Term]] = [{x: self._var(x, 0) for x in system.state}]
        self.inputs: list[dict[Term, Term]] = []
        self._views: list[Substitution] = []
        if not anywhere:
            self._start()
        self._enter()

    def _var(self, x: Term, time: int) -> Term:
        return self.store.var(f"{x.name}@{time}", x.sort)

    def _start(self) -> None:
        """Put in the start values that are given by constants; the rest of `init` is a fact."""
        first = self.states[0]
        rest = []
        for f in conjuncts(self.system.init):
            x, value = assigned_constant(f)
            if x is not None and first[x].op is Op.VAR and value is not None:
                first[x] = value
            else:
                rest.append(f)
        self.facts += [Substitution(first)(f) for f in rest]

    def _enter(self) -> None:
        time = len(self.inputs)
        self.inputs.append({i: self._var(i, time) for i in self.system.inputs})
        self._views.append(Substitution({**self.states[time], **self.inputs[time]}))

    def at(self, formula: Term, time: int) -> Term:
        """A formula over state and inputs at a time."""
        return self._views[time](formula)

    def constraint(self, time: int) -> Term:
        """All constraints at a time."""
        return self.store.and_(*(self.at(c, time) for c in self.system.constraints))

    def bad(self, time: int) -> Term:
        """Some property is violated at a time."""
        s = self.store
        return s.or_(*(s.not_(self.at(p.formula, time)) for p in self.system.properties))

    def extend(self) -> Term:
        """One step more; what relates it to the step before."""
        system, time = self.system, len(self.inputs) - 1
        if system.next is not None:
            self.states.append({x: self.at(system.next[x], time) for x in system.state})
            trans = self.store.true if system.trans is functional(self.store, system.next) else system.trans
        else:
            self.states.append({x: self._var(x, time + 1) for x in system.state})
            trans = system.trans
        primed = {y: self.states[time + 1][x] for x, y in system.primed.items()}
        fact = Substitution({**self.states[time], **self.inputs[time], **primed})(trans)
        self._enter()
        return fact

    def trace(self, solver: Solver, time: int) -> SystemTrace:
        """The run up to `time` in the solver's model."""
        used = free_vars(*(t for table in (*self.states, *self.inputs) for t in table.values()))
        model = solver.model_of(used)

        def values(table: Mapping[Term, Term]) -> dict[str, Value]:
            return {x.name: evaluate(t, model, memo) for x, t in table.items()}

        memo: dict[Term, Value] = {}
        return SystemTrace(tuple(SystemStep(values(self.states[t]), values(self.inputs[t])) for t in range(time + 1)))



def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run bounded model checking on a system."""
    prefer = None if options.backend == "auto" else options.backend
    solver = solver_factory(sorts_of(system), prefer=prefer, stats=env.stats, seed=env.seed)()
    path, k = Path(system), 0
    try:
        for fact in path.facts:
            solver.add(fact)
        for k in range(options.bound + 1):
            env.counters["bound"] = k
            trace = violation(path, solver, k, env)
            if trace is not None:
                return SystemResult(Verdict.FALSE, trace=trace)
            solver.add(path.extend())
        return SystemResult(Verdict.UNKNOWN, reason=f"no violation within {options.bound} steps")
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource, stats={"bound": k})
    finally:
        solver.close()


def violation(path: Path, solver: Solver, time: int, env: Environment) -> SystemTrace | None:
    """A run that violates a property at `time`. Requires: the solver knows the run up to there but the last constraints."""
    env.tick()
    solver.add(path.constraint(time))
    # I and C and T ... C and not P after `time` steps: sat - a run; unsat - none of this length   (required)
    answer = solver.check([path.bad(time)], kind="bmc")
    if answer is UNKNOWN:
        raise ResourceOut("the solver gave up")
    return path.trace(solver, time) if answer is SAT else None
