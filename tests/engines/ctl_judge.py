"""One run of `iictl` on a small system, judged by the independent checker and the explicit
labelling.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.engines import iictl
from obligato.engines.environment import Environment
from obligato.errors import InternalError
from obligato.models.ctl import prepared
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.ctl import BoundsCheck, check_bounds
from obligato.results.checking.solving import chain
from obligato.results.outcome import CtlResult, Verdict
from obligato.smt import SolverStats


def proved(
    system: TransitionSystem, options: iictl.Options, level: int, env: Environment | None = None
) -> CtlResult:
    """What the engine says about the one formula of a system."""
    return iictl.prove(reduce_system(prepared(system), level)[0], options, env or Environment())


def checked(system: TransitionSystem, result: CtlResult) -> BoundsCheck:
    """What the checker says about the engine's claim."""
    assert result.bounds is not None
    return check_bounds(
        system, system.branching[0], result.bounds, chain(sorts_of(system), ("sat",), SolverStats())
    )


def objection(
    system: TransitionSystem,
    expected: bool,
    options: iictl.Options,
    level: int = 3,
    cancelled: Callable[[], bool] = lambda: False,
) -> str | None:
    """What the judges have against one run."""
    try:
        result = proved(system, options, level, Environment(cancelled=cancelled))
    except InternalError as error:
        return f"internal error: {error}"
    if result.bounds is not None:
        check = checked(system, result)
        if check.status is not Status.ACCEPTED or (result.bounds.start is None) is not (
            result.verdict is Verdict.TRUE
        ):
            return f"{check.obligation}: {check.reason}"
    wanted = Verdict.TRUE if expected else Verdict.FALSE
    return (
        None
        if result.verdict is wanted
        else f"{wanted.value} expected, not {result.verdict.value} ({result.reason})"
    )
