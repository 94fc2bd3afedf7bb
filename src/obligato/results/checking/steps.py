"""Obligations about the steps of a system, put to solvers:
what the checks of proofs about infinite runs share.

A step is one copy of the state before and after it and of the inputs;
formulas of a claim are over the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from obligato.models.transition_system import TransitionSystem
from obligato.results.checking.solving import SAT, UNKNOWN, Link, Questions
from obligato.results.checking.status import Open, Status
from obligato.terms import Term, TermStore, conjuncts, free_vars
from obligato.terms.store import rebuild

GROUP = 32  # conjuncts in one question


class Steps:
    """Questions about steps of `wide` inside an invariant;
    a subclass says which, in `open_obligations`."""

    def __init__(
        self,
        wide: TransitionSystem,
        invariant: Term,
        links: Sequence[Link],
        tick: Callable[[], None],
    ) -> None:
        self.wide, self.invariant, self.links, self.tick = wide, invariant, links, tick
        self.store = TermStore.raw()
        self.used: dict[str, Link] = {}
        self.queries = 0
        self._memos: dict[tuple[int, bool], dict[Term, Term]] = {}

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the claim is a proof."""
        raise NotImplementedError

    def inductive(self) -> Iterator[Open]:
        """The invariant holds at the beginning,
        and after each step from a state in which it holds."""
        yield from self.ask("initiation", [self.inside(self.wide.init)], self.held(0, False))
        yield from self.ask("consecution", self.step(0), self.held(0, True))

    def inside(self, formula: Term, copy: int = 0) -> Term:
        """A formula about a step, in a copy of all variables."""
        memo = self._memos.setdefault((copy, False), {})
        if not memo:
            wide, var = self.wide, self.store.var
            memo.update({x: var(f"{x.name}@{copy}", x.sort) for x in (*wide.state, *wide.inputs)})
            memo.update({y: var(f"{x.name}'@{copy}", x.sort) for x, y in wide.primed.items()})
        return rebuild(formula, self.store, memo)

    def claimed(self, formula: Term, copy: int, after: bool) -> Term:
        """A formula of the claim, about the state before or after the step of a copy."""
        memo = self._memos.setdefault((-1 - copy, after), {})
        for v in free_vars(formula):
            memo[v] = self.store.var(f"{v.name}'@{copy}" if after else f"{v.name}@{copy}", v.sort)
        return rebuild(formula, self.store, memo)

    def held(self, copy: int, after: bool) -> list[Term]:
        """The invariant before or after a step."""
        return conjuncts(self.claimed(self.invariant, copy, after))

    def step(self, copy: int) -> list[Term]:
        """R and C and T."""
        return [
            *self.held(copy, False),
            *(self.inside(c, copy) for c in (*self.wide.constraints, self.wide.trans)),
        ]

    def ask(self, name: str, assertions: list[Term], claims: list[Term]) -> Iterator[Open]:
        """Do the assertions imply the claims? What is wrong, if anything is."""
        with closing(Questions(self.links, assertions, self.tick)) as questions:
            for i in range(0, len(claims), GROUP):
                self.queries += 1
                # assertions and not (all of the group) (required)
                #   unsat: the obligation holds; sat: a step, or a skeleton, that refutes the claim
                reply = questions.ask(
                    [self.store.not_(self.store.and_(*claims[i : i + GROUP]))], "certify"
                )
                if reply.link is not None:
                    self.used[reply.link.name] = reply.link
                if reply.result is UNKNOWN:
                    yield Open(Status.UNKNOWN, name, reply.reason)
                elif reply.result is SAT:
                    yield Open(Status.REFUTED, name, "steps of the system refute it")
