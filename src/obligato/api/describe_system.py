"""From accepted claims about transition systems to reports: plain data by the names of variables.

The invariant has location 0; a relation of successive states, where there is one, follows as
location 1. A step of a trace has its number as `edge`; `assignments` are the state variables that
have changed, so that states can be read back from `initial` on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from obligato.api.given import Given
from obligato.errors import NO_SPAN
from obligato.frontends.registry import Language
from obligato.models.live_claims import Counted, Lasso, LiveCertificate, Ranked, Saved, Walls
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.results.outcome import CertificateReport, InvariantReport, StepReport, TraceReport
from obligato.results.values import to_json
from obligato.terms import Kind
from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem
    from obligato.results.checking.certificate import CertificateCheck
    from obligato.terms import Sort, Term, Value

SHOWN = 20  # steps of a lasso that is too long to be told


def describe_system_certificate(
    system: TransitionSystem,
    file: str,
    language: Language,
    certificate: SystemCertificate,
    check: CertificateCheck,
) -> CertificateReport:
    """The report of an accepted certificate."""
    printer = language.hook("formula")
    unsigned = _unsigned(system) if isinstance(language, Given) else frozenset[str]()

    def described(number: int, name: str, formula: Term) -> InvariantReport:
        source = None if printer is None else printer(formula, _shown(system), unsigned)
        return InvariantReport(number, name, file, 0, to_smtlib(formula), None, True, source=source)

    invariants = [described(0, "state", certificate.invariant)]
    if certificate.relation is not None:
        invariants.append(described(1, "successive states", certificate.relation))
    return CertificateReport(
        certificate.k,
        tuple(invariants),
        True,
        check.independent,
        check.checker,
        round(check.seconds, 3),
        certificate.distinct,
        indices=tuple((p.name, str(p.sort)) for p in certificate.indices),
        places=tuple(tuple(map(to_smtlib, places)) for places in certificate.instances),
        differences=tuple(
            (w.name, str(w.sort), to_smtlib(a), to_smtlib(b)) for w, a, b in certificate.differences
        ),
    )


def _shown(system: TransitionSystem) -> dict[str, str]:
    """The names that variables are shown by: the next value of what is remembered (pre x) is the
    present one (x).
    """
    later = {
        f"{name}'": shown.removeprefix("pre ") if shown.startswith("pre ") else f"{shown}'"
        for name, shown in system.display.items()
    }
    return {**later, **system.display}


def _unsigned(system: TransitionSystem) -> frozenset[str]:
    """The words that the input reads as unsigned numbers."""
    return frozenset(
        x.name for x in system.state if x.sort.kind is Kind.BITVEC and x.name not in system.signed
    )


FORMS: dict[type, str] = {Walls: "walls", Saved: "saved", Counted: "counted", Ranked: "ranks"}


def describe_live_certificate(
    file: str, claim: LiveCertificate, check: CertificateCheck
) -> CertificateReport:
    """The report of an accepted proof about infinite runs."""
    walls = claim.walls if isinstance(claim, Walls) else ()
    form = FORMS[type(claim)]
    rank = tuple(map(to_smtlib, claim.rank)) if isinstance(claim, Ranked) else None
    watched = tuple(map(to_smtlib, claim.watched)) if isinstance(claim, Saved) else ()
    invariants = [
        InvariantReport(
            0, "state", file, 0, to_smtlib(claim.invariant), None, True, rank=rank, watched=watched
        )
    ]
    invariants += [
        InvariantReport(
            1 + k, f"wall {k}", file, 0, to_smtlib(w.formula), None, False, relative=w.relative
        )
        for k, w in enumerate(walls)
    ]
    return CertificateReport(
        claim.k if isinstance(claim, Counted) else 1,
        tuple(invariants),
        True,
        check.independent,
        check.checker,
        round(check.seconds, 3),
        form=form,
    )


def describe_lasso(system: TransitionSystem, file: str, lasso: Lasso, violated: str) -> TraceReport:
    """The report of a confirmed lasso, which is complete; of a long one only its first steps are
    told.
    """
    from obligato.results.checking.lasso import MAX_STEPS
    from obligato.results.checking.long_lasso import first_steps

    if len(lasso.steps) > MAX_STEPS:
        opening = SystemTrace(first_steps(system, lasso, SHOWN))
        report = describe_system_trace(system, file, opening, [violated], ends=False)
        return replace(report, loop=lasso.loop, length=len(lasso.steps))
    return replace(
        describe_system_trace(system, file, SystemTrace(lasso.steps), [violated]), loop=lasso.loop
    )


def describe_system_trace(
    system: TransitionSystem,
    file: str,
    trace: SystemTrace,
    failed: Sequence[str],
    ends: bool = True,
) -> TraceReport:
    """The report of a confirmed trace, which violates the properties `failed`. Its last step has
    the place of the first of these, unless the trace `ends` later than its steps.
    """
    sorts = {v.name: v.sort for v in (*system.state, *system.inputs)}

    def values(given: Mapping[str, Value]) -> dict[str, Any]:
        return {
            name: to_json(value, sorts[name], name in system.signed)
            for name, value in given.items()
        }

    steps, before = [], trace.steps[0].state
    for n, step in enumerate(trace.steps):
        changed = {x: v for x, v in step.state.items() if v != before[x]}
        steps.append(StepReport(n, file, 0, f"step {n}", values(changed), values(step.inputs)))
        before = step.state
    place = next((p.span for p in system.properties if p.name == failed[0]), NO_SPAN)
    if place.line and ends:
        steps[-1] = replace(steps[-1], file=place.file, line=place.line, column=place.column)
    initial = values(trace.steps[0].state)
    shown = system.display.get(failed[0])
    violation = f"property {failed[0]}" + (f" ({shown})" if shown else "")
    return TraceReport(initial, initial, tuple(steps), True, violation, widths=_widths(sorts))


def _widths(sorts: Mapping[str, Sort]) -> dict[str, int]:
    """The bits of bit-vectors and Booleans."""
    bits = {name: sort.width for name, sort in sorts.items() if sort.kind is Kind.BITVEC}
    return bits | {name: 1 for name, sort in sorts.items() if sort.kind is Kind.BOOL}
