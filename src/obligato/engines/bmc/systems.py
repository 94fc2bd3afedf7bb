"""Bounded model checking of transition systems [BCCZ99]:
is there a violation after 0, 1, 2, ... steps?

The system is unrolled with its next-state functions and start values put in (`models.unrolling`).
`prove` asks bound by bound; a model is a run.

Limitation: it refutes only; it proves a system that has no run longer than some bound,
which it does not look for.
"""

from __future__ import annotations

from obligato.engines.bmc.options import Options
from obligato.engines.environment import Environment
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.models.ts_reduce import sorts_of
from obligato.models.unrolling import Unrolling
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SAT, UNKNOWN, Solver


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run bounded model checking on a system."""
    solver = env.solvers(sorts_of(system), options.backend)()
    run, k, skipped = Unrolling(system, initial=True, functions=True), 0, 0
    try:
        for fact in run.facts:
            solver.add(fact)
        for k in range(options.bound + 1):
            if k <= _shared(skipped, k, env):
                skipped += 1
                env.count("depths_skipped")
                solver.add(run.constraint(k))
            else:
                if not skipped:
                    env.counters["bound"] = k
                env.event("bound", k=k)
                trace = violation(run, solver, k, env)
                if trace is not None:
                    return SystemResult(Verdict.FALSE, trace=trace)
            solver.add(run.step(k))
        return SystemResult(Verdict.UNKNOWN, reason=_none_within(options.bound, skipped))
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource, stats={"bound": k})
    finally:
        solver.close()


def _shared(skipped: int, k: int, env: Environment) -> int:
    """Tell other engines that there is no violation before k, if all depths were asked about; the
    depth up to which one of them says that there is none.
    """
    if env.exchange is None:
        return -1
    if not skipped:
        env.exchange.tell_bound(k - 1, env)
    env.exchange.hear(env)
    return env.exchange.bound


def _none_within(bound: int, skipped: int) -> str:
    others = f", {skipped} of the depths by the word of another engine" if skipped else ""
    return f"no violation within {bound} steps{others}"


def violation(run: Unrolling, solver: Solver, time: int, env: Environment) -> SystemTrace | None:
    """A run that violates a property at `time`.
    Requires: the solver knows the run up to there but the last constraints."""
    env.tick()
    solver.add(run.constraint(time))
    # I and C and T ... C and not P after `time` steps: sat - a run;
    # unsat - none of this length   (required)
    answer = solver.check([run.bad(time)], kind="bmc")
    if answer is UNKNOWN:
        raise env.undecided(f"whether there is a violation after {time} steps")
    return run.trace(solver.model_of, time) if answer is SAT else None
