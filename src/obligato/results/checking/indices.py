"""Is an invariant that is meant for all values of some indices a proof? (docs/decisions/0005, 0015)

With J = the invariant, and D = J for arbitrary indices and at the places of all instances:

    initiation    I and C   implies   J for arbitrary indices
    safety        D and C   implies   the properties
    consecution   D and P and C and T and C at the end   implies   J at the end, for the same
                  arbitrary indices

Then J holds for all values of the indices in all states of all runs, and the properties follow. To
assume D is to assume less than that, so that instances need not be believed. Beside D stands, for
each of its `differences` w of arrays a and b: a = b or a[w] != b[w], which is so for some w
whatever a and b are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from obligato.results.checking.status import Open
from obligato.results.checking.system import Checker
from obligato.terms import Kind, Op, Sort, Term, conjuncts, free_vars, substitute

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_claims import SystemCertificate


def malformed_indices(system: TransitionSystem, certificate: SystemCertificate) -> str | None:
    """Indices and differences are variables that the system does not have,
    instances values of indices in terms of a step."""
    indices, differences = certificate.indices, certificate.differences
    if not indices:
        return "instances are about indices"
    known = {x.name: x.sort for x in (*system.state, *system.inputs, *system.primed.values())}
    if certificate.k > 1 or certificate.distinct or certificate.relation is not None:
        return "an invariant for all indices is inductive in one step"
    own = _own(certificate)
    if any(p.op is not Op.VAR or p.name in known for p in own) or len({p.name for p in own}) < len(
        own
    ):
        return "an index cannot be quantified"
    if any(
        _strange(known, a, b)
        or a.sort is not b.sort
        or a.sort.kind is not Kind.ARRAY
        or a.sort.index is not w.sort
        for w, a, b in differences
    ):
        return "a difference is not one of two arrays of the system"
    known |= {p.name: p.sort for p in own}
    for places in certificate.instances:
        if [t.sort for t in places] != [p.sort for p in indices] or _strange(known, *places):
            return "an instance is no value of the indices in terms of a step of the system"
    return None


def _own(certificate: SystemCertificate) -> tuple[Term, ...]:
    """The variables of the certificate."""
    return *certificate.indices, *(w for w, _, _ in certificate.differences)


def _strange(known: Mapping[str, Sort], *terms: Term) -> bool:
    """Are the terms about something else than what is known?"""
    return any(known.get(v.name) is not v.sort for v in free_vars(*terms))


class ForAllIndices(Checker):
    """The obligations of an invariant that holds for all indices."""

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the certificate is a proof."""
        start = [self._at(self.system.init, 0), *self._constraints(0)]
        yield from self._discharge(start, self._invariants("initiation", 0))
        here = [*self._claims(0), *self._instances(), *self._constraints(0)]
        yield from self._discharge(here, self._properties("safety", 0))
        claims = [self._at(p.formula, 0) for p in self.system.assertions]
        step = [*here, *claims, self._at(self.trans, 0), *self._constraints(1)]
        yield from self._discharge(step, self._invariants("consecution", 1))

    def _variables(self, time: int) -> dict[Term, Term]:
        """See `Checker`: an index is the same at all times, and called as nothing at a time is."""
        known = {
            x.name: x
            for x in (*self.system.state, *self.system.inputs, *self.system.primed.values())
        }
        own = {
            p.name: self.store.var(f"index {n}", p.sort)
            for n, p in enumerate(_own(self.certificate))
        }
        memo = super()._variables(time)
        about = [
            t
            for terms in (*self.certificate.instances, *self.certificate.differences)
            for t in terms
        ]
        for v in free_vars(self.certificate.invariant, *about, *_own(self.certificate)):
            memo[v] = own[v.name] if v.name in own else memo[known[v.name]]
        return memo

    def _instances(self) -> list[Term]:
        """The invariant at time 0, at the places of all instances;
        and where arrays differ that do so."""
        s, general, out = self.store, self._at(self.certificate.invariant, 0), list[Term]()
        for w, a, b in self.certificate.differences:
            place, left, right = (self._at(t, 0) for t in (w, a, b))
            out.append(
                s.or_(
                    s.eq(left, right), s.not_(s.eq(s.select(left, place), s.select(right, place)))
                )
            )
        for places in self.certificate.instances:
            named = zip(self.certificate.indices, places, strict=True)
            out += conjuncts(
                substitute(general, {self._at(p, 0): self._at(t, 0) for p, t in named})
            )
        return out
