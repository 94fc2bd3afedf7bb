"""From accepted certificates and traces, which are about terms, to reports, which are plain data
for the user.

Statements of C programs are shown as C: conditions printed, the rest by its source line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from obligato.api.describe_c import said_in_c
from obligato.api.describe_readable import is_about_ghosts, readable
from obligato.api.names import Names
from obligato.frontends.registry import find_language
from obligato.models.blocks import cut_points
from obligato.models.gcl import Assume, assigned, terms_of
from obligato.reports.text import Sources
from obligato.results.outcome import (
    Certificate,
    CertificateReport,
    InvariantReport,
    StepReport,
    Trace,
    TraceReport,
)
from obligato.terms import Term, TermStore, Value, free_vars
from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge
    from obligato.results.checking.certificate import CertificateCheck


def describe_certificate(
    cfa: CFA, certificate: Certificate, check: CertificateCheck
) -> CertificateReport:
    """The report of an accepted certificate, with the invariants in the order of locations."""
    names, heads = Names(cfa), cut_points(cfa)
    silent = {
        cfa.locations[n].span
        for n in heads
        if n not in certificate.invariants and not cfa.locations[n].inner
    }
    told = certificate.instances
    reports = [
        invariant_report(cfa, n, formula, names, n in heads, told.get(n, ()))
        for n, formula in sorted(certificate.invariants.items())
        if n != cfa.error
    ]
    invariants = tuple(
        _everywhere(r, cfa.locations[r.location].span not in silent) for r in reports
    )
    index = (
        None if certificate.index is None else (certificate.index.name, str(certificate.index.sort))
    )
    unwinding = certificate.unwinding
    return CertificateReport(
        certificate.k if unwinding is None else unwinding.depth,
        invariants,
        True,
        check.independent,
        check.checker,
        round(check.seconds, 3),
        index=index,
        form="" if unwinding is None else "bounds",
        dead=() if unwinding is None else unwinding.dead,
        jumps=() if unwinding is None else unwinding.jumps,
        ghosts=tuple(
            (g.name, str(g.sort), location, to_smtlib(value))
            for location, pairs in certificate.ghosts.items()
            for g, value in pairs
        ),
    )


def _everywhere(report: InvariantReport, stated: bool) -> InvariantReport:
    """The report, which says in C what holds whenever a run comes to its place: nothing, unless the
    certificate states something for each call of its function, and for each copy of the loop.
    """
    return (
        report
        if stated
        else replace(report, conjuncts=(), unsaid=report.unsaid + len(report.conjuncts))
    )


def invariant_report(
    cfa: CFA,
    location: int,
    formula: Term,
    names: Names,
    head: bool,
    instances: tuple[Term, ...] = (),
) -> InvariantReport:
    """The report of a formula at a location."""
    place = cfa.locations[location]
    head = head and not place.inner
    conjuncts, unsaid = said_in_c(cfa, location, formula) if head else ((), 0)
    return InvariantReport(
        location,
        place.name,
        place.span.file,
        place.span.line,
        to_smtlib(formula),
        None if is_about_ghosts(cfa, formula) else names.c_text(formula),
        head,
        tuple(map(to_smtlib, instances)),
        column=place.span.column,
        function=place.span.function,
        conjuncts=conjuncts,
        unsaid=unsaid,
        source=readable(cfa, location, formula, names) if head else None,
    )


def describe_trace(cfa: CFA, trace: Trace) -> TraceReport:
    """The report of a confirmed trace, which is complete."""
    names, sources = Names(cfa), Sources()
    texts = {
        e.id: statement(e, names, sources)
        for e in dict.fromkeys(cfa.by_id[s.edge] for s in trace.steps)
    }
    steps = tuple(
        _step(cfa.by_id[s.edge], s.inputs, s.state or {}, names, texts[s.edge]) for s in trace.steps
    )
    read = _read_first(cfa, trace)
    start = {n: v for n, v in trace.initial.items() if n in read}
    violation = _violation(cfa.by_id[trace.steps[-1].edge]) if trace.steps else ""
    repeats = tuple((r.start, r.end, r.times) for r in trace.repeats)
    return TraceReport(
        names.full(trace.initial), names.values(start), steps, True, violation, repeats=repeats
    )


def _read_first(cfa: CFA, trace: Trace) -> dict[str, None]:
    """The variables whose start value the path reads: those that occur before they are assigned."""
    read: dict[str, None] = {}
    written: set[str] = set()
    for edge in [cfa.by_id[s.edge] for s in trace.steps]:
        read.update(
            (v.name, None) for v in free_vars(*terms_of(edge.command)) if v.name not in written
        )
        written.update(x.name for x in assigned(edge.command))
    return read


def _step(
    edge: Edge, inputs: Mapping[str, Value], changed: Mapping[str, Value], names: Names, text: str
) -> StepReport:
    span = edge.span
    return StepReport(
        edge.id,
        span.file,
        span.line,
        text,
        names.values(changed),
        names.full(inputs),
        span.column,
        span.function,
        call=edge.asks,
        visible=names.visible(span),
    )


def statement(edge: Edge, names: Names, sources: Sources) -> str:
    """What the edge does, in the language of its source."""
    language = find_language(edge.span.file)
    if language is None or not language.formula:
        return edge.text
    if isinstance(edge.command, Assume) and edge.violation is None:
        condition = names.c_text(TermStore().import_term(edge.command.condition))
        return edge.text if condition is None else f"[{condition}]"
    return sources.line(edge.span.file, edge.span.line) or edge.text


def _violation(edge: Edge) -> str:
    violation = edge.violation
    if violation is None:
        return ""
    place = f"{violation.span.file}:{violation.span.line}: " if violation.span.line else ""
    return f"{place}{violation.label or edge.text}"
