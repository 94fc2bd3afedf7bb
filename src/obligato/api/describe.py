"""From accepted certificates and traces, which are about terms, to reports, which are plain data for the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Assume, walk
from obligato.results.checking.certificate import CertificateCheck
from obligato.results.outcome import Certificate, CertificateReport, InvariantReport, StepReport, Trace, TraceReport
from obligato.results.values import to_json
from obligato.terms import Term, TermStore, Value, free_vars
from obligato.terms.c_printer import to_c
from obligato.terms.printer import to_smtlib
from obligato.terms.store import rebuild


class Names:
    """The user's names of variables; where two variables would share one, both keep their full name."""

    def __init__(self, cfa: CFA) -> None:
        shown = {v.name: cfa.display.get(v.name, v.name) for v in cfa.variables}
        count = Counter(shown.values())
        self.shown = {full: short if count[short] == 1 else full for full, short in shown.items()}
        self.sorts = {v.name: v.sort for v in (*cfa.variables, *cfa.inputs)}

    def values(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by the user's names."""
        return {self.shown.get(n, n): to_json(v, self.sorts[n]) for n, v in values.items()}

    def full(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by full names, to be read back."""
        return {n: to_json(v, self.sorts[n]) for n, v in values.items()}

    def c_text(self, formula: Term) -> str | None:
        """The formula as a C expression over the user's names."""
        store = TermStore.raw()
        memo = {v: store.var(self.shown.get(v.name, v.name), v.sort) for v in free_vars(formula)}
        return to_c(rebuild(formula, store, memo))


def describe_certificate(cfa: CFA, certificate: Certificate, check: CertificateCheck) -> CertificateReport:
    """The report of an accepted certificate, with the invariants in the order of locations."""
    names, heads = Names(cfa), cut_points(cfa)
    invariants = tuple(
        _invariant(cfa, location, formula, names, location in heads)
        for location, formula in sorted(certificate.invariants.items())
        if location != cfa.error
    )
    return CertificateReport(
        certificate.k, invariants, True, check.independent, check.checker, round(check.seconds, 3)
    )


def _invariant(cfa: CFA, location: int, formula: Term, names: Names, head: bool) -> InvariantReport:
    place = cfa.locations[location]
    return InvariantReport(
        location, place.name, place.span.file, place.span.line, to_smtlib(formula), names.c_text(formula), head
    )


def describe_trace(cfa: CFA, trace: Trace) -> TraceReport:
    """The report of a confirmed trace, which is complete."""
    names = Names(cfa)
    steps = tuple(_step(cfa.by_id[s.edge], s.inputs, s.state or {}, names) for s in trace.steps)
    start = {n: v for n, v in trace.initial.items() if n in _read_first(cfa, trace)}
    last = cfa.by_id[trace.steps[-1].edge]
    return TraceReport(names.full(trace.initial), names.values(start), steps, True, _violation(last))


def _read_first(cfa: CFA, trace: Trace) -> dict[str, None]:
    """The variables whose start value the path reads: those that occur before they are assigned."""
    read: dict[str, None] = {}
    written: set[str] = set()
    for edge in [cfa.by_id[s.edge] for s in trace.steps]:
        for c in walk(edge.command):
            if isinstance(c, Assume):
                read.update((v.name, None) for v in free_vars(c.condition) if v.name not in written)
            elif isinstance(c, Assign):
                read.update((v.name, None) for v in free_vars(*(e for _, e in c.pairs)) if v.name not in written)
                written.update(x.name for x, _ in c.pairs)
    return read


def _step(edge: Edge, inputs: Mapping[str, Value], changed: Mapping[str, Value], names: Names) -> StepReport:
    return StepReport(
        edge.id, edge.span.file, edge.span.line, edge.text, names.values(changed), names.full(inputs)
    )


def _violation(edge: Edge) -> str:
    violation = edge.violation
    if violation is None:
        return ""
    place = f"{violation.span.file}:{violation.span.line}: " if violation.span.line else ""
    return f"{place}{violation.label or edge.text}"
