"""From accepted claims about infinite runs of programs to reports."""

from __future__ import annotations

from dataclasses import replace

from obligato.api.describe import describe_certificate, describe_trace, invariant_report
from obligato.api.names import Names
from obligato.models.cfa import CFA
from obligato.models.rank_claims import Endless, Ranking
from obligato.results.checking.counters import counting
from obligato.results.checking.status import CertificateCheck
from obligato.results.outcome import CertificateReport, TraceReport
from obligato.results.values import to_json
from obligato.terms.printer import to_smtlib


def describe_ranking(cfa: CFA, claim: Ranking, check: CertificateCheck) -> CertificateReport:
    """The report of accepted ranks: the invariants, and beside them the tuples as SMT-LIB."""
    report = describe_certificate(counting(cfa, claim.counters), claim.certificate, check)
    texts = {loc: tuple(map(to_smtlib, rank)) for loc, rank in claim.ranks.items()}
    counters = tuple((c.name, c.width, tuple(sorted(c.locations))) for c in claim.counters)
    invariants = tuple(replace(i, rank=texts.get(i.location)) for i in report.invariants)
    return replace(report, invariants=invariants, form="ranks", counters=counters)


def describe_endless(cfa: CFA, claim: Endless) -> TraceReport:
    """The report of a confirmed infinite run."""
    report = replace(describe_trace(cfa, claim.trace), loop=claim.loop, violation="")
    names = Names(cfa)
    sets = tuple(
        invariant_report(cfa, loc, f, names, True) for loc, f in sorted(claim.sets.items())
    )
    sorts = {i.name: i.sort for i in cfa.inputs}
    return replace(
        report,
        sets=sets,
        values={n: to_json(v, sorts[n]) for n, v in claim.values.items()} if sets else {},
    )
