"""Does a rank prove that a transition system has no fair run? (`models.live_claims.Ranked`)

About the product beside its monitor of rounds (`checking.product.with_rounds`), with R the
invariant, C the constraints, r the rank and `round` the monitor's bit, which is true after each
step that completes a round of all fairness sets:

    I implies R;   R and C and T implies R'
    R and C and T   implies   r' <= r,   and   r' < r  if round

The order is lexicographic; words are compared as unsigned numbers, integers decrease only from
values that are not negative. It is well-founded, so no run completes rounds for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from obligato.models.live_claims import Ranked
from obligato.models.transition_system import TransitionSystem
from obligato.results.checking.product import ROUND
from obligato.results.checking.ranking import decreases
from obligato.results.checking.solving import Link
from obligato.results.checking.status import Open
from obligato.results.checking.steps import Steps
from obligato.terms import BOOL, Kind, Term, free_vars


def malformed_rank(wide: TransitionSystem, claim: Ranked) -> str | None:
    """Why the claim cannot speak about this product."""
    sorts = {x.name: x.sort for x in wide.state}
    for f in (claim.invariant, *claim.rank):
        if any(sorts.get(v.name) is not v.sort for v in free_vars(f)):
            return "a formula is about something that is no state variable"
    if claim.invariant.sort is not BOOL or any(
        t.sort.kind not in (Kind.BITVEC, Kind.INT) for t in claim.rank
    ):
        return "an invariant is Boolean, and a rank a tuple of words and integers"
    return None


class RankSteps(Steps):
    """The obligations of a certificate with a rank."""

    def __init__(
        self, wide: TransitionSystem, claim: Ranked, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        super().__init__(wide, claim.invariant, links, tick)
        self.rank = claim.rank

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the rank is a proof."""
        yield from self.inductive()
        old, new = ([self.claimed(t, 0, after) for t in self.rank] for after in (False, True))
        done: Term = self.claimed(self.wide.store.var(ROUND, BOOL), 0, False)
        s = self.store
        lower = s.and_(
            decreases(s, new, old, strictly=False),
            s.implies(done, decreases(s, new, old, strictly=True)),
        )
        yield from self.ask("rank", self.step(0), [lower])
