"""One run of an engine for infinite runs on a small system, judged by the independent checker and
an explicit-state oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from obligato.engines import fair, klive, l2s, rank
from obligato.engines.environment import Environment
from obligato.errors import InternalError
from obligato.models.tableau import with_justice
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.lasso import check_lasso
from obligato.results.checking.live import check_live_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import LiveResult, Verdict
from obligato.smt import SolverStats
from obligato.terms import Kind

QUESTIONS = 600  # of engines that may go on for ever
Prove = Callable[[TransitionSystem, Any, Environment], LiveResult]

ENGINES: dict[str, tuple[Prove, Any]] = {
    "fair": (fair.prove, fair.Options()),
    "fair, few calls": (fair.prove, fair.Options(budget=10, merge=0, ctg=0, stem_first=True)),
    "fair, reuse": (fair.prove, fair.Options(reuse=20, inner_first=False, orbit=0)),
    "fair, recent walls": (fair.prove, fair.Options(walls="recent", wall_count=2)),
    "fair, used walls": (fair.prove, fair.Options(walls="used", wall_count=2)),
    "l2s": (l2s.prove, l2s.Options()),
    "klive": (klive.prove, klive.Options(max_k=4)),
    "rank": (
        rank.prove_live,
        rank.Options(budget=100, rounds=20, walks=4, walk_steps=60, lasso_steps=6),
    ),
}


def objections(
    system: TransitionSystem, expected: bool, names: Sequence[str], level: int = 3
) -> list[str]:
    """What the judges have against runs of the engines; `expected`: a fair run violates the
    property.
    """
    out = []
    for name in names:
        problem = objection(system, expected, *ENGINES[name], level)
        if problem is not None:
            out.append(f"{name}, reduction {level}: {problem}")
    return out


def objection(
    system: TransitionSystem, expected: bool, prove: Prove, options: Any, level: int
) -> str | None:
    """What the judges have against one run."""
    (p,) = system.temporal
    small, _ = reduce_system(with_justice(system, p), level)
    # may go on for ever
    numbers = (l2s.prove,) if any(s.kind in (Kind.INT, Kind.REAL) for s in sorts_of(system)) else ()
    try:
        env = Environment(debug=prove is fair.prove)  # its contracts are quickly executed
        env.cancelled = lambda: prove in (rank.prove_live, *numbers) and env.questions > QUESTIONS
        result = prove(small, options, env)
    except InternalError as error:
        return f"internal error: {error}"
    links = chain(sorts_of(system), ("sat",), SolverStats())
    if result.certificate is not None:
        check = check_live_certificate(system, p, result.certificate, links)
        if check.status is not Status.ACCEPTED or result.verdict is not Verdict.TRUE:
            return f"certificate: {check.obligation}: {check.reason}"
    if result.trace is not None:
        answer = check_lasso(system, p, result.trace, links)
        if answer.status is not TraceStatus.CONFIRMED or result.verdict is not Verdict.FALSE:
            return f"lasso: {answer.reason}"
    wanted = Verdict.FALSE if expected else Verdict.TRUE
    if result.verdict is wanted or (
        prove in (klive.prove, rank.prove_live, *numbers) and result.verdict is Verdict.UNKNOWN
    ):
        return None
    return f"{wanted.value} expected, not {result.verdict.value} ({result.reason})"
