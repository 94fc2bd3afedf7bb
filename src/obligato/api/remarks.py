"""What a reader of a proof has to know: assertions that no run reaches, assumptions that no run
satisfies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obligato.errors import ResourceOut
from obligato.models.observing import ASSERTION, BRANCH
from obligato.program.syntax import PROPERTY
from obligato.reports.text import Sources
from obligato.results.checking.unreached import unreached
from obligato.results.outcome import ReachReport

if TYPE_CHECKING:
    from obligato.api.pipeline import Run
    from obligato.models.cfa import CFA
    from obligato.models.claims import Certificate
    from obligato.results.checking.solving import Link

NOTHING = (
    "no path leads to an assertion or to a call of an error function: there was nothing to check"
)
SHARE = 0.1  # of the time that is left, for remarks about a proof


def vacuous(run: Run, cfa: CFA, certificate: Certificate, links: Sequence[Link]) -> list[str]:
    """Remarks about assertions and assumptions of a program that no run gets to or past, as an
    accepted certificate shows.
    """
    if not any(e.violation is not None and e.violation.kind == PROPERTY for e in cfa.edges):
        return [NOTHING]
    with run.clock.within(SHARE):
        try:
            asked, none = unreached(cfa, certificate, links, run.tick)
        except ResourceOut:
            return []
    sources, keys = Sources(), {o.key for o in none}
    return remarks(
        [
            ReachReport(
                o.kind,
                o.span.file,
                o.span.line,
                sources.line(o.span.file, o.span.line),
                "no" if o.key in keys else "unknown",
                "",
            )
            for o in asked
        ]
    )


def remarks(found: Sequence[ReachReport]) -> list[str]:
    """What is to be said about what runs reach."""
    out = []
    for r in found:
        if r.reached == "no" and r.kind != BRANCH:
            what = (
                "is evaluated in no run"
                if r.kind == ASSERTION
                else "ends every run that comes to it, or none does"
            )
            out.append(f"{r.file}:{r.line}: the {r.kind} {what}: {r.text}")
    asserted = [r for r in found if r.kind == ASSERTION]
    if asserted and all(r.reached == "no" for r in asserted):
        out.append("no run reaches an assertion: that none fails says nothing")
    return out
