"""Is a proof about infinite runs one? The check that every TRUE about such a property passes (DESIGN 4).

The product of system and property is built here (`checking.product`), from the system as read. `Walls` are checked by the
implications in `models.live_claims`, each asked in a fresh store that does not simplify; a finite run crosses each of finitely
many walls at most once once it has stopped crossing the earlier ones, so an infinite fair run would contain a skeleton. `Saved`
and `Counted` are inductive invariants of the product beside a monitor, and checked as such. `Saved` proves nothing about
infinite state spaces and is refuted there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from obligato.models.live_claims import Counted, LiveCertificate, Walls
from obligato.models.properties import LiveProperty
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.results.checking.certificate import CertificateCheck, Status
from obligato.results.checking.product import product, with_counter, with_saved_state
from obligato.results.checking.solving import SAT, UNKNOWN, Link, Questions
from obligato.results.checking.system import check_system_certificate
from obligato.terms import BOOL, Kind, Term, TermStore, conjuncts, free_vars
from obligato.terms.store import rebuild

GROUP = 32  # conjuncts in one question
MAX_ROUNDS = 10_000


def product_of(system: TransitionSystem, p: LiveProperty, kind: str, k: int) -> TransitionSystem:
    """The system that a claim of a kind (walls, saved, counted) speaks about."""
    wide = product(system, p)
    wide = wide if wide.fairness else replace(wide, fairness=(system.store.true,))
    if kind == "saved":
        return with_saved_state(wide)
    return with_counter(wide, k) if kind == "counted" else wide


def check_live_certificate(
    system: TransitionSystem, p: LiveProperty, claim: LiveCertificate, links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check a proof of the property `p` of the original `system` with the solvers `links`."""
    if isinstance(claim, Walls):
        return _check_walls(product_of(system, p, "walls", 0), claim, links, tick)
    if isinstance(claim, Counted):
        if not 0 <= claim.k <= MAX_ROUNDS:
            return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=f"k is {claim.k}")
        monitored = product_of(system, p, "counted", claim.k)
    else:
        if not all(_finite(x) for x in system.state):
            return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason="the state space is infinite")
        monitored = product_of(system, p, "saved", 0)
    return check_system_certificate(monitored, SystemCertificate(claim.invariant), links, tick)


def _finite(x: Term) -> bool:
    sorts = (x.sort.index, x.sort.element) if x.sort.kind is Kind.ARRAY else (x.sort,)
    return all(s.kind in (Kind.BOOL, Kind.BITVEC) for s in sorts)


def _check_walls(
    wide: TransitionSystem, claim: Walls, links: Sequence[Link], tick: Callable[[], None]
) -> CertificateCheck:
    start = perf_counter()
    malformed = _malformed(wide, claim)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    checker = _Checker(wide, claim, links, tick)
    left = next(checker.open_obligations(), None)
    used = list(checker.used.values())
    names, independent = ", ".join(link.name for link in used), all(link.independent for link in used)
    status, obligation, reason = left or (Status.ACCEPTED, "", "")
    return CertificateCheck(
        status, names, independent, obligation, reason, seconds=perf_counter() - start, queries=checker.queries)


def _malformed(wide: TransitionSystem, claim: Walls) -> str | None:
    """Why the walls cannot speak about this product, or are not in order."""
    sorts = {x.name: x.sort for x in wide.state}
    for f in (claim.invariant, *(w.formula for w in claim.walls)):
        strangers = [v.name for v in free_vars(f) if sorts.get(v.name) is not v.sort]
        if f.sort is not BOOL or strangers:
            return f"a formula is about {strangers[0]}, not a state variable" if strangers else f"a formula has sort {f.sort}"
    for k, w in enumerate(claim.walls):
        if any(not 0 <= j < k for j in w.relative):
            return f"wall {k} is relative to a wall that does not come before it"
    return None


class _Checker:
    def __init__(
        self, wide: TransitionSystem, claim: Walls, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        self.wide, self.claim, self.links, self.tick = wide, claim, links, tick
        self.store = TermStore.raw()
        self.used: dict[str, Link] = {}
        self.queries = 0
        self._memos: dict[tuple[int, bool], dict[Term, Term]] = {}

    def open_obligations(self) -> Iterator[tuple[Status, str, str]]:
        """All obligations that are not discharged; none if the walls are a proof."""
        yield from self._ask("initiation", [self._in(self.wide.init)], self._invariant(0, False))
        yield from self._ask("consecution", self._step(0), self._invariant(0, True))
        inside = [*self._step(0), *self._invariant(0, True)]
        for k, wall in enumerate(self.claim.walls):
            crossed = [self.store.eq(self._wall(j, 0, False), self._wall(j, 0, True)) for j in wall.relative]
            assumed = [*inside, *crossed, self._wall(k, 0, False)]
            yield from self._ask(f"wall {k}", assumed, conjuncts(self._wall(k, 0, True)))
        yield from self._ask("skeleton", list(self._skeleton()), [self.store.false])

    def _in(self, formula: Term, copy: int = 0) -> Term:
        """A formula about a step, in a copy of all variables."""
        memo = self._memos.setdefault((copy, False), {})
        if not memo:
            wide, var = self.wide, self.store.var
            memo.update({x: var(f"{x.name}@{copy}", x.sort) for x in (*wide.state, *wide.inputs)})
            memo.update({y: var(f"{x.name}'@{copy}", x.sort) for x, y in wide.primed.items()})
        return rebuild(formula, self.store, memo)

    def _claimed(self, formula: Term, copy: int, after: bool) -> Term:
        """A formula of the claim, about the state before or after the step of a copy."""
        memo = self._memos.setdefault((-1 - copy, after), {})
        for v in free_vars(formula):
            memo[v] = self.store.var(f"{v.name}'@{copy}" if after else f"{v.name}@{copy}", v.sort)
        return rebuild(formula, self.store, memo)

    def _invariant(self, copy: int, after: bool) -> list[Term]:
        return conjuncts(self._claimed(self.claim.invariant, copy, after))

    def _wall(self, k: int, copy: int, after: bool) -> Term:
        return self._claimed(self.claim.walls[k].formula, copy, after)

    def _step(self, copy: int) -> list[Term]:
        """R and C and T."""
        return [*self._invariant(copy, False), *(self._in(c, copy) for c in (*self.wide.constraints, self.wide.trans))]

    def _skeleton(self) -> Iterator[Term]:
        """A step in each fairness set, all states in R and on one side of each wall."""
        for copy, wanted in enumerate(self.wide.fairness):
            yield from (*self._step(copy), *self._invariant(copy, True), self._in(wanted, copy))
            for k in range(len(self.claim.walls)):
                side = self._wall(k, 0, False)
                if copy:
                    yield self.store.eq(side, self._wall(k, copy, False))
                yield self.store.eq(side, self._wall(k, copy, True))

    def _ask(self, name: str, assertions: list[Term], claims: list[Term]) -> Iterator[tuple[Status, str, str]]:
        questions = Questions(self.links, assertions, self.tick)
        try:
            for i in range(0, len(claims), GROUP):
                self.queries += 1
                # assertions and not (all of the group) (required)
                #   unsat: the obligation holds; sat: a step, or a skeleton, that refutes the claim
                answer = questions.ask([self.store.not_(self.store.and_(*claims[i : i + GROUP]))], "certify")
                if answer.link is not None:
                    self.used[answer.link.name] = answer.link
                if answer.result is UNKNOWN:
                    yield Status.UNKNOWN, name, answer.reason
                elif answer.result is SAT:
                    yield Status.REFUTED, name, "steps of the system refute it"
        finally:
            questions.close()
