"""What a claim displays must be what the checker found: people read values and texts that nobody
needs to judge the claim.

A claim may leave such fields out. What it is judged by (formulas, inputs, edges, states of a
transition system) is not compared here: the checker has judged it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obligato.api.request import ClaimRefused
from obligato.results.outcome import CertificateReport, PropertyVerdict, TraceReport, Verdict


def agree(told: Mapping[str, Any] | None, found: PropertyVerdict, programs: bool) -> None:
    """Refuse a claim whose JSON object `told` displays something else than what was found. A
    witness displays nothing.

    `programs`: the assignments of steps are displayed only; those of a transition system are its
    states.
    """
    if told is None or found.verdict is Verdict.UNKNOWN:
        return
    for difference in _differences(told, found, programs):
        raise ClaimRefused(difference)


def _differences(told: Mapping[str, Any], found: PropertyVerdict, programs: bool) -> Iterator[str]:
    verdict = told.get("verdict", found.verdict.value)
    if verdict != found.verdict.value:
        yield f"the claim says {str(verdict)[:20]}, what it justifies is {found.verdict.value}"
    if found.certificate is not None:
        yield from _of_certificate(told["certificate"], found.certificate)
    if found.trace is not None:
        yield from _of_trace(told["trace"], found.trace, programs)


def _of_certificate(told: Mapping[str, Any], found: CertificateReport) -> Iterator[str]:
    if told.get("kind", found.kind) != found.kind:
        yield f"the certificate is {found.kind}"
    shown = {i.location: i for i in found.invariants}
    for invariant in told["invariants"]:
        location = invariant.get("location", 0)
        place = shown.get(location) if isinstance(location, int) else None
        for key in ("name", "line", "loop_head", "c") if place is not None else ():
            if invariant.get(key, getattr(place, key)) != getattr(place, key):
                yield f"the invariant at location {location} displays another {key}"


def _of_trace(told: Mapping[str, Any], found: TraceReport, programs: bool) -> Iterator[str]:
    if told.get("start", found.start) != found.start:
        yield "the trace displays other start values than the run has"
    violation = str(told.get("violation") or found.violation)
    real = found.violation.rpartition("/")[2]
    folder = violation.removesuffix(real)  # of the file, where the claim was made
    if folder + real != violation or (folder and not folder.endswith("/")):
        yield "the trace displays another violation"
    if len(told["steps"]) != len(found.steps):
        yield f"the run has {len(found.steps)} steps"
    keys = ("line", "statement", *(("assignments",) if programs else ()))
    for number, (step, run) in enumerate(zip(told["steps"], found.steps, strict=False), 1):
        for key in keys:
            if step.get(key, getattr(run, key)) != getattr(run, key):
                yield f"step {number} displays other {key} than the run has"
