"""Are all runs followed to their end, and does none of them reach an error? The check of
certificates with an unwinding.

From the initial location the checker takes traversal after traversal (`checking.encoding`) from the
locations of the cut set to the next ones, at most as many as the certificate says. What a known
value decides is evaluated (`Folding`): a run without inputs is executed.
The certificate is a proof if no run

    is in the error location after any number of traversals
    is at a location after a number of them where the certificate says that none is (`dead`: nothing
    goes on from there)
    is at a location of the cut set where its formula does not hold
    is anywhere after the last traversal.

Rounds of a loop that the only run takes at once (`jumps`) are shown by induction
(`checking.rounds`). All else is one question, or no question where it was evaluated. Loops outside
the cut set are over-approximated: then a model refutes nothing, and the result is UNKNOWN.
`Unwound` carries the idea. Trusted beside what `checking.certificate` names: evaluation of terms,
as in replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from obligato.models.claims import Certificate, Unwinding
from obligato.results.checking.encoding import State, Traversal
from obligato.results.checking.folding import folding_store
from obligato.results.checking.obligations import Checker, is_constant
from obligato.results.checking.rounds import WIDTH, Rounds, TakenEdge, after_rounds
from obligato.results.checking.solving import HURRIED, Questions, hasty
from obligato.results.checking.status import Open, Status
from obligato.terms import Op, Term, TermStore, evaluate, free_vars

if TYPE_CHECKING:
    from obligato.models.cfa import CFA, Edge
    from obligato.results.checking.graph import Regions
    from obligato.results.checking.solving import Link

PART = 4  # of a budget, for the question about all goals at once
Goal = tuple[str, State, Term]  # what must hold where, and in which state


class Folding(Traversal):
    """A traversal in which terms over known values are evaluated;
    `free` remembers the variables of the program's terms."""

    def __init__(
        self, regions: Regions, store: TermStore, free: dict[Term, tuple[Term, ...]]
    ) -> None:
        super().__init__(regions, store, nothing_at=regions.cfa.error)
        self.free = free
        # edges that can be taken, as far as is known; in the order in which they were tried
        self._passed: list[Edge] = []

    def _edge(self, edge: Edge, state: State) -> State:
        end = super()._edge(edge, state)
        if end.reach is not self.store.false:
            self._passed.append(edge)
        return end

    def only_way(self) -> list[Edge]:
        """The edges of this traversal if they are one path, else none."""
        path = self._passed
        return path if all(a.target == b.source for a, b in pairwise(path)) else []

    def _value(self, term: Term, state: State, inputs: dict[Term, Term]) -> Term:
        free = self.free.get(term)
        if free is None:
            free = self.free[term] = tuple(free_vars(term))
        values = {v: state.values.get(v) for v in free}
        if all(t is not None and t.op is Op.CONST for t in values.values()):
            return self.store.const(
                evaluate(term, {v: t.data for v, t in values.items() if t is not None}), term.sort
            )
        return super()._value(term, state, inputs)


