"""Bounded model checking of programs along the control flow:
is the error location reached after 1, 2, ... blocks?

`_search` carries it: unwind by one block (`runs`, `unwinding`), ask whether a run arrives in the
error location, leave out the states that no run reaches. A model names a run, of the fewest blocks
there are. When no state is left there is no error: the claim is the depth and what was left out,
and the checker unwinds again (`results.checking.unwinding`). States whose step is determined are
executed without any question.

Limitation: a loop that always goes on is never exhausted.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines.bmc.acceleration import Accelerator
from obligato.engines.bmc.extremes import extreme_run
from obligato.engines.bmc.options import Options
from obligato.engines.bmc.runs import Runs
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.models.claims import Trace
from obligato.results.outcome import EngineResult, Verdict

LASTING = 64  # blocks


def prove_cfa(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run bounded model checking on a program."""
    blocks = in_blocks(cfa, env)
    env.stage("prove")
    make = env.solvers(sorts_of(blocks), options.backend)
    accelerator = Accelerator(blocks, make, env) if options.acceleration else None
    runs = Runs(blocks, make, env, {}, accelerator=accelerator)
    try:
        return _search(
            runs,
            options,
            env,
            lambda: extreme_run(cfa, make, env) if options.acceleration else None,
        )
    except ResourceOut as out:
        return EngineResult(Verdict.UNKNOWN, reason=out.resource)
    finally:
        runs.solver.close()


def _search(
    runs: Runs, options: Options, env: Environment, guess: Callable[[], Trace | None]
) -> EngineResult:
    """Unwind until an error or nothing is left, or the bound is reached.
    If that lasts, a run is guessed once."""
    while True:
        certificate = runs.exhausted()
        if certificate is not None:
            return EngineResult(Verdict.TRUE, certificate=certificate)
        if runs.depth == options.bound:
            return EngineResult(
                Verdict.UNKNOWN, reason=f"no error within {options.bound} large blocks"
            )
        if env.cancelled():
            raise ResourceOut("cancelled")
        env.counters["bound"] = runs.depth + 1
        env.event("bound", k=runs.depth + 1)
        trace = runs.violation() if runs.depth != LASTING else guess() or runs.violation()
        if trace is not None:
            return EngineResult(Verdict.FALSE, trace=trace)
