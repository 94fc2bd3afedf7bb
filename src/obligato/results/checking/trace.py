"""Does a trace show a violation? The check that every FALSE passes before it is reported (DESIGN
4).

A trace is a path of original edges, with values where the engine knew them.
It is checked in three steps:

    shape     the edges form a path from the initial to the error location that ends in a violated
              property; a path that ends in a limit of our own modelling, or uses an
              over-approximation, refutes nothing
    values    what a reduction dropped is solved for on the original path (`checking.path`); no
              solution: the trace is LOST, and the caller goes on with a less reduced program
    replay    the interpreter runs the original program on these values, step by step, and must
              itself arrive at the violation. If rounds of a loop are written once, the CFA is
              executed instead, and that the rounds can be taken is shown by induction
              (`checking.rounds`)

`check_trace` carries the idea. Trusted: the interpreter; nothing symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.program.syntax import LIMIT
from obligato.results.checking.path import Completion, complete
from obligato.results.checking.rounds import malformed, replay_rounds
from obligato.results.checking.solving import SAT, UNSAT, Link
from obligato.results.checking.status import TraceStatus as TraceStatus
from obligato.results.outcome import Trace

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge


@dataclass(frozen=True, slots=True)
class TraceCheck:
    """The result; `trace` is the completed trace if it was confirmed."""

    status: TraceStatus
    reason: str = ""
    trace: Trace | None = None


# None: the interpreter found the violation at the end; else what happened instead
Replay = Callable[[Trace], str | None]


def check_trace(
    cfa: CFA,
    trace: Trace,
    replay: Replay,
    links: Sequence[Link],
    *,
    exact: bool,
    tick: Callable[[], None] = lambda: None,
) -> TraceCheck:
    """Check `trace` on the original `cfa`.
    `exact`: it claims to be a run of the unreduced program, values included."""
    broken = _broken(cfa, trace)
    if broken is not None:
        return TraceCheck(TraceStatus.REJECTED if exact else TraceStatus.LOST, broken)
    wrong = malformed(cfa, trace)
    if wrong is not None:
        return TraceCheck(TraceStatus.REJECTED, wrong)
    limited = _limited([cfa.by_id[s.edge] for s in trace.steps])
    if limited is not None:
        return TraceCheck(TraceStatus.LIMITED, limited)
    completion = complete(cfa, trace, links, keep_values=True, tick=tick)
    if completion.result is UNSAT and not exact:
        completion = complete(cfa, trace, links, keep_values=False, tick=tick)
    if trace.repeats and completion.trace is not None:
        return _shown(cfa, completion.trace, links, exact, tick)
    return _replayed(completion, replay, exact)


def _shown(
    cfa: CFA, trace: Trace, links: Sequence[Link], exact: bool, tick: Callable[[], None]
) -> TraceCheck:
    """The check of a trace in which rounds are written once: too long for the interpreter."""
    problem, certain = replay_rounds(cfa, trace, links, tick)
    if problem is None:
        return TraceCheck(TraceStatus.CONFIRMED, trace=trace)
    status = (
        TraceStatus.UNKNOWN if not certain else TraceStatus.REJECTED if exact else TraceStatus.LOST
    )
    return TraceCheck(status, problem, trace)


def _replayed(completion: Completion, replay: Replay, exact: bool) -> TraceCheck:
    if completion.result is SAT and completion.trace is not None:
        problem = replay(completion.trace)
        if problem is None:
            return TraceCheck(TraceStatus.CONFIRMED, trace=completion.trace)
        return TraceCheck(TraceStatus.REJECTED, problem, completion.trace)
    if completion.result is UNSAT:
        status = TraceStatus.REJECTED if exact else TraceStatus.LOST
        return TraceCheck(
            status, "no run takes this path" + (" with these values" if exact else "")
        )
    return TraceCheck(
        TraceStatus.UNKNOWN, f"the path could not be solved for its inputs: {completion.reason}"
    )


def _broken(cfa: CFA, trace: Trace) -> str | None:
    """Why the edges are not a path from the initial to the error location."""
    here = cfa.initial
    for n, step in enumerate(trace.steps, 1):
        edge = cfa.by_id.get(step.edge)
        if edge is None:
            return f"step {n}: there is no edge {step.edge}"
        if edge.source != here:
            return f"step {n}: edge {edge.id} does not start at {cfa.locations[here].name}"
        here = edge.target
    return (
        None
        if here == cfa.error
        else f"the trace ends at {cfa.locations[here].name}, not in an error"
    )


def _limited(edges: Sequence[Edge]) -> str | None:
    """Why a path that a run can take refutes nothing: it ends at a limit of the model, or an edge
    of it over-approximates. None if it refutes.
    """
    violation = edges[-1].violation
    if violation is not None and violation.kind == LIMIT:
        return f"limit reached: {violation.label or 'a bound of the model'} ({violation.span})"
    for edge in edges:
        if edge.approximates is not None:
            return f"over-approximation used: {edge.approximates} ({edge.span})"
    return None
