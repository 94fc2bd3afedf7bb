"""From accepted claims about transition systems to reports: plain data by the names of variables.

The one invariant has location 0. A step of a trace has its number as `edge`; `assignments` are the state variables that have
changed, so that states can be read back from `initial` on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from obligato.errors import NO_SPAN
from obligato.frontends.registry import find_language
from obligato.models.live_claims import Counted, Lasso, LiveCertificate, Walls
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.results.checking.certificate import CertificateCheck
from obligato.results.outcome import CertificateReport, InvariantReport, StepReport, TraceReport
from obligato.results.values import to_json
from obligato.terms import Value
from obligato.terms.printer import to_smtlib


def describe_system_certificate(
    system: TransitionSystem, file: str, certificate: SystemCertificate, check: CertificateCheck
) -> CertificateReport:
    """The report of an accepted certificate."""
    formula = certificate.invariant
    language = find_language(file)
    printer = None if language is None else language.hook("formula")
    source = None if printer is None else printer(formula, system.display, frozenset())
    invariant = InvariantReport(0, "state", file, 0, to_smtlib(formula), None, True, source=source)
    return CertificateReport(
        certificate.k, (invariant,), True, check.independent, check.checker, round(check.seconds, 3), certificate.distinct
    )


def describe_live_certificate(file: str, claim: LiveCertificate, check: CertificateCheck) -> CertificateReport:
    """The report of an accepted proof about infinite runs."""
    walls = claim.walls if isinstance(claim, Walls) else ()
    form = "walls" if isinstance(claim, Walls) else "counted" if isinstance(claim, Counted) else "saved"
    invariants = [InvariantReport(0, "state", file, 0, to_smtlib(claim.invariant), None, True)]
    invariants += [InvariantReport(1 + k, f"wall {k}", file, 0, to_smtlib(w.formula), None, False, relative=w.relative)
                   for k, w in enumerate(walls)]
    return CertificateReport(
        claim.k if isinstance(claim, Counted) else 1, tuple(invariants), True, check.independent, check.checker,
        round(check.seconds, 3), form=form)


def describe_lasso(system: TransitionSystem, file: str, lasso: Lasso, violated: str) -> TraceReport:
    """The report of a confirmed lasso, which is complete."""
    return replace(describe_system_trace(system, file, SystemTrace(lasso.steps), [violated]), loop=lasso.loop)


def describe_system_trace(system: TransitionSystem, file: str, trace: SystemTrace, failed: Sequence[str]) -> TraceReport:
    """The report of a confirmed trace, which is complete, and of which the properties `failed` are false at its end."""
    sorts = {v.name: v.sort for v in (*system.state, *system.inputs)}

    def values(given: Mapping[str, Value]) -> dict[str, Any]:
        return {name: to_json(value, sorts[name], False) for name, value in given.items()}

    steps, before = [], trace.steps[0].state
    for n, step in enumerate(trace.steps):
        changed = {x: v for x, v in step.state.items() if v != before[x]}
        steps.append(StepReport(n, file, 0, f"step {n}", values(changed), values(step.inputs)))
        before = step.state
    place = next((p.span for p in system.assertions if p.name == failed[0]), NO_SPAN)  # of infinite runs none is known
    if place.line:
        steps[-1] = replace(steps[-1], file=place.file, line=place.line, column=place.column)
    initial = values(trace.steps[0].state)
    shown = system.display.get(failed[0])
    return TraceReport(initial, initial, tuple(steps), True, f"property {failed[0]}" + (f" ({shown})" if shown else ""))
