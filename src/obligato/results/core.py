"""What a proof needs of its input:
lines of a program, equations and constraints of a transition system.

A part is not needed if the certificate is still accepted where the part says nothing: an assignment
then gives any value, a condition lets every state pass, an equation or constraint is gone. First
conjuncts of the certificate go that the proof does not need, then parts of the input, in halves,
quarters and so on to single ones, so that what is left is minimal: without any of it the
certificate is not accepted. Each step is a whole check (`results.checking`), so that a core is
proved, too.
Limitations: minimal for this certificate, not the smallest there is;
checks are counted, and a core that was cut short says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from obligato.errors import ResourceOut
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate
from obligato.models.gcl import SKIP, Assign, Assume, assigned, walk
from obligato.models.transition_system import TransitionSystem
from obligato.results.checking.certificate import check_certificate
from obligato.results.checking.status import Status
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import CoreReport, PartReport
from obligato.terms import Op, Term, conjuncts
from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.models.ts_claims import SystemCertificate
    from obligato.results.checking.solving import Link

MOST_CHECKS = 400
LONGEST = 200  # characters of an equation
P = TypeVar("P")
Links = Callable[[], "Sequence[Link]"]


class Shrinking:
    """Parts are left out while something holds without them;
    `complete` is false once the checks are used up."""

    def __init__(self) -> None:
        self.left, self.complete = MOST_CHECKS, True

    def least(self, parts: Sequence[P], holds: Callable[[list[P]], bool]) -> list[P]:
        """A minimal selection of `parts` for which `holds` is true.
        Requires: it is true of all of them."""
        kept, size = list(parts), len(parts)
        while size > 0:
            start = 0
            while start < len(kept):
                without = kept[:start] + kept[start + size :]
                if self._ask(without, holds):
                    kept = without
                else:
                    start += size
            size //= 2
        return kept

    def _ask(self, parts: list[P], holds: Callable[[list[P]], bool]) -> bool:
        if self.left > 0 and self.complete:
            self.left -= 1
            try:
                return holds(parts)
            except ResourceOut:
                pass
        self.complete = False
        return False


# -- programs --------------------------------------------------------------------------------------


def program_core(
    cfa: CFA, certificate: Certificate, links: Links, tick: Callable[[], None] = lambda: None
) -> CoreReport | None:
    """The lines that an accepted certificate needs;
    None where it is no invariant, but an unwinding."""
    if certificate.unwinding is not None:
        return None
    shrinking = Shrinking()

    def accepted(model: CFA, claim: Certificate) -> bool:
        tick()
        return check_certificate(model, claim, links(), tick).status is Status.ACCEPTED

    pairs = [(loc, c) for loc, f in certificate.invariants.items() for c in conjuncts(f)]
    pairs = shrinking.least(pairs, lambda some: accepted(cfa, _restricted(certificate, some)))
    least = _restricted(certificate, pairs)
    lines = list(
        dict.fromkeys((e.span.file, e.span.line) for e in cfa.edges if e.span.line and _says(e))
    )
    needed = shrinking.least(
        lines, lambda some: accepted(weakened(cfa, frozenset(lines) - frozenset(some)), least)
    )
    parts = tuple(
        PartReport("line", (file, line) in needed, file=file, line=line)
        for file, line in sorted(lines)
    )
    return CoreReport(parts, shrinking.complete)


def _says(edge: Edge) -> bool:
    """Does the edge test or assign anything?"""
    return any(isinstance(c, Assign | Assume) for c in walk(edge.command))


def _restricted(certificate: Certificate, pairs: Sequence[tuple[int, Term]]) -> Certificate:
    """The certificate with these conjuncts only."""
    chosen = {loc: [c for at, c in pairs if at == loc] for loc in certificate.invariants}
    return replace(
        certificate,
        invariants={loc: f.store.and_(*chosen[loc]) for loc, f in certificate.invariants.items()},
    )


def weakened(cfa: CFA, lines: frozenset[tuple[str, int]]) -> CFA:
    """The CFA where these lines say nothing:
    what they assign has any value, and their conditions hold."""
    inputs: list[Term] = []

    def free(edge: Edge) -> Edge:
        if (edge.span.file, edge.span.line) not in lines:
            return edge
        pairs = tuple(
            (x, cfa.store.var(f"core!{edge.id}!{x.name}", x.sort)) for x in assigned(edge.command)
        )
        inputs.extend(value for _, value in pairs)
        return replace(edge, command=Assign(pairs) if pairs else SKIP)

    edges = tuple(map(free, cfa.edges))
    return replace(cfa, edges=edges, inputs=(*cfa.inputs, *inputs))


# -- transition systems ----------------------------------------------------------------------------


def system_core(
    system: TransitionSystem,
    certificate: SystemCertificate,
    links: Links,
    tick: Callable[[], None] = lambda: None,
) -> CoreReport:
    """The equations and constraints that an accepted certificate needs."""
    shrinking, store = Shrinking(), certificate.invariant.store

    def accepted(model: TransitionSystem, claim: SystemCertificate) -> bool:
        tick()
        return check_system_certificate(model, claim, links(), tick).status is Status.ACCEPTED

    kept = shrinking.least(
        conjuncts(certificate.invariant),
        lambda some: accepted(system, replace(certificate, invariant=store.and_(*some))),
    )
    least = replace(certificate, invariant=store.and_(*kept))
    stated = [
        (kind, c)
        for kind, f in (("init", system.init), ("next", system.trans))
        for c in conjuncts(f)
    ]
    stated += [("constraint", c) for c in system.constraints]
    needed = shrinking.least(stated, lambda some: accepted(_only(system, some), least))
    return CoreReport(
        tuple(_described(system, kind, c, (kind, c) in needed) for kind, c in stated),
        shrinking.complete,
    )


def _only(system: TransitionSystem, stated: Sequence[tuple[str, Term]]) -> TransitionSystem:
    """The system with these equations and constraints only."""
    parts = {kind: [c for k, c in stated if k == kind] for kind in ("init", "next", "constraint")}
    return replace(
        system,
        init=system.store.and_(*parts["init"]),
        trans=system.store.and_(*parts["next"]),
        constraints=tuple(parts["constraint"]),
        next=None,
        total=None,
    )


def _described(system: TransitionSystem, kind: str, formula: Term, needed: bool) -> PartReport:
    owners = {
        x: name
        for name, x in ((system.display.get(v.name, v.name), p) for v, p in system.primed.items())
    }
    text = to_smtlib(formula)
    if kind == "next" and formula.op is Op.EQ and formula.args[0] in owners:
        return PartReport(kind, needed, owners[formula.args[0]], text[:LONGEST])
    return PartReport(kind, needed, "", text[:LONGEST])
