"""Do ranks prove that no infinite run is at accepting locations again and again?
(`models.rank_claims.Ranking`)

An infinite run of a finite graph stays in one strongly connected component from some point on. So
for every component with a cycle and an accepting location, with P_c the invariant and r_c the rank
of the cut point c, T(c, d) one traversal:

    the certificate is inductive and reaches no limit (`checking.certificate`)
    every cut point of the component has a rank, of the same length and sorts; every accepting
    location of it is a cut point (where all locations of the component are accepting: every cycle
    has a cut point)
    P_c(s) and T(c, d)(s, s') implies r_d(s') <= r_c(s), and r_d(s') < r_c(s) if c is accepting

The program is the one with the counters of the claim, if it has any (`counters`). The order is
lexicographic. Words are compared as unsigned numbers: finitely many, so nothing has to be bounded.
Integers decrease only from values that are not negative. `_decrease` carries the idea.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from time import perf_counter

from obligato.models.claims import Certificate
from obligato.models.rank_claims import BuchiCFA, Ranking
from obligato.results.checking.certificate import (
    CertificateCheck,
    Inductive,
    Status,
    malformed_certificate,
)
from obligato.results.checking.counters import counting, wrong_counters
from obligato.results.checking.encoding import State
from obligato.results.checking.graph import components
from obligato.results.checking.obligations import is_constant
from obligato.results.checking.solving import Link, Questions
from obligato.results.checking.status import Open, judged
from obligato.terms import Kind, Op, Term, TermStore, free_vars


def check_ranking(
    problem: BuchiCFA,
    claim: Ranking,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check `claim` on `problem`, made from the inlined but otherwise untouched program,
    with the solvers `links`."""
    start = perf_counter()
    malformed = wrong_counters(problem.cfa, claim.counters)
    if malformed is None:
        problem = replace(problem, cfa=counting(problem.cfa, claim.counters))
        malformed = _malformed(problem, claim)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    return judged(_Ranked(problem, claim, links, tick), start)


def _malformed(problem: BuchiCFA, claim: Ranking) -> str | None:
    """Why the claim cannot speak about this program."""
    cfa, certificate = problem.cfa, claim.certificate
    if certificate != Certificate(certificate.invariants):
        return "ranks need plain inductive invariants"
    sorts = {v.name: v.sort for v in cfa.variables}
    for location, rank in claim.ranks.items():
        if location not in cfa.locations or location in (cfa.initial, cfa.error):
            return f"location {location} cannot have a rank"
        for term in rank:
            if term.sort.kind not in (Kind.BITVEC, Kind.INT):
                return f"a rank is a word or an integer, not of sort {term.sort}"
            if any(sorts.get(v.name) is not v.sort for v in free_vars(term)):
                return (
                    f"the rank at {cfa.locations[location].name} is about something that is no"
                    " variable of the program"
                )
    return malformed_certificate(cfa, certificate)


def decreases(store: TermStore, new: Sequence[Term], old: Sequence[Term], strictly: bool) -> Term:
    """The tuple `new` is less than `old` in the lexicographic order,
    or equal if it need not be `strictly`."""
    below = store.bool_(not strictly)
    for a, b in reversed(list(zip(new, old, strict=True))):
        if a.sort.kind is Kind.INT:
            less = store.and_(store.lt(a, b), store.ge(b, store.int_(0)))
        else:
            less = store.mk(Op.BVULT, (a, b))
        below = store.or_(less, store.and_(store.eq(a, b), below))
    return below


class _Ranked(Inductive):
    """The obligations of an inductive certificate, and those of the ranks."""

    def __init__(
        self, problem: BuchiCFA, claim: Ranking, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        self.problem, self.ranks = problem, claim.ranks
        true = TermStore.raw().true
        invariants = {**dict.fromkeys(claim.ranks, true), **claim.certificate.invariants}
        super().__init__(problem.cfa, Certificate(invariants), links, tick)

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged, in a fixed order;
        none if the claim is a proof."""
        yield from self._shape()
        yield from super().open_obligations()
        for members in self._cyclic():
            for cut in self.cuts:
                # no step begins where the formula is false
                if cut in members and not is_constant(self.claims.get(cut), False):
                    yield from self._decrease(cut, members)

    def _cyclic(self) -> Iterator[frozenset[int]]:
        """The strongly connected components in which a run may be at accepting locations again and
        again."""
        for group in components(self.cfa, {}):
            members = frozenset(group)
            cycle = any(e.target in members for loc in group for e in self.cfa.out(loc))
            if cycle and any(map(self.problem.accepts, group)):
                yield members

    def _shape(self) -> Iterator[Open]:
        """Is every cycle that matters covered by ranks that can be compared?"""
        for members in self._cyclic():
            cuts = [loc for loc in self.cuts if loc in members]
            shapes = {
                tuple(t.sort for t in self.ranks[loc]) if loc in self.ranks else None
                for loc in cuts
            }
            if None in shapes or len(shapes) != 1:
                yield self._broken(
                    members, "not every cut point of a cycle has a rank of the same sorts"
                )
            if all(map(self.problem.accepts, members)):
                bare = [
                    loc
                    for c in self.regions.components
                    if c.loop
                    for loc in c.members
                    if loc in members
                ]
            else:
                bare = [
                    loc for loc in members if self.problem.accepts(loc) and loc not in self.ranks
                ]
            if bare:
                yield self._broken(frozenset(bare), "a cycle has no rank")

    def _broken(self, members: frozenset[int], reason: str) -> Open:
        names = ", ".join(self.cfa.locations[loc].name for loc in sorted(members))
        return Open(Status.REFUTED, f"ranks of {names}", reason)

    def _decrease(self, cut: int, members: frozenset[int]) -> Iterator[Open]:
        here = State(self.store.true, {})
        assertions: list[Term] = []
        reached = self._traverse(self._continue({cut: here}), assertions)
        old = [self._at(t, here) for t in self.ranks[cut]]
        with closing(Questions(self.links, assertions, self.tick)) as questions:
            for target, state in reached.items():
                if target in members:
                    new = [self._at(t, state) for t in self.ranks[target]]
                    lower = decreases(self.store, new, old, self.problem.accepts(cut))
                    # P_c and T(c, d) and not (r_d' <= r_c, or < if c is accepting) (required)
                    #   unsat: the rank decreases on this way; sat: a step that refutes it
                    broken = self.store.and_(state.reach, self.store.not_(lower))
                    yield from self._judge(questions, self._name("rank", cut, target), [broken])
