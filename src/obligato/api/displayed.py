"""What a claim displays must be what the checker found: people read values and texts that nobody needs to judge the claim.

A claim may leave such fields out. What it is judged by (formulas, inputs, edges, states of a transition system) is not compared
here: the checker has judged it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from obligato.api.request import ClaimRefused
from obligato.results.outcome import CertificateReport, PropertyVerdict, TraceReport, Verdict


def agree(told: Mapping[str, Any] | None, found: PropertyVerdict, programs: bool) -> None:
    """Refuse a claim whose JSON object `told` displays something else than what was found. A witness displays nothing.

    `programs`: the assignments of steps are displayed only; those of a transition system are its states.
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
        place = shown.get(invariant.get("location", 0))
        for key in ("name", "line", "loop_head", "c") if place is not None else ():
            if invariant.get(key, getattr(place, key)) != getattr(place, key):
                yield f"the invariant at location {invariant.get('location', 0)} displays another {key}"


def _of_trace(told: Mapping[str, Any], found: TraceReport, programs: bool) -> Iterator[str]:
    if told.get("start", found.start) != found.start:
        yield "the trace displays other start values than the run has"
    violation = str(told.get("violation") or found.violation)
    if not violation.endswith(_without_folder(found.violation)):
        yield "the trace displays another violation"
    keys = ("line", "statement", *(("assignments",) if programs else ()))
    for number, (step, real) in enumerate(zip(told["steps"], found.steps, strict=True), 1):
        for key in keys:
            if step.get(key, getattr(real, key)) != getattr(real, key):
                yield f"step {number} displays other {key} than the run has"


def _without_folder(violation: str) -> str:
    """The violation without the folder of its file, which the claim may have been made in."""
    return violation.rpartition("/")[2]