class Unwound(Checker):
    """The obligations of a certificate with an unwinding."""

    def __init__(
        self, cfa: CFA, certificate: Certificate, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        super().__init__(cfa, certificate, links, tick, folding_store())
        self.unwinding = certificate.unwinding or Unwinding(0)
        self.problem: Open | None = None

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the certificate is a proof."""
        yield from self._stated_at_initial()
        definitions: list[Term] = []
        goals = list(self._goals(definitions))
        if self.problem is not None:
            yield self.problem
        yield from self._ask(definitions, goals)

    def _goals(self, definitions: list[Term]) -> Iterator[Goal]:
        """What must hold along the unwinding; `definitions` is filled."""
        states = {self.cfa.initial: State(self.store.true, {})}
        free: dict[Term, tuple[Term, ...]] = {}
        dead, jumps, depth = frozenset(self.unwinding.dead), dict(self.unwinding.jumps), 0
        while depth < self.unwinding.depth:
            depth += 1
            self.tick()
            traversal = Folding(self.regions, self.store, free)
            reached = traversal.run(states)
            definitions += traversal.definitions
            states = {}
            for loc, state in reached.items():
                if loc == self.cfa.error or (depth, loc) in dead:
                    name = self._name(f"after {depth} passages no run is at", loc)
                    yield name, state, self.store.false
                elif (claim := self._claim(loc, state)) is self.store.true:
                    states[loc] = state
                else:
                    yield self._stated(depth, loc, state)
                    states[loc] = State(self.store.and_(state.reach, claim), state.values)
            if not states:
                return
            if depth in jumps:
                states, problem = self._jump(states, traversal.only_way(), jumps[depth])
                if problem is not None:
                    status = Status.REFUTED if problem.wrong else Status.UNKNOWN
                    name = self._name(f"rounds after {depth} passages at", *states)
                    self.problem = Open(status, name, problem.reason)
                    return
                depth += jumps[depth]
                yield from (self._stated(depth, loc, state) for loc, state in states.items())
        for loc, state in states.items():
            name = self._name(f"no run goes on after {self.unwinding.depth} passages at", loc)
            yield name, state, self.store.false

    def _stated(self, depth: int, location: int, state: State) -> Goal:
        """The formula of a location holds in a state after so many passages."""
        name = self._name(f"formula after {depth} passages at", location)
        return name, state, self.claims[location]

    def _jump(
        self, states: dict[int, State], way: list[Edge], times: int
    ) -> tuple[dict[int, State], Rounds | None]:
        """The states after so many rounds along a way;
        why they could not be taken at once, if so."""
        (location, state), *others = states.items()
        single = (
            not others
            and state.reach is self.store.true
            and way
            and way[0].source == way[-1].target == location
        )
        if not single or not 1 <= times < 1 << WIDTH:
            return states, Rounds(None, "there is more than one way to go")
        known = {x: t.data for x, t in state.values.items() if t.op is Op.CONST}
        steps: list[TakenEdge] = [(edge, {}) for edge in way]
        self.queries += 1
        found = after_rounds(
            self.cfa, steps, known, times, self.links, self.tick, claim=self.claims[location]
        )
        if found.values is None or found.link is None:
            return states, found
        self.used[found.link.name] = found.link
        after = {x: self.store.const(value, x.sort) for x, value in found.values.items()}
        after |= {x: self.store.fresh(f"{x.name}!rounds", x.sort) for x in found.open_}
        return {location: State(state.reach, {**state.values, **after})}, None

    def _claim(self, location: int, state: State) -> Term:
        """The formula of a location in a state, evaluated if all it speaks about is known."""
        if is_constant(self.claims[location], True):
            return self.store.true
        claim = self._at(self.claims[location], state)
        return (
            claim
            if claim.op is not Op.CONST and free_vars(claim)
            else self.store.const(evaluate(claim, {}), claim.sort)
        )

    def _ask(self, assertions: list[Term], goals: list[Goal]) -> Iterator[Open]:
        """All goals at once with limited effort, since runs begin alike; else as goals are asked
        elsewhere.
        """
        held = frozenset(assertions)  # membership only
        broken = [
            f for _, state, claim in goals if (f := self._violated(state, claim, held)) is not None
        ]
        with closing(Questions(hasty(self.links, PART), assertions, self.tick)) as questions:
            if not broken or self._none(questions, broken, HURRIED):
                return
        yield from super()._ask(assertions, goals)

    def _judge(self, questions: Questions, name: str, assumptions: list[Term]) -> Iterator[Open]:
        for left in super()._judge(questions, name, assumptions):
            approximated = left.status is Status.REFUTED and any(
                c.loop for c in self.regions.components
            )
            reason = "a loop without a formula had to be over-approximated"
            yield replace(left, status=Status.UNKNOWN, reason=reason) if approximated else left
