"""Is a proof about infinite runs one?
The check that every TRUE about such a property passes (DESIGN 4).

The product of system and property is built here (`checking.product`), from the system as read.
`Walls` are checked by the implications in `models.live_claims`, each asked in a fresh store that
does not simplify; a finite run crosses each of finitely many walls at most once once it has stopped
crossing the earlier ones, so an infinite fair run would contain a skeleton. `Saved` and `Counted`
are inductive invariants of the product beside a monitor, and checked as such; `Saved` about whole
states proves nothing about infinite state spaces and is refuted there, and the terms that it
watches otherwise must be Booleans or words. `Ranked` is checked by `checking.ranked`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from obligato.models.live_claims import Counted, LiveCertificate, Ranked, Saved, Walls
from obligato.models.properties import LiveProperty
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.results.checking.product import product, with_counter, with_rounds, with_saved_state
from obligato.results.checking.ranked import RankSteps, malformed_rank
from obligato.results.checking.solving import Link
from obligato.results.checking.status import CertificateCheck, Open, Status, judged
from obligato.results.checking.steps import Steps
from obligato.results.checking.system import check_system_certificate
from obligato.terms import BOOL, Kind, Term, conjuncts, free_vars
from obligato.terms.store import rebuild

MAX_ROUNDS = 10_000


def product_of(
    system: TransitionSystem, p: LiveProperty, kind: str, k: int, watched: Sequence[Term] = ()
) -> TransitionSystem:
    """The system that a claim of a kind (walls, saved, counted, ranks) speaks about."""
    wide = product(system, p)
    wide = wide if wide.fairness else replace(wide, fairness=(system.store.true,))
    if kind == "saved":
        return with_saved_state(wide, [rebuild(t, system.store, {}) for t in watched])
    if kind == "ranks":
        return with_rounds(wide)
    return with_counter(wide, k) if kind == "counted" else wide


def check_live_certificate(
    system: TransitionSystem,
    p: LiveProperty,
    claim: LiveCertificate,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check a proof of the property `p` of the original `system` with the solvers `links`."""
    if isinstance(claim, Walls):
        return _check_walls(product_of(system, p, "walls", 0), claim, links, tick)
    if isinstance(claim, Ranked):
        return _check_rank(product_of(system, p, "ranks", 0), claim, links, tick)
    if isinstance(claim, Counted):
        if not 0 <= claim.k <= MAX_ROUNDS:
            return CertificateCheck(
                Status.REFUTED,
                obligation="vocabulary",
                reason=f"k is {claim.k}, not one of 0 to {MAX_ROUNDS}",
            )
        monitored = product_of(system, p, "counted", claim.k)
    else:
        unfit = _not_saved(system, product_of(system, p, "walls", 0), claim)
        if unfit is not None:
            return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=unfit)
        monitored = product_of(system, p, "saved", 0, claim.watched)
    return check_system_certificate(monitored, SystemCertificate(claim.invariant), links, tick)


def _not_saved(system: TransitionSystem, wide: TransitionSystem, claim: Saved) -> str | None:
    """Why what is saved may never come back, or is not about the product."""
    if not claim.watched:
        return None if all(_finite(x) for x in system.state) else "the state space is infinite"
    sorts = {x.name: x.sort for x in wide.state}
    if any(sorts.get(v.name) is not v.sort for t in claim.watched for v in free_vars(t)):
        return "a watched term is about something that is no state variable"
    return (
        None
        if all(t.sort.kind in (Kind.BOOL, Kind.BITVEC) for t in claim.watched)
        else "a watched term has no finite sort"
    )


def _finite(x: Term) -> bool:
    sorts = (x.sort.index, x.sort.element) if x.sort.kind is Kind.ARRAY else (x.sort,)
    return all(s.kind in (Kind.BOOL, Kind.BITVEC) for s in sorts)


def _check_walls(
    wide: TransitionSystem, claim: Walls, links: Sequence[Link], tick: Callable[[], None]
) -> CertificateCheck:
    malformed = _malformed(wide, claim)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    return judged(_Checker(wide, claim, links, tick), perf_counter())


def _check_rank(
    wide: TransitionSystem, claim: Ranked, links: Sequence[Link], tick: Callable[[], None]
) -> CertificateCheck:
    malformed = malformed_rank(wide, claim)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    return judged(RankSteps(wide, claim, links, tick), perf_counter())


def _malformed(wide: TransitionSystem, claim: Walls) -> str | None:
    """Why the walls cannot speak about this product, or are not in order."""
    sorts = {x.name: x.sort for x in wide.state}
    for f in (claim.invariant, *(w.formula for w in claim.walls)):
        strangers = [v.name for v in free_vars(f) if sorts.get(v.name) is not v.sort]
        if f.sort is not BOOL or strangers:
            return (
                f"a formula is about {strangers[0]}, not a state variable"
                if strangers
                else f"a formula has sort {f.sort}"
            )
    for k, w in enumerate(claim.walls):
        if any(not 0 <= j < k for j in w.relative):
            return f"wall {k} is relative to a wall that does not come before it"
    return None


class _Checker(Steps):
    def __init__(
        self, wide: TransitionSystem, claim: Walls, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        super().__init__(wide, claim.invariant, links, tick)
        self.claim = claim

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the walls are a proof."""
        yield from self.inductive()
        inside = [*self.step(0), *self.held(0, True)]
        for k, wall in enumerate(self.claim.walls):
            crossed = [
                self.store.eq(self._wall(j, 0, False), self._wall(j, 0, True))
                for j in wall.relative
            ]
            assumed = [*inside, *crossed, self._wall(k, 0, False)]
            yield from self.ask(f"wall {k}", assumed, conjuncts(self._wall(k, 0, True)))
        yield from self.ask("skeleton", list(self._skeleton()), [self.store.false])

    def _wall(self, k: int, copy: int, after: bool) -> Term:
        return self.claimed(self.claim.walls[k].formula, copy, after)

    def _skeleton(self) -> Iterator[Term]:
        """A step in each fairness set, all states in R and on one side of each wall."""
        for copy, wanted in enumerate(self.wide.fairness):
            yield from (*self.step(copy), *self.held(copy, True), self.inside(wanted, copy))
            for k in range(len(self.claim.walls)):
                side = self._wall(k, 0, False)
                if copy:
                    yield self.store.eq(side, self._wall(k, copy, False))
                yield self.store.eq(side, self._wall(k, copy, True))
