"""What a program is observed at: assertions, assumptions and branches,
each as an error that a run may choose to make there.

`observed` is the CFA in which failed assertions only end a run and each observation has an edge of
its own to the error location: it copies the edge of an assumption or of a branch, and for an
assertion it leaves the location where that is evaluated. A run that takes such an edge shows that
the observation is made by the run without it, continued along the copied edge (`before`); a proof
shows that no run makes it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from obligato.errors import Span
from obligato.models.cfa import CFA, Edge, Violation
from obligato.models.claims import Trace
from obligato.models.gcl import SKIP, Assume
from obligato.program.syntax import PROPERTY
from obligato.terms import Op, Term

ASSERTION, ASSUMPTION, BRANCH = "assertion", "assumption", "branch"
Key = tuple[str, Span, str]
# of calls, and of temporary variables in loops that are written out
_INSTANCE = re.compile(r"[#$][0-9]+")


@dataclass(frozen=True, slots=True)
class Observation:
    """One place of one copy of a function.
    `edge` is copied; None: it is made when a run is at `location`."""

    kind: str
    span: Span
    text: str
    location: int
    edge: Edge | None = None
    which: str = ""  # in a function that is copied: which of the edges there

    @property
    def key(self) -> Key:
        """The same for the copies of one place in inlined calls and in the rounds of loops."""
        return self.kind, self.span, self.which or _INSTANCE.sub("", self.text)


def observations(cfa: CFA) -> list[Observation]:
    """All of a program with places in the source, in the order of edges."""
    found: list[Observation] = []
    asserted = {
        _evaluated(cfa, e): e
        for e in cfa.edges
        if e.violation is not None and e.violation.kind == PROPERTY
    }
    for location, e in asserted.items():
        assert e.violation is not None
        found.append(Observation(ASSERTION, e.violation.span, e.violation.label, location))
    for e in cfa.edges:
        if not isinstance(e.command, Assume) or e.target == cfa.error or e.source in asserted:
            continue
        if is_decided(e.command.condition):
            continue  # while (1)
        others = [o for o in cfa.out(e.source) if o is not e]
        if any(o.violation is not None for o in others):
            continue  # the assertion of a limit
        which = str(cfa.out(e.source).index(e)) if e.span.function in cfa.places.copied else ""
        kind = BRANCH if others else ASSUMPTION
        found.append(Observation(kind, e.span, e.text, e.source, e, which))
    return [o for o in found if o.span.line]


def _evaluated(cfa: CFA, e: Edge) -> int:
    """Where the condition of an assertion is evaluated:
    before its branch, if it is a branch around an error."""
    into = cfa.into(e.source)
    if isinstance(e.command, Assume) and is_decided(e.command.condition) and len(into) == 1:
        branch = into[0]
        if isinstance(branch.command, Assume) and len(cfa.out(branch.source)) == 2:
            return branch.source
    return e.source


def is_decided(condition: Term) -> bool:
    """Is a condition plainly true or false?"""
    return condition.is_const or (condition.op is Op.NOT and condition.args[0].is_const)


def observed(cfa: CFA, wanted: Container[Key]) -> tuple[CFA, dict[int, Observation]]:
    """The CFA in which these observations are the errors, besides limits;
    by edge which one it makes."""
    edges = [e for e in cfa.edges if e.violation is None or e.violation.kind != PROPERTY]
    number, by_edge = max((e.id for e in cfa.edges), default=0) + 1, dict[int, Observation]()
    for n, o in enumerate((o for o in observations(cfa) if o.key in wanted), number):
        command = SKIP if o.edge is None else o.edge.command
        edges.append(
            Edge(
                n,
                o.location,
                cfa.error,
                command,
                o.span,
                o.text,
                Violation(o.kind, PROPERTY, o.span),
            )
        )
        by_edge[n] = o
    return replace(cfa, edges=tuple(edges)), by_edge


def before(trace: Trace, made: dict[int, Observation]) -> Trace:
    """The run of the program itself that the trace of an observation stands for."""
    *steps, last = trace.steps
    edge = made[last.edge].edge
    return replace(
        trace, steps=(*steps, *(() if edge is None else (replace(last, edge=edge.id, state=None),)))
    )


def passed(cfa: CFA, run: Sequence[int]) -> list[Observation]:
    """The observations that a run of the program along these edges makes."""
    edges = frozenset(run)
    here = {cfa.initial, *(cfa.by_id[e].target for e in edges)}
    return [
        o
        for o in observations(cfa)
        if (o.location in here if o.edge is None else o.edge.id in edges)
    ]
