"""The run of a program that has no other one, executed to its end before anything is searched for.

A checksum of constants or a text that is formatted needs no invariant. Only runs are followed in
which what happens next is determined by known values (`engines.bmc.execution`), so no question is
asked, and a program with inputs costs one block. Rounds of a loop that only counts are taken at
once (`engines.bmc.acceleration`, with a few questions), so an error behind them is found; that
there is none is left to the search, whose invariants say more than a number of rounds.
"""

from __future__ import annotations

from obligato.engines.bmc.acceleration import Accelerator
from obligato.engines.bmc.runs import Runs
from obligato.engines.bmc.states import State
from obligato.engines.bmc.unwinding import Arrival
from obligato.engines.environment import Environment
from obligato.engines.preparation import sorts_of
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt import SatResult
from obligato.smt.factory import solver_factory

BLOCKS = 2000  # of a run that is executed


class _Open(Exception):
    """Raised where the next step of the run is not determined."""


class _Executed(Runs):
    """Runs that are executed without a solver: what would need a question raises `_Open`."""

    def _state(self, location: int, arrivals: list[Arrival]) -> State | None:
        if not all(a.executed for a in arrivals):
            raise _Open
        return super()._state(location, arrivals)

    def error(self, error: State, budget: int | None = None) -> SatResult:
        """Does the run arrive in the error location?"""
        if error.condition is not self.store.true:
            raise _Open
        return super().error(error, budget)


def one_run(blocks: CFA, env: Environment, acceleration: bool = False) -> EngineResult | None:
    """What the only run of a program says; None if there may be others, or it is long.
    With `acceleration` rounds are taken at once."""
    env.stage("prove")
    make = solver_factory(sorts_of(blocks), stats=env.stats, seed=env.seed)
    accelerator = Accelerator(blocks, make, env) if acceleration else None
    runs = _Executed(blocks, make, env, {}, accelerator=accelerator)
    try:
        return _followed(runs, env)
    except _Open:
        return None
    finally:
        runs.solver.close()


def _followed(runs: Runs, env: Environment) -> EngineResult | None:
    while runs.depth < BLOCKS:
        if env.cancelled():
            raise ResourceOut("cancelled")
        certificate = runs.exhausted()
        if certificate is not None:
            return None if runs.jumps else EngineResult(Verdict.TRUE, certificate=certificate)
        trace = runs.violation()
        if trace is not None:
            return EngineResult(Verdict.FALSE, trace=trace)
    return None
