"""The lift of passes that rely on facts: where a formula is given, the facts that hold there are
conjoined.

A pass that folds ``x + 1`` to 6 because x is 5 changes no path, but a certificate of its result
proves the CFA before only together with ``x == 5``.  Facts come from a solved analysis and are
inductive as a whole.  Where the pass cut off code that no run enters, the first location behind the
cut is annotated with `false`, so that loops in there need no formula of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from obligato.analysis.graph import predecessors, reachable
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate, Trace
from obligato.terms import Term, TermStore

Facts = Callable[[Iterable[int]], dict[int, list[Term]]]


def no_facts(locations: Iterable[int]) -> dict[int, list[Term]]:
    """The facts of a pass that relies on none."""
    return {}


class FactLift:
    """Adds `facts` where the certificate speaks and at the locations `gone`, and `false` at the
    locations `closed`.

    `gone` are cut points that runs enter but that, by the facts, cannot reach the error location
    any more: the certificate says nothing about them, and the facts are all that is needed there.
    """

    def __init__(
        self,
        store: TermStore,
        facts: Facts = no_facts,
        closed: Iterable[int] = (),
        gone: Iterable[int] = (),
    ) -> None:
        self.store = store
        self.facts = facts
        self.closed = tuple(closed)
        self.gone = tuple(gone)

    def certificate(self, certificate: Certificate) -> Certificate:
        """Conjoin what is known at each location to what is claimed there."""
        claimed = dict.fromkeys(self.gone, self.store.true) | certificate.invariants
        known = self.facts(claimed)
        invariants = {loc: self.store.and_(f, *known.get(loc, ())) for loc, f in claimed.items()}
        for loc in self.closed:
            invariants.setdefault(loc, self.store.false)
        return replace(certificate, invariants=invariants)

    def trace(self, trace: Trace) -> Trace:
        """Edges keep their numbers; inputs that were dropped have no influence."""
        return trace


def closed_entries(before: CFA, kept: Iterable[Edge]) -> Iterator[int]:
    """Locations that dropped edges lead to and no kept edge reaches, and from which the error
    location can be reached.
    """
    ids = {e.id for e in kept}
    entered = {before.initial, before.error, *(before.by_id[i].target for i in ids)}
    matters = reachable([before.error], predecessors(before))
    dropped = (e for e in before.edges if e.id not in ids and (e.source in entered))
    yield from dict.fromkeys(
        e.target for e in dropped if e.target not in entered and e.target in matters
    )


def surviving_cuts(before: CFA, locations: Iterable[int]) -> tuple[int, ...]:
    """The cut points of `before` that are left: a certificate must speak about them, even if their
    loops are gone.
    """
    left = set(locations)
    return tuple(loc for loc in cut_points(before) if loc in left and loc != before.error)
